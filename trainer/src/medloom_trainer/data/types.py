"""Types that data preparation returns to the model, the training loop and the evaluation.

Shapes: N cases, V views, P numbers that describe the table (after encoding), C table columns, E embedded
columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from medloom_trainer.warnings import Warnings

Task = Literal["classification", "regression", "multilabel", "survival"]
HELD_OUT = "held-out"
"""The split that a fold of a cross-validation keeps out of its training."""
Flow = list[dict[str, Any]]
"""Steps from the CSV to the cases: [{"step", "cases", "patients"}]."""


@dataclass(frozen=True)
class ColumnLayout:
    """Position of one table column in the encoded arrays. One column is one token of a table transformer."""

    name: str
    kind: Literal["numeric", "onehot", "target", "embedding"]
    start: int
    """First number of the column in `Cases.values` (kind embedding: its index in `Cases.codes`)."""
    width: int
    """Number of values of the column (kind embedding: 1)."""
    cardinality: int
    """Kind embedding: number of codes, including 0 for "never seen in training" and the last one for
    "missing" if the column has an indicator; otherwise 0."""
    means: tuple[float, ...] | None = None
    """For the training rows that have a value: the mean of each number (width), or the share of each code
    (cardinality). None in models of older versions."""


@dataclass(frozen=True)
class TableLayout:
    """The encoded table: columns in order, and the widths of `values` and `codes`."""

    columns: tuple[ColumnLayout, ...]
    num_values: int
    num_codes: int

    def followed_by(self, other: TableLayout) -> TableLayout:
        """The columns of both, first these, then those of `other`."""
        moved = tuple(
            replace(
                column,
                start=column.start + (self.num_codes if column.kind == "embedding" else self.num_values),
            )
            for column in other.columns
        )
        return TableLayout(
            (*self.columns, *moved), self.num_values + other.num_values, self.num_codes + other.num_codes
        )


class ImageStore(Protocol):
    """Decoded images of one size, read by slot. Safe to share between threads."""

    depth: Literal[8, 16]
    """Bits: records are uint8 or uint16."""
    record_shape: tuple[int, int, int]
    """(H, W, C); C is 1 if all images are gray, otherwise 3."""

    def gather(self, slots: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
        """Slots (B, V), -1 if missing → (B, V, H, W, 3) uint8 or uint16; missing views are zero."""
        ...

    def gather_into(self, slots: npt.NDArray[np.int64], out: npt.NDArray[Any]) -> None:
        """Like `gather`, but in the stored form, into `out` (B, V, H, W, C), which is overwritten
        completely."""
        ...


@dataclass(frozen=True)
class CaseKeys:
    """Patients and images, as an 8-byte digest each; sorted, without duplicates."""

    patients: npt.NDArray[np.uint64]
    images: npt.NDArray[np.uint64]
    """Digests of the pixels as prepared for the model."""

    def joined(self, other: CaseKeys) -> CaseKeys:
        return CaseKeys(
            patients=np.union1d(self.patients, other.patients), images=np.union1d(self.images, other.images)
        )


@dataclass(frozen=True)
class Cases:
    """One split, prepared for batches. Rows are in the order of the CSV."""

    rows: npt.NDArray[np.int64]
    """(N,) line numbers in the CSV that was read, as in an editor; the header is line 1."""
    slots: npt.NDArray[np.int64] | None
    """(N, V) slots of the image store, -1 if the view is missing; None without images."""
    values: npt.NDArray[np.float32]
    """(N, P) scaled and encoded numbers; a missing value is 0, or the filled statistic and, if the column has
    one, its indicator."""
    codes: npt.NDArray[np.int64]
    """(N, E) codes of embedded columns; 0 if never seen in training, or missing and not filled."""
    present: npt.NDArray[np.bool_]
    """(N, C) True if the table has a value or one is filled in; False becomes the learned token of the
    column."""
    labels: npt.NDArray[Any] | None
    """(N,) int64 class indices, or float64 in original units; (N, L) of 1, 0 and -1 (unknown) for several
    labels; (N, 2) of time and event; None for predictions without labels."""
    patients: npt.NDArray[np.int64] | None
    """(N,) patient numbers; None without a patient column. Only valid within one Cases."""
    subgroups: dict[str, npt.NDArray[np.str_]]
    """Column → (N,) group names for subgroup metrics, "" if unknown."""
    digest: str
    """sha256 over the table bytes and image contents of this split."""
    keys: CaseKeys
    """Digests by which these cases are recognized in other data."""
    places: Sequence[tuple[str, int]] | None = None
    """(the user's file, line in it) of each case, also after tables were made from that file; None if they do
    not come from a file."""
    patient_ids: Sequence[str] | None = None
    """Values of the patient column; None without one. Only for predictions.csv: messages and reports never
    contain them."""
    other_ids: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Column → its values, for columns with other ids of the cases. Only for predictions.csv."""


@dataclass(frozen=True)
class PreparedData:
    """Everything that is known before the model is built."""

    task: Task
    classes: tuple[str, ...] | None
    """Classification: class names; index = label. Binary: index 1 is the positive class. Several labels:
    their columns."""
    layout: TableLayout
    store: ImageStore | None
    num_views: int
    train: Cases
    val: Cases
    preprocessing: dict[str, Any]
    """JSON: everything fitted on the training split and every inferred role; sufficient for
    `prepare_cases`."""
    image_normalization: dict[str, Any]
    """JSON: {"mean": [3], "std": [3]} of records scaled to 0..1, fitted on train if fitted at all."""
    label_normalization: dict[str, float] | None
    """Regression: {"mean", "std"} of the training labels; the network predicts (y - mean) / std."""
    summary: dict[str, Any]
    """The data part of contract Prepared: columns, splits, missing values, warnings, digests."""
    flow: Flow
    held_out: Cases | None = None
    """The fold of a cross-validation; nothing was fitted to it."""
    member_folds: npt.NDArray[np.int64] | None = None
    """(N train + N val,) the member of an ensemble that validates on the case and does not train on it; -1 if
    none does. None if all members validate on the validation split, and without members."""
    measured: bool = False
    """Intensities are measured values, such as Hounsfield units over their full range: no augmentation may
    change them.
    """


@dataclass(frozen=True)
class InferenceData:
    """A table prepared with the fitted values of a training, for evaluation and prediction."""

    cases: Cases
    store: ImageStore | None
    flow: Flow
    missing: dict[str, int]
    """Column → cases without a value; image columns included."""
    warnings: Warnings
    texts: Mapping[str, Sequence[str]]
    """Column that the model reads → N cells of the table; empty if the file lacks it."""
    delimiter: str
    """Delimiter of the file."""


class PreparationStopped(Exception):
    """`should_stop` returned true during the preparation; what was decoded by then remains in the store."""


Report = Callable[[str, float], None]
"""Receives (message, 0..1); may raise to end the work."""


def reporter(progress: Callable[[str, float], None], should_stop: Callable[[], bool]) -> Report:
    """Return a progress function that raises PreparationStopped when `should_stop` returns true."""

    def report(message: str, fraction: float) -> None:
        if should_stop():
            raise PreparationStopped
        progress(message, fraction)

    return report
