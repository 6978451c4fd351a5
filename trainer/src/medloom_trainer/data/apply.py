"""Another table, prepared exactly as in a training; nothing is fitted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import listing, phrase
from medloom_trainer.data.cache import NEWEST_VERSION, ImageSettings, Views, judge_images, load_views
from medloom_trainer.data.checks import never_seen_missing
from medloom_trainer.data.features import encode_cases
from medloom_trainer.data.splits import SplitCases
from medloom_trainer.data.tables import (
    ImageTable,
    LabelScheme,
    Table,
    complete_rows,
    count_step,
    defines_cases,
    has_all_labels,
    merge_shared_images,
    nearest_name,
    read_image_table,
    read_labels,
    refuse_shared_images,
    require_column,
    rows_with_shared_images,
    split_column,
    split_name,
    split_words,
    with_columns,
)
from medloom_trainer.data.types import Flow, ImageStore, InferenceData, Report, reporter
from medloom_trainer.errors import TrainerError
from medloom_trainer.warnings import Warnings, warning


def prepare_cases(
    preprocessing: dict[str, Any],
    csv: str | Path,
    *,
    image_root: str | Path | None,
    split: str,
    roots: Sequence[str | Path],
    cache_dir: str | Path,
    progress: Callable[[str, float], None],
    whole_table: bool = False,
    labels_required: bool = True,
    should_stop: Callable[[], bool] = lambda: False,
    store_version: int = NEWEST_VERSION,
) -> InferenceData:
    """preprocessing: the value that `prepare` stored in PreparedData.

    split: the rows with this value in the split column of the training or in that of the table
    (`column_of_split`). A table without a split column belongs to that split completely, with a warning.
    whole_table: every row belongs to the split, whatever the table contains. Without `labels_required`,
    labels are None if the column is absent or has gaps. store_version: of the image store, with whose digests
    of pixels the keys of the cases are compared. Errors as in `prepare`; DATASET_INVALID if no row
    remains.
    """
    report = reporter(progress, should_stop)
    folders = [Path(root) for root in roots]
    flow: Flow = []
    report(phrase("reading_tables"), 0.0)
    found = read_image_table(csv, image_root, folders, preprocessing.get("recipe"), Path(cache_dir))
    source = found.with_views(preprocessing["image_columns"]).image_table
    warnings: Warnings = list(source.table.warnings)
    patient = preprocessing["patient_column"]
    patient = patient if patient in source.table.cells else None
    flow += found.flow()
    flow.append(count_step(f"rows of {source.table.name}", source.table, patient))
    if not whole_table:
        column = column_of_split(source.table, preprocessing)
        source = _rows_of_split(source, column, split, patient, flow, warnings)
    source = _with_absent_columns(source, preprocessing, warnings)
    source = _complete_rows(source, preprocessing["table"], patient, flow)
    if labels_required:
        source = _one_case_per_image(source, preprocessing, patient, flow, warnings)
    labels = _labels(source.table, preprocessing, split, labels_required)
    settings = _image_settings(preprocessing, store_version)
    views, store = _load_images(
        preprocessing, source, split, settings, folders, Path(cache_dir), warnings, report
    )
    rows = SplitCases(source, labels, views, None)
    cases, encoded = encode_cases(
        rows,
        patient,
        preprocessing["table"],
        preprocessing["subgroups"],
        ids=preprocessing.get("id_columns", ()),  # models of older versions have none
    )
    warnings += [found for found in encoded.warnings if found not in warnings]
    missing = {**(views.missing if views is not None else {}), **encoded.missing}
    warnings += never_seen_missing(preprocessing.get("complete_columns", []), missing, source.table.name)
    report(phrase("prepared"), 1.0)
    texts = {name: source.table.cells[name] for name in _inputs(preprocessing)}
    return InferenceData(cases, store, flow, missing, warnings, texts, source.table.delimiter)


def _inputs(preprocessing: Mapping[str, Any]) -> list[str]:
    """Table columns that the model reads."""
    return [column["name"] for column in preprocessing["table"]["columns"]]


def column_of_split(table: Table, preprocessing: Mapping[str, Any]) -> str | None:
    """The split column of the training if this table has it, else the one that a training on this table would
    find."""
    trained = preprocessing["split_column"]
    if trained in table.cells:
        return str(trained)
    found = split_column(table)
    inputs = {column["name"] for column in preprocessing["table"]["columns"]}
    labels = LabelScheme.of_preprocessing(preprocessing).columns
    return None if found in {*labels, *inputs} else found


def _rows_of_split(
    source: ImageTable, column: str | None, split: str, patient: str | None, flow: Flow, warnings: Warnings
) -> ImageTable:
    words = split_words(source.table, column)
    if words is None:
        unsplit = phrase("no_split_column", table=source.table.name, rows=len(source.table), split=split)
        warnings.append(warning("NO_SPLIT_COLUMN", unsplit))
        return source
    rows = np.flatnonzero(np.asarray([word == split_name(split) for word in words]))
    if not rows.size:
        message = phrase(
            "split_value_of_table_absent", table=source.table.name, value=split[:64], column=column or ""
        )
        raise TrainerError("DATASET_INVALID", message)
    part = source.take(rows)
    flow.append(count_step(f"{split} split", part.table, patient))
    return part


def _with_absent_columns(
    source: ImageTable, preprocessing: Mapping[str, Any], warnings: Warnings
) -> ImageTable:
    """Add columns that the model reads and the table lacks, as columns of missing values, with a warning.

    COLUMN_NOT_FOUND if nothing would remain: rows with gaps are left out (missing_strategy "drop"), or the
    table has none of the columns of a model that reads nothing else.
    """
    state = preprocessing["table"]
    # Each name once: several combined models each have a separate encoding of a column.
    names = list(dict.fromkeys(column["name"] for column in state["columns"]))
    absent = [name for name in names if name not in source.table.cells]
    if not absent:
        return source
    alone = preprocessing["images"] is None and len(absent) == len(names)
    if state["missing_strategy"] == "drop" or alone:
        require_column(source.table, absent[0], "an input of the model")
    warnings.append(columns_absent(source.table, absent))
    return with_gaps(source, absent)


def columns_absent(table: Table, absent: Sequence[str]) -> dict[str, Any]:
    """A warning about these columns, which are read as missing."""
    names = [
        f'"{name}"'
        if (near := nearest_name(table, name)) is None
        else phrase("did_you_mean", column=name, near=near)
        for name in absent
    ]
    return warning("COLUMNS_ABSENT", phrase("columns_absent", table=table.name, columns=listing(names, 20)))


def with_gaps(source: ImageTable, absent: Sequence[str]) -> ImageTable:
    """The same rows with empty cells in these columns, which the table lacks."""
    gaps = {name: [""] * len(source.table) for name in absent}
    return replace(source, table=with_columns(source.table, {**source.table.cells, **gaps}))


def _complete_rows(
    source: ImageTable, state: Mapping[str, Any], patient: str | None, flow: Flow
) -> ImageTable:
    """With missing_strategy "drop", return only the rows that have every value that the model reads."""
    if state["missing_strategy"] != "drop":
        return source
    for column in state["columns"]:
        require_column(source.table, column["name"], "an input of the model")
    numeric = [column["name"] for column in state["columns"] if column["kind"] == "numeric"]
    categorical = [column["name"] for column in state["columns"] if column["kind"] != "numeric"]
    complete = complete_rows(source.table, numeric, categorical)
    if len(complete) == len(source.table):
        return source
    part = source.take(complete)
    flow.append(count_step("rows without missing values", part.table, patient))
    if not len(part.table):
        raise TrainerError("DATASET_INVALID", phrase("table_all_incomplete", table=part.table.name))
    return part


def _one_case_per_image(
    source: ImageTable,
    preprocessing: Mapping[str, Any],
    patient: str | None,
    flow: Flow,
    warnings: Warnings,
) -> ImageTable:
    """Merge the rows of one image as in training. DATASET_INVALID if they have different labels or inputs."""
    images, recipe = preprocessing["image_columns"], preprocessing.get("recipe")
    labels = LabelScheme.of_preprocessing(preprocessing).columns
    refuse_shared_images(source.table, images, labels, recipe)
    if defines_cases(recipe):
        warnings += rows_with_shared_images(source.table, images, labels)
        return source
    inputs = _inputs(preprocessing)
    kept, found = merge_shared_images(source.table, images, labels, patient, inputs)
    warnings += found
    if kept is None:
        return source
    merged = source.take(kept)
    flow.append(count_step("cases after merging the rows of one image", merged.table, patient))
    return merged


def _labels(
    table: Table, preprocessing: Mapping[str, Any], split: str, required: bool
) -> npt.NDArray[Any] | None:
    scheme = LabelScheme.of_preprocessing(preprocessing)
    if not required and not has_all_labels(table, scheme):
        return None
    for column in scheme.columns:
        require_column(table, column, "the label")
    return read_labels(table, scheme, split)


def _image_settings(preprocessing: Mapping[str, Any], store_version: int) -> ImageSettings | None:
    """None for a model that reads no images."""
    state = preprocessing["images"]
    return None if state is None else replace(ImageSettings.of_state(state), version=store_version)


def _load_images(
    preprocessing: Mapping[str, Any],
    source: ImageTable,
    split: str,
    settings: ImageSettings | None,
    folders: Sequence[Path],
    cache_dir: Path,
    warnings: Warnings,
    report: Report,
) -> tuple[Views | None, ImageStore | None]:
    if settings is None:
        return None, None
    views, store, _ = load_views(
        {split: source},
        preprocessing["image_columns"],
        settings,
        roots=folders,
        cache_dir=cache_dir,
        workers=None,
        report=lambda message, fraction: report(message, 0.05 + 0.85 * fraction),
    )
    judge_images({split: source}, views, settings.slicing, preprocessing["unreadable_images"], warnings)
    return views[split], store
