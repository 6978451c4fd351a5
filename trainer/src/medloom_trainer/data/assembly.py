"""Table, views and encoding of one split → Cases, and the counts that describe it."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.cache.views import Views
from medloom_trainer.data.features.encoding import Encoded
from medloom_trainer.data.features.subgroups import find_subgroups
from medloom_trainer.data.splits.case_keys import digest_keys, keys_of_cases
from medloom_trainer.data.tables.formats.csv_reader import Table
from medloom_trainer.data.tables.labels import LabelScheme
from medloom_trainer.data.types import Cases

Warnings = list[dict[str, str]]
Flow = list[dict[str, Any]]


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
        keys=digest_keys(keys_of_cases(table, views, patient)),
    )


def count_step(step: str, table: Table, patient: str | None) -> dict[str, Any]:
    patients = number_patients(table, patient if patient in table.cells else None)
    return {
        "step": step,
        "cases": len(table),
        "patients": None if patients is None else len(np.unique(patients)),
    }


def describe_split(
    table: Table, labels: npt.NDArray[Any] | None, scheme: LabelScheme, patient: str | None
) -> dict[str, Any]:
    """labels: None for the test split, whose labels training never reads."""
    counts = None
    if scheme.classes is not None and labels is not None:
        numbers = np.bincount(labels, minlength=len(scheme.classes)).tolist()
        counts = dict(zip(scheme.classes, numbers, strict=True))
    step = count_step("", table, patient)
    return {"cases": step["cases"], "patients": step["patients"], "class_counts": counts}


def number_patients(table: Table, patient: str | None) -> npt.NDArray[np.int64] | None:
    """(N,) the same number for the same patient; a case without a patient is one of its own."""
    if patient is None:
        return None
    numbers: dict[object, int] = {}
    keys = [text or ("row", row) for row, text in enumerate(table.cells[patient])]
    return np.asarray([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)


def digest_split(table: Table, views: Views | None) -> str:
    """sha256 over the cells of the rows and the contents of their images, each with its length in front."""
    digest = hashlib.sha256()

    def add(text: str) -> None:
        content = text.encode("utf-8", "surrogatepass")
        digest.update(len(content).to_bytes(8, "big") + content)

    for column in table.columns:
        add(column)
    for row in range(len(table)):
        for column in table.columns:
            add(table.cells[column][row])
        for file in views.files[row] if views is not None else ():
            add(file)
    return digest.hexdigest()
