"""From the rounds of all contenders to ratios, limits and a table."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import Any

from contenders import CONTENDERS

LIMIT_BARE = 0.95
"""Share of the speed of a bare loop."""
LIMIT_LOADER = 2.0
"""Multiple of the speed of a DataLoader."""

LIMIT_ONE_EPOCH = 1.0
"""Multiple of the speed of a DataLoader that decodes to the same pixels, in a training of one epoch, decoding
included."""

DECODING_PEERS = ("loader", "same", "ordinary")
"""Contenders that decode in every epoch."""

EPOCHS = (1, 20)
"""Lengths of trainings whose speed is reported including the decoding before the first epoch."""

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

    A DataLoader that takes hardly any time cannot be beaten twofold: nothing is faster than the bare loop,
    which fetches no data at all. If twice the DataLoader exceeds it, the bare loop determines the limit.
    """
    rows = [Ratio("ours / bare loop", _ratio(runs, "ours", "bare"), LIMIT_BARE)]
    rows.append(Ratio(f"ours / {CONTENDERS['cached'].title}", _ratio(runs, "ours", "cached"), LIMIT_BARE))
    for name in DECODING_PEERS:
        possible = _ratio(runs, "bare", name)
        within = possible * LIMIT_BARE >= LIMIT_LOADER
        limit = LIMIT_LOADER if within else possible * LIMIT_BARE
        remark = "" if within else f"the bare loop itself is only {possible:.2f} times as fast"
        rows.append(Ratio(f"ours / {CONTENDERS[name].title}", _ratio(runs, "ours", name), limit, remark))
    return rows


def contender_medians(runs: dict[str, list[dict[str, float]]]) -> dict[str, dict[str, float | None]]:
    return {name: {key: _median(rounds, key) for key in KEYS} for name, rounds in runs.items()}


def with_decoding(runs: dict[str, list[dict[str, float]]], cases: int) -> dict[str, dict[str, float]]:
    """Contender → epochs of a training → samples per second including the decoding of the `cases` that it
    trains on: before the first epoch if a contender decodes once, in every epoch otherwise. No contender is
    charged for the validation images.
    """
    found: dict[str, dict[str, float]] = {}
    decoding = statistics.median(figures["samples_per_second"] for figures in runs["decoding"])
    for name in ("ours", "cached", *DECODING_PEERS):
        speed = statistics.median(figures["samples_per_second"] for figures in runs[name])
        once = cases / decoding if name == "ours" else runs[name][0].get("decoding", 0.0)
        found[name] = {
            str(epochs): round(epochs * cases / (once + epochs * cases / speed), 1) for epochs in EPOCHS
        }
    return found


def ratios_with_decoding(runs: dict[str, list[dict[str, float]]]) -> list[Ratio]:
    """Medians of the ratios of a round, for the shortest training, which uses every decoded image once.

    The limit is for the same work: a peer that decodes to the same pixels.
    """
    rows = []
    for name in ("same", "loader"):
        rounds = zip(runs["ours"], runs["decoding"], runs[name], strict=True)
        value = statistics.median(
            1 / (peer * (1 / training + 1 / decoding))
            for training, decoding, peer in ([part["samples_per_second"] for part in each] for each in rounds)
        )
        limit = LIMIT_ONE_EPOCH if name == "same" else 0.0
        rows.append(Ratio(f"ours / {CONTENDERS[name].title}, 1 epoch with decoding", value, limit))
    return rows


def show_with_decoding(figures: dict[str, dict[str, float]]) -> None:
    print(f"\n{'samples/s, decoding counted, in a training of':<46}" + "".join(f"{n:>9} ep." for n in EPOCHS))
    for name, speeds in figures.items():
        print(f"{CONTENDERS[name].title:<46}" + "".join(f"{speed:>13.1f}" for speed in speeds.values()))


def show(contenders: dict[str, dict[str, float | None]]) -> None:
    print(f"\n{'':<46}{'samples/s':>12}{'peak MiB':>12}{'added MiB':>12}{'GPU MiB':>12}")
    for name, figures in contenders.items():
        cells = ["-" if figures[key] is None else f"{figures[key]:.1f}" for key in KEYS]
        print(f"{CONTENDERS[name].title:<46}" + "".join(f"{cell:>12}" for cell in cells))


def show_ratios(rows: list[Ratio]) -> None:
    for row in rows:
        state = "reached" if row.reached else "missed"
        remark = f"; {row.remark}" if row.remark else ""
        limit = f" (at least {row.limit:.2f}: {state}{remark})" if row.limit else " (no limit)"
        print(f"{row.name}: {row.value:.2f}{limit}")


def as_json(rows: list[Ratio]) -> list[dict[str, Any]]:
    return [{"name": row.name, "value": round(row.value, 3), "limit": round(row.limit, 3)} for row in rows]


def _median(rounds: list[dict[str, float]], key: str) -> float | None:
    values = [figures[key] for figures in rounds if key in figures]
    return round(statistics.median(values), 1) if values else None


def _ratio(runs: dict[str, list[dict[str, float]]], first: str, second: str) -> float:
    pairs = zip(runs[first], runs[second], strict=True)
    return statistics.median(a["samples_per_second"] / b["samples_per_second"] for a, b in pairs)
