"""The cases at a port: one CaseSet, or images and a table that were loaded separately, joined by case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from medloom_trainer.cases.case_set import CASE_ID, CaseSet, read_cases
from medloom_trainer.cases.node_task import NodeTask
from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.tables import image_stem, read_numbers, require_column, with_columns
from medloom_trainer.errors import TrainerError


def cases_at(task: NodeTask, port: str) -> CaseSet:
    """The cases at the input `port`. Two values are joined: DATASET_INVALID if no image fits a row."""
    values = task.inputs.get(port, [])
    if len(values) == 2:
        return join_cases(task, read_cases(task, values[0]), read_cases(task, values[1]))
    return read_cases(task, task.input(port))


def join_cases(task: NodeTask, first: CaseSet, second: CaseSet) -> CaseSet:
    """Cases that have both sides, in the order of the table; the number of cases with only one side is a
    warning.

    The same cases as images and as a table become one value again, with the settings of both.
    """
    images, table = _sides(first, second)
    settings = {**images.settings, **table.settings}
    lineage = (*images.lineage, *(step for step in table.lineage if step not in images.lineage))
    if images.table.cells == table.table.cells:
        return replace(table, image_columns=images.image_columns, settings=settings, lineage=lineage)
    key, image_of_row = _match(images, table)
    rows = [row for row, image in enumerate(image_of_row) if image is not None]
    if not rows:
        message = phrase(
            "no_image_matches",
            images=len(images.case_ids),
            rows=len(table.case_ids),
            reason=phrase("no_column_names_images")
            if images.join_by is None
            else phrase("column_names_no_images", column=key),
        )
        hint = phrase("set_join_by_or_id", column=CASE_ID)
        raise TrainerError("DATASET_INVALID", message, hint)
    picked = [image for image in image_of_row if image is not None]
    alone, unused = len(table.case_ids) - len(rows), len(images.case_ids) - len(set(picked))
    if alone or unused:
        message = phrase(
            "cases_unmatched",
            key=key,
            count=len(rows),
            rows=phrase("rows_counted", count=alone),
            images=phrase("images_counted", count=unused),
        )
        task.warn("CASES_UNMATCHED", message)
    joined, shown = table.take(rows), images.take(picked)
    columns = {
        column: texts
        for column, texts in joined.table.cells.items()
        if column not in images.image_columns and column not in table.image_columns
    }
    columns |= {column: shown.table.cells[column] for column in images.image_columns}
    patient = table.patient_column
    if patient is None and images.patient_column is not None and images.patient_column not in columns:
        patient = images.patient_column
        columns[patient] = shown.table.cells[patient]
    return replace(
        joined,
        join_by=None,
        table=with_columns(joined.table, columns),
        image_columns=images.image_columns,
        feature_columns=tuple(name for name in table.feature_columns if name in columns),
        patient_column=patient,
        split=table.split if table.split != "all" else images.split,
        settings=settings,
        lineage=lineage,
        split_of=table.split_of or images.split_of,
    )


def _sides(first: CaseSet, second: CaseSet) -> tuple[CaseSet, CaseSet]:
    """(images, table), in any order of the arguments."""
    if not first.image_columns and not second.image_columns:
        raise TrainerError("DATASET_INVALID", phrase("join_without_images"))
    if not second.image_columns:
        return first, second
    if not first.image_columns:
        return second, first
    return (second, first) if len(second.feature_columns) < len(first.feature_columns) else (first, second)


def _match(images: CaseSet, table: CaseSet) -> tuple[str, list[int | None]]:
    """(column, position of the image of each row): by the key that names most images.

    DATASET_INVALID if two keys name different images of the same rows, and the first does not name clearly
    more: a wrong choice would give patients the images of others. COLUMN_NOT_FOUND if `join_by` is not a
    column.
    """
    index = _positions(images.case_ids)
    if images.join_by is not None:
        require_column(table.table, images.join_by, "join_by")
    found = [
        (column, [index.get(text, index.get(image_stem(text))) for text in table.table.cells[column]])
        for column in ([images.join_by] if images.join_by is not None else _keys(table))
    ]
    count = {column: sum(image is not None for image in matches) for column, matches in found}
    key, matches = max(found, key=lambda candidate: count[candidate[0]])
    rivals = [
        column
        for column, others in found
        if count[column] > _CLEARLY_FEWER * count[key] and _disagree(matches, others)
    ]
    if rivals:
        listed = ", ".join(
            f'"{column}" ({count[column]} of {len(matches)} rows)' for column in (key, *rivals)
        )
        message = phrase("columns_name_other_images", columns=listed)
        hint = phrase("set_join_by")
        raise TrainerError("DATASET_INVALID", message, hint)
    return key, matches


_CLEARLY_FEWER = 0.5
"""Another key is not in question if it names at most half as many images."""


def _keys(table: CaseSet) -> list[str]:
    """Columns that can name the image of a row: the case id, image columns and the patient; and others whose
    values are all different and which are neither labels nor numbers that a model reads."""
    cells = table.table.cells
    named = [CASE_ID, *table.image_columns, *filter(None, [table.patient_column])]
    others = [
        column
        for column in table.table.columns
        if column not in (*named, *table.label_columns)
        and _is_unique(cells[column])
        and not (column in table.feature_columns and _are_numbers(table, column))
    ]
    return [*named, *others]


def _is_unique(texts: Sequence[str]) -> bool:
    present = [text for text in texts if text]
    return len(set(present)) == len(present)


def _are_numbers(table: CaseSet, column: str) -> bool:
    return not read_numbers(table.table.cells[column], table.table.delimiter).texts


def _disagree(first: Sequence[int | None], second: Sequence[int | None]) -> bool:
    return any(None not in (one, other) and one != other for one, other in zip(first, second, strict=True))


def _positions(case_ids: Sequence[str]) -> dict[str, int]:
    """Case id, and its last part if it is unambiguous → position."""
    index: dict[str, int] = {}
    short: dict[str, list[int]] = {}
    for position, name in enumerate(case_ids):
        index[name] = position
        short.setdefault(image_stem(name), []).append(position)
    for name, found in short.items():
        if len(found) == 1:
            index.setdefault(name, found[0])
    index.pop("", None)
    return index
