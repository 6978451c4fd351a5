"""Description of the training cases in numbers that identify nobody: stored in the checkpoint, so that other
cases can be compared with them.

JSON: {"cases", "patients", "columns": {name: {"missing", "mean", "sd"}}, "labels": {"counts"} or
{"mean", "sd"} or null, "images": {"count", "mean", "sd"} or null}. Mean and sd of a categorical column are
null: its state contains its shares. It also has "patients": of each category in the order of the state,
absent in models of older versions. Those of images are of the mean intensity of an image, from 0 to 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.tables import (
    Table,
    coded,
    count_patients,
    missing_mask,
    number_patients,
    read_numbers,
)
from medloom_trainer.data.types import ImageStore

_MAX_IMAGES = 128
"""Limit of images that are read: their mean is accurate enough, and takes a fraction of a second."""
_AT_ONCE = 32


def describe_cases(
    table: Table,
    columns: Sequence[Mapping[str, Any]],
    labels: npt.NDArray[Any] | None,
    classes: Sequence[str] | None,
    slots: npt.NDArray[np.int64] | None,
    store: ImageStore | None,
    patient: str | None = None,
) -> dict[str, Any]:
    """columns: states of encoding.py. labels (N,): class indices, or numbers without classes. patient: the
    column."""
    return {
        "cases": len(table),
        "patients": count_patients(table, patient),
        "columns": {column["name"]: _describe_column(table, column, patient) for column in columns},
        "labels": _describe_labels(labels, classes),
        "images": None if store is None or slots is None else _describe_images(store, slots),
    }


def moments(values: npt.NDArray[np.float64]) -> dict[str, float | None]:
    """Mean and standard deviation (N - 1) of the finite values; null with fewer than two."""
    known = values[np.isfinite(values)]
    if known.size < 2:
        return {"mean": None, "sd": None}
    return {"mean": float(known.mean()), "sd": float(known.std(ddof=1))}


def image_intensities(store: ImageStore, slots: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Mean intensity of each of up to _MAX_IMAGES images, 0 to 1, evenly chosen. slots (N, V), -1 if
    missing."""
    known = np.unique(slots[slots >= 0])
    if not known.size:
        return np.zeros(0)
    chosen = known[np.unique(np.linspace(0, known.size - 1, min(known.size, _MAX_IMAGES)).astype(np.int64))]
    full = 255.0 if store.depth == 8 else 65535.0
    parts = [
        store.gather(chosen[start : start + _AT_ONCE, None]).mean(axis=(1, 2, 3, 4), dtype=np.float64)
        for start in range(0, len(chosen), _AT_ONCE)
    ]
    return np.concatenate(parts) / full


def _describe_images(store: ImageStore, slots: npt.NDArray[np.int64]) -> dict[str, Any]:
    found = image_intensities(store, slots)
    return {"count": len(found), **moments(found)}


def _describe_column(table: Table, column: Mapping[str, Any], patient: str | None) -> dict[str, Any]:
    texts = table.cells[column["name"]]
    if column["kind"] != "numeric":
        patients = _patients_of_categories(table, column, patient)
        return {"missing": int(missing_mask(texts).sum()), "mean": None, "sd": None, "patients": patients}
    values = read_numbers(texts, table.delimiter).values
    return {"missing": int(np.isnan(values).sum()), **moments(values)}


def _patients_of_categories(table: Table, column: Mapping[str, Any], patient: str | None) -> list[int]:
    """Without a patient column, each case is a patient."""
    numbers = number_patients(table, patient)
    if numbers is None:
        numbers = np.arange(len(table), dtype=np.int64)
    distinct, codes = coded(table.cells[column["name"]])
    pairs = np.unique(codes.astype(np.int64) * (len(table) + 1) + np.unique(numbers, return_inverse=True)[1])
    found = np.bincount(pairs // (len(table) + 1), minlength=len(distinct)).tolist()
    counts = dict(zip(distinct, found, strict=True))
    return [counts.get(category, 0) for category in column["categories"]]


def _describe_labels(labels: npt.NDArray[Any] | None, classes: Sequence[str] | None) -> dict[str, Any] | None:
    if labels is None or labels.ndim != 1:
        return None
    if classes is None:
        return moments(labels.astype(np.float64))
    counts = np.bincount(labels.astype(np.int64), minlength=len(classes)).tolist()
    return {"counts": dict(zip(classes, counts, strict=True))}
