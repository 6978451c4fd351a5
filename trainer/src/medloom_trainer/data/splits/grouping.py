"""Groups of cases that belong together, and their strata."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.tables import LabelScheme, Table, number_patients


def group_cases(keys_of_case: Sequence[Sequence[Hashable]]) -> npt.NDArray[np.int64]:
    """Number the groups: cases that share a key (the patient, the pixels of an image), directly or through
    others, have the same number.
    """
    parent = list(range(len(keys_of_case)))

    def root(case: int) -> int:
        while parent[case] != case:
            parent[case] = parent[parent[case]]
            case = parent[case]
        return case

    first: dict[Hashable, int] = {}
    for case, keys in enumerate(keys_of_case):
        for key in keys:
            parent[root(case)] = root(first.setdefault(key, case))
    return np.asarray([root(case) for case in range(len(parent))], dtype=np.int64)


def group_rows(table: Table, patient: str | None) -> npt.NDArray[np.int64]:
    """`group_cases` of the rows of a table by their patient alone: (N,) the first row of the patient.
    patient: the column; a row without a patient is a group of its own."""
    rows = np.arange(len(table))
    numbers = number_patients(table, patient)
    if numbers is None:
        return rows
    first = np.empty(int(numbers.max(initial=-1)) + 1, dtype=np.int64)
    first[numbers[::-1]] = rows[::-1]  # the last assignment of several counts
    groups: npt.NDArray[np.int64] = first[numbers]
    return groups


def strata_of(labels: npt.NDArray[Any], scheme: LabelScheme) -> npt.NDArray[np.int64]:
    """(N,) the classes, or fifths of a quantity; for L labels (N, 2 L), 1 where a label is yes, then where it
    is no, so that a case is in several strata; for survival fifths of the time with and without the event."""
    if scheme.task == "multilabel":
        return np.concatenate([labels == 1, labels == 0], axis=1).astype(np.int64)
    if scheme.task == "survival":
        times = labels[:, 0]
        fifths = np.searchsorted(np.unique(np.percentile(times, [20, 40, 60, 80])), times, side="right")
        return (5 * labels[:, 1] + fifths).astype(np.int64)
    if scheme.classes is not None:
        return labels
    edges = np.unique(np.percentile(labels, [20, 40, 60, 80]))
    return np.searchsorted(edges, labels, side="right").astype(np.int64)


def count_strata(group_of: npt.NDArray[np.intp], strata: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """group_of (N,), from 0, and strata from `strata_of` → (groups, strata) cases of each."""
    if strata.ndim == 1:
        strata = (strata[:, None] == np.unique(strata)).astype(np.int64)
    counts = np.zeros((int(group_of.max(initial=-1)) + 1, strata.shape[1]), dtype=np.int64)
    np.add.at(counts, group_of, strata)
    return counts


def names_of_strata(strata: npt.NDArray[np.int64], scheme: LabelScheme) -> list[str] | None:
    """Names of the strata that every part should have, in the order of `count_strata`; None for a quantity,
    whose fifths have no meaning."""
    if scheme.classes is None:
        return None
    if scheme.task == "multilabel":
        return [*scheme.classes, *(f"no {name}" for name in scheme.classes)]
    return [scheme.classes[index] for index in np.unique(strata).tolist()]
