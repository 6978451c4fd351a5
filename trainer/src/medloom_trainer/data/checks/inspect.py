"""What is in a CSV or a folder, and whether one could train on it now (contract Inspection). Counts only,
no values.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from medloom_trainer.data.checks.image_survey import ImageSurvey, survey_images
from medloom_trainer.data.checks.readiness import Checks
from medloom_trainer.data.checks.shortcuts import shortcut_warnings
from medloom_trainer.data.splits.divide import find_overlaps, group_cases, split_name
from medloom_trainer.data.tables.cells import is_missing, missing_mask, name_row, name_rows
from medloom_trainer.data.tables.class_folders import inspect_folder
from medloom_trainer.data.tables.dataset_source import read_folder
from medloom_trainer.data.tables.formats.csv_reader import Table, read_csv
from medloom_trainer.data.tables.labels import LabelScheme, has_all_labels, learn_labels, read_labels
from medloom_trainer.data.tables.roles import Roles, infer_roles
from medloom_trainer.errors import TrainerError

FEW_CASES = 50
FEW_CASES_OF_A_CLASS = 5
MUCH_MISSING = 0.5
INSTEAD = 'drop the rows, or set data.unreadable_images to "missing"'


def inspect(params: dict[str, Any]) -> dict[str, Any]:
    """params: contract WORKER_TASKS.inspect → contract Inspection.

    FILE_NOT_FOUND, CSV_MALFORMED, COLUMN_NOT_FOUND, DATASET_INVALID when there is nothing to look at;
    everything that can be mended in the data or the configuration is a check instead.
    """
    path = Path(params["path"])
    if not path.exists():
        raise TrainerError("FILE_NOT_FOUND", f"{path.name} does not exist")
    table = read_folder(path) if path.is_dir() else read_csv(path)
    if table is None:
        refuse_columns(path, params)
        return inspect_folder(path)
    folder = path if path.is_dir() else path.parent
    image_root = Path(params["image_root"]) if params["image_root"] else folder
    roles = infer_roles(table, ask_nothing(params), image_root, label_required=False)
    words = [split_name(text) for text in table.cells[roles.split]] if roles.split is not None else None
    training = training_rows(table, words)
    checks = Checks()
    for warning in table.warnings:
        checks.warn(warning["code"], warning["message"], "Save the file as UTF-8.")
    if words is not None and "train" not in words:
        message = f'No row of "{roles.split}" says train.'
        checks.block("splits", message, "Say so in that column, or put them into train.csv.")
    scheme = check_label(training, roles, checks)
    if scheme is not None and words is not None:
        check_other_splits(table, words, scheme, checks)
    check_inputs(roles, checks)
    check_patients(table, roles, words, checks)
    survey = None
    if roles.images:
        roots = [Path(root) for root in params["roots"]]
        survey = survey_images(table, roles.images, image_root, roots)
        check_images(table, survey, words, checks)
    check_amounts(training, roles, checks)
    if scheme is not None:
        check_shortcuts(table, training, roles, scheme, survey, checks)
    num_patients = None
    if roles.patient is not None:
        num_patients = len({text or ("row", row) for row, text in enumerate(table.cells[roles.patient])})
    return {
        "path": str(path),
        "kind": kind_of(roles),
        "columns": [describe_column(table, roles, column) for column in table.columns],
        "num_cases": len(table),
        "num_patients": num_patients,
        "task": scheme.task if scheme is not None else None,
        "classes": count_classes(table, scheme),
        "missing": {
            column: count for column in table.columns if (count := count_missing(table, roles, column)) > 0
        },
        "splits": {word: words.count(word) for word in dict.fromkeys(words)} if words is not None else {},
        "digest": survey.digest if survey is not None else table.digest,
        "readiness": checks.readiness(),
    }


def refuse_columns(folder: Path, params: dict[str, Any]) -> None:
    """INVALID_REQUEST when columns are named although there is no table."""
    named = [key for key in ("label_column", "patient_column", "ignore_columns") if params[key]]
    if named:
        message = f"{folder.name} is a folder of images without a table: it has no columns to name"
        raise TrainerError("INVALID_REQUEST", message, f"Leave out {', '.join(named)}.")


def ask_nothing(params: dict[str, Any]) -> dict[str, Any]:
    """The part of the configuration that `infer_roles` reads, with everything else left to be inferred.
    params: label_column, patient_column, ignore_columns.
    """
    return {
        "label_column": params["label_column"],
        "patient_column": params["patient_column"],
        "split_column": None,
        "image_columns": None,
        "numeric_columns": None,
        "categorical_columns": None,
        "ignore_columns": params["ignore_columns"],
        "subgroup_columns": [],
    }


def training_rows(table: Table, words: Sequence[str] | None) -> Table:
    rows = [row for row, word in enumerate(words or []) if word == "train"]
    return table.take(np.asarray(rows)) if rows else table


def check_label(training: Table, roles: Roles, checks: Checks) -> LabelScheme | None:
    if roles.label is None:
        checks.block("label", "No column looks like the label.", "Name it in data.label_column.")
        return None
    try:
        scheme = learn_labels(training, roles.label, None)
    except TrainerError as error:
        checks.block("label", error.message, error.details)
        return None
    if scheme.classes is None:
        checks.pass_("label", f'"{roles.label}" holds numbers: regression.')
        return scheme
    counts = np.bincount(read_labels(training, scheme, "train"), minlength=len(scheme.classes))
    checks.pass_("label", f'"{roles.label}" has {len(scheme.classes)} classes.')
    rare = [
        name
        for name, count in zip(scheme.classes, counts.tolist(), strict=True)
        if count < FEW_CASES_OF_A_CLASS
    ]
    if rare:
        message = f"Fewer than {FEW_CASES_OF_A_CLASS} training cases: {', '.join(rare[:20])}."
        checks.warn("rare_classes", message, "Collect more of them, or join classes.")
    return scheme


def check_other_splits(table: Table, words: Sequence[str], scheme: LabelScheme, checks: Checks) -> None:
    for split in ("val", "test"):
        rows = [row for row, word in enumerate(words) if word == split]
        if rows:
            try:
                read_labels(table.take(np.asarray(rows)), scheme, split)
            except TrainerError as error:
                checks.block(f"label_{split}", error.message, error.details)


def check_inputs(roles: Roles, checks: Checks) -> None:
    inputs = [*roles.images, *roles.numeric, *roles.categorical]
    if not inputs:
        checks.block("inputs", "No column is left as input.", "Name columns in the configuration.")
        return
    amounts = f"{len(roles.images)} image, {len(roles.numeric)} numeric, {len(roles.categorical)} categorical"
    checks.pass_("inputs", f"{amounts} columns.")
    for warning in roles.warnings:
        if warning["code"] in ("CONSTANT_COLUMN", "ID_LIKE_COLUMN"):
            checks.pass_(warning["code"], warning["message"])
        else:
            checks.warn(warning["code"], warning["message"], "Name the column in the configuration.")


def check_patients(table: Table, roles: Roles, words: Sequence[str] | None, checks: Checks) -> None:
    if roles.patient is None:
        message = "There is no patient column: every row counts as a patient of its own."
        checks.warn("patients", message, "Name it in data.patient_column if patients have several rows.")
        return
    ids = table.cells[roles.patient]
    empty = [row for row, text in enumerate(ids) if not text]
    checks.pass_("patients", f'"{roles.patient}" says which rows belong together.')
    if empty:
        message = f"{len(empty)} cases have no patient: {name_rows(table, empty)}."
        checks.warn("patients_missing", message, "Each counts as a patient of its own.")
    if words is not None:
        keys: dict[str, list[list[str]]] = {}
        for text, word in zip(ids, words, strict=True):
            keys.setdefault(word, []).append([text] if text else [])
        for overlap in find_overlaps("patients", keys):
            message = f"{overlap.count} patients stand in both {overlap.first} and {overlap.second}."
            checks.block("patient_leak", message, "Give each patient to one split.")


def check_images(table: Table, survey: ImageSurvey, words: Sequence[str] | None, checks: Checks) -> None:
    if survey.problems:
        shown = "; ".join(
            f"row {name_row(table, row)} ({column}): {why}" for row, column, why in survey.problems[:20]
        )
        message = f"{len(survey.problems)} image files are missing or unreadable: {shown}."
        checks.block(
            "images", message, 'Restore them, drop the rows, or set data.unreadable_images to "missing".'
        )
    else:
        checks.pass_("images", f"{survey.num_files} image files are there; {survey.num_read} were opened.")
    if survey.without:
        message = f"{len(survey.without)} cases have no image: {name_rows(table, survey.without)}."
        checks.block(
            "cases_without_image", message, 'Drop the rows, or set data.unreadable_images to "missing".'
        )
    if words is not None:
        keys: dict[str, list[list[str]]] = {}
        for contents, word in zip(survey.contents, words, strict=True):
            keys.setdefault(word, []).append(contents)
        for overlap in find_overlaps("images", keys):
            message = f"{overlap.count} images stand in both {overlap.first} and {overlap.second}."
            checks.block("image_leak", message, "Give each image to one split.")


def check_amounts(training: Table, roles: Roles, checks: Checks) -> None:
    if len(training) < FEW_CASES:
        message = f"{len(training)} training cases are few."
        checks.warn("cases", message, "Expect wide intervals; use a batch_size well below this.")
    empty = [
        column
        for column in (*roles.numeric, *roles.categorical)
        if missing_mask(training.cells[column]).mean() > MUCH_MISSING
    ]
    if empty:
        message = f"More than half is missing in {', '.join(empty[:20])}."
        checks.warn("missing_values", message, "Name them in ignore_columns unless the gaps are understood.")


def check_shortcuts(
    table: Table,
    training: Table,
    roles: Roles,
    scheme: LabelScheme,
    survey: ImageSurvey | None,
    checks: Checks,
) -> None:
    labels = read_labels(training, scheme, "train")
    ids = training.cells[roles.patient] if roles.patient is not None else [""] * len(training)
    groups = group_cases([[text] if text else [] for text in ids])
    headers = None
    if survey is not None and survey.headers is not None:
        kept = set(training.lines.tolist())
        headers = [of for of, line in zip(survey.headers, table.lines.tolist(), strict=True) if line in kept]
    for warning in shortcut_warnings(
        training, headers, labels, scheme.classes, roles.numeric, roles.categorical, groups
    ):
        hint = "Name the columns in ignore_columns if they are known only after the diagnosis."
        checks.warn(warning["code"], warning["message"], hint)


def kind_of(roles: Roles) -> str:
    if not roles.images:
        return "tabular"
    return "multimodal" if roles.numeric or roles.categorical else "image"


def describe_column(table: Table, roles: Roles, column: str) -> dict[str, Any]:
    texts = {text for text in table.cells[column] if text}
    if roles.kinds[column] not in ("patient", "id"):
        texts = {text for text in texts if not is_missing(text)}
    return {
        "name": column,
        "role": roles.kinds[column],
        "missing": count_missing(table, roles, column),
        "distinct": len(texts),
        "reason": roles.reasons[column],
    }


def count_missing(table: Table, roles: Roles, column: str) -> int:
    """Ids and patients know only the empty cell."""
    if roles.kinds[column] in ("patient", "id"):
        return sum(not text for text in table.cells[column])
    return int(missing_mask(table.cells[column]).sum())


def count_classes(table: Table, scheme: LabelScheme | None) -> list[dict[str, Any]] | None:
    """Of all rows; null when a split has labels that training does not have."""
    if scheme is None or scheme.classes is None or not has_all_labels(table, scheme.column):
        return None
    try:
        counts = np.bincount(read_labels(table, scheme, "table"), minlength=len(scheme.classes)).tolist()
    except TrainerError:
        return None
    return [{"name": name, "count": count} for name, count in zip(scheme.classes, counts, strict=True)]
