"""The readiness checks of an inspection: the label, the inputs, patients, images, amounts and shortcuts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from medloom_trainer.contract.codes import PhraseCode
from medloom_trainer.contract.phrases import Phrased, join, listing, phrase, with_phrases
from medloom_trainer.data.checks.image_survey import ImageSurvey, find_named_images
from medloom_trainer.data.checks.joined_pairs import joined_pairs
from medloom_trainer.data.checks.mask_rows import rows_with_masks
from medloom_trainer.data.checks.path_groups import warn_path_groups
from medloom_trainer.data.checks.shortcuts import search_all_shortcuts
from medloom_trainer.data.checks.values import suspected_meanings
from medloom_trainer.data.features import NUMBER_OF_IMAGES, image_properties
from medloom_trainer.data.images import Gaps, describe_blank, describe_unusable, describe_volumes
from medloom_trainer.data.splits import find_overlaps, group_rows, patients_alike
from medloom_trainer.data.tables import (
    SPLITS,
    LabelScheme,
    MergedRows,
    Roles,
    Slicing,
    Table,
    distinct_of,
    find_shared_images,
    leakage_targets,
    learn_flags,
    learn_labels,
    learn_survival,
    may_be_grades,
    missing_mask,
    name_rows,
    read_column,
    read_labels,
    read_numbers,
    split_column,
)
from medloom_trainer.data.types import Task
from medloom_trainer.errors import TrainerError
from medloom_trainer.warnings import remedy

_READ_AS_MEANT = ("TEXT_NORMALIZED", "TITLE_ROWS_SKIPPED", "MERGED_CELLS_FILLED")
"""Warnings of a reader that need no action."""
_FEW_CASES = 50
_FEW_CASES_OF_A_CLASS = 5
_MUCH_MISSING = 0.5
_EVENTS_PER_COLUMN = 10
"""Rule of thumb of Peduzzi et al. (1995): with fewer events the coefficients of a Cox model are unstable."""
_LABEL_HINTS: Mapping[str, PhraseCode] = {
    "POSITIVE_CLASS_ASSUMED": "do_set_positive_class",
    "CLASS_NAMES_MERGED": "do_name_classes",
    "FEW_EVENTS": "do_read_intervals",
    "LABELS_MISSING": "do_fill_labels",
}


class Checks:
    """Collected checks; the worst status counts: blocked, warning, ready.

    [{"key", "status", "message", "hint"}] in the order in which they were made.
    """

    def __init__(self) -> None:
        self.made: list[dict[str, Any]] = []

    def pass_(self, key: str, message: Phrased) -> None:
        self._add(key, "ready", message, None)

    def warn(self, key: str, message: Phrased, hint: Phrased) -> None:
        self._add(key, "warning", message, hint)

    def repeat(self, warning: dict[str, Any]) -> None:
        self.warn_of(warning["code"], warning["message"])

    def warn_of(self, code: str, message: Phrased) -> None:
        """Add a warning of the catalog with its remedy."""
        self._add(code, "warning", message, remedy(code))

    def block(self, key: str, message: str, hint: str) -> None:
        """message, hint: in English only if they are those of an error."""
        self._add(key, "blocked", message, hint)

    def _add(self, key: str, status: str, message: str, hint: str | None) -> None:
        self.made.append(with_phrases({"key": key, "status": status, "message": message, "hint": hint}))

    def readiness(self) -> dict[str, Any]:
        statuses = {check["status"] for check in self.made}
        worst = next((status for status in ("blocked", "warning") if status in statuses), "ready")
        return {"status": worst, "checks": self.made}


def check_table(table: Table, roles: Roles, words: Sequence[str] | None, checks: Checks) -> None:
    """words: the split of each row."""
    for found in table.warnings:
        if found["code"] in _READ_AS_MEANT:
            checks.pass_(found["code"], found["message"])
        else:
            checks.repeat(found)
    ignored = split_column(table)
    if words is None and ignored is not None and roles.kinds[ignored] == "ignored":
        code: PhraseCode = "split_ignored" if table.origin is None else "split_of_files_ignored"
        message = phrase(code, column=ignored)
        checks.warn("splits", message, phrase("do_read_splits", column=ignored))
    others = sum(word not in SPLITS for word in words or ())
    if others:
        message = phrase("unknown_split", count=others, column=roles.split or "")
        checks.warn_of("UNKNOWN_SPLIT", message)
    if words is not None and "train" not in words:
        message = phrase("no_training_rows", column=roles.split or "")
        checks.block("splits", message, phrase("do_mark_training_rows"))


_QUESTIONS: Mapping[str, PhraseCode] = {
    "label": "recipe_ask_label",
    "patient": "recipe_ask_patient",
    "rows": "recipe_rows_open",
}


def check_questions(recipe: Mapping[str, Any], roles: Roles, checks: Checks) -> None:
    """Block on questions of the recipe that neither its parts nor the roles of the columns answer."""
    answered = {"label": bool(roles.labels), "patient": roles.patient is not None}
    for question in recipe.get("open", ()):
        if question not in recipe and not answered.get(question, False):
            message = join(phrase("recipe_question_open"), phrase(_QUESTIONS[question]), mark="colon")
            checks.block("recipe_question", message, phrase("do_answer_question", question=question))


def check_label(
    training: Table, roles: Roles, positive_class: str | None, checks: Checks, *, survival: bool
) -> LabelScheme | None:
    """survival: the labels are a time and an event. LABEL_INVALID for a positive class that does not
    exist."""
    if not roles.labels:
        checks.block("label", phrase("no_label_column"), phrase("do_set_label"))
        return None
    try:
        scheme = learn_survival(training, *roles.labels) if survival else _learn(training, roles, None)
    except TrainerError as error:
        checks.block("label", error.message, error.details)
        return None
    if positive_class is not None:
        scheme = _learn(training, roles, positive_class)
    check_classes(scheme, checks)
    labels = read_labels(training, scheme, "train")
    if scheme.task == "regression" and may_be_grades(labels):
        message = phrase("label_may_be_grades", column=scheme.column, values=len(np.unique(labels)))
        checks.warn("label", message, phrase("do_set_task"))
    else:
        checks.pass_("label", _LABEL_IN_WORDS[scheme.task](scheme))
    counts = scheme.class_counts(labels) or {}
    rare = [name for name, count in counts.items() if count < _FEW_CASES_OF_A_CLASS]
    if rare and not survival:  # FEW_EVENTS reports few events
        message = phrase("rare_classes", needed=_FEW_CASES_OF_A_CLASS, classes=", ".join(rare[:20]))
        checks.warn("rare_classes", message, phrase("do_merge_classes"))
    return scheme


def _learn(training: Table, roles: Roles, positive_class: str | None) -> LabelScheme:
    if len(roles.labels) > 1:
        return learn_flags(training, roles.labels)
    return learn_labels(training, roles.labels[0], None, positive_class)


_LABEL_IN_WORDS: dict[Task, Callable[[LabelScheme], Phrased]] = {
    "classification": lambda scheme: phrase(
        "label_of_classes", column=scheme.column, classes=len(scheme.classes or ())
    ),
    "regression": lambda scheme: phrase("label_of_number", column=scheme.column),
    "survival": lambda scheme: phrase("label_of_event", time=scheme.columns[0], event=scheme.columns[1]),
    "multilabel": lambda scheme: phrase("labels_of_flags", columns=len(scheme.columns)),
}


def check_classes(scheme: LabelScheme, checks: Checks) -> None:
    """Add the assumptions about the classes."""
    for warning in scheme.warnings:
        if code := _LABEL_HINTS.get(warning["code"]):
            checks.warn(warning["code"], warning["message"], phrase(code))
        else:
            checks.repeat(warning)


def check_other_splits(table: Table, words: Sequence[str], scheme: LabelScheme, checks: Checks) -> None:
    """Block if labels of validation or test rows do not fit the scheme. words: split of each row."""
    for split in ("val", "test"):
        rows = [row for row, word in enumerate(words) if word == split]
        if rows:
            try:
                read_labels(table.take(np.asarray(rows)), scheme, split)
            except TrainerError as error:
                checks.block(f"label_{split}", error.message, error.details)


def check_inputs(roles: Roles, checks: Checks) -> None:
    """Block without input columns; report columns that the model does not read."""
    inputs = [*roles.images, *roles.numeric, *roles.categorical]
    if not inputs:
        checks.block("inputs", phrase("no_input_columns"), phrase("do_set_inputs"))
    else:
        amounts = phrase(
            "input_columns",
            images=len(roles.images),
            numeric=len(roles.numeric),
            categorical=len(roles.categorical),
        )
        checks.pass_("inputs", amounts)
    for warning in roles.warnings:
        if warning["code"] in ("CONSTANT_COLUMN", "ID_LIKE_COLUMN"):
            checks.pass_(warning["code"], warning["message"])
        else:
            checks.repeat(warning)


def check_image_names(table: Table, roles: Roles, image_root: Path, checks: Checks) -> None:
    """Find columns that name image files without their suffix, in the folder of the images and in folders
    inside it."""
    if roles.images:
        return
    for column in table.columns:
        if roles.kinds[column] not in ("id", "categorical", "ignored"):
            continue
        found = find_named_images(table.cells[column], image_root)
        if found is not None:
            wheres = [
                phrase("folder_of_images")
                if folder == image_root
                else phrase("folder_named", folder=folder.name)
                for folder in found.folders
            ]
            counts = {"count": found.count, "names": found.names}
            message = phrase("images_without_suffix", column=column, folder=listing(wheres, 10), **counts)
            prefix = "" if found.folders[0] == image_root else f"{found.folders[0].name}/"
            hint = phrase("do_write_paths", example=f"{prefix}<{column}>.jpg")
            checks.warn("image_names", message, hint)


def check_values(table: Table, roles: Roles, scheme: LabelScheme | None, checks: Checks) -> None:
    """Check values of the whole table that training would limit, or that may have another meaning."""
    target = scheme.quantities if scheme is not None else ()
    warnings = suspected_meanings(table, [*roles.numeric, *target], roles.categorical)
    for column in roles.numeric:
        texts = read_numbers(table.cells[column], table.delimiter).texts
        if not texts:
            read_column(table, column, warnings)
        else:  # chosen by the user: no column is inferred as numeric then
            message = phrase("numeric_with_texts", column=column, rows=name_rows(table, texts))
            checks.block("numeric_texts", message, phrase("do_correct_numbers"))
    for warning in warnings:
        checks.repeat(warning)


def check_patients(table: Table, roles: Roles, words: Sequence[str] | None, checks: Checks) -> None:
    """Check the patient column, and whether patients are in several splits. words: split of each row."""
    if roles.patient is None:
        checks.warn("patients", phrase("rows_as_patients"), phrase("do_set_patient"))
        for warning in warn_path_groups(table, roles.images):
            checks.repeat(warning)
        return
    ids = table.cells[roles.patient]
    empty = [row for row, text in enumerate(ids) if not text] if "" in distinct_of(ids) else []
    checks.pass_("patients", phrase("patient_column", column=roles.patient))
    if empty:
        message = phrase("no_patient_id", count=len(empty), rows=name_rows(table, empty))
        checks.warn("patients_missing", message, phrase("do_nothing_about_patients"))
    parts = dict.fromkeys(words or [phrase("the_table")])
    splits = np.asarray(words or [phrase("the_table")] * len(table), dtype=object)
    tables = {part: table if words is None else table.take(np.flatnonzero(splits == part)) for part in parts}
    for found in patients_alike({part: (rows, roles.patient) for part, rows in tables.items()}):
        checks.repeat(found)
    if len(parts) > 1:
        _check_overlaps("patients", [[text] if text else [] for text in ids], words, checks)


def check_images(
    table: Table,
    roles: Roles,
    survey: ImageSurvey,
    words: Sequence[str] | None,
    slicing: Slicing,
    checks: Checks,
    *,
    rows_are_cases: bool,
    merged: MergedRows | None,
) -> None:
    """slicing: of the volumes, as a training on these data would read them. rows_are_cases: a recipe
    defines which rows are a case. merged: rows of one image that are one case in this table."""
    _check_shared_images(table, roles, checks, merged, rows_are_cases=rows_are_cases)
    for warning in rows_with_masks(table, roles.images):
        checks.repeat(warning)
    unusable = describe_unusable([Gaps(table, survey.problems, survey.without)])
    if unusable.files is not None:
        checks.block("images", unusable.files, phrase("do_restore_images"))
    else:
        opened = phrase("images_opened", count=survey.num_files, opened=survey.num_read)
        checks.pass_("images", opened)
    if unusable.cases is not None:
        checks.block("cases_without_image", unusable.cases, phrase("do_remove_rows"))
    if survey.volumes:
        checks.pass_("VOLUMES_AS_SLICES", describe_volumes(survey.volumes, slicing))
    if survey.blank:
        checks.warn("BLANK_IMAGES", describe_blank(survey.blank), phrase("do_remove_images"))
    if (pairs := joined_pairs(table, roles)) is not None:
        checks.pass_("joined_pairs", phrase("joined_pairs", pairs=pairs))
    _check_overlaps("images", survey.contents, words, checks)


def _check_shared_images(
    table: Table, roles: Roles, checks: Checks, merged: MergedRows | None, *, rows_are_cases: bool
) -> None:
    shared = find_shared_images(table, roles.images, roles.labels)
    if shared is not None and shared.differing and not rows_are_cases:
        checks.block("ROWS_SHARE_IMAGES", shared.in_words(), phrase("do_merge_rows"))
    elif merged is not None and merged.differing:
        checks.block("ROWS_SHARE_IMAGES", merged.in_words(), phrase("do_merge_rows_or_ignore"))
    elif merged is not None:
        checks.warn_of("ROWS_SHARE_IMAGES", merged.in_words())
    elif shared is not None:
        checks.warn_of("ROWS_SHARE_IMAGES", shared.in_words())


def check_amounts(training: Table, roles: Roles, checks: Checks) -> None:
    """Warn about few training cases, and about columns that are mostly missing."""
    if len(training) < _FEW_CASES:
        message = phrase("few_training_cases", count=len(training))
        checks.warn("cases", message, phrase("do_expect_wide_intervals"))
    empty = [
        column
        for column in (*roles.numeric, *roles.categorical)
        if missing_mask(training.cells[column]).mean() > _MUCH_MISSING
    ]
    if empty:
        message = phrase("values_missing", columns=", ".join(empty[:20]))
        checks.warn(
            "missing_values",
            message,
            phrase("do_ignore_columns"),
        )


def check_events(training: Table, roles: Roles, scheme: LabelScheme, checks: Checks) -> None:
    """For survival: the information grows with the number of events, not with that of cases."""
    labels = read_labels(training, scheme, "train")
    events, cases = int(labels[:, 1].sum()), len(labels)
    observed = phrase("events_observed", event=scheme.columns[1], events=events, cases=cases)
    checks.pass_("events", observed)
    columns = len(roles.numeric) + len(roles.categorical)
    if columns and events < _EVENTS_PER_COLUMN * columns:
        message = phrase("few_events_per_column", events=events, columns=columns, needed=_EVENTS_PER_COLUMN)
        hint = phrase("do_reduce_columns")
        checks.warn("events_per_column", message, hint)


def check_shortcuts(
    table: Table,
    training: Table,
    roles: Roles,
    scheme: LabelScheme,
    survey: ImageSurvey | None,
    checks: Checks,
) -> None:
    """Warn about columns and image properties that predict the label. survey: None without images."""
    labels = read_labels(training, scheme, "train")
    groups = group_rows(training, roles.patient)
    properties = _image_properties(table, training, survey)
    columns = (roles.numeric, roles.categorical)
    questions = leakage_targets(labels, scheme)
    shortcuts = search_all_shortcuts(training, roles, columns, properties, questions, groups)
    for warning in shortcuts.warnings:
        checks.repeat(warning)
    if survey is not None and survey.headers is None:
        message = phrase("shortcuts_not_checked", opened=survey.num_read, files=survey.num_files)
        checks.warn("SHORTCUTS_NOT_CHECKED", message, phrase("do_train_images"))


def _image_properties(table: Table, training: Table, survey: ImageSurvey | None) -> dict[str, list[str]]:
    """Properties of the training images; only the number of images if not every file was opened."""
    if survey is None:
        return {}
    training_lines = set(training.lines.tolist())
    rows = [row for row, line in enumerate(table.lines.tolist()) if line in training_lines]
    if survey.headers is None:
        return {NUMBER_OF_IMAGES: [str(survey.counts[row]) for row in rows]}
    headers = survey.headers
    return image_properties([headers[row] for row in rows])


def _check_overlaps(
    what: str, keys_of_row: Sequence[Sequence[str]], words: Sequence[str] | None, checks: Checks
) -> None:
    """what: "patients" or "images"."""
    keys: dict[str, list[Sequence[str]]] = {}
    for keys_of, word in zip(keys_of_row, words or [""] * len(keys_of_row), strict=True):
        keys.setdefault(word, []).append(keys_of)
    noun = what[:-1]
    for overlap in find_overlaps(what, keys):
        code: PhraseCode = "patients_in_both" if what == "patients" else "images_in_both"
        message = phrase(code, count=overlap.count, first=overlap.first, second=overlap.second)
        checks.block(
            f"{noun}_leak",
            message,
            phrase("do_separate_patients" if what == "patients" else "do_separate_images"),
        )
