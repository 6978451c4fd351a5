"""Configuration of a training → arrays: read the tables, decode the images, divide the cases, fit on the
training split, encode, check.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.cache import NEWEST_VERSION, ImageSettings, Views, judge_images, load_views
from medloom_trainer.data.checks import (
    Shortcuts,
    complete_columns,
    find_shortcuts,
    find_similar_images,
    is_measured,
    missing_values,
    never_seen_missing,
    preparation_warnings,
    rare_class_warnings,
    rows_with_masks,
    summarize,
    warn_path_groups,
    with_acquisition_groups,
)
from medloom_trainer.data.features import (
    FittedPreparation,
    TableFit,
    describe_cases,
    encode_cases,
    encode_table,
    fit_image_normalization,
    fit_subgroups,
    fit_time_grid,
    fit_training_table,
    with_means,
)
from medloom_trainer.data.images import digest_files
from medloom_trainer.data.splits import SplitCases, divide_among_members, divide_cases
from medloom_trainer.data.tables import (
    ImageTable,
    LabelScheme,
    TrainingTables,
    read_training_tables,
)
from medloom_trainer.data.types import (
    HELD_OUT,
    Cases,
    Flow,
    ImageStore,
    PreparedData,
    Report,
    TableLayout,
    reporter,
)
from medloom_trainer.warnings import Warnings, warning

_PREPROCESSING_VERSION = 1


@dataclass(frozen=True)
class _Images:
    """Content of the image files."""

    digests: dict[str, list[list[str]]]
    """Split → N lists: a digest of each existing image, of its pixels or else of its file."""
    views: dict[str, Views]
    """Empty if no model reads the images."""
    store: ImageStore | None
    state: dict[str, Any] | None
    """JSON: how the records were made."""
    volumes: dict[str, Any] | None
    """JSON: contract VolumesRead."""
    files: list[list[str]] | None = None
    """For a fold of a cross-validation the training rows: N lists of digests of image files, by which they
    are divided whatever the model reads."""


def prepare(
    config: dict[str, Any],
    *,
    roots: Sequence[str | Path],
    cache_dir: str | Path,
    progress: Callable[[str, float], None],
    should_stop: Callable[[], bool],
    fitted: FittedPreparation | None = None,
) -> PreparedData:
    """Return everything that is known before the model is built (contract TrainerConfig → data/types.py
    PreparedData).

    progress(message, 0..1) and should_stop() are called between images; PreparationStopped if it returns
    true. Errors: codes of the catalog under "Data". Values are fitted only on the training split, or come as
    `fitted` from the trained model from which the training starts.
    """
    report = reporter(progress, should_stop)
    flow: Flow = []
    warnings: Warnings = []
    report(phrase("reading_tables"), 0.0)
    folders = [Path(root) for root in roots]
    tables = read_training_tables(config, folders, flow, warnings, Path(cache_dir))
    if fitted is not None:
        fitted.refuse_others(tables)
    images = _load_images(config, tables, folders, Path(cache_dir), fitted, warnings, report)
    if fitted is not None:
        fitted.refuse_other_images(images.state)
    splits = _divide(config, tables, images, flow, warnings, fitted)
    learning, groups, member_folds = divide_among_members(config, tables, splits)

    report(phrase("fitting_preprocessing"), 0.88)
    fit = fit_training_table(config, tables, learning, groups) if fitted is None else fitted.table_fit()
    subgroups = fit_subgroups(splits["train"].table, config["data"]["subgroup_columns"])
    cases, layout = _encode(config, tables, splits, learning, fit, subgroups, warnings)
    normalization = _normalize_images(config, images, cases["train"], fitted, report)
    time_grid = _time_grid(config, tables.scheme, learning, fitted)
    recorded = {"reference": _describe(tables, images, splits["train"], fit), "survival": time_grid}
    report(phrase("finding_shortcuts"), 0.95)
    shortcuts = _look_for_shortcuts(config, tables, images, splits, fit, groups, warnings, report)
    subgroups, cases = with_acquisition_groups(subgroups, cases, splits, shortcuts)
    preprocessing = recorded | _preprocessing_of(config, tables, images, fit, subgroups, learning, fitted)
    summary = _summarize(tables, images, splits, cases, fit, preprocessing, warnings)
    report(phrase("prepared"), 1.0)
    return PreparedData(
        task=tables.scheme.task,
        classes=tables.scheme.classes,
        layout=layout,
        store=images.store,
        num_views=0 if images.state is None else sum(images.state["views"].values()),
        train=cases["train"],
        val=cases["val"],
        held_out=cases.get(HELD_OUT),
        preprocessing=preprocessing,
        image_normalization=normalization,
        label_normalization=_normalize_labels(tables.scheme, learning.labels, fitted),
        summary=summary,
        flow=flow,
        member_folds=member_folds,
        measured=is_measured(config["data"], splits["train"]),
    )


def _load_images(
    config: dict[str, Any],
    tables: TrainingTables,
    folders: Sequence[Path],
    cache_dir: Path,
    fitted: FittedPreparation | None,
    warnings: Warnings,
    report: Report,
) -> _Images:
    """Decode the images of every split into the store. Images that no model reads are compared by their
    files, so that leaks are found there too.
    """
    data = config["data"]
    if not tables.columns.images:
        digests, unreadable = _digest_files(tables.splits, tables, folders, cache_dir, report)
        if unreadable:
            message = phrase("unread_images", count=unreadable)
            warnings.append(warning("LEAK_CHECK_INCOMPLETE", message))
        return _Images(digests, {}, None, None, None, digests["train"])
    files = None
    if data["fold"] is not None:
        pool = {"train": tables.splits["train"]}
        files = _digest_files(pool, tables, folders, cache_dir, report)[0]["train"]
    version = NEWEST_VERSION if fitted is None else fitted.store_version
    rules = None if fitted is None else fitted.image_rules
    views, store, settings = load_views(
        tables.splits,
        tables.columns.images,
        replace(ImageSettings.of_config(data), version=version, rules=rules),
        roots=folders,
        cache_dir=cache_dir,
        workers=config["training"]["num_workers"],
        report=lambda message, fraction: report(message, 0.05 + 0.8 * fraction),
    )
    judge_images(tables.splits, views, settings.slicing, data["unreadable_images"], warnings)
    digests = {split: part.pixels for split, part in views.items()}
    return _Images(digests, views, store, settings.to_state(), settings.volumes_in(views), files)


def _digest_files(
    splits: Mapping[str, ImageTable],
    tables: TrainingTables,
    folders: Sequence[Path],
    cache_dir: Path,
    report: Report,
) -> tuple[dict[str, list[list[str]]], int]:
    return digest_files(
        splits,
        tables.roles.images,
        roots=folders,
        cache_dir=cache_dir,
        report=lambda done, total: report(phrase("examining_image_files"), 0.05 + 0.8 * done / max(1, total)),
    )


def _divide(
    config: dict[str, Any],
    tables: TrainingTables,
    images: _Images,
    flow: Flow,
    warnings: Warnings,
    fitted: FittedPreparation | None,
) -> dict[str, SplitCases]:
    """Return the cases that train and those that validate; a trained model has learned from none of the
    latter."""
    seen = None if fitted is None else fitted.seen
    splits = divide_cases(config, tables, images.views, images.digests, flow, warnings, seen, images.files)
    if fitted is not None and seen is None:
        warnings.append(warning("LEAK_CHECK_INCOMPLETE", phrase("no_record_of_training")))
    return splits


def _encode(
    config: dict[str, Any],
    tables: TrainingTables,
    splits: dict[str, SplitCases],
    learning: SplitCases,
    fit: TableFit,
    subgroups: list[dict[str, Any]],
    warnings: Warnings,
) -> tuple[dict[str, Cases], TableLayout]:
    """Apply the fitted values to the training split, the validation split and the held-out fold. learning:
    the cases to which they were fitted. → also the layout with the means of these rows
    """
    # A row that was used for fitting must not have its own label in its target statistics.
    fitted_to = encode_table(learning.table, fit.state, fit.targets)
    count = len(splits["train"].table)
    encoded = {"train": fitted_to.take(slice(0, count))}
    if len(learning.table) > count:
        encoded["val"] = fitted_to.take(slice(count, None))
    cases = {}
    for split in [name for name in ("train", "val", HELD_OUT) if name in splits]:
        cases[split], found = encode_cases(
            splits[split], tables.roles.patient, fit.state, subgroups, encoded.get(split), tables.roles.ids
        )
        warnings += found.warnings if found is not encoded.get("val") else []
    if fit.targets is None or config["model"]["missing_token"] == "random":
        return cases, fit.layout
    return cases, with_means(fit.layout, fitted_to)


def _normalize_images(
    config: dict[str, Any],
    images: _Images,
    train: Cases,
    fitted: FittedPreparation | None,
    report: Report,
) -> dict[str, Any]:
    if fitted is not None:
        return fitted.image_normalization
    if images.store is None or train.slots is None:
        return {"mean": [0.0] * 3, "std": [1.0] * 3}
    poll = lambda: report(phrase("fitting_normalization"), 0.92)  # noqa: E731
    return fit_image_normalization(config["data"]["normalize"], images.store, train.slots, poll)


def _describe(tables: TrainingTables, images: _Images, train: SplitCases, fit: TableFit) -> dict[str, Any]:
    """Description of the training cases, for comparisons in later evaluations."""
    slots = None if train.views is None else train.views.slots
    columns, classes = fit.state["columns"], tables.scheme.classes
    patient = tables.roles.patient
    return describe_cases(train.table, columns, train.labels, classes, slots, images.store, patient)


def _normalize_labels(
    scheme: LabelScheme, labels: npt.NDArray[Any] | None, fitted: FittedPreparation | None
) -> dict[str, float] | None:
    """For a regression: mean and standard deviation of the training labels."""
    if fitted is not None:
        return fitted.label_normalization
    if scheme.task != "regression" or labels is None:
        return None
    deviation = float(np.std(labels))
    return {"mean": float(np.mean(labels)), "std": deviation if deviation > 0 else 1.0}


def _time_grid(
    config: dict[str, Any], scheme: LabelScheme, train: SplitCases, fitted: FittedPreparation | None
) -> dict[str, Any] | None:
    """For survival: the intervals of time, and the distribution of censoring of the training cases."""
    if scheme.task != "survival" or train.labels is None:
        return None
    if fitted is not None:
        grid: dict[str, Any] = fitted.preprocessing["survival"]
        return grid
    return fit_time_grid(train.labels, config["model"]["survival_intervals"])


def _look_for_shortcuts(
    config: dict[str, Any],
    tables: TrainingTables,
    images: _Images,
    splits: dict[str, SplitCases],
    fit: TableFit,
    groups: npt.NDArray[np.int64],
    warnings: Warnings,
    report: Report,
) -> Shortcuts:
    """Warn about shortcuts that a model could learn instead of the disease, and about cases that are not
    independent."""
    columns = _columns_of(fit)
    inputs = ((*columns[0], *tables.scheme.quantities), columns[1])
    given = "val" in tables.splits
    warnings += preparation_warnings(config, splits, inputs, tables.scheme, validation_is_given=given)
    warnings += rare_class_warnings(splits, tables.scheme, tables.roles.patient)
    warnings += rows_with_masks(splits["train"].table, tables.roles.images)
    train = splits["train"]
    shortcuts = find_shortcuts(train, tables.roles, columns, tables.scheme, groups[: len(train.table)])
    warnings += shortcuts.warnings
    if tables.roles.patient is None:
        warnings.append(warning("NO_PATIENT_COLUMN", phrase("each_row_a_patient")))
        warnings += warn_path_groups(train.table, tables.roles.images)
    warnings += find_similar_images(splits, tables.roles.patient, images.store, report)
    return shortcuts


def _columns_of(fit: TableFit) -> tuple[Sequence[str], Sequence[str]]:
    """Numeric and categorical columns that the model reads."""
    return fit.selection.numeric, fit.selection.categorical


def _summarize(
    tables: TrainingTables,
    images: _Images,
    splits: dict[str, SplitCases],
    cases: dict[str, Cases],
    fit: TableFit,
    preprocessing: dict[str, Any],
    warnings: Warnings,
) -> dict[str, Any]:
    columns = _columns_of(fit)
    complete = preprocessing["complete_columns"]
    for split, name in (("val", "the validation split"), (HELD_OUT, "the held-out fold")):
        if split in splits:
            warnings += never_seen_missing(complete, missing_values(splits[split], *columns), name)
    ignored = tables.columns.ignored | dict.fromkeys(fit.selection.dropped, "excluded by feature selection")
    return summarize(
        preprocessing,
        splits,
        tables.left_out,
        columns,
        ignored,
        warnings,
        cases,
        tables.scheme,
        images.volumes,
    )


def _preprocessing_of(
    config: dict[str, Any],
    tables: TrainingTables,
    images: _Images,
    fit: TableFit,
    subgroups: list[dict[str, Any]],
    train: SplitCases,
    fitted: FittedPreparation | None,
) -> dict[str, Any]:
    """All inferred and fitted values that `prepare_cases` needs; stored in the checkpoint."""
    roles, scheme = tables.roles, tables.scheme
    complete = complete_columns(train, *_columns_of(fit))
    if fitted is not None:  # a gap that either of the trainings has seen is not new to the model
        before = fitted.preprocessing.get("complete_columns", [])
        complete = [column for column in complete if column in before]
    return {
        "version": _PREPROCESSING_VERSION,
        "task": scheme.task,
        "classes": None if scheme.classes is None else list(scheme.classes),
        "label_column": scheme.columns[0] if len(scheme.columns) == 1 else None,
        "label_columns": list(scheme.columns) if len(scheme.columns) > 1 else None,
        "patient_column": roles.patient,
        "id_columns": list(roles.ids),
        "split_column": roles.split,
        "image_columns": list(tables.columns.images),
        "images": images.state,
        "unreadable_images": config["data"]["unreadable_images"],
        **({"recipe": recipe} if (recipe := config["data"].get("recipe")) is not None else {}),
        "table": fit.state,
        "subgroups": subgroups,
        "complete_columns": complete,
    }
