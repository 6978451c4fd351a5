"""The readiness checks of an inspection: the label, the inputs, patients, images, amounts and shortcuts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from medloom_trainer.data.checks.image_survey import ImageSurvey
from medloom_trainer.data.checks.readiness import Checks
from medloom_trainer.data.checks.shortcuts import shortcut_warnings
from medloom_trainer.data.splits import find_overlaps, group_cases, keys_of_cases
from medloom_trainer.data.tables import (
    LabelScheme,
    Roles,
    Table,
    learn_labels,
    missing_mask,
    name_row,
    name_rows,
    read_labels,
)
from medloom_trainer.errors import TrainerError

_FEW_CASES = 50
_FEW_CASES_OF_A_CLASS = 5
_MUCH_MISSING = 0.5
_INSTEAD = 'drop the rows, or set data.unreadable_images to "missing".'


def check_table(table: Table, roles: Roles, words: Sequence[str] | None, checks: Checks) -> None:
    """words: the split of each row."""
    for warning in table.warnings:
        checks.warn(warning["code"], warning["message"], "Save the file as UTF-8.")
    if words is not None and "train" not in words:
        message = f'No row of "{roles.split}" says train.'
        checks.block("splits", message, "Say so in that column, or put them into train.csv.")


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
        if count < _FEW_CASES_OF_A_CLASS
    ]
    if rare:
        message = f"Fewer than {_FEW_CASES_OF_A_CLASS} training cases: {', '.join(rare[:20])}."
        checks.warn("rare_classes", message, "Collect more of them, or merge classes.")
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
    _check_overlaps("patients", [[text] if text else [] for text in ids], words, checks)


def check_images(table: Table, survey: ImageSurvey, words: Sequence[str] | None, checks: Checks) -> None:
    if survey.problems:
        shown = "; ".join(
            f"row {name_row(table, row)} ({column}): {why}" for row, column, why in survey.problems[:20]
        )
        message = f"{len(survey.problems)} image files are missing or unreadable: {shown}."
        checks.block("images", message, f"Restore them, {_INSTEAD}")
    else:
        checks.pass_("images", f"{survey.num_files} image files are there; {survey.num_read} were opened.")
    if survey.without:
        message = f"{len(survey.without)} cases have no image: {name_rows(table, survey.without)}."
        checks.block("cases_without_image", message, _INSTEAD.capitalize())
    _check_overlaps("images", survey.contents, words, checks)


def check_amounts(training: Table, roles: Roles, checks: Checks) -> None:
    if len(training) < _FEW_CASES:
        message = f"{len(training)} training cases are few."
        checks.warn("cases", message, "Expect wide intervals; use a batch_size well below this.")
    empty = [
        column
        for column in (*roles.numeric, *roles.categorical)
        if missing_mask(training.cells[column]).mean() > _MUCH_MISSING
    ]
    if empty:
        message = f"More than half of the values are missing in {', '.join(empty[:20])}."
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
    groups = group_cases(keys_of_cases(training, None, roles.patient))
    headers = None
    if survey is not None and survey.headers is not None:
        kept = set(training.lines.tolist())
        headers = [of for of, line in zip(survey.headers, table.lines.tolist(), strict=True) if line in kept]
    for warning in shortcut_warnings(
        training, headers, labels, scheme.classes, roles.numeric, roles.categorical, groups
    ):
        hint = "Name the columns in ignore_columns if they are known only after the diagnosis."
        checks.warn(warning["code"], warning["message"], hint)


def _check_overlaps(
    what: str, keys_of_row: Sequence[Sequence[str]], words: Sequence[str] | None, checks: Checks
) -> None:
    """what: "patients" or "images"."""
    keys: dict[str, list[Sequence[str]]] = {}
    for keys_of, word in zip(keys_of_row, words or [""] * len(keys_of_row), strict=True):
        keys.setdefault(word, []).append(keys_of)
    noun = what[:-1]
    for overlap in find_overlaps(what, keys):
        message = f"{overlap.count} {what} are in both {overlap.first} and {overlap.second}."
        checks.block(f"{noun}_leak", message, f"Give each {noun} to one split.")
