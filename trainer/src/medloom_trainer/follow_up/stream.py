"""The cases of a follow-up in the order of their predictions, in windows of time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.follow_up.records import FollowUpFolder

_ALL_WINDOWS = 500
"""The last window contains everything after it."""


@dataclass(frozen=True)
class Windows:
    """Consecutive periods of equal length."""

    start: datetime
    days: float

    @staticmethod
    def of_params(params: Mapping[str, Any]) -> Windows:
        return Windows(datetime.fromisoformat(params["started_at"]), float(params["window_days"]))

    def number_of(self, at: str) -> int:
        passed = (datetime.fromisoformat(at) - self.start) / timedelta(days=self.days)
        return min(max(int(passed), 0), _ALL_WINDOWS - 1)

    def bounds(self, number: int) -> tuple[str, str]:
        edges = (self.start + timedelta(days=self.days) * k for k in (number, number + 1))
        first, last = (edge.isoformat(timespec="milliseconds").replace("+00:00", "Z") for edge in edges)
        return first, last


@dataclass(frozen=True)
class Stream:
    """N cases, each with the first prediction that was collected for it."""

    ids: Sequence[str]
    windows: npt.NDArray[np.int64]
    """(N,)"""
    places: Sequence[tuple[str, int]]
    """(id of the request, row in it)"""
    patients: npt.NDArray[np.int64] | None
    """(N,) numbers; None if no request had a patient column."""
    predictions: npt.NDArray[np.float64]
    """(N, …) of the network."""
    distances: npt.NDArray[np.float64] | None
    """(N,) NaN if unknown."""
    inputs: Mapping[str, npt.NDArray[np.float64]]
    """Column → (N,) as `collect` stored them, NaN if the request has none."""
    groups: Mapping[str, npt.NDArray[np.str_]]
    counts: Mapping[str, int]
    """repeated, without_id, failed, other_checkpoint"""

    def __len__(self) -> int:
        return len(self.ids)

    def patients_of(self, rows: npt.NDArray[np.intp]) -> int:
        return len(rows) if self.patients is None else len(np.unique(self.patients[rows]))

    def independent(self, rows: npt.NDArray[np.intp]) -> float:
        """Number of independent cases with as much information about a mean, if all cases of a patient were
        equal (Kish 1965). Not more than the number of patients."""
        if self.patients is None or not len(rows):
            return float(len(rows))
        sizes = np.unique(self.patients[rows], return_counts=True)[1]
        return float(len(rows) ** 2 / np.square(sizes).sum())

    def one_of_patients(self, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
        """One of these cases for each patient, at random."""
        return rows if self.patients is None else rows[one_of_each(self.patients[rows])]


def one_of_each(patients: npt.NDArray[np.int64]) -> npt.NDArray[np.intp]:
    """Positions of one case of each patient, at random: the first one may be a special one."""
    order = np.random.default_rng(len(patients)).permutation(len(patients))
    return np.sort(order[np.unique(patients[order], return_index=True)[1]])


def read_stream(folder: FollowUpFolder, windows: Windows, checkpoint_digest: str | None) -> Stream:
    """checkpoint_digest: predictions of another checkpoint are only counted; None: nothing is known of it."""
    counts = dict.fromkeys(("repeated", "without_id", "failed", "other_checkpoint"), 0)
    seen: set[str] = set()
    parts: list[tuple[str, dict[str, Any], list[int]]] = []
    for name, record in folder.records():
        counts["failed"] += record["failed"]
        counts["without_id"] += record["without_id"]
        if checkpoint_digest is not None and record["checkpoint_digest"] != checkpoint_digest:
            counts["other_checkpoint"] += len(record["ids"])
            continue
        fresh = []
        for k, one in enumerate(record["ids"]):
            if one not in seen:
                seen.add(one)
                fresh.append(k)
        counts["repeated"] += len(record["ids"]) - len(fresh)
        if fresh:
            parts.append((name, record, fresh))
    return _joined(parts, windows, counts)


def _joined(
    parts: Sequence[tuple[str, dict[str, Any], list[int]]], windows: Windows, counts: Mapping[str, int]
) -> Stream:
    def every(key: str) -> list[Any]:
        """The values of all cases; None for requests without them."""
        return [None if record[key] is None else record[key][k] for _, record, fresh in parts for k in fresh]

    def named(key: str, name: str, absent: Any) -> list[Any]:
        return [
            record[key][name][k] if name in record[key] else absent
            for _, record, fresh in parts
            for k in fresh
        ]

    def names(key: str) -> list[str]:
        return list(dict.fromkeys(name for _, record, _ in parts for name in record[key]))

    ids, distances = every("ids"), every("distances")
    return Stream(
        ids=ids,
        windows=np.asarray(
            [windows.number_of(record["at"]) for _, record, fresh in parts for _ in fresh], dtype=np.int64
        ),
        places=[(name, record["rows"][k]) for name, record, fresh in parts for k in fresh],
        patients=_patients(every("patients"), ids),
        predictions=np.asarray(every("predictions"), dtype=np.float64),
        distances=None if all(one is None for one in distances) else _floats(distances),
        inputs={name: _floats(named("inputs", name, None)) for name in names("inputs")},
        groups={name: np.asarray(named("groups", name, ""), dtype=np.str_) for name in names("groups")},
        counts=counts,
    )


def _patients(digests: Sequence[str | None], ids: Sequence[str]) -> npt.NDArray[np.int64] | None:
    """In the order of their first cases. A case without a known patient is a patient of its own."""
    if all(one is None for one in digests):
        return None
    own = [digest or f"case {one}" for digest, one in zip(digests, ids, strict=True)]
    numbers = {one: number for number, one in enumerate(dict.fromkeys(own))}
    return np.asarray([numbers[one] for one in own], dtype=np.int64)


def _floats(values: Sequence[float | None]) -> npt.NDArray[np.float64]:
    return np.asarray([np.nan if one is None else one for one in values], dtype=np.float64)
