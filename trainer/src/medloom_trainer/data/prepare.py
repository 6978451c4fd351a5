"""From the configuration of a training to arrays: read the tables, decode the images, divide the cases, fit
on the training split, encode, check.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.assembly import assemble
from medloom_trainer.data.cache import RecordStore, Views, judge_images, load_views
from medloom_trainer.data.checks import ineffective_setting_warnings, shortcut_warnings
from medloom_trainer.data.describe import preprocessing_of, summarize
from medloom_trainer.data.features import (
    TableFit,
    encode_table,
    fit_features,
    fit_image_normalization,
    fit_subgroups,
)
from medloom_trainer.data.images import digest_files
from medloom_trainer.data.progress import Report, reporter
from medloom_trainer.data.splits import SplitCases, check_leaks, group_cases, take_validation
from medloom_trainer.data.tables import (
    LabelScheme,
    count_step,
)
from medloom_trainer.data.training_tables import TrainingTables, read_training_tables
from medloom_trainer.data.types import Cases, Flow, PreparedData, Warnings
from medloom_trainer.errors import TrainerError
from medloom_trainer.warnings import warning


@dataclass(frozen=True)
class _Images:
    """What the image files hold."""

    digests: dict[str, list[list[str]]]
    """Split → N lists: a digest of each image that is there, of its pixels or else of its file."""
    views: dict[str, Views]
    """Empty when no model reads the images."""
    store: RecordStore | None
    state: dict[str, Any] | None
    """JSON: how they were made records."""


def prepare(
    config: dict[str, Any],
    *,
    roots: Sequence[str | Path],
    cache_dir: str | Path,
    progress: Callable[[str, float], None],
    should_stop: Callable[[], bool],
) -> PreparedData:
    """Everything that is known before the model is built (contract TrainingConfig → data/types.py
    PreparedData).

    progress(message, 0..1) and should_stop() are called between images; PreparationStopped when it returns
    true. Errors: codes of the catalog under "Data". Numbers are fitted on the training split alone.
    """
    report = reporter(progress, should_stop)
    folders = [Path(root) for root in roots]
    flow: Flow = []
    warnings: Warnings = []

    report("reading tables", 0.0)
    tables = read_training_tables(config, folders, flow, warnings)
    images = _load_images(config, tables, folders, Path(cache_dir), warnings, report)
    splits = _divide_cases(config, tables, images, flow, warnings)
    report("fitting preprocessing on the training split", 0.88)
    groups = group_cases(splits["train"].keys(tables.roles.patient))
    fit = _fit_table(config, tables, splits["train"], groups)
    subgroups = fit_subgroups(splits["train"].table, config["data"]["subgroup_columns"])
    cases = _encode(tables, splits, fit, subgroups, warnings)
    normalization = _normalize_images(config, images, cases["train"], report)
    report("looking for shortcuts", 0.95)
    _check(config, tables, splits, fit, groups, warnings)

    preprocessing = preprocessing_of(
        config,
        tables.scheme,
        tables.roles,
        tables.columns.images,
        images=images.state,
        table=fit.state,
        subgroups=subgroups,
    )
    ignored = tables.columns.ignored | dict.fromkeys(fit.selection.dropped, "left out by feature selection")
    summary = summarize(preprocessing, splits, tables.left_out, fit.selection, ignored, warnings, cases)
    report("prepared", 1.0)
    return PreparedData(
        task=tables.scheme.task,
        classes=tables.scheme.classes,
        layout=fit.layout,
        store=images.store,
        num_views=len(tables.columns.images),
        train=cases["train"],
        val=cases["val"],
        preprocessing=preprocessing,
        image_normalization=normalization,
        label_normalization=_normalize_labels(tables.scheme, splits["train"].labels),
        summary=summary,
        flow=flow,
    )


def _load_images(
    config: dict[str, Any],
    tables: TrainingTables,
    folders: Sequence[Path],
    cache_dir: Path,
    warnings: Warnings,
    report: Report,
) -> _Images:
    """Decode the images of every split into the store. Images that no model reads are compared by their
    files, so that leaks are found there too.
    """
    data = config["data"]
    if not tables.columns.images:
        digests, unreadable = digest_files(
            tables.splits,
            tables.roles.images,
            roots=folders,
            cache_dir=cache_dir,
            report=lambda done, total: report("looking for leaks", 0.05 + 0.8 * done / max(1, total)),
        )
        if unreadable:
            noun = "image" if unreadable == 1 else "images"
            message = f"{unreadable} {noun} cannot be read, nor compared between the splits"
            warnings.append(warning("LEAK_CHECK_INCOMPLETE", message))
        return _Images(digests, {}, None, None)
    views, store, params = load_views(
        tables.splits,
        tables.columns.images,
        size=(data["image_size"][0], data["image_size"][1]),
        window=(data["window"]["center"], data["window"]["width"]) if data["window"] else None,
        depth=None,
        roots=folders,
        cache_dir=cache_dir,
        workers=config["training"]["num_workers"],
        report=lambda message, fraction: report(message, 0.05 + 0.8 * fraction),
    )
    judge_images(tables.splits, views, data["unreadable_images"], warnings)
    state = {"size": [params.width, params.height], "depth": params.depth, "window": params.window}
    return _Images({split: part.pixels for split, part in views.items()}, views, store, state)


def _divide_cases(
    config: dict[str, Any], tables: TrainingTables, images: _Images, flow: Flow, warnings: Warnings
) -> dict[str, SplitCases]:
    """Take a validation split out of the training rows where the tables name none, and refuse leaks."""
    data, patient = config["data"], tables.roles.patient
    splits = {
        split: SplitCases(source, tables.labels.get(split), images.views.get(split), images.digests[split])
        for split, source in tables.splits.items()
    }
    if "val" not in splits:
        seed = config["training"]["seed"]
        splits["train"], splits["val"] = take_validation(
            splits["train"], tables.scheme, patient, data["val_fraction"], seed
        )
    check_leaks(splits, patient, data["allow_leakage"], warnings)
    _refuse_lost_class(splits["train"].labels, tables.scheme)
    batch_size, cases = config["training"]["batch_size"], len(splits["train"].table)
    if batch_size > cases:
        message = f"batch_size {batch_size} is larger than the {cases} training cases"
        raise TrainerError("BATCH_TOO_LARGE", message)
    flow += [count_step(f"{split} split", splits[split].table, patient) for split in ("train", "val")]
    return splits


def _refuse_lost_class(labels: npt.NDArray[Any] | None, scheme: LabelScheme) -> None:
    """Dividing may leave no training case of a class."""
    if scheme.classes is None or labels is None:
        return
    lost = sorted(set(scheme.classes) - {scheme.classes[index] for index in np.unique(labels).tolist()})
    if lost:
        raise TrainerError("LABEL_INVALID", f"the training split has no case of {', '.join(lost)}")


def _fit_table(
    config: dict[str, Any], tables: TrainingTables, train: SplitCases, groups: npt.NDArray[np.int64]
) -> TableFit:
    """Choose, scale and encode the columns by the training rows alone."""
    assert train.labels is not None  # those of the training split are always read
    classes = tables.scheme.classes
    fit = fit_features(
        train.table,
        (tables.columns.numeric, tables.columns.categorical),
        train.labels,
        None if classes is None else len(classes),
        groups=groups,
        seed=config["training"]["seed"],
        settings=config["data"],
    )
    selection = fit.selection
    if selection.dropped and not (selection.numeric or selection.categorical):
        message = f"feature selection leaves none of the {len(selection.scores)} table columns"
        raise TrainerError("DATASET_INVALID", message)
    fit.state["selection"] = {**config["data"]["feature_selection"], "scores": selection.scores}
    return fit


def _encode(
    tables: TrainingTables,
    splits: dict[str, SplitCases],
    fit: TableFit,
    subgroups: list[dict[str, Any]],
    warnings: Warnings,
) -> dict[str, Cases]:
    """Apply what was fitted to the training and the validation split."""
    cases = {}
    for split in ("train", "val"):
        # A training row must not find its own label in its target statistics.
        encoded = encode_table(
            splits[split].table, fit.state, out_of_fold=fit.targets if split == "train" else None
        )
        warnings += encoded.warnings
        cases[split] = assemble(splits[split], encoded, tables.roles.patient, subgroups)
    return cases


def _check(
    config: dict[str, Any],
    tables: TrainingTables,
    splits: dict[str, SplitCases],
    fit: TableFit,
    groups: npt.NDArray[np.int64],
    warnings: Warnings,
) -> None:
    """Warn about settings without effect, and about shortcuts to the label."""
    train = splits["train"]
    assert train.labels is not None  # those of the training split are always read
    headers = [
        header
        for part in splits.values()
        if part.views is not None
        for of_case in part.views.headers
        for header in of_case
    ]
    warnings += ineffective_setting_warnings(
        config["data"], headers, validation_is_given="val" in tables.splits
    )
    warnings += shortcut_warnings(
        train.table,
        train.views.headers if train.views is not None else None,
        train.labels,
        tables.scheme.classes,
        fit.selection.numeric,
        fit.selection.categorical,
        groups,
    )


def _normalize_images(
    config: dict[str, Any], images: _Images, train: Cases, report: Report
) -> dict[str, Any]:
    if images.store is None or train.slots is None:
        return {"mean": [0.0] * 3, "std": [1.0] * 3}
    poll = lambda: report("fitting image normalization", 0.92)  # noqa: E731
    return fit_image_normalization(config["data"]["normalize"], images.store, train.slots, poll)


def _normalize_labels(scheme: LabelScheme, labels: npt.NDArray[Any] | None) -> dict[str, float] | None:
    """Of a regression: mean and deviation of the training labels."""
    if scheme.classes is not None or labels is None:
        return None
    deviation = float(np.std(labels))
    return {"mean": float(np.mean(labels)), "std": deviation if deviation > 0 else 1.0}
