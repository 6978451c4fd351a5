"""The content of a CSV or a folder, and whether a training could start with it (contract Inspection).
Contains only counts, no values.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from medloom_trainer.contract.phrases import listing, phrase, with_phrases
from medloom_trainer.contract.spec import contract_defaults
from medloom_trainer.data.checks.image_survey import ImageSurvey, survey_images
from medloom_trainer.data.checks.path_groups import warn_path_groups
from medloom_trainer.data.checks.readiness_checks import (
    Checks,
    check_amounts,
    check_classes,
    check_events,
    check_image_names,
    check_images,
    check_inputs,
    check_label,
    check_other_splits,
    check_patients,
    check_questions,
    check_shortcuts,
    check_table,
    check_values,
)
from medloom_trainer.data.images import volumes_read
from medloom_trainer.data.tables import (
    LabelScheme,
    MergedRows,
    Roles,
    Slicing,
    SourceTable,
    Table,
    class_files,
    comparable_name,
    count_patients,
    counted,
    defines_cases,
    distinct_of,
    doubts_about,
    find_merged_rows,
    has_all_labels,
    infer_roles,
    learn_classes,
    make_table,
    mask_files,
    missing_mask,
    present_texts,
    read_csv,
    read_folder,
    read_labels,
    read_source_table,
    role_settings,
    split_words,
    tables_below,
    with_settings,
)
from medloom_trainer.errors import TrainerError

_MIN_IMAGES = 5
"""Minimum for each class of a folder."""

_READ = 0.1
_IMAGES = (0.2, 0.8)
"""Progress of an inspection, from 0 to 1, once its table is read and once its images are examined."""


@dataclass(frozen=True)
class _Source:
    """The table of a dataset and the roles of its columns."""

    path: Path
    table: Table
    image_root: Path
    roles: Roles
    words: list[str] | None
    """The split of each row; None without a split column."""
    positive_class: str | None
    """The requested one."""
    times: tuple[str, str] | None
    """For survival: the columns of the time and of the event."""
    slicing: Slicing
    """Slices of volumes: the requested ones, or the default of a training."""
    rows_are_cases: bool
    """The recipe defines which rows are a case."""
    merged: MergedRows | None
    """Rows of one image that are one case of the table, or would be with the same inputs."""


def inspect(
    params: dict[str, Any], progress: Callable[[str, float], None] = lambda message, fraction: None
) -> dict[str, Any]:
    """params: contract WORKER_TASKS.inspect → contract Inspection.

    FILE_NOT_FOUND, CSV_MALFORMED, COLUMN_NOT_FOUND, DATASET_INVALID if there is nothing to inspect;
    everything that can be corrected in the data or the configuration is a check instead.
    """
    progress(phrase("reading_table"), 0.0)
    path = Path(params["path"])
    _refuse_contradictions(params)
    if not path.exists():
        raise TrainerError("FILE_NOT_FOUND", phrase("file_absent", file=path.name))
    checks = Checks()
    if params.get("recipe") is not None:
        made = _read_with_recipe(path, params, checks)
        source = _source(path, made.table, params, made.settings)
        check_questions(params["recipe"], source.roles, checks)
    else:
        table = read_folder(path) if path.is_dir() else read_csv(path)
        if table is None:
            _refuse_columns(path, params)
            return _inspect_folder(path, params["positive_class"])
        source = _source(path, table, params, {})
        _check_masks(path, checks)
    scheme, survey = _run_checks(source, [Path(root) for root in params["roots"]], checks, progress)
    progress(phrase("describing_columns"), 0.95)
    return _describe(source, scheme, survey, checks)


def _refuse_contradictions(params: dict[str, Any]) -> None:
    """INVALID_REQUEST if the label is named twice, or only half of a survival outcome."""
    times = [key for key in ("time_column", "event_column") if params[key]]
    labels = [key for key in ("label_column", "label_columns", "positive_class") if params[key]]
    _refuse_roles(params)
    if "label_column" in labels and "label_columns" in labels:
        message = phrase("label_named_twice")
        raise TrainerError("INVALID_REQUEST", message, phrase("set_only_one"))
    if len(times) == 1:
        message = phrase("survival_half_set", key=times[0])
        raise TrainerError("INVALID_REQUEST", message, phrase("set_both_columns"))
    if times and labels:
        message = phrase("no_label_for_survival", key=labels[0])
        raise TrainerError("INVALID_REQUEST", message, phrase("remove_keys", keys=labels[0]))


def _refuse_roles(params: dict[str, Any]) -> None:
    """INVALID_REQUEST if a chosen role is also named in another way, or if only one column may have it."""
    chosen = list(params["roles"].values())
    for keys, role in (
        (("label_column", "label_columns", "time_column", "event_column"), "label"),
        (("patient_column",), "patient"),
    ):
        named = [key for key in keys if params[key]]
        if named and role in chosen:
            message = phrase("roles_and_key", key=named[0], role=role)
            raise TrainerError("INVALID_REQUEST", message, phrase("set_only_one"))
    for role in ("patient", "split"):
        if chosen.count(role) > 1:
            message = phrase("role_given_twice", number=chosen.count(role), role=role)
            raise TrainerError("INVALID_REQUEST", message, phrase("choose_one"))
    one = {params[key] for key in ("label_column", "time_column", "event_column", "patient_column")}
    both = one | {*(params["label_columns"] or ()), *params["ignore_columns"]}
    if twice := [column for column in params["roles"] if column in both]:
        message = phrase("column_has_two_uses", column=twice[0][:80])
        raise TrainerError("INVALID_REQUEST", message, phrase("set_only_one"))


def _read_with_recipe(path: Path, params: dict[str, Any], checks: Checks) -> SourceTable:
    """The table that the recipe makes, with its steps as checks. What did not match is a warning."""
    image_root = Path(params["image_root"]) if params["image_root"] else None
    made = read_source_table(
        path, image_root, [Path(root) for root in params["roots"]], params["recipe"], None
    )
    for step in made.steps:
        if any(step.counts.get(name) for name in ("unmatched", "not_found", "damaged")):
            checks.warn("recipe", step.message, phrase("do_correct_recipe"))
        else:
            checks.pass_("recipe", step.message)
    return made


def _source(path: Path, table: Table, params: dict[str, Any], implied: Mapping[str, Any]) -> _Source:
    """implied: settings that follow from the recipe; the request replaces them."""
    folder = path if path.is_dir() else path.parent
    image_root = Path(params["image_root"]) if params["image_root"] else folder
    settings = role_settings(
        label_column=params["label_column"],
        label_columns=params["label_columns"],
        time_column=params["time_column"],
        event_column=params["event_column"],
        patient_column=params["patient_column"],
        ignore_columns=params["ignore_columns"],
    )
    settings = with_settings(settings, implied, params["roles"])
    roles = infer_roles(table, settings, image_root, chosen=params["roles"], label_required=False)
    declared = defines_cases(params.get("recipe"))
    merged = None if declared else _merged_rows(table, roles)
    if merged is not None and not merged.differing:
        table = replace(table.take(merged.kept), warnings=table.warnings)
    words = split_words(table, roles.split)
    slices = params["slices"] or contract_defaults("DataConfig")["slices"]
    times = (settings["time_column"], settings["event_column"]) if settings["time_column"] else None
    positive = params["positive_class"]
    slicing = Slicing.from_settings(slices)
    return _Source(path, table, image_root, roles, words, positive, times, slicing, declared, merged)


def _merged_rows(table: Table, roles: Roles) -> MergedRows | None:
    """Rows of one image that a training on these data merges."""
    if not roles.labels:
        return None
    same = [*roles.labels, *filter(None, [roles.patient, roles.split])]
    return find_merged_rows(table, roles.images, same, [*roles.numeric, *roles.categorical])


def _run_checks(
    source: _Source, roots: Sequence[Path], checks: Checks, progress: Callable[[str, float], None]
) -> tuple[LabelScheme | None, ImageSurvey | None]:
    """→ the label scheme, if the label can be learned, and the survey of the image files, if there are any"""
    table, roles, words = source.table, source.roles, source.words
    progress(phrase("checking_table", count=len(table)), _READ)
    training = _training_rows(table, words)
    check_table(table, roles, words, checks)
    scheme = check_label(training, roles, source.positive_class, checks, survival=source.times is not None)
    if scheme is not None and words is not None:
        check_other_splits(table, words, scheme, checks)
    check_inputs(roles, checks)
    check_image_names(table, roles, source.image_root, checks)
    check_values(table, roles, scheme, checks)
    check_patients(table, roles, words, checks)
    survey = None
    if roles.images:
        survey = survey_images(table, roles.images, source.image_root, roots, _part(progress, *_IMAGES))
        check_images(
            table,
            roles,
            survey,
            words,
            source.slicing,
            checks,
            rows_are_cases=source.rows_are_cases,
            merged=source.merged,
        )
    check_amounts(training, roles, checks)
    if scheme is not None and scheme.task == "survival":
        check_events(training, roles, scheme, checks)
    if scheme is not None:
        progress(phrase("comparing_columns"), _IMAGES[1])
        check_shortcuts(table, training, roles, scheme, survey, checks)
    return scheme, survey


def _part(progress: Callable[[str, float], None], start: float, end: float) -> Callable[[str, float], None]:
    """Return a progress function for work that is this part of the whole."""
    return lambda message, fraction: progress(message, start + (end - start) * fraction)


def _describe(
    source: _Source, scheme: LabelScheme | None, survey: ImageSurvey | None, checks: Checks
) -> dict[str, Any]:
    table, roles, words = source.table, source.roles, source.words
    columns = [_describe_column(table, roles, column) for column in table.columns]
    return {
        "path": str(source.path),
        "kind": _kind_of(roles),
        "columns": columns,
        "num_cases": len(table),
        "num_patients": count_patients(table, roles.patient),
        "task": scheme.task if scheme is not None else None,
        "classes": _count_classes(table, scheme),
        "positive_class": scheme.positive_class if scheme is not None else None,
        **dict(zip(("time_column", "event_column"), source.times or (None, None), strict=True)),
        "missing": {column["name"]: column["missing"] for column in columns if column["missing"] > 0},
        "splits": {word: words.count(word) for word in dict.fromkeys(words)} if words is not None else {},
        "volumes": volumes_read(survey.volumes if survey is not None else 0, source.slicing),
        "digest": survey.digest if survey is not None else table.digest,
        "readiness": checks.readiness(),
    }


def _refuse_columns(folder: Path, params: dict[str, Any]) -> None:
    """INVALID_REQUEST if columns are named although there is no table."""
    keys = (
        "label_column",
        "label_columns",
        "time_column",
        "event_column",
        "patient_column",
        "roles",
        "ignore_columns",
    )
    named = [key for key in keys if params[key]]
    if named:
        message = phrase("folder_has_no_columns", folder=folder.name)
        raise TrainerError("INVALID_REQUEST", message, phrase("remove_keys", keys=", ".join(named)))


def _training_rows(table: Table, words: Sequence[str] | None) -> Table:
    rows = [row for row, word in enumerate(words or []) if word == "train"]
    return table.take(np.asarray(rows)) if rows else table


def _kind_of(roles: Roles) -> str:
    if not roles.images:
        return "tabular"
    return "multimodal" if roles.numeric or roles.categorical else "image"


def _describe_column(table: Table, roles: Roles, column: str) -> dict[str, Any]:
    """In columns of ids and patients only an empty cell is missing."""
    texts = table.cells[column]
    if roles.kinds[column] in ("patient", "id"):
        missing, distinct = counted(texts).get("", 0), sum(map(bool, distinct_of(texts)))
    else:
        missing, distinct = int(missing_mask(texts).sum()), len(present_texts(texts))
    return with_phrases(
        {
            "name": column,
            "role": roles.kinds[column],
            "missing": missing,
            "distinct": distinct,
            "reason": roles.reasons[column],
        }
    )


def _count_classes(table: Table, scheme: LabelScheme | None) -> list[dict[str, Any]] | None:
    """Counts over all rows; null if a split has labels that do not occur in training."""
    if scheme is None or not has_all_labels(table, scheme):
        return None
    try:
        counts = scheme.class_counts(read_labels(table, scheme, "table"))
    except TrainerError:
        return None
    return None if counts is None else [{"name": name, "count": count} for name, count in counts.items()]


def _inspect_folder(folder: Path, positive_class: str | None) -> dict[str, Any]:
    """→ contract Inspection. DATASET_INVALID if no subfolder has images, LABEL_INVALID for a positive class
    that does not exist."""
    files = class_files(folder)
    divided = any(split for split, _, _ in files)
    counts = Counter(name for _, name, _ in files)
    checks = Checks()
    _check_classes(counts, checks)
    doubts = doubts_about(folder, files)
    for message, remedy in doubts:
        checks.block("class_folders", message, remedy)
    _check_masks(folder, checks)
    scheme = learn_classes(list(counts.elements()), "the folder", positive_class)
    check_classes(scheme, checks)
    classes = scheme.classes or ()
    if (tables := tables_below(folder)) and not doubts:
        names = [table.relative_to(folder).as_posix() for table in tables]
        message = phrase("tables_not_read", tables=listing(names, 10))
        checks.warn("tables", message, phrase("do_register_table"))
    checks.warn(
        "patients",
        phrase("folders_without_patients"),
        phrase("do_make_csv"),
    )
    paths = [file.relative_to(folder).as_posix() for _, _, file in files]
    for found in warn_path_groups(make_table(folder.name, {"image": paths}), ["image"]):
        checks.repeat(found)
    checks.warn(
        "SHORTCUTS_NOT_CHECKED",
        phrase("size_not_checked"),
        phrase("do_train"),
    )
    seal = hashlib.sha256()
    for split, name, file in files:
        seal.update(
            f"{split}\0{name}\0{file.name}\0{file.stat().st_size}\n".encode("utf-8", "surrogateescape")
        )
    return {
        "path": str(folder),
        "kind": "image",
        "columns": [],
        "num_cases": len(files),
        "num_patients": None,
        "task": "classification",
        "classes": [
            {
                "name": name,
                "count": sum(
                    counts[spelled] for spelled in counts if comparable_name(spelled) == comparable_name(name)
                ),
            }
            for name in classes
        ],
        "positive_class": scheme.positive_class,
        "missing": {},
        "splits": dict(Counter(split for split, _, _ in files)) if divided else {},
        "digest": seal.hexdigest(),
        "readiness": checks.readiness(),
    }


def _check_masks(path: Path, checks: Checks) -> None:
    """Report the files of a folder that are masks of its images."""
    masks = mask_files(path) if path.is_dir() else []
    if masks:
        folders = ", ".join(dict.fromkeys(f'"{file.parent.name}"' for file in masks[:1000]))
        checks.pass_("MASKS_SET_APART", phrase("mask_files_set_apart", count=len(masks), folders=folders))


def _check_classes(counts: Counter[str], checks: Checks) -> None:
    if len(counts) < 2:
        checks.block("classes", phrase("only_one_class"), phrase("do_make_folders"))
    else:
        checks.pass_("classes", phrase("classes_of_folders", count=len(counts)))
    rare = sorted(name for name, count in counts.items() if count < _MIN_IMAGES)
    if rare:
        message = phrase("few_images_of_classes", needed=_MIN_IMAGES, classes=listing(rare, 20))
        checks.warn("rare_classes", message, phrase("do_merge_image_classes"))
