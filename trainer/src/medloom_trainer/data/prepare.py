"""From the configuration to arrays: read, assign roles, find the splits, decode, check for leaks, fit on
train, encode.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.assembly import Flow, Warnings, assemble, count_step, describe_split
from medloom_trainer.data.cache.store import RecordStore
from medloom_trainer.data.cache.views import ImageTable, Views, load_views, refuse_unusable, unusable_images
from medloom_trainer.data.checks.ineffective_settings import idle_settings
from medloom_trainer.data.checks.missing import missing_by_part
from medloom_trainer.data.checks.shortcuts import shortcut_warnings
from medloom_trainer.data.features.encoding import complete_rows, encode_table, fit_table, lay_out
from medloom_trainer.data.features.normalization import fit_image_normalization
from medloom_trainer.data.features.selection import select_columns
from medloom_trainer.data.features.subgroups import fit_subgroups
from medloom_trainer.data.features.target_statistics import code_targets
from medloom_trainer.data.images.file_digests import Pictures, pictures_by_file
from medloom_trainer.data.splits.case_keys import keys_of_cases
from medloom_trainer.data.splits.divide import group_cases, split_name
from medloom_trainer.data.splits.leaks import check_leaks
from medloom_trainer.data.tables.labels import LabelScheme, has_all_labels, learn_labels, read_labels
from medloom_trainer.data.tables.roles import Roles, infer_roles, require_column
from medloom_trainer.data.tables.split_rows import (
    divide_training,
    drop_incomplete,
    image_table,
    select_splits,
)
from medloom_trainer.data.types import InferenceData, PreparationStopped, PreparedData
from medloom_trainer.errors import TrainerError

PREPROCESSING_VERSION = 1


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

    progress(message, 0..1) and should_stop() are called between images; PreparationStopped when it says
    yes. Errors: codes of the catalog under "Data". Numbers are fitted on the training split alone.
    """
    report = reporter(progress, should_stop)
    report("reading tables", 0.0)
    data, model = config["data"], config["model"]
    folders = [Path(root) for root in roots]
    uses_images, uses_table = model["vision_backbone"] != "none", model["fusion_type"] != "none"
    sources = {
        split: image_table(data[f"{split}_csv"], data["image_root"], folders)
        for split in ("train", "val", "test")
        if data[f"{split}_csv"] is not None
    }
    warnings: Warnings = [warning for source in sources.values() for warning in source.table.warnings]
    roles = infer_roles(sources["train"].table, data, sources["train"].image_root)
    warnings += roles.warnings
    numeric, categorical, images, ignored = used_columns(roles, uses_images, uses_table)
    flow: Flow = []
    splits = select_splits(sources, roles, flow, warnings)
    left_out = {}
    if data["missing_strategy"] == "drop":
        for split, part in list(splits.items()):
            splits[split], left_out[split] = drop_incomplete(split, part, numeric, categorical, roles, flow)
    assert roles.label is not None  # infer_roles has refused otherwise
    scheme = learn_labels(splits["train"].table, roles.label, model["task"])

    views: dict[str, Views] = {}
    store: RecordStore | None = None
    image_state: dict[str, Any] | None = None
    if images:
        views, store, params = load_views(
            splits,
            images,
            size=(data["image_size"][0], data["image_size"][1]),
            window=(data["window"]["center"], data["window"]["width"]) if data["window"] else None,
            depth=None,
            roots=folders,
            cache_dir=Path(cache_dir),
            workers=config["training"]["num_workers"],
            report=lambda message, fraction: report(message, 0.05 + 0.8 * fraction),
        )
        image_state = {"size": [params.width, params.height], "depth": params.depth, "window": params.window}
        judge_images(splits, views, data["unreadable_images"], warnings)
        pictures = {split: Pictures(part.pixels) for split, part in views.items()}
    else:
        pictures, lost = pictures_by_file(
            splits,
            roles.images,
            roots=folders,
            cache_dir=Path(cache_dir),
            report=lambda done, total: report("looking for leaks", 0.05 + 0.8 * done / max(1, total)),
        )
        if lost:
            message = (
                f"{lost} {'image' if lost == 1 else 'images'} cannot be read, nor compared between the splits"
            )
            warnings.append({"code": "LEAK_CHECK_INCOMPLETE", "message": message})
    warnings += idle_settings(data, splits, views)
    if "val" not in splits:
        divide_training(splits, views, pictures, scheme, roles, data, config["training"]["seed"], flow)
    check_leaks(splits, pictures, roles.patient, data["allow_leakage"], warnings)

    train = splits["train"].table
    labels = {split: read_labels(splits[split].table, scheme, split) for split in ("train", "val")}
    refuse_lost_class(labels["train"], scheme)
    if config["training"]["batch_size"] > len(train):
        message = (
            f"batch_size {config['training']['batch_size']} is larger than the {len(train)} training cases"
        )
        raise TrainerError("BATCH_TOO_LARGE", message)
    report("fitting preprocessing on the training split", 0.88)
    groups = group_cases(keys_of_cases(train, pictures.get("train"), roles.patient))
    num_classes = None if scheme.classes is None else len(scheme.classes)
    targets = code_targets(labels["train"], num_classes, groups, config["training"]["seed"])
    selection = select_columns(
        train, numeric, categorical, labels["train"], num_classes, data["feature_selection"]
    )
    if selection.dropped and not (selection.numeric or selection.categorical):
        message = f"feature selection leaves none of the {len(selection.scores)} table columns"
        raise TrainerError("DATASET_INVALID", message)
    numeric, categorical = selection.numeric, selection.categorical
    ignored |= {column: "left out by feature selection" for column in selection.dropped}
    state = fit_table(
        train,
        numeric,
        categorical,
        missing_strategy=data["missing_strategy"],
        scaling=data["scaling"],
        categorical_encoding=data["categorical_encoding"],
        target=targets,
    )
    state["selection"] = {**data["feature_selection"], "scores": selection.scores}
    subgroups = fit_subgroups(train, data["subgroup_columns"])
    cases = {}
    for split in ("train", "val"):
        encoded = encode_table(splits[split].table, state, targets if split == "train" else None)
        warnings += encoded.warnings
        cases[split] = assemble(
            splits[split].table, views.get(split), encoded, labels[split], roles.patient, subgroups
        )
    report("looking for shortcuts", 0.92)
    headers = views["train"].headers if views else None
    warnings += shortcut_warnings(
        train, headers, labels["train"], scheme.classes, numeric, categorical, groups
    )
    normalization = {"mean": [0.0] * 3, "std": [1.0] * 3}
    if store is not None and cases["train"].slots is not None:
        poll = lambda: report("fitting image normalisation", 0.95)  # noqa: E731
        normalization = fit_image_normalization(data["normalize"], store, cases["train"].slots, poll)
    label_normalization = None
    if scheme.classes is None:
        spread = float(np.std(labels["train"]))
        label_normalization = {"mean": float(np.mean(labels["train"])), "std": spread if spread > 0 else 1.0}
    for split in cases:
        flow.append(count_step(f"{split} split", splits[split].table, roles.patient))
    summary = {
        "task": scheme.task,
        "classes": None if scheme.classes is None else list(scheme.classes),
        "label_column": scheme.column,
        "patient_column": roles.patient,
        "split_column": roles.split,
        "image_columns": list(images),
        "numeric_columns": list(numeric),
        "categorical_columns": list(categorical),
        "ignored_columns": ignored,
        "splits": {
            split: describe_split(part.table, labels.get(split), scheme, roles.patient)
            for split, part in splits.items()
        },
        "missing": missing_by_part(splits, left_out, views, numeric, categorical),
        "warnings": warnings,
        "data_digests": {split: cases[split].digest for split in cases},
    }
    preprocessing = {
        "version": PREPROCESSING_VERSION,
        "task": scheme.task,
        "classes": summary["classes"],
        "label_column": scheme.column,
        "patient_column": roles.patient,
        "split_column": roles.split,
        "image_columns": list(images),
        "images": image_state,
        "unreadable_images": data["unreadable_images"],
        "table": state,
        "subgroups": subgroups,
    }
    report("prepared", 1.0)
    return PreparedData(
        task=scheme.task,
        classes=scheme.classes,
        layout=lay_out(state),
        store=store,
        num_views=len(images),
        train=cases["train"],
        val=cases["val"],
        preprocessing=preprocessing,
        image_normalization=normalization,
        label_normalization=label_normalization,
        summary=summary,
        flow=flow,
    )


