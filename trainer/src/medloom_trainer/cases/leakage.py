"""Whether a test set met the data that a model was trained and validated with: by patient, by picture, and,
where both come from one table, by case.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from medloom_trainer.cases.case_set import CASE_ID, CaseSet, counted
from medloom_trainer.cases.node_task import Content, NodeTask
from medloom_trainer.data.cache.views import ImageTable, load_views
from medloom_trainer.data.images.file_digests import pictures_by_file
from medloom_trainer.data.splits.case_keys import keys_of_cases
from medloom_trainer.data.splits.divide import find_overlaps
from medloom_trainer.data.splits.patient_ids import patients_alike
from medloom_trainer.data.tables.formats.csv_reader import Table, read_csv
from medloom_trainer.data.tables.split_rows import split_words
from medloom_trainer.errors import TrainerError
from medloom_trainer.training.checkpoint import Checkpoint

ALLOW = "data.allow_leakage"
Keys = list[list[Hashable]]
"""N lists: what ties a case to others."""


def check_test_data(
    task: NodeTask, model: Content, checkpoint: Checkpoint, content: Content, cases: CaseSet
) -> list[dict[str, str]]:
    """DATASET_LEAK where the test data repeat patients, images or cases of the training or validation data of
    this model, in counts. A warning instead where the settings of the data or the training allow it.
    """
    preprocessing = checkpoint.state["preprocessing"]
    training = _training_tables(task, model, preprocessing["split_column"])
    patient = preprocessing["patient_column"]
    tested = patient if patient in cases.table.cells else cases.patient_column
    known: list[Keys] = [
        _patients(training, [patient] * len(training)),
        _cases(training) if _share_a_table(model, content) else [],
    ]
    met: list[Keys] = [
        _patients([cases.table], [tested]),
        _cases([cases.table]),
    ]
    pictures, own_pictures, lost = _pictures(task, training, cases, preprocessing)
    found = []
    for noun, one, other in (
        ("patient", known[0], met[0]),
        ("image", pictures, own_pictures),
        ("case", known[1], met[1]),
    ):
        found += [
            counted(overlap.count, noun) for overlap in find_overlaps(noun, {"known": one, "met": other})
        ]
    warnings = []
    if found:
        message = f"{', '.join(found)} of the test data were in the training or validation data of this model"
        if not (cases.settings.get(ALLOW) or model["settings"].get(ALLOW)):
            raise TrainerError("DATASET_LEAK", message)
        warnings.append({"code": "DATASET_LEAK", "message": message})
    for part in training:
        warnings += patients_alike(
            {"the training data": (part, patient), "the test data": (cases.table, tested)}
        )
    if lost:
        message = f"{counted(lost, 'training image')} cannot be read, nor compared with the test data"
        warnings.append({"code": "LEAK_CHECK_INCOMPLETE", "message": message})
    return warnings


def _training_tables(task: NodeTask, model: Content, split_column: str | None) -> list[Table]:
    """The rows that trained and validated: of a table with a split column, those that it calls so."""
    tables = []
    for blob, split in ((model["train_table"], "train"), (model["val_table"], "val")):
        if blob is None:
            continue
        table = read_csv(task.open_blob(blob))
        words = split_words(table, split_column)
        wanted = ("train", "val") if split == "train" and model["val_table"] is None else (split,)
        rows = [row for row, word in enumerate(words or []) if word in wanted]
        tables.append(table.take(np.asarray(rows)) if rows else table)
    return tables


def _share_a_table(model: Content, content: Content) -> bool:
    """Ids of cases mean something only where both sets come from the same table."""
    digests = {entry["sha256"] for entry in model["lineage"]}
    return any(entry["sha256"] in digests for entry in content["lineage"])


def _patients(tables: Sequence[Table], columns: Sequence[str | None]) -> Keys:
    keys: Keys = []
    for table, column in zip(tables, columns, strict=True):
        if column in table.cells:
            keys += [list(case) for case in keys_of_cases(table, None, column)]
    return keys


def _cases(tables: Sequence[Table]) -> Keys:
    return [[identity] for table in tables for identity in table.cells[CASE_ID]]


def _pictures(
    task: NodeTask, training: Sequence[Table], cases: CaseSet, preprocessing: Mapping[str, Any]
) -> tuple[Keys, Keys, int]:
    """(of training and validation, of the test data, images of training that cannot be read any more)."""
    columns = preprocessing["image_columns"] or [
        column for column in cases.image_columns if all(column in table.cells for table in training)
    ]
    own = [column for column in preprocessing["image_columns"] if column in cases.table.cells]
    own = own or list(cases.image_columns)
    if not columns or not own:
        return [], [], 0
    known, lost = _image_keys(task, training, columns, preprocessing["images"])
    met, _ = _image_keys(task, [cases.table], own, preprocessing["images"])
    return known, met, lost


def _image_keys(
    task: NodeTask, tables: Sequence[Table], columns: Sequence[str], images: Mapping[str, Any] | None
) -> tuple[Keys, int]:
    """Pixels, as prepared for a model that reads images, else the bytes of the files; and how many are
    unreadable."""
    keys: Keys = []
    lost = 0
    for table in tables:
        part = ImageTable(table, Path("/"))
        if images is not None:
            views, _, _ = load_views(
                {"part": part},
                columns,
                size=(images["size"][0], images["size"][1]),
                window=tuple(images["window"]) if images["window"] else None,
                depth=images["depth"],
                roots=task.roots,
                cache_dir=task.cache_dir,
                workers=None,
                report=lambda message, fraction: task.progress("looking for leaks", 0.0),
            )
            keys += [list(pixels) for pixels in views["part"].pixels]
            lost += len(views["part"].problems)
            continue
        pictures, unread = pictures_by_file(
            {"part": part},
            columns,
            roots=task.roots,
            cache_dir=task.cache_dir,
            report=lambda done, total: None,
        )
        keys += [list(digests) for digests in pictures["part"].pixels]
        lost += unread
    return keys, lost
