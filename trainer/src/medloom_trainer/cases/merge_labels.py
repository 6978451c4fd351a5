"""Check of whether merged datasets have the same kind of labels."""

from __future__ import annotations

import re
from collections.abc import Sequence

from medloom_trainer.cases.case_set import CaseSet
from medloom_trainer.cases.labels import judge_label
from medloom_trainer.contract.phrases import Phrased, join, phrase
from medloom_trainer.data.tables import comparable_name
from medloom_trainer.errors import TrainerError

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_TWO_CLASSES = 2
_SHOWN_CLASSES = 5
_Answers = set[str | None]
"""Possible labels: classes, or None for a quantity."""


def refuse_other_labels(sources: Sequence[CaseSet]) -> None:
    """DATASET_INVALID if the labels of some sources have nothing in common with those of the others.

    Sites may lack classes of each other. A source without labels, or with one class, is not compared.
    """
    schemes = [
        (join(phrase("dataset_number", number=number), _in_words(classes), mark="space"), classes)
        for number, (task, classes) in enumerate(
            (judge_label(source.table, source.label_column, {}) for source in sources), start=1
        )
        if task is not None
    ]
    quantity = any(classes is None for _, classes in schemes)
    groups: list[tuple[Phrased, _Answers]] = []
    for description, classes in schemes:
        answers: _Answers = (
            {None}
            if classes is None or (quantity and _may_be_quantity(classes))
            else {comparable_name(name) for name in classes}
        )
        for _, shared in (group for group in groups if group[1] & answers):
            answers |= shared
        groups = [*(group for group in groups if not group[1] & answers), (description, answers)]
    if len(groups) > 1:
        message = phrase("labels_incompatible", first=groups[0][0], second=groups[1][0])
        remedy = phrase("same_class_names")
        raise TrainerError("DATASET_INVALID", message, remedy)


def _may_be_quantity(classes: Sequence[str]) -> bool:
    """A small part of a table of numbers looks like classes; exactly two of them are classes."""
    return len(classes) > _TWO_CLASSES and all(_NUMBER.fullmatch(name) for name in classes)


def _in_words(classes: Sequence[str] | None) -> Phrased:
    if classes is None:
        return phrase("has_numeric_label")
    shown = ", ".join(f'"{name[:40]}"' for name in classes[:_SHOWN_CLASSES])
    return phrase("has_classes_and_others" if len(classes) > _SHOWN_CLASSES else "has_classes", classes=shown)