def prepare_cases(
    preprocessing: dict[str, Any],
    csv: str | Path,
    *,
    image_root: str | Path | None,
    split: str,
    roots: Sequence[str | Path],
    cache_dir: str | Path,
    progress: Callable[[str, float], None],
    labels_required: bool = True,
    should_stop: Callable[[], bool] = lambda: False,
) -> InferenceData:
    """Another table, prepared exactly as training prepared its own; nothing is fitted.

    split: rows whose split column says so, where the table has that column. Without `labels_required`,
    labels are None when the column is absent or has gaps. Errors as `prepare`; DATASET_INVALID when no row
    is left.
    """
    report = reporter(progress, should_stop)
    report("reading tables", 0.0)
    source = image_table(csv, image_root, [Path(root) for root in roots])
    warnings: Warnings = list(source.table.warnings)
    patient = preprocessing["patient_column"]
    patient = patient if patient in source.table.cells else None
    flow: Flow = [count_step(f"rows of {source.table.name}", source.table, patient)]
    table = source.table
    if preprocessing["split_column"] in table.cells:
        words = [split_name(text) for text in table.cells[preprocessing["split_column"]]]
        rows = np.flatnonzero(np.asarray([word == split_name(split) for word in words]))
        if not rows.size:
            message = f'{table.name}: no row of "{preprocessing["split_column"]}" says "{split[:64]}"'
            raise TrainerError("DATASET_INVALID", message)
        table = table.take(rows)
        flow.append(count_step(f"{split} split", table, patient))
    keep = complete_rows(table, preprocessing["table"])
    if len(keep) < len(table):
        table = table.take(keep)
        flow.append(count_step("rows without missing values", table, patient))
        if not len(table):
            raise TrainerError("DATASET_INVALID", f"{table.name}: every row has missing values")
    labels = None
    if labels_required or has_all_labels(table, preprocessing["label_column"]):
        require_column(table, preprocessing["label_column"], "the label")
        classes = preprocessing["classes"]
        scheme = LabelScheme(
            preprocessing["label_column"],
            preprocessing["task"],
            tuple(classes) if classes is not None else None,
        )
        labels = read_labels(table, scheme, split)
    views = store = None
    image_state = preprocessing["images"]
    if image_state is not None:
        part = {split: ImageTable(table, source.image_root)}
        all_views, store, _ = load_views(
            part,
            preprocessing["image_columns"],
            size=(image_state["size"][0], image_state["size"][1]),
            window=tuple(image_state["window"]) if image_state["window"] else None,
            depth=image_state["depth"],
            roots=[Path(root) for root in roots],
            cache_dir=Path(cache_dir),
            workers=None,
            report=lambda message, fraction: report(message, 0.05 + 0.85 * fraction),
        )
        judge_images(part, all_views, preprocessing["unreadable_images"], warnings)
        views = all_views[split]
    encoded = encode_table(table, preprocessing["table"])
    warnings += encoded.warnings
    missing = {**(views.missing if views is not None else {}), **encoded.missing}
    cases = assemble(table, views, encoded, labels, patient, preprocessing["subgroups"])
    report("prepared", 1.0)
    return InferenceData(cases, store, flow, missing, warnings)


