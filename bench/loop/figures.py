"""From the rounds of all contenders to ratios, limits and a table."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import Any

from contenders import CONTENDERS

LIMIT_BARE = 0.95
"""Of the speed of a bare loop."""
LIMIT_LOADER = 2.0
"""Times the speed of a DataLoader."""

KEYS = ("samples_per_second", "peak_mib", "added_mib", "gpu_mib")


@dataclass(frozen=True)
class Ratio:
    name: str
    value: float
    limit: float
    remark: str = ""

    @property
    def reached(self) -> bool:
        return self.value >= self.limit


def ratios(runs: dict[str, list[dict[str, float]]]) -> list[Ratio]:
    """Medians over the rounds of the ratios of the same round.

    A DataLoader that hardly costs time cannot be beaten twofold: nothing is faster than the bare loop, which
    has no data to fetch at all. Where twice the DataLoader lies beyond it, the limit is set by the bare loop.
    """
    rows = [Ratio("ours / bare loop", _ratio(runs, "ours", "bare"), LIMIT_BARE)]
    for name in ("loader", "ordinary"):
        possible = _ratio(runs, "bare", name)
        within = possible * LIMIT_BARE >= LIMIT_LOADER
        limit = LIMIT_LOADER if within else possible * LIMIT_BARE
        remark = "" if within else f"the bare loop itself is only {possible:.2f} times as fast"
        rows.append(Ratio(f"ours / {CONTENDERS[name].title}", _ratio(runs, "ours", name), limit, remark))
    return rows


def contender_medians(runs: dict[str, list[dict[str, float]]]) -> dict[str, dict[str, float | None]]:
    return {name: {key: _median(rounds, key) for key in KEYS} for name, rounds in runs.items()}


def show(contenders: dict[str, dict[str, float | None]], rows: list[Ratio]) -> None:
    print(f"\n{'':<46}{'samples/s':>12}{'peak MiB':>12}{'added MiB':>12}{'GPU MiB':>12}")
    for name, figures in contenders.items():
        cells = ["-" if figures[key] is None else f"{figures[key]:.1f}" for key in KEYS]
        print(f"{CONTENDERS[name].title:<46}" + "".join(f"{cell:>12}" for cell in cells))
    for row in rows:
        state = "reached" if row.reached else "missed"
        remark = f"; {row.remark}" if row.remark else ""
        print(f"{row.name}: {row.value:.2f} (at least {row.limit:.2f}: {state}{remark})")


def as_json(rows: list[Ratio]) -> list[dict[str, Any]]:
    return [{"name": row.name, "value": round(row.value, 3), "limit": round(row.limit, 3)} for row in rows]


def _median(rounds: list[dict[str, float]], key: str) -> float | None:
    values = [figures[key] for figures in rounds if key in figures]
    return round(statistics.median(values), 1) if values else None


def _ratio(runs: dict[str, list[dict[str, float]]], first: str, second: str) -> float:
    pairs = zip(runs[first], runs[second], strict=True)
    return statistics.median(a["samples_per_second"] / b["samples_per_second"] for a, b in pairs)
