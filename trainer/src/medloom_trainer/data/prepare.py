"""From the configuration to arrays: read, assign roles, find the splits, decode, check for leaks, fit on
train, encode.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.cells import name_rows
from medloom_trainer.data.csv_reader import Table, read_csv
from medloom_trainer.data.encoding import Encoded, complete_rows, encode_table, fit_table, lay_out
from medloom_trainer.data.labels import LabelScheme, has_all_labels, learn_labels, read_labels
from medloom_trainer.data.normalization import fit_image_normalization
from medloom_trainer.data.roles import Roles, infer_roles, require_column
from medloom_trainer.data.shortcuts import shortcut_warnings
from medloom_trainer.data.splits import choose_validation, find_overlaps, group_cases, split_name
from medloom_trainer.data.store import RecordStore
from medloom_trainer.data.subgroups import find_subgroups, fit_subgroups
from medloom_trainer.data.target_statistics import code_targets
from medloom_trainer.data.types import Cases, InferenceData, PreparationStopped, PreparedData
from medloom_trainer.data.views import (
    ImageTable,
    Views,
    digest_split,
    load_views,
    refuse_unusable,
    unusable_images,
)
from medloom_trainer.errors import TrainerError

PREPROCESSING_VERSION = 1

Warnings = list[dict[str, str]]
Flow = list[dict[str, Any]]


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
    if data["missing_strategy"] == "drop":
        splits = {
            split: drop_incomplete(split, part, numeric, categorical, roles, flow)
            for split, part in splits.items()
        }
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
    if "val" not in splits:
        divide_training(splits, views, scheme, roles, data, config["training"]["seed"], flow)
    check_leaks(splits, views, roles.patient, data["allow_leakage"], warnings)

    train = splits["train"].table
    labels = {split: read_labels(splits[split].table, scheme, split) for split in ("train", "val")}
    refuse_lost_class(labels["train"], scheme)
    if config["training"]["batch_size"] > len(train):
        message = (
            f"batch_size {config['training']['batch_size']} is larger than the {len(train)} training cases"
        )
        raise TrainerError("BATCH_TOO_LARGE", message)
    report("fitting preprocessing on the training split", 0.88)
    groups = group_cases(keys_of_cases(train, views.get("train"), roles.patient))
    num_classes = None if scheme.classes is None else len(scheme.classes)
    targets = code_targets(labels["train"], num_classes, groups, config["training"]["seed"])
    state = fit_table(
        train,
        numeric,
        categorical,
        missing_strategy=data["missing_strategy"],
        scaling=data["scaling"],
        categorical_encoding=data["categorical_encoding"],
        target=targets,
    )
    subgroups = fit_subgroups(train, data["subgroup_columns"])
    cases = {}
    for split in ("train", "val"):
        encoded = encode_table(splits[split].table, state, targets if split == "train" else None)
        warnings += encoded.warnings
        cases[split] = assemble(
            splits[split].table, views.get(split), encoded, labels[split], roles.patient, subgroups
        )
    report("looking for shortcuts", 0.92)
    warnings += shortcut_warnings(
        train, views.get("train"), labels["train"], scheme.classes, numeric, categorical, groups
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
            split: describe_split(splits[split].table, labels[split], scheme, roles.patient)
            for split in cases
        },
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


def image_table(csv: str | Path, image_root: str | Path | None, roots: Sequence[Path]) -> ImageTable:
    """Relative paths start at the first root."""
    start = roots[0] if roots else Path.cwd()
    path = start / csv
    return ImageTable(read_csv(path), start / image_root if image_root is not None else path.parent)


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


def select_splits(
    sources: Mapping[str, ImageTable], roles: Roles, flow: Flow, warnings: Warnings
) -> dict[str, ImageTable]:
    """Rows of each split: from its own CSV, narrowed by the split column; without val_csv or test_csv from
    the training CSV.
    """
    splits = {}
    for split, source in sources.items():
        table = source.table
        if roles.patient is not None:
            require_column(table, roles.patient, f"the patient column, in data.{split}_csv")
        flow.append(count_step(f"rows of {table.name}", table, roles.patient))
        words = split_words(table, roles.split)
        rows = [row for row, word in enumerate(words) if word == split] if words is not None else None
        if rows:
            splits[split] = ImageTable(table.take(np.asarray(rows)), source.image_root)
        elif split == "train" and words is not None:
            message = f'{table.name}: no row of "{roles.split}" says "train"'
            raise TrainerError("DATASET_INVALID", message)
        else:
            splits[split] = source
            if words is not None:
                message = f'{table.name}: no row of "{roles.split}" says {split}; all rows are used'
                warnings.append({"code": "SPLIT_COLUMN_DISAGREES", "message": message})
    words = split_words(sources["train"].table, roles.split)
    for split in ("val", "test"):
        rows = [row for row, word in enumerate(words or []) if word == split]
        if split not in splits and rows:
            source = sources["train"]
            splits[split] = ImageTable(source.table.take(np.asarray(rows)), source.image_root)
    others = sum(word not in ("train", "val", "test") for word in words or [])
    if others:
        message = f'{others} rows of "{roles.split}" say neither train, val nor test, and are not used'
        warnings.append({"code": "UNKNOWN_SPLIT", "message": message})
    return splits


def split_words(table: Table, column: str | None) -> list[str] | None:
    return (
        [split_name(text) for text in table.cells[column]]
        if column is not None and column in table.cells
        else None
    )


def drop_incomplete(
    split: str, part: ImageTable, numeric: Sequence[str], categorical: Sequence[str], roles: Roles, flow: Flow
) -> ImageTable:
    """Rows with every value that the model reads."""
    columns = [{"name": name, "kind": "numeric"} for name in numeric]
    columns += [{"name": name, "kind": "onehot"} for name in categorical]
    keep = complete_rows(part.table, {"missing_strategy": "drop", "columns": columns})
    if not keep.size:
        raise TrainerError(
            "DATASET_INVALID", f'every row of {split} has missing values; use missing_strategy "token"'
        )
    if len(keep) == len(part.table):
        return part
    table = part.table.take(keep)
    flow.append(count_step(f"{split} rows without missing values", table, roles.patient))
    return ImageTable(table, part.image_root)


def judge_images(
    splits: Mapping[str, ImageTable], views: Mapping[str, Views], policy: str, warnings: Warnings
) -> None:
    """Refuse the run, or say what is treated as missing."""
    found = {split: (splits[split].table, views[split]) for split in views}
    if policy == "refuse":
        refuse_unusable(found)
    elif message := unusable_images(found):
        warnings.append({"code": "IMAGES_UNREADABLE", "message": f"{message}; treated as missing views"})


def divide_training(
    splits: dict[str, ImageTable],
    views: dict[str, Views],
    scheme: LabelScheme,
    roles: Roles,
    data: dict[str, Any],
    seed: int,
    flow: Flow,
) -> None:
    """Take the validation split out of the training rows, by patient and by picture."""
    part = splits["train"]
    labels = read_labels(part.table, scheme, "train")
    strata = labels if scheme.classes is not None else quantile_bins(labels)
    groups = group_cases(keys_of_cases(part.table, views.get("train"), roles.patient))
    chosen = choose_validation(groups, strata, data["val_fraction"], seed)
    if not chosen.any() or chosen.all():
        unit = "patients" if roles.patient is not None else "cases"
        message = f"{part.table.name} has too few {unit} to take a validation split from; give data.val_csv"
        raise TrainerError("DATASET_INVALID", message)
    for split, rows in (("train", np.flatnonzero(~chosen)), ("val", np.flatnonzero(chosen))):
        splits[split] = ImageTable(part.table.take(rows), part.image_root)
        if views:
            views[f"{split} part"] = take_views(views["train"], rows)
    if views:
        views["train"], views["val"] = views.pop("train part"), views.pop("val part")


def take_views(views: Views, rows: npt.NDArray[np.int64]) -> Views:
    picked = rows.tolist()
    slots = views.slots[rows]
    missing = {column: int((slots[:, view] < 0).sum()) for view, column in enumerate(views.missing)}
    return Views(
        slots,
        [views.pixels[row] for row in picked],
        [views.files[row] for row in picked],
        [views.headers[row] for row in picked],
        [],
        missing,
    )


def quantile_bins(values: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    edges = np.unique(np.percentile(values, [20, 40, 60, 80]))
    return np.searchsorted(edges, values, side="right").astype(np.int64)


def keys_of_cases(table: Table, views: Views | None, patient: str | None) -> list[list[tuple[str, str]]]:
    """What ties a case to others: its patient (an empty cell ties to nobody) and the pixels of its images."""
    keys: list[list[tuple[str, str]]] = [[] for _ in range(len(table))]
    if patient is not None:
        for row, text in enumerate(table.cells[patient]):
            if text:
                keys[row].append(("patient", text))
    if views is not None:
        for row, pixels in enumerate(views.pixels):
            keys[row] += [("pixels", digest) for digest in pixels]
    return keys


def check_leaks(
    splits: Mapping[str, ImageTable],
    views: Mapping[str, Views],
    patient: str | None,
    allowed: bool,
    warnings: Warnings,
) -> None:
    """DATASET_LEAK when a patient or the same pixels stand in two splits; a warning where that is allowed."""
    found = []
    for what, kind in (("patients", "patient"), ("images", "pixels")):
        keys = {
            split: [
                [key for key in case if key[0] == kind]
                for case in keys_of_cases(part.table, views.get(split), patient)
            ]
            for split, part in splits.items()
        }
        for overlap in find_overlaps(what, keys):
            second = splits[overlap.second].table
            rows = f"{second.name}, {name_rows(second.lines, overlap.cases)}"
            noun = what[:-1] if overlap.count == 1 else what
            found.append(f"{overlap.count} {noun} of {overlap.first} also in {overlap.second} ({rows})")
    if found and not allowed:
        raise TrainerError("DATASET_LEAK", "; ".join(found))
    warnings += [{"code": "DATASET_LEAK", "message": message} for message in found]


def refuse_lost_class(labels: npt.NDArray[Any], scheme: LabelScheme) -> None:
    if scheme.classes is not None and len(np.unique(labels)) < len(scheme.classes):
        lost = sorted(set(scheme.classes) - {scheme.classes[index] for index in np.unique(labels).tolist()})
        raise TrainerError("LABEL_INVALID", f"the training split has no case of {', '.join(lost)}")


def assemble(
    table: Table,
    views: Views | None,
    encoded: Encoded,
    labels: npt.NDArray[Any] | None,
    patient: str | None,
    subgroups: list[dict[str, Any]],
) -> Cases:
    return Cases(
        rows=table.lines,
        slots=views.slots if views is not None else None,
        values=encoded.values,
        codes=encoded.codes,
        present=encoded.present,
        labels=labels,
        patients=number_patients(table, patient),
        subgroups=find_subgroups(table, subgroups),
        digest=digest_split(table, views),
    )


def number_patients(table: Table, patient: str | None) -> npt.NDArray[np.int64] | None:
    """(N,) the same number for the same patient; a case without a patient is one of its own."""
    if patient is None:
        return None
    numbers: dict[object, int] = {}
    keys = [text or ("row", row) for row, text in enumerate(table.cells[patient])]
    return np.asarray([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)


def count_step(step: str, table: Table, patient: str | None) -> dict[str, Any]:
    patients = number_patients(table, patient if patient in table.cells else None)
    return {
        "step": step,
        "cases": len(table),
        "patients": None if patients is None else len(np.unique(patients)),
    }


def describe_split(
    table: Table, labels: npt.NDArray[Any], scheme: LabelScheme, patient: str | None
) -> dict[str, Any]:
    counts = None
    if scheme.classes is not None:
        numbers = np.bincount(labels, minlength=len(scheme.classes)).tolist()
        counts = dict(zip(scheme.classes, numbers, strict=True))
    step = count_step("", table, patient)
    return {"cases": step["cases"], "patients": step["patients"], "class_counts": counts}
