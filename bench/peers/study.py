"""Code shared by the peers: a fold as tables, columns as numbers, and the selection score."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

RATES = (3e-4, 1e-3)
"""Learning rates of the networks; validation selects one."""
_NO_COLUMNS = ("image", "patient_id", "label")

Table = list[dict[str, str]]


@dataclass(frozen=True)
class Order:
    """Request of the bench, from the command line."""

    fold: Path
    epochs: int
    side: int
    out: Path
    name: str

    @classmethod
    def read(cls) -> Order:
        _, fold, epochs, side, out, name = sys.argv
        return cls(Path(fold), int(epochs), int(side), Path(out), name)

    def table(self, split: str) -> Table:
        with (self.fold / f"{split}.csv").open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def answer(
        self, classes: Sequence[str], probabilities: np.ndarray, chosen: str, first_batch: float | None = None
    ) -> None:
        document = {
            "classes": list(classes),
            "probabilities": probabilities.tolist(),
            "first_batch": first_batch,
            "chosen": chosen,
        }
        self.out.write_text(json.dumps(document), encoding="utf-8")


class Columns:
    """Fitted on the training rows: numbers standardized, missing values replaced with the median and marked
    by an indicator; texts one-hot encoded, with missing as a value.
    """

    def __init__(self, train: Table) -> None:
        self.names = [name for name in train[0] if name not in _NO_COLUMNS]
        numeric = [all(_is_number(row[name]) for row in train) for name in self.names]
        numbers = make_pipeline(SimpleImputer(strategy="median", add_indicator=True), StandardScaler())
        texts = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        self._is_numeric = numeric
        self._transformer = ColumnTransformer(
            [
                ("numbers", numbers, [index for index, is_numeric in enumerate(numeric) if is_numeric]),
                ("texts", texts, [index for index, is_numeric in enumerate(numeric) if not is_numeric]),
            ]
        ).fit(self._cells(train))

    def numbers(self, table: Table) -> np.ndarray:
        """(N, columns)"""
        return np.asarray(self._transformer.transform(self._cells(table)), dtype=np.float64)

    def _cells(self, table: Table) -> np.ndarray:
        kinds = list(zip(self.names, self._is_numeric, strict=True))
        rows = [[float(row[n] or "nan") if number else row[n] for n, number in kinds] for row in table]
        return np.array(rows, dtype=object)


def labels_of(table: Table) -> np.ndarray:
    return np.array([row["label"] for row in table])


def macro_auc(labels: np.ndarray, classes: Sequence[str], probabilities: np.ndarray) -> float:
    """Average over the classes that occur in some rows and not in others."""
    there = [index for index, name in enumerate(classes) if 0 < (labels == name).sum() < len(labels)]
    return float(
        np.mean([roc_auc_score(labels == classes[index], probabilities[:, index]) for index in there])
    )


def _is_number(cell: str) -> bool:
    try:
        float(cell or "nan")
    except ValueError:
        return False
    return True
