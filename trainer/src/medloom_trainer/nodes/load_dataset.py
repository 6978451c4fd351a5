"""LoadDataset: a registered dataset, or one split of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from medloom_trainer.cases.case_set import CaseSet, describe_cases, write_cases
from medloom_trainer.cases.labels import label_columns, label_settings
from medloom_trainer.cases.node_task import NodeTask, Outputs
from medloom_trainer.cases.preprocessing import chosen_settings
from medloom_trainer.cases.table_cases import cases_of_table, describe_columns
from medloom_trainer.contract.phrases import Phrased, phrase
from medloom_trainer.data.tables import (
    Table,
    comparable_name,
    distinct_of,
    is_declared,
    read_class_names,
    read_labels,
    read_source,
    read_source_table,
    split_words,
    with_columns,
)
from medloom_trainer.errors import TrainerError

_UNREGISTERED: Mapping[str, Any] = {
    "image_root": None,
    "label_columns": [],
    "time_column": None,
    "event_column": None,
    "patient_column": None,
    "ignore_columns": [],
    "positive_class": None,
    "slices": None,
}


def run(task: NodeTask) -> Outputs:
    """config.dataset: the record {path, image_root, label_columns, time_column, event_column, patient_column,
    ignore_columns, positive_class, slices, roles, recipe} of a registered dataset, which the fields of the
    node override; without it, config.dataset_id is a path inside the roots.
    """
    record: dict[str, Any] = task.config.get("dataset") or {
        **_UNREGISTERED,
        "path": task.config["dataset_id"],
    }
    path = task.readable(record["path"])
    split = task.config["split"]
    folder = path if path.is_dir() else path.parent
    image_root = task.readable(record["image_root"]) if record["image_root"] else folder
    table, implied = _read(task, path, split, image_root, record.get("recipe"))
    label, labels = _label_of(task, record)
    named = label_columns(label, labels)
    other_labels = [column for column in record["label_columns"] if column not in named]
    unsure = bool(other_labels or labels)
    cases, roles = cases_of_table(
        task,
        table,
        image_root=image_root,
        label_column=label,
        labels=labels,
        patient_column=task.config["patient_column"] or record["patient_column"],
        chosen=_roles_of(implied) | (record.get("roles") or {}),
        # Other columns registered as labels would reveal this one.
        ignore_columns=[
            *record["ignore_columns"],
            *other_labels,
            *task.config["ignore_columns"],
            *(column for column in implied.get("ignore_columns", ()) if column not in named),
        ],
        positive_class=task.config["positive_class"] or (None if unsure else record["positive_class"]),
        registered_labels=[*record["label_columns"], record.get("time_column"), record.get("event_column")],
    )
    registered = {} if record.get("slices") is None else {"data.slices": record["slices"]}
    cases = replace(cases, settings={**cases.settings, **registered, **chosen_settings(task)})
    splits = Counter(split_words(table, roles.split) or [])
    if split != "all":
        cases = _take_split(cases, roles.split, split, table.name)
    if task.config["shuffle"]:
        cases = cases.take(np.random.default_rng(task.config["seed"]).permutation(len(cases.table)))
    content = write_cases(task, cases)
    facts = {
        **describe_columns(table, roles),
        "split": split,
        "splits": dict(splits),
        "num_cases": content["num_cases"],
        "num_patients": content["num_patients"],
        "task": content["task"],
        "classes": _count_classes(cases, content["classes"]),
    }
    num_columns = phrase("columns", count=len(table.columns))
    return {
        "dataset": (content, describe_cases(content)),
        "metadata": ({"content": "config", "settings": {}, "facts": facts}, num_columns),
    }


def _read(
    task: NodeTask, path: Path, split: str, image_root: Path, recipe: Mapping[str, Any] | None
) -> tuple[Table, Mapping[str, Any]]:
    """(the table, the settings that follow from its recipe).

    DATASET_INVALID for a value such as None that a recipe or a folder distinguishes from a missing one: the
    tables that nodes hand on have neither.
    """
    if recipe is None:
        table = read_source(path, split)
        _refuse_declared(table, phrase("rename_class_folders"))
        return table, {}
    made = read_source_table(path, image_root, task.roots, recipe, task.cache_dir)
    _refuse_declared(made.table, phrase("rename_in_map"))
    return made.table, made.settings


def _refuse_declared(table: Table, remedy: Phrased) -> None:
    for column, texts in table.cells.items():
        if any(map(is_declared, distinct_of(texts))):
            message = phrase("declared_values", column=column[:80])
            raise TrainerError("DATASET_INVALID", message, remedy)


def _roles_of(settings: Mapping[str, Any]) -> dict[str, str]:
    """Roles of columns that the recipe made, except the label and the patient, which the record names."""
    images = dict.fromkeys(settings.get("image_columns", ()), "image")
    split = settings.get("split_column")
    return images if split is None else {**images, split: "split"}


def _label_of(task: NodeTask, record: Mapping[str, Any]) -> tuple[str | None, dict[str, Any]]:
    """(the label column, or LABEL_SETTINGS instead of it): as the node names them, or else as registered."""
    chosen = label_settings(chosen_settings(task))
    if task.config["label_column"] is not None or chosen:
        return task.config["label_column"], chosen
    if record.get("time_column") is not None:
        times = {"data.time_column": record["time_column"], "data.event_column": record["event_column"]}
        return None, times
    registered: Sequence[str] = record["label_columns"]
    if len(registered) > 1:
        return None, {"data.label_columns": list(registered)}
    return next(iter(registered), None), {}


def _take_split(cases: CaseSet, column: str | None, split: str, name: str) -> CaseSet:
    """The rows of one split, without the split column: every later node treats them as that split."""
    if column is None:
        hint = phrase("add_split_column", file=f"{split}.csv")
        raise TrainerError(
            "DATASET_INVALID", phrase("no_column_of_split", table=name, split=split, hint=hint)
        )
    words = split_words(cases.table, column) or []
    rows = [row for row, word in enumerate(words) if word == split]
    if not rows:
        raise TrainerError(
            "DATASET_INVALID", phrase("split_value_of_table_absent", table=name, value=split, column=column)
        )
    selected = cases.take(rows)
    columns = {key: texts for key, texts in selected.table.cells.items() if key != column}
    return replace(selected, table=with_columns(selected.table, columns), split=split)


def _count_classes(cases: CaseSet, classes: list[str] | None) -> dict[str, Any] | None:
    if cases.masked_columns:
        return None
    if cases.label_column is None:
        scheme = cases.scheme
        return None if scheme is None else scheme.class_counts(read_labels(cases.table, scheme, cases.split))
    if classes is None:
        return None
    names = read_class_names(cases.table, cases.label_column, classes)
    counts = Counter(map(comparable_name, names))
    return {name: counts[comparable_name(name)] for name in classes}
