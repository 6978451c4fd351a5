"""Results at every threshold of a fixed grid: counts of decisions, and shares with intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.metrics.binary import decision_counts, decision_shares
from medloom_trainer.metrics.intervals import Interval, share_interval
from medloom_trainer.metrics.statistics.clusters import Clusters
from medloom_trainer.metrics.statistics.ties import reaches

GRID = np.concatenate([np.arange(10) / 1000, np.arange(1, 100) / 100, np.arange(991, 1001) / 1000])
"""Hundredths, and thousandths at both ends, where the thresholds for a rare class are."""


def threshold_grid(
    labels: npt.ArrayLike, probability: npt.ArrayLike, patients: npt.NDArray[np.int64] | None
) -> dict[str, Any]:
    """labels (N,) of 0/1, probability (N,) of class 1, patients (N,), None if each row is a separate patient.
    → lists as declared in the contracts, with an entry for each threshold of GRID"""
    positive, chances = np.asarray(labels) == 1, np.asarray(probability, dtype=np.float64)
    clusters = Clusters.from_patients(patients, len(positive))
    counts: list[dict[str, int]] = []
    shares: list[dict[str, Interval]] = []
    for threshold in GRID:
        called = reaches(chances, threshold)
        counts.append(decision_counts(positive, called))
        decided = decision_shares(positive, called)
        shares.append({name: share_interval(*share, clusters) for name, share in decided.items()})
    return {
        "threshold": GRID.tolist(),
        **{name: [entry[name] for entry in counts] for name in counts[0]},
        **{name: _lists([entry[name] for entry in shares]) for name in shares[0]},
        "method": shares[0]["accuracy"]["method"],
    }


def _lists(found: list[Interval]) -> dict[str, list[float | None]]:
    return {
        "estimate": [one["estimate"] for one in found],
        "low": [one["low"] for one in found],
        "high": [one["high"] for one in found],
    }
