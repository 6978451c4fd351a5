"""CaseSets (contract NodeContent "cases"): reading and writing of their table.

The table is a CSV of the artifact store: `case_id` first, then the columns as they were read, then the user's
file and row from which each case comes (data/tables/origin.py). Every cell is quoted, so that the delimiter
is unambiguous. Image cells are absolute paths.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.cases.labels import judge_label, label_columns, learn_scheme
from medloom_trainer.cases.node_task import Content, NodeTask
from medloom_trainer.contract.phrases import Phrased, join, phrase
from medloom_trainer.data.images import ImageFile, identify, locate_cells, paths_of
from medloom_trainer.data.tables import (
    ImageTable,
    LabelScheme,
    Table,
    count_patients,
    number_patients,
    read_csv,
)
from medloom_trainer.errors import TrainerError

CASE_ID = "case_id"


@dataclass(frozen=True)
class CaseSet:
    """A CaseSet with its table."""

    table: Table
    image_columns: tuple[str, ...] = ()
    label_column: str | None = None
    """The only label column; None if there are several, or a time and an event, which the settings name."""
    patient_column: str | None = None
    feature_columns: tuple[str, ...] = ()
    split: str = "all"
    settings: Mapping[str, Any] = field(default_factory=dict)
    lineage: tuple[Mapping[str, str], ...] = ()
    split_of: str | None = None
    masked_columns: tuple[str, ...] = ()
    """Labels that a node names although they may identify patients."""
    join_by: str | None = None
    """For images: the column of a table that names them; None: found by its values."""

    @property
    def case_ids(self) -> list[str]:
        return self.table.cells[CASE_ID]

    @property
    def label_columns(self) -> tuple[str, ...]:
        """Every column from which the label is read."""
        return label_columns(self.label_column, self.settings)

    @property
    def scheme(self) -> LabelScheme | None:
        """The label scheme; None if labels are absent, or cannot be learned from these cases."""
        return learn_scheme(self.table, self.label_column, self.settings)

    def take(self, rows: Sequence[int] | npt.NDArray[np.int64]) -> CaseSet:
        """The cases at these positions, in this order."""
        return replace(self, table=self.table.take(np.asarray(rows, dtype=np.int64)))

    def patients(self) -> npt.NDArray[np.int64] | None:
        """(N,) the same number for the same patient; None without a patient column."""
        return number_patients(self.table, self.patient_column)


def read_cases(task: NodeTask, content: Content) -> CaseSet:
    """Read the table of a CaseSet and its properties."""
    table = read_csv(_table_of(task, content))
    if table.origin is None:  # listed images, or the result of an older version
        table = replace(table, name="the table")
    return CaseSet(
        table,
        tuple(content["image_columns"]),
        content["label_column"],
        content["patient_column"],
        tuple(content["feature_columns"]),
        content["split"],
        content["settings"],
        tuple(content["lineage"]),
        content["split_of"],
        tuple(content.get("masked_columns", ())),
        content.get("join_by"),
    )


def _table_of(task: NodeTask, content: Content) -> Path:
    """The file of the table, which is undamaged."""
    if content.get("content") != "cases":
        raise TrainerError("INVALID_REQUEST", phrase("value_without_cases"))
    if not content["num_cases"]:
        raise TrainerError("DATASET_INVALID", phrase("input_without_cases"))
    return task.open_blob(content["table"])


def with_settings(task: NodeTask, content: Content, settings: Mapping[str, Any]) -> Content:
    """The same cases with other settings than those of labels, as `write_cases` would describe them; neither
    the table nor the images are read."""
    _table_of(task, content)
    lineage = _extended(content["lineage"], content["table"], task.type, content["split"])
    return {**content, "settings": dict(settings), "lineage": lineage}


def _extended(
    lineage: Sequence[Mapping[str, str]], table: Mapping[str, Any], step: str, split: str
) -> list[dict[str, str]]:
    """The lineage with this table as its last step, if it does not contain it yet."""
    known = [dict(one) for one in lineage]
    entry = {"sha256": str(table["sha256"]), "step": step, "split": split}
    return known if entry in known else [*known, entry]


def write_cases(
    task: NodeTask, cases: CaseSet, *, step: str | None = None, allow_empty: bool = False
) -> Content:
    """Store the table and describe it (contract CaseSet). `step`: name of this table in the lineage; default:
    the type of the node. DATASET_INVALID if no case remains.
    """
    table = cases.table
    if not len(table) and not allow_empty:
        raise TrainerError("DATASET_INVALID", phrase("no_cases_remain"))
    blob = task.put_blob(table_bytes(table), ".csv")
    task_kind, classes = judge_label(table, cases.label_column, cases.settings)
    return {
        "content": "cases",
        "table": blob,
        "num_cases": len(table),
        "num_patients": count_patients(table, cases.patient_column),
        "image_columns": list(cases.image_columns),
        "label_column": cases.label_column,
        "patient_column": cases.patient_column,
        "feature_columns": list(cases.feature_columns),
        "task": task_kind,
        "classes": classes,
        "images_digest": _digest_images(task, table, cases.image_columns),
        "split": cases.split,
        "settings": dict(cases.settings),
        "lineage": _extended(cases.lineage, blob, step or task.type, cases.split),
        "split_of": cases.split_of,
        **({"masked_columns": list(cases.masked_columns)} if cases.masked_columns else {}),
        **({"join_by": cases.join_by} if cases.join_by is not None else {}),
    }


def table_bytes(table: Table) -> bytes:
    """CSV: UTF-8, comma, every cell quoted, LF; the origin of the rows last."""
    columns = table.cells if table.origin is None else {**table.cells, **table.origin.columns()}
    text = io.StringIO(newline="")
    writer = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue().encode("utf-8", "surrogatepass")


def _digest_images(task: NodeTask, table: Table, columns: Sequence[str]) -> str | None:
    """sha256 over the contents of all images, in order; an unreadable file counts as absent."""
    if not columns:
        return None
    cells = locate_cells(ImageTable(table, Path("/")), columns, task.roots)

    def report(done: int, total: int) -> None:
        if done < total:  # the result itself reports the end
            task.progress(phrase("examining_images"), done / total)

    files = identify(paths_of(cells), task.cache_dir, report=report)
    seal = hashlib.sha256()
    for row in cells:
        for cell in row:
            found = files.get(cell) if isinstance(cell, Path) else None
            digest = found.digest if isinstance(found, ImageFile) else ""
            seal.update(f"{len(digest)}:{digest}".encode())
    return seal.hexdigest()


def describe_cases(content: Content) -> Phrased:
    """One line of text: counts only."""
    parts = [phrase("cases", count=content["num_cases"])]
    if content["num_patients"] is not None:
        parts.append(phrase("patients", count=content["num_patients"]))
    if content["image_columns"]:
        parts.append(phrase("image_columns", count=len(content["image_columns"])))
    if content["feature_columns"]:
        parts.append(phrase("features", count=len(content["feature_columns"])))
    if content["task"] == "survival":
        parts.append(phrase("time_and_event"))
    elif content["task"] == "multilabel":
        parts.append(phrase("labels", count=len(content["classes"])))
    elif content["classes"]:
        parts.append(phrase("classes", count=len(content["classes"])))
    return join(*parts)