def reporter(
    progress: Callable[[str, float], None], should_stop: Callable[[], bool]
) -> Callable[[str, float], None]:
    def report(message: str, fraction: float) -> None:
        if should_stop():
            raise PreparationStopped
        progress(message, fraction)

    return report


def used_columns(
    roles: Roles, uses_images: bool, uses_table: bool
) -> tuple[Sequence[str], Sequence[str], Sequence[str], dict[str, str]]:
    """(numeric, categorical, image columns, ignored → why) once the ablations have had their say."""
    ignored = dict(roles.ignored)
    if not uses_images:
        ignored |= {column: "vision_backbone is none" for column in roles.images}
    if not uses_table:
        ignored |= {column: "fusion_type is none" for column in (*roles.numeric, *roles.categorical)}
    if uses_images and not roles.images:
        message = 'no column names image files; set data.image_columns, or use vision_backbone "none"'
        raise TrainerError("DATASET_INVALID", message)
    if uses_table and not roles.numeric and not roles.categorical:
        message = (
            'no column is left as table input; name some, or set fusion_type "none" for a model of the image'
        )
        raise TrainerError("DATASET_INVALID", message)
    return (
        roles.numeric if uses_table else (),
        roles.categorical if uses_table else (),
        roles.images if uses_images else (),
        ignored,
    )


def judge_images(
    splits: Mapping[str, ImageTable], views: Mapping[str, Views], policy: str, warnings: Warnings
) -> None:
    """Refuse the run, or say what is treated as missing."""
    found = {split: (splits[split].table, views[split]) for split in views}
    if policy == "refuse":
        refuse_unusable(found)
    elif message := unusable_images(found):
        warnings.append({"code": "IMAGES_UNREADABLE", "message": f"{message}; treated as missing views"})


def refuse_lost_class(labels: npt.NDArray[Any], scheme: LabelScheme) -> None:
    if scheme.classes is not None and len(np.unique(labels)) < len(scheme.classes):
        lost = sorted(set(scheme.classes) - {scheme.classes[index] for index in np.unique(labels).tolist()})
        raise TrainerError("LABEL_INVALID", f"the training split has no case of {', '.join(lost)}")
