"""Table → cases: roles of its columns, an id for every case, images as absolute paths."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from medloom_trainer.cases.case_set import CASE_ID, CaseSet
from medloom_trainer.cases.labels import CATEGORICAL, NUMERIC, POSITIVE_CLASS, refuse_contradictions
from medloom_trainer.cases.node_task import NodeTask
from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.tables import (
    IDENTIFYING,
    Roles,
    Table,
    in_plain_notation,
    infer_roles,
    is_missing,
    learn_labels,
    missing_mask,
    role_settings,
    with_columns,
)
from medloom_trainer.errors import TrainerError
from medloom_trainer.folder_map import service_path


def cases_of_table(
    task: NodeTask,
    table: Table,
    *,
    image_root: Path,
    label_column: str | None = None,
    labels: Mapping[str, Any] | None = None,
    patient_column: str | None = None,
    ignore_columns: Sequence[str] = (),
    chosen: Mapping[str, str] | None = None,
    positive_class: str | None = None,
    registered_labels: Sequence[str | None] = (),
) -> tuple[CaseSet, Roles]:
    """Roles are inferred as in a training (data/tables/roles.py); warnings go to the task. chosen: column →
    role, as registered. `ignore_columns` are left out of the cases, so that no later node reads them after a
    merge or join.

    labels: LABEL_SETTINGS instead of one label column. COLUMN_NOT_FOUND if a named column does not exist,
    LABEL_INVALID if the positive class does not, INVALID_CONFIG if the label is named in two ways.
    registered_labels: labels that may be shown, since their registration was checked.
    """
    named: dict[str, Any] = dict(labels or {})
    refuse_contradictions(label_column, named)
    ignored = list(ignore_columns)
    if CASE_ID in table.columns and CASE_ID not in ignored:
        ignored.append(CASE_ID)
    settings = role_settings(
        label_column=label_column,
        **{key.removeprefix("data."): value for key, value in named.items()},
        patient_column=patient_column,
        ignore_columns=ignored,
    )
    remaining = {column: kind for column, kind in (chosen or {}).items() if column not in _named(settings)}
    roles = infer_roles(table, settings, image_root, chosen=remaining, label_required=False)
    task.warnings.extend([*table.warnings, *roles.warnings])
    columns = {
        CASE_ID: _case_ids(task, table),
        **_texts(table, roles, ignore_columns, service_path(image_root)),
    }
    label = None if named else roles.label
    positive = _choose_positive(task, table, label, positive_class)
    if {"numeric", "categorical"} & set(remaining.values()):  # no later node infers them differently
        named |= {NUMERIC: list(roles.numeric), CATEGORICAL: list(roles.categorical)}
    features = (*roles.numeric, *roles.categorical)
    unregistered = [column for column in roles.labels if column not in registered_labels]
    cases = CaseSet(
        with_columns(table.with_origin(), columns),
        roles.images,
        label,
        roles.patient,
        tuple(column for column in table.columns if column in features),
        settings=named if positive is None else {**named, POSITIVE_CLASS: positive},
        lineage=({"sha256": table.digest, "step": "file", "split": "all"},),
        masked_columns=_identifying(table, unregistered, image_root),
    )
    return cases, roles


def _texts(table: Table, roles: Roles, ignored: Sequence[str], folder: Path) -> dict[str, list[str]]:
    """Cells of the columns that later nodes read: images as absolute paths, numbers with points."""
    columns = {}
    for column in table.columns:
        if column == CASE_ID or column in ignored:
            continue
        texts = table.cells[column]
        if column in roles.images:
            texts = [text if is_missing(text) else str(_absolute(text, folder)) for text in texts]
        elif column in roles.numeric or column in roles.labels:
            texts = in_plain_notation(texts, table.delimiter)  # the copy is separated by commas
        columns[column] = texts
    return columns


def _identifying(table: Table, columns: Sequence[str], image_root: Path) -> tuple[str, ...]:
    """Those that would be masked if no node named them: anyone who may make a workflow can name a label."""
    found = []
    for column in columns:
        alone = with_columns(table, {column: table.cells[column]})
        kinds = infer_roles(alone, role_settings(), image_root, label_required=False).kinds
        if kinds[column] in IDENTIFYING:
            found.append(column)
    return tuple(found)


def _named(settings: Mapping[str, Any]) -> set[str]:
    """Columns that a node names, which has priority over roles chosen at registration."""
    return {
        column
        for value in settings.values()
        for column in ([value] if isinstance(value, str) else value or ())
    }


def _choose_positive(task: NodeTask, table: Table, label: str | None, named: str | None) -> str | None:
    """The named class in the spelling of the table; assumptions about classes are warnings of the task."""
    if label is None:
        if named is not None:
            raise TrainerError("LABEL_INVALID", phrase("positive_without_label"))
        return None
    try:
        scheme = learn_labels(table, label, None)
    except TrainerError:
        if named is not None:
            raise
        return None
    if named is not None:
        scheme = learn_labels(table, label, None, named)
    task.warnings.extend(scheme.warnings)
    return None if named is None else scheme.positive_class


def _case_ids(task: NodeTask, table: Table) -> list[str]:
    """The column `case_id` if its values are unique; else the file's digest and the row."""
    own = table.cells.get(CASE_ID)
    if own is not None:
        if all(own) and len(set(own)) == len(own):
            return own
        task.warn("CASE_IDS_REPLACED", phrase("case_ids_replaced", column=CASE_ID))
    return [f"{table.digest[:8]}-{line}" for line in table.lines.tolist()]


def _absolute(cell: str, image_root: Path) -> Path:
    """The path that a cell names; access is checked where it is read."""
    return Path(os.path.normpath(image_root / cell)) if "\0" not in cell else Path(cell)


def describe_columns(table: Table, roles: Roles) -> dict[str, Any]:
    """Facts about every column: role, reason, number of missing and distinct values. No values."""
    return {
        "columns": [
            {
                "name": column,
                "role": roles.kinds[column],
                "reason": roles.reasons[column],
                "missing": int(missing_mask(table.cells[column]).sum()),
                "distinct": len(Counter(table.cells[column])),
            }
            for column in table.columns
        ],
        "num_rows": len(table),
    }
