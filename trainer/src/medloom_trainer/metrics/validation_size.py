"""Minimum sizes of a validation split for fitting something on it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from medloom_trainer.metrics.statistics.clusters import Clusters
from medloom_trainer.plurals import pluralize

MIN_PATIENTS = 20
MIN_OF_A_CLASS = 5
"""In patients. As for a subgroup: with fewer, a number is not informative."""
MIN_FOR_TEMPERATURE = 100
"""In patients. In simulations with 50 patients, a temperature whose interval excludes 1 made the log loss of
new cases worse in up to 18 % of trainings; with 100 or more in at most 9 %
(docs/decisions/0020-use-of-predictions.md).
"""
MIN_OF_A_CLASS_FOR_TEMPERATURE = 10


def too_small(
    patients: npt.NDArray[np.int64] | None, labels: npt.NDArray[np.generic], needed: int = MIN_PATIENTS
) -> str | None:
    """Reason why fewer patients than `needed` are too few; labels (N,), patients (N,), None if each row is a
    separate patient."""
    count = Clusters.from_patients(patients, len(labels)).count
    return f"only {_counted(count, patients)}; {needed} are required" if count < needed else None


def too_small_for_classes(
    patients: npt.NDArray[np.int64] | None,
    labels: npt.NDArray[np.int64],
    num_classes: int,
    needed: int = MIN_PATIENTS,
    of_a_class: int = MIN_OF_A_CLASS,
) -> str | None:
    """The same, or the reason why the classes are too small: two of them need `of_a_class` patients each."""
    clusters = Clusters.from_patients(patients, len(labels))
    counts = sorted(clusters.having(labels == k) for k in range(num_classes))
    if counts[-2] == 0:
        return "the validation cases have only one class"
    if counts[-2] < of_a_class:
        other = "the rarer class" if num_classes == 2 else "all classes but the largest"
        return f"only {_counted(counts[-2], patients)} of {other}; {of_a_class} are required"
    return too_small(patients, labels, needed)


def _counted(count: int, patients: npt.NDArray[np.int64] | None) -> str:
    return pluralize(count, f"validation {'case' if patients is None else 'patient'}")
