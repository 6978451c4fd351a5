"""Encoding of the table: everything is fitted on the training rows, stored as JSON, and applied to other data
without refitting.

State of a column (JSON):
  numeric: {"name", "kind": "numeric", "fill", "indicator", "center", "scale", "bounds",
    "median", "has_infinite", "sign", "decimal", "thousands"};
    value = (x - center) / scale, ±inf as the bounds, the finite extremes of training. If training has ±inf, a
    second number is its sign. The median is only for warnings. The sign is the unit or symbol of all texts.
    decimal and thousands are the marks of the texts; decimal is null if none has a mark.
    Models of older versions have no bounds and treat ±inf as missing.
    With scaling "quantile" there are "quantiles", and x is the normal score of the value (quantiles.py).
  categorical: {"name", "kind": "onehot" | "embedding" | "target", "fill", "indicator", "categories", "means",
    "shares"}; shares of the categories, absent in models of older versions

`fill` is null if a missing value remains missing (strategies token and drop). With `indicator`, the last
number of the column is 1 if its value is missing and 0 if it exists; an embedded column has one more code
instead. Training decides this: from a column without gaps the meaning of a gap cannot be learned, so it has
no indicator. Models of older versions have no indicator.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import join, phrase
from medloom_trainer.data.features.quantiles import fit_quantiles, normal_scores
from medloom_trainer.data.features.target_statistics import TargetCodes, fit_target_means
from medloom_trainer.data.tables import (
    Notation,
    Table,
    is_missing,
    marks_of_column,
    missing_mask,
    name_rows,
    read_column,
    require_column,
    sign_of_column,
)
from medloom_trainer.data.types import ColumnLayout, TableLayout
from medloom_trainer.errors import TrainerError
from medloom_trainer.warnings import Warnings, warning

_KIND_OF_ENCODING = {"onehot": "onehot", "label": "embedding", "target": "target"}
_MAX_SCALED = 1e6
"""Limit of scaled values: a typing error with many digits must not become infinite in float32."""


@dataclass(frozen=True)
class Encoded:
    """N rows of the table as numbers (shapes: data/types.py Cases)."""

    values: npt.NDArray[np.float32]
    codes: npt.NDArray[np.int64]
    present: npt.NDArray[np.bool_]
    missing: dict[str, int]
    """Column → rows without a value in the CSV."""
    warnings: Warnings

    def take(self, rows: slice) -> Encoded:
        """Part of the rows; the counts and warnings are still those of all rows."""
        return replace(self, values=self.values[rows], codes=self.codes[rows], present=self.present[rows])


def fit_table(
    table: Table,
    numeric: Sequence[str],
    categorical: Sequence[str],
    *,
    missing_strategy: str,
    missing_indicator: bool,
    scaling: str,
    categorical_encoding: str,
    target: TargetCodes,
) -> dict[str, Any]:
    """The state of all columns, only from the training rows. `target` is only read for categorical_encoding
    "target".
    """
    columns = [_fit_numeric(table, name, missing_strategy, scaling) for name in numeric]
    kind = _KIND_OF_ENCODING[categorical_encoding]
    columns += [_fit_categorical(table, name, missing_strategy, kind, target) for name in categorical]
    for column in columns:
        filled = column["fill"] is not None
        column["indicator"] = missing_indicator and filled and _has_gaps(table.cells[column["name"]])
    return {"missing_strategy": missing_strategy, "columns": columns}


def lay_out(state: dict[str, Any]) -> TableLayout:
    """Position of each column of the state in `values` and `codes`."""
    columns = []
    num_values = num_codes = 0
    for column in state["columns"]:
        kind = column["kind"]
        if kind == "embedding":
            cardinality = 1 + len(column["categories"]) + _has_indicator(column)
            columns.append(ColumnLayout(column["name"], kind, num_codes, 1, cardinality))
            num_codes += 1
        else:
            columns.append(ColumnLayout(column["name"], kind, num_values, _width_of(column), 0))
            num_values += _width_of(column)
    return TableLayout(tuple(columns), num_values, num_codes)


def with_means(layout: TableLayout, encoded: Encoded) -> TableLayout:
    """The layout with the means of the training rows, encoded as the model reads them."""
    columns = []
    for position, column in enumerate(layout.columns):
        rows = encoded.present[:, position]
        if column.kind == "embedding":
            numbers = np.bincount(encoded.codes[rows, column.start], minlength=column.cardinality)
            means = numbers / max(1, int(rows.sum()))
        else:
            span = slice(column.start, column.start + column.width)
            means = encoded.values[rows, span].sum(axis=0, dtype=np.float64) / max(1, int(rows.sum()))
        columns.append(replace(column, means=tuple(means.tolist())))
    return replace(layout, columns=tuple(columns))


def encode_table(table: Table, state: dict[str, Any], out_of_fold: TargetCodes | None = None) -> Encoded:
    """Apply a fitted state. `out_of_fold`: only for the training rows themselves, whose codes must not
    contain their own labels.
    """
    layout = lay_out(state)
    rows = len(table)
    values = np.zeros((rows, layout.num_values), dtype=np.float32)
    codes = np.zeros((rows, layout.num_codes), dtype=np.int64)
    present = np.zeros((rows, len(layout.columns)), dtype=np.bool_)
    missing: dict[str, int] = {}
    warnings: Warnings = []
    for position, (column, place) in enumerate(zip(state["columns"], layout.columns, strict=True)):
        require_column(table, column["name"], "an input of the model")
        if column["kind"] == "numeric":
            numbers = read_column(table, column["name"], warnings, Notation.of_column(column))
            _refuse_other_sign(table, column)
            if column.get("bounds") is None:
                there = np.isfinite(numbers)
            else:
                there, infinite = ~np.isnan(numbers), np.isinf(numbers)
                if column["has_infinite"]:
                    values[:, place.start + 1] = np.where(infinite, np.sign(numbers), 0)
                low, high = column["bounds"]
                numbers = np.where(infinite, np.where(numbers > 0, high, low), numbers)
            known = there if column["fill"] is None else np.ones_like(there)
            filled = np.where(there, numbers, column["fill"] or 0.0)
            values[:, place.start] = np.where(known, _scaled(column, filled), 0)
        else:
            index = _category_numbers(table, column, warnings)
            there = ~missing_mask(table.cells[column["name"]])
            known = there if column["fill"] is None else np.ones_like(there)
            span = slice(place.start, place.start + place.width - _has_indicator(column))
            if column["kind"] == "embedding":
                codes[:, place.start] = index
            elif column["kind"] == "onehot":
                seen = np.flatnonzero(index)
                values[seen, place.start + index[seen] - 1] = 1
                # Nothing was learned about another category: it is encoded as the average case.
                values[(index == 0) & there, span] = column.get("shares", 0)
            else:
                means = np.asarray([[0.0] * (span.stop - span.start), *column["means"]])
                values[:, span] = means[index] if out_of_fold is None else out_of_fold.encode(index)
        if _has_indicator(column) and column["kind"] == "embedding":
            codes[~there, place.start] = place.cardinality - 1
        elif _has_indicator(column):
            values[:, place.start + place.width - 1] = ~there
        missing[column["name"]] = int(rows - there.sum())
        present[:, position] = known
    return Encoded(values, codes, present, missing, warnings)


def _width_of(column: dict[str, Any]) -> int:
    """Number of values of a column that is not embedded."""
    if column["kind"] == "onehot":
        width = len(column["categories"])
    elif column["kind"] == "numeric":
        width = 2 if column.get("has_infinite") else 1
    else:
        width = len(column["means"][0]) if column["means"] else 1
    return width + _has_indicator(column)


def _has_indicator(column: dict[str, Any]) -> bool:
    return bool(column.get("indicator", False))


def _has_gaps(texts: Sequence[str]) -> bool:
    """Return whether some values are missing and others exist: nothing can be learned from a column without
    variation."""
    missing = missing_mask(texts)
    return bool(missing.any() and not missing.all())


def _fit_numeric(table: Table, name: str, missing_strategy: str, scaling: str) -> dict[str, Any]:
    numbers = read_column(table, name, [])
    known = numbers[np.isfinite(numbers)]
    fill = None
    if missing_strategy in ("mean", "median", "mode"):
        fill = _statistic(known, missing_strategy)
    quantiles = fit_quantiles(known) if scaling == "quantile" and known.size else None
    scores = known if quantiles is None else normal_scores(known, quantiles)
    center, scale = _location_and_scale(scores, scaling)
    return {
        "name": name,
        "kind": "numeric",
        "fill": fill,
        **({} if quantiles is None else {"quantiles": quantiles}),
        "center": center,
        "scale": scale,
        "bounds": [float(known.min()), float(known.max())] if known.size else [0.0, 0.0],
        "median": float(np.median(known)) if known.size else None,
        "has_infinite": bool(np.isinf(numbers).any()),
        "sign": sign_of_column(table, name),
        **marks_of_column(table, name),
    }


def _refuse_other_sign(table: Table, column: dict[str, Any]) -> None:
    """DATASET_INVALID if the texts have another unit or symbol than those of the training, or one although
    those had none. Numbers without one are in the unit of the training. Older models know no sign."""
    sign, trained = sign_of_column(table, column["name"]), column.get("sign")
    if trained is None or sign in ("", trained):
        return
    names = {"column": column["name"], "table": table.name, "unit": sign}
    message = phrase("unit_differs", **names, trained=trained) if trained else phrase("unit_unknown", **names)
    raise TrainerError("DATASET_INVALID", message, phrase("convert_unit"))


def _statistic(known: npt.NDArray[np.float64], which: str) -> float:
    if not known.size:
        return 0.0
    if which == "mode":
        values, counts = np.unique(known, return_counts=True)
        return float(values[np.argmax(counts)])  # the smallest of several
    return float(np.mean(known) if which == "mean" else np.median(known))


def _location_and_scale(known: npt.NDArray[np.float64], scaling: str) -> tuple[float, float]:
    """(center, scale) of the existing values; a column without spread has scale 1."""
    if scaling == "none" or not known.size:
        return 0.0, 1.0
    if scaling in ("standard", "quantile"):
        center, scale = float(np.mean(known)), float(np.std(known))
    elif scaling == "minmax":
        center, scale = float(np.min(known)), float(np.ptp(known))
    else:
        low, middle, high = np.percentile(known, [25, 50, 75]).tolist()
        center, scale = float(middle), float(high - low)
    return center, scale if scale > 1e-12 * max(1.0, abs(center)) else 1.0


def _scaled(column: dict[str, Any], numbers: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """numbers (N,), finite → (N,) as the model reads them."""
    quantiles = column.get("quantiles")
    scores = numbers if quantiles is None else normal_scores(numbers, quantiles)
    scaled = (scores - column["center"]) / column["scale"]
    return np.asarray(np.clip(scaled, -_MAX_SCALED, _MAX_SCALED))


def _fit_categorical(
    table: Table, name: str, missing_strategy: str, kind: str, target: TargetCodes
) -> dict[str, Any]:
    texts = table.cells[name]
    counts = Counter(text for text in texts if not is_missing(text))
    categories = sorted(counts)
    # Categories have no mean: every filling strategy uses the most frequent one.
    fills = missing_strategy in ("mean", "median", "mode") and bool(counts)
    fill = min(categories, key=lambda category: (-counts[category], category)) if fills else None
    state: dict[str, Any] = {
        "name": name,
        "kind": kind,
        "fill": fill,
        "categories": categories,
        "means": None,
        "shares": [counts[category] / counts.total() for category in categories],
    }
    if kind == "target":
        index = _category_numbers(table, state, [])
        state["means"] = fit_target_means(index, len(categories), target.codes)
    return state


def _category_numbers(table: Table, column: dict[str, Any], warnings: Warnings) -> npt.NDArray[np.int64]:
    """(N,) 1 + the category's index, 0 if missing (after filling) or never seen in training."""
    index = {category: place for place, category in enumerate(column["categories"], start=1)}
    texts = table.cells[column["name"]]
    filled = [column["fill"] if column["fill"] is not None and is_missing(text) else text for text in texts]
    unseen = [row for row, text in enumerate(filled) if text not in index and not is_missing(text)]
    if unseen:
        rows = join(table.name, name_rows(table, unseen))
        message = phrase("unseen_categories", column=column["name"], rows=rows)
        warnings.append(warning("UNSEEN_CATEGORIES", message))
    return np.asarray([index.get(text, 0) for text in filled], dtype=np.int64)
