"""The cases at a port: one CaseSet, or images and a table that were loaded separately, joined by case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from medloom_trainer.cases.case_set import CASE_ID, CaseSet, read_cases
from medloom_trainer.cases.node_task import NodeTask
from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.tables import (
    Table,
    are_whole_amounts,
    image_stem,
    is_quantity,
    is_row_counter,
    merge_shared_images,
    read_numbers,
    refuse_shared_images,
    require_column,
    rows_with_shared_images,
    with_columns,
)
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
    DATASET_INVALID if no image fits a row, or if rows of one image have different labels although no column
    is named for the join.
    """
    images, table = _sides(first, second)
    settings = {**images.settings, **table.settings}
    lineage = (*images.lineage, *(step for step in table.lineage if step not in images.lineage))
    if images.table.cells == table.table.cells:
        return replace(table, image_columns=images.image_columns, settings=settings, lineage=lineage)
    key, image_of_row = _match(images, table)
    rows = [row for row, image in enumerate(image_of_row) if image is not None]
    if not rows:
        raise _nothing_matches(images, table, key)
    picked = [image for image in image_of_row if image is not None]
    _warn_unmatched(task, key, len(rows), len(table.case_ids), len(images.case_ids) - len(set(picked)))
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
    made = with_columns(joined.table, columns)
    if images.join_by is None:
        refuse_shared_images(made, images.image_columns, table.label_columns)
    features = tuple(name for name in table.feature_columns if name in columns)
    made = _one_case_per_image(task, made, images.image_columns, table.label_columns, patient, features)
    return replace(
        joined,
        join_by=None,
        table=made,
        image_columns=images.image_columns,
        feature_columns=features,
        patient_column=patient,
        split=table.split if table.split != "all" else images.split,
        settings=settings,
        lineage=lineage,
        split_of=table.split_of or images.split_of,
    )


def _one_case_per_image(
    task: NodeTask,
    table: Table,
    images: Sequence[str],
    labels: Sequence[str],
    patient: str | None,
    features: Sequence[str],
) -> Table:
    """Merge the labeled rows of one image. Rows with different features remain: a model that does not read
    them merges the rows, another one refuses them."""
    if not labels:
        task.warnings.extend(rows_with_shared_images(table, images, labels))
        return table
    kept, warnings = merge_shared_images(table, images, labels, patient, features, refuses=False)
    task.warnings.extend(warnings)
    return table if kept is None else table.take(kept)


def _nothing_matches(images: CaseSet, table: CaseSet, key: str) -> TrainerError:
    reason = (
        phrase("no_column_names_images")
        if images.join_by is None
        else phrase("column_names_no_images", column=key)
    )
    counts = {"images": len(images.case_ids), "rows": len(table.case_ids)}
    message = phrase("no_image_matches", reason=reason, **counts)
    return TrainerError("DATASET_INVALID", message, phrase("set_join_by_or_id", column=CASE_ID))


def _warn_unmatched(task: NodeTask, key: str, matched: int, rows: int, unused: int) -> None:
    """unused: images without a row."""
    if matched < rows or unused:
        message = phrase(
            "cases_unmatched",
            key=key,
            count=matched,
            rows=phrase("rows_counted", count=rows - matched),
            images=phrase("images_counted", count=unused),
        )
        task.warn("CASES_UNMATCHED", message)


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

    DATASET_INVALID if another key names other images, or if quantities or row numbers name about as many: a
    wrong choice would give patients the images of others. COLUMN_NOT_FOUND if `join_by` is not a column.
    """
    index = _positions(images.case_ids)
    if images.join_by is not None:
        require_column(table.table, images.join_by, "join_by")
        return images.join_by, _images_of(table, images.join_by, index)
    keys, numbers = _keys(table)
    found = {column: _images_of(table, column, index) for column in (*keys, *numbers)}
    count = {column: sum(image is not None for image in matches) for column, matches in found.items()}
    key = max(keys, key=count.__getitem__)
    if count[key]:
        rivals = [
            column
            for column, others in found.items()
            if (column in keys or count[column] >= numbers[column] * count[key])
            and _disagree(found[key], others)
        ]
        if rivals:
            listed = _counted([key, *rivals], count, len(table.table))
            message = phrase("columns_name_other_images", columns=listed)
            raise TrainerError("DATASET_INVALID", message, phrase("set_join_by"))
    elif named := [column for column in numbers if count[column]]:
        message = phrase("only_numbers_name_images", columns=_counted(named, count, len(table.table)))
        raise TrainerError("DATASET_INVALID", message, phrase("set_join_by"))
    return key, found[key]


def _images_of(table: CaseSet, column: str, index: Mapping[str, int]) -> list[int | None]:
    return [index.get(text, index.get(image_stem(text))) for text in table.table.cells[column]]


def _counted(columns: Sequence[str], count: Mapping[str, int], rows: int) -> str:
    return ", ".join(f'"{column}" ({count[column]} of {rows} rows)' for column in columns)


def _keys(table: CaseSet) -> tuple[list[str], dict[str, float]]:
    """(columns that can name the image of a row, whole numbers that never do → share of the images of a key
    that they name before the choice of that key is in doubt).

    Keys are the case id, image columns, the patient, and others whose values are all different: texts, or
    whole numbers in a column with the name of an id. Labels are neither.
    """
    cells = table.table.cells
    keys = [CASE_ID, *table.image_columns, *filter(None, [table.patient_column])]
    numbers: dict[str, float] = {}
    for column in table.table.columns:
        if column in keys or column in table.label_columns or not _is_unique(cells[column]):
            continue
        distinct = {text for text in cells[column] if text}
        if are_whole_amounts(distinct) and is_row_counter(column, cells[column]):
            numbers[column] = 1.0
        elif is_quantity(column, distinct):
            numbers[column] = _IN_DOUBT
        elif (
            are_whole_amounts(distinct)
            or column not in table.feature_columns
            or not _are_numbers(table, column)
        ):
            keys.append(column)
    return keys, numbers


_IN_DOUBT = 0.5
"""Values such as ages may be the names of a few images by chance."""


def _is_unique(texts: Sequence[str]) -> bool:
    present = [text for text in texts if text]
    return len(set(present)) == len(present)


def _are_numbers(table: CaseSet, column: str) -> bool:
    return not read_numbers(table.table.cells[column], table.table.delimiter).texts


def _disagree(first: Sequence[int | None], second: Sequence[int | None]) -> bool:
    """Return whether the second key gives a row another image than the first one, or the image of another
    row."""
    taken = {image for image in first if image is not None}
    return any(
        other is not None and (other in taken if one is None else one != other)
        for one, other in zip(first, second, strict=True)
    )


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
