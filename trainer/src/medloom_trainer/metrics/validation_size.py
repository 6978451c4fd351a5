"""Minimum sizes of a validation split for fitting something on it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.codes import PhraseCode
from medloom_trainer.contract.phrases import phrase
from medloom_trainer.metrics.statistics.clusters import Clusters

MIN_PATIENTS = 20
MIN_OF_A_CLASS = 5
"""In patients. As for a subgroup: with fewer, a number is not informative."""
MIN_FOR_TEMPERATURE = 100
"""In patients. In simulations with 50 patients, a temperature whose interval excludes 1 made the log loss of
new cases worse in up to 18 % of trainings; with 100 or more in at most 9 %
(docs/decisions/0020-use-of-predictions.md).
"""
MIN_OF_A_CLASS_FOR_TEMPERATURE = 10
_FEW: Mapping[tuple[bool, bool], PhraseCode] = {
    (False, True): "few_patients_of_rarer_class",
    (True, True): "few_cases_of_rarer_class",
    (False, False): "few_patients_of_smaller_classes",
    (True, False): "few_cases_of_smaller_classes",
}
"""(cases instead of patients, two classes) → reason."""


def too_small(
    patients: npt.NDArray[np.int64] | None, labels: npt.NDArray[np.generic], needed: int = MIN_PATIENTS
) -> str | None:
    """Reason why fewer patients than `needed` are too few; labels (N,), patients (N,), None if each row is a
    separate patient."""
    count = Clusters.from_patients(patients, len(labels)).count
    if count >= needed:
        return None
    few: PhraseCode = "few_validation_cases" if patients is None else "few_validation_patients"
    return phrase(few, count=count, needed=needed)


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
        return phrase("validation_of_one_class")
    if counts[-2] < of_a_class:
        return phrase(_FEW[patients is None, num_classes == 2], count=counts[-2], needed=of_a_class)
    return too_small(patients, labels, needed)
