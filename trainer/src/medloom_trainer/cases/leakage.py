"""Check of whether test data contain training or validation cases of a model: by patient, by image, and, if
both come from one table, by case.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from medloom_trainer.cases.case_set import CASE_ID, CaseSet
from medloom_trainer.cases.node_task import Content, NodeTask
from medloom_trainer.contract.codes import PhraseCode
from medloom_trainer.contract.phrases import Phrased, listing, phrase
from medloom_trainer.data.cache import NEWEST_VERSION, ImageSettings, load_views
from medloom_trainer.data.images import digest_files
from medloom_trainer.data.splits import key_digest, keys_of_cases, patients_alike, read_seen_cases
from medloom_trainer.data.tables import ImageTable, Table, read_csv, split_words
from medloom_trainer.errors import TrainerError
from medloom_trainer.inference.checkpoint import Checkpoint
from medloom_trainer.warnings import Warnings, warning

_ALLOW = "data.allow_leakage"
_REMEDY = phrase("connect_new_test_data")
_Keys = Sequence[Sequence[Hashable]]
"""N lists: keys that connect a case to others."""


def check_test_data(
    task: NodeTask, model: Content, checkpoint: Checkpoint, content: Content, cases: CaseSet
) -> Warnings:
    """DATASET_LEAK, with counts, if the test data contain patients, images or cases of the training or
    validation data of this model. A warning instead if the settings of the data or the training allow it.
    """
    preprocessing = checkpoint.state["preprocessing"]
    training = _training_tables(task, model, preprocessing["split_column"])
    patient = preprocessing["patient_column"]
    tested = patient if patient in cases.table.cells else cases.patient_column
    warnings: Warnings = []
    known = _known_before(checkpoint, warnings)
    trained_images, tested_images, unreadable = _images(
        task, training, cases, preprocessing, known.store_version
    )
    shares = _share_a_table(model, content)
    found = [
        *_repeated(
            "patients_counted", _patients(training, patient), _patients([cases.table], tested), known.patients
        ),
        *_repeated("images_counted", trained_images, tested_images, known.images),
        *_repeated("cases", _case_ids(training) if shares else [], _case_ids([cases.table])),
    ]
    if found:
        message = phrase("test_in_training", found=listing(found, len(found)))
        if not (cases.settings.get(_ALLOW) or model["settings"].get(_ALLOW)):
            raise TrainerError("DATASET_LEAK", message, _REMEDY)
        warnings.append(warning("DATASET_LEAK", message))
    for part in training:
        warnings += patients_alike(
            {phrase("training_data"): (part, patient), phrase("test_data"): (cases.table, tested)}
        )
    if unreadable:
        message = phrase("unread_training_images", count=unreadable)
        warnings.append(warning("LEAK_CHECK_INCOMPLETE", message))
    return warnings


def repeated_cases(task: NodeTask, model: Content, split_column: str | None, content: Content) -> int:
    """The number of cases that trained or validated the model, if both come from the same table."""
    if not _share_a_table(model, content):
        return 0
    trained = {case for keys in _case_ids(_training_tables(task, model, split_column)) for case in keys}
    cases = read_csv(task.open_blob(content["table"]))
    return len(trained & set(cases.cells[CASE_ID]))


def _repeated(
    counted: PhraseCode, trained: _Keys, tested: _Keys, known: Collection[int] = ()
) -> list[Phrased]:
    """known: digests of additional keys that the model has seen."""
    seen = {key for keys in trained for key in keys}
    repeated = [
        key
        for key in {key for keys in tested for key in keys}
        if key in seen or (known and key_digest(_text(key)) in known)
    ]
    return [phrase(counted, count=len(repeated))] if repeated else []


def _text(key: Hashable) -> str:
    """Text of a patient, ("patient", id), or of an image, its digest."""
    return str(key[1]) if isinstance(key, tuple) else str(key)


@dataclass(frozen=True)
class _Known:
    patients: Collection[int] = ()
    images: Collection[int] = ()
    store_version: int = NEWEST_VERSION


def _known_before(checkpoint: Checkpoint, warnings: Warnings) -> _Known:
    """The cases that a fine-tuned model has seen before and since: its tables are only those of the last
    training.
    """
    if not checkpoint.state.get("fine_tuned_from"):
        return _Known()
    seen = read_seen_cases(checkpoint.folder.parent.parent)
    if seen is None:
        warnings.append(warning("LEAK_CHECK_INCOMPLETE", phrase("before_fine_tuning")))
        return _Known()
    patients, images = (frozenset(keys.tolist()) for keys in (seen.known.patients, seen.known.images))
    return _Known(patients, images, seen.store_version)


def _training_tables(task: NodeTask, model: Content, split_column: str | None) -> list[Table]:
    """The rows that trained and validated; from a table with a split column, those of these splits."""
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
    """Case ids are only comparable if both sets come from the same table."""
    digests = {entry["sha256"] for entry in model["lineage"]}
    return any(entry["sha256"] in digests for entry in content["lineage"])


def _patients(tables: Sequence[Table], column: str | None) -> _Keys:
    keys: list[Sequence[Hashable]] = []
    for table in tables:
        if column in table.cells:
            keys += keys_of_cases(table, None, column)
    return keys


def _case_ids(tables: Sequence[Table]) -> _Keys:
    return [[identity] for table in tables for identity in table.cells[CASE_ID]]


def _images(
    task: NodeTask,
    training: Sequence[Table],
    cases: CaseSet,
    preprocessing: Mapping[str, Any],
    store_version: int,
) -> tuple[_Keys, _Keys, int]:
    """(of training and validation, of the test data, number of training images that can no longer be
    read)."""
    columns = preprocessing["image_columns"] or [
        column for column in cases.image_columns if all(column in table.cells for table in training)
    ]
    own = [column for column in preprocessing["image_columns"] if column in cases.table.cells]
    own = own or list(cases.image_columns)
    if not columns or not own:
        return [], [], 0
    state = preprocessing["images"]
    settings = None if state is None else replace(ImageSettings.of_state(state), version=store_version)
    trained, unreadable = _image_keys(task, training, columns, settings)
    tested, _ = _image_keys(task, [cases.table], own, settings)
    return trained, tested, unreadable


def _image_keys(
    task: NodeTask, tables: Sequence[Table], columns: Sequence[str], settings: ImageSettings | None
) -> tuple[_Keys, int]:
    """Digests of pixels, as prepared for a model that reads images, else of the files; and the number of
    unreadable images."""
    parts = {str(number): ImageTable(table, Path("/")) for number, table in enumerate(tables)}
    if settings is None:
        digests, unreadable = digest_files(
            parts, columns, roots=task.roots, cache_dir=task.cache_dir, report=lambda done, total: None
        )
        return [keys for part in digests.values() for keys in part], unreadable
    views, _, _ = load_views(
        parts,
        columns,
        settings,
        roots=task.roots,
        cache_dir=task.cache_dir,
        workers=None,
        report=lambda message, fraction: task.progress(phrase("finding_leaks"), 0.0),
    )
    keys = [pixels for part in views.values() for pixels in part.pixels]
    return keys, sum(len(part.problems) for part in views.values())
