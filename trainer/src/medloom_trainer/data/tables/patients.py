"""Which rows belong to one patient, and how many cases and patients a step leaves."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.tables.table import Table


def number_patients(table: Table, patient: str | None) -> npt.NDArray[np.int64] | None:
    """(N,) the same number for the same patient; a case without a patient is one of its own. None without a
    patient column.
    """
    if patient is None:
        return None
    numbers: dict[object, int] = {}
    keys = [text or ("row", row) for row, text in enumerate(table.cells[patient])]
    return np.asarray([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)


def count_patients(table: Table, patient: str | None) -> int | None:
    """None without a patient column."""
    patients = number_patients(table, patient)
    return None if patients is None else len(np.unique(patients))


def count_step(step: str, table: Table, patient: str | None) -> dict[str, Any]:
    """One entry of a Flow; patients are null where this table lacks their column."""
    patients = count_patients(table, patient if patient in table.cells else None)
    return {"step": step, "cases": len(table), "patients": patients}
