"""Classes with very few patients in training, or with none in validation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import join, listing, phrase
from medloom_trainer.data.splits import SplitCases
from medloom_trainer.data.tables import LabelScheme
from medloom_trainer.warnings import Warnings, warning

FEWEST = 5
"""Minimum number of patients of a class. Results from fewer patients do not generalize."""
_SHOWN = 20


def rare_class_warnings(
    splits: Mapping[str, SplitCases], scheme: LabelScheme, patient: str | None
) -> Warnings:
    """patient: the column. For few events of survival in training there is the warning FEW_EVENTS."""
    lines = []
    if scheme.task != "survival":
        counts = _patients_of_classes(splits["train"], scheme, patient)
        few = [f"{name} ({count})" for name, count in counts.items() if count < FEWEST]
        unit = phrase("unit_cases" if patient is None else "unit_patients")
        if few:
            listed = listing(few, _SHOWN)
            lines.append(phrase("few_of_classes", needed=FEWEST, unit=unit, classes=listed))
    absent = [
        name for name, count in _patients_of_classes(splits["val"], scheme, patient).items() if count == 0
    ]
    if absent:
        lines.append(phrase("classes_not_validated", classes=listing(absent, _SHOWN)))
    return [warning("RARE_CLASSES", join(*lines, mark="semicolon"))] if lines else []


def _patients_of_classes(part: SplitCases, scheme: LabelScheme, patient: str | None) -> dict[str, int]:
    """Class → number of its patients, or of its cases if patients are unknown."""
    if part.labels is None:
        return {}
    cells = None if patient is None else part.table.cells.get(patient)
    identity = np.arange(len(part.labels)) if cells is None else np.unique(cells, return_inverse=True)[1]
    return {name: len(np.unique(identity[inside])) for name, inside in _cases_of_classes(part.labels, scheme)}


def _cases_of_classes(
    labels: npt.NDArray[Any], scheme: LabelScheme
) -> Iterator[tuple[str, npt.NDArray[np.bool_]]]:
    if scheme.task == "survival":
        yield "event", labels[:, 1] == 1
    for k, name in enumerate(scheme.classes or ()):
        yield name, labels[:, k] == 1 if scheme.task == "multilabel" else labels == k
