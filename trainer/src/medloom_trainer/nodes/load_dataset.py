"""LoadDataset: a registered data set, or one split of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from medloom_trainer.data.csv_reader import Table, read_csv
from medloom_trainer.data.folders import image_files, subfolders
from medloom_trainer.data.roles import SPLIT_NAMES
from medloom_trainer.data.splits import SPLIT_WORDS, split_name
from medloom_trainer.errors import TrainerError
from medloom_trainer.nodes.cases import CaseSet, describe_cases, make_table, with_columns, write_cases
from medloom_trainer.nodes.merge_tables import stack
from medloom_trainer.nodes.tables import cases_of_table, describe_columns
from medloom_trainer.nodes.task import NodeTask, Outputs

SPLITS = ("train", "val", "test")


def run(task: NodeTask) -> Outputs:
    """config.dataset: the record {path, image_root, label_column, patient_column} of a registered data set;
    without it, config.dataset_id is a path inside the roots.
    """
    unknown = {"path": task.config["dataset_id"], "image_root": None, "label_column": None}
    record = task.config.get("dataset") or {**unknown, "patient_column": None}
    path = task.readable(record["path"])
    split = task.config["split"]
    table = read_source(path, split)
    folder = path if path.is_dir() else path.parent
    image_root = task.readable(record["image_root"]) if record["image_root"] else folder
    cases, roles = cases_of_table(
        task,
        table,
        image_root=image_root,
        label_column=record["label_column"],
        patient_column=record["patient_column"],
    )
    splits = Counter(split_name(text) for text in table.cells[roles.split]) if roles.split else Counter()
    if split != "all":
        cases = take_split(cases, roles.split, split, table.name)
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
        "classes": count_classes(cases, content["classes"]),
    }
    return {
        "dataset": (content, describe_cases(content)),
        "metadata": ({"content": "config", "settings": {}, "facts": facts}, f"{len(table.columns)} columns"),
    }


def read_source(path: Path, split: str) -> Table:
    """One table: a CSV; the CSVs train, val and test of a folder; or a folder of images per class. Where
    several sources meet, a column `split` says where a row is from.
    """
    if path.is_file():
        table = read_csv(path)
        own = SPLIT_WORDS.get(path.stem.casefold())
        column = split_column(table)
        words = {split_name(text) for text in table.cells[column]} if column is not None else set()
        if split == "all" or split in words or own is None:
            return table
        if own == split:
            return with_split(table, own)
        path = path.parent
    found = {
        name: file
        for file in sorted(path.glob("*.csv"))
        if (name := SPLIT_WORDS.get(file.stem.casefold())) is not None
    }
    if found:
        parts = [with_split(read_csv(found[name]), name) for name in SPLITS if name in found]
        return stack(parts, name=path.name)
    return read_class_folders(path)


def with_split(table: Table, name: str) -> Table:
    column = split_column(table) or "split"
    return with_columns(table, {**table.cells, column: [name] * len(table)})


def split_column(table: Table) -> str | None:
    return next((column for column in table.columns if column.casefold() in SPLIT_NAMES), None)


def read_class_folders(folder: Path) -> Table:
    """One sub-folder of images per class, alone or inside train, val and test."""
    divided = [child for child in subfolders(folder) if child.name.casefold() in SPLIT_WORDS]
    rows = [
        (split, child.name, str(file))
        for split, place in [(split_name(child.name), child) for child in divided] or [("", folder)]
        for child in subfolders(place)
        for file in image_files(child)
    ]
    if not rows:
        message = (
            f"{folder.name} holds neither train.csv, val.csv or test.csv nor images in a folder per class"
        )
        raise TrainerError("DATASET_INVALID", message)
    names = [Path(file).relative_to(folder).as_posix() for _, _, file in rows]
    columns = {
        "case_id": [name.rsplit(".", 1)[0] for name in names],
        "image": names,
        "label": [label for _, label, _ in rows],
    }
    if divided:
        columns["split"] = [split for split, _, _ in rows]
    return make_table(folder.name, columns)


def take_split(cases: CaseSet, column: str | None, split: str, name: str) -> CaseSet:
    """The rows of one split, without the column that says so: they are that split, whatever reads them."""
    if column is None:
        hint = f"add a column split, or a file {split}.csv beside it"
        raise TrainerError(
            "DATASET_INVALID", f"{name} has no column that says which rows are {split}; {hint}"
        )
    words = [split_name(text) for text in cases.table.cells[column]]
    rows = [row for row, word in enumerate(words) if word == split]
    if not rows:
        raise TrainerError("DATASET_INVALID", f'{name}: no row of "{column}" says "{split}"')
    kept = cases.take(rows)
    columns = {key: texts for key, texts in kept.table.cells.items() if key != column}
    return replace(kept, table=with_columns(kept.table, columns), split=split)


def count_classes(cases: CaseSet, classes: list[str] | None) -> dict[str, Any] | None:
    if classes is None or cases.label_column is None:
        return None
    counts = Counter(cases.table.cells[cases.label_column])
    return {name: counts[name] for name in classes}
