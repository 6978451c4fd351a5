"""Shortcuts: ways to predict the label without medical information. Warnings about the training split name
columns, never values.

A single column or its gaps (column_shortcuts.py), two or three columns together (joint_shortcuts.py), columns
that follow from the follow-up time of a survival study (follow_up.py), the acquisition of the images
(acquisition.py). Checks that are not possible are reported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.checks.acquisition import search_acquisition
from medloom_trainer.data.checks.association import outcomes_of
from medloom_trainer.data.checks.column_shortcuts import column_warnings
from medloom_trainer.data.checks.follow_up import inclusion_columns, rising_warnings
from medloom_trainer.data.checks.joint_shortcuts import joint_warnings
from medloom_trainer.data.tables import Roles, Table, Target
from medloom_trainer.warnings import Warnings


@dataclass(frozen=True)
class Shortcuts:
    """The shortcuts found."""

    warnings: Warnings
    acquisition_columns: list[str]
    """Acquisition columns that predict the label."""
    acquisition_properties: dict[str, Sequence[str]]
    """Properties of the images that predict the label → (N,) texts."""


def search_all_shortcuts(
    table: Table,
    roles: Roles,
    columns: tuple[Sequence[str], Sequence[str]],
    properties: Mapping[str, Sequence[str]],
    questions: Sequence[Target],
    groups: npt.NDArray[np.int64],
) -> Shortcuts:
    """Search shortcuts to each answer of the label (`search_shortcuts`), and report each one once."""
    found = []
    inclusion = {name for question in questions for name in inclusion_columns(table, columns[0], question)}
    others = ([name for name in columns[0] if name not in inclusion], columns[1])
    for question in questions:
        # The day of inclusion and that of the last visit are a pair.
        searched = others if question.censored is None else columns
        found.append(search_shortcuts(table, roles, searched, properties, question, groups))
    warnings = {(one["code"], one["message"]): one for shortcuts in found for one in shortcuts.warnings}
    acquisition = [name for shortcuts in found for name in shortcuts.acquisition_columns]
    telling = [name for shortcuts in found for name in shortcuts.acquisition_properties]
    return Shortcuts(
        list(warnings.values()),
        list(dict.fromkeys(acquisition)),
        {name: properties[name] for name in dict.fromkeys(telling)},
    )


def search_shortcuts(
    table: Table,
    roles: Roles,
    columns: tuple[Sequence[str], Sequence[str]],
    properties: Mapping[str, Sequence[str]],
    question: Target,
    groups: npt.NDArray[np.int64],
) -> Shortcuts:
    """table, groups: N training cases; those of one patient have the same group. columns: (numeric,
    categorical) that the model reads. properties: of the images of each case (`image_properties`)."""
    rows = question.rows
    whole = len(rows) == len(table)
    table = table.take(rows)
    properties = {name: [texts[row] for row in rows.tolist()] for name, texts in properties.items()}
    _, groups = np.unique(groups[rows], return_inverse=True)
    outcomes = outcomes_of(question, groups, len(columns[0]) + len(columns[1]) + len(properties))
    if question.censored is not None:
        found = rising_warnings(table, outcomes, columns[0])
        return Shortcuts([*found, *joint_warnings(table, outcomes, *columns, whole=whole)], [], {})
    acquisition = search_acquisition(table, roles, properties, outcomes)
    # Leaving these columns out is not a remedy: they have a separate warning.
    numeric, categorical = (
        [name for name in of_kind if name not in acquisition.columns] for of_kind in columns
    )
    columns_found = [
        *column_warnings(table, outcomes, question.classes, numeric, categorical),
        *joint_warnings(table, outcomes, numeric, categorical, whole=whole),
    ]
    return Shortcuts(
        [*columns_found, *acquisition.warnings],
        acquisition.columns,
        {name: properties[name] for name in acquisition.properties},
    )
