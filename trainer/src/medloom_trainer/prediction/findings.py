"""Findings about single cases, from the values that the training stored: gaps, values unlike those of the
training, suspected units, blank images."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.codes import WarningCode
from medloom_trainer.data.each_case import EachCase
from medloom_trainer.data.tables import coded, is_missing, missing_mask, read_numbers
from medloom_trainer.inference.image_reference import ImageReference
from medloom_trainer.metrics.arrays import FloatArray
from medloom_trainer.warnings import Warnings, warning

_UNIT_FACTOR = 500
"""Ratio to the training median from which another unit is suspected: units usually differ by 1,000, and
values by less than 2."""
_STATISTIC = {"mean": "mean", "median": "median", "mode": "most frequent value"}


@dataclass(frozen=True)
class Finding:
    """One finding about several cases."""

    code: WarningCode
    message: str
    column: str | None
    cases: npt.NDArray[np.int64]
    """Positions of the cases."""

    def to_json(self) -> dict[str, Any]:
        return {"code": self.code, "message": self.message, "column": self.column}


def findings_of(prepared: EachCase, preprocessing: Mapping[str, Any]) -> list[Finding]:
    """Findings about each case, in the order of the columns."""
    state = preprocessing["table"]
    complete = preprocessing.get("complete_columns", [])
    found: list[Finding] = []
    for column in _states(preprocessing):
        texts = prepared.table.cells[column["name"]]
        if column["kind"] == "numeric":
            values = read_numbers(texts, prepared.table.delimiter).values
            found += _gaps(column, np.isnan(values), state["missing_strategy"], complete)
            found += _extremes(column, values)
        else:
            found += _gaps(column, missing_mask(texts), state["missing_strategy"], complete)
            found += _unseen(column, texts)
    return [one for one in [*found, *_of_images(prepared)] if len(one.cases)]


def unlike_training(prepared: EachCase, distances: FloatArray, reference: ImageReference) -> list[Finding]:
    """A finding about the cases whose images are beyond the threshold of the training."""
    views = prepared.views
    columns = [] if views is None else list(dict.fromkeys(views.columns))
    message = (
        f"the image differs more from the training images than {1 - reference.false_alarms:.0%} of "
        f"{reference.cases:,} validation cases"
    )
    beyond = np.flatnonzero(distances > reference.threshold)
    column = columns[0] if len(columns) == 1 else None
    return [Finding("IMAGE_UNLIKE_TRAINING", message, column, beyond)]


def by_case(findings: Sequence[Finding], count: int) -> list[list[dict[str, Any]]]:
    """The findings about each of `count` cases."""
    found: list[list[dict[str, Any]]] = [[] for _ in range(count)]
    for one in findings:
        shared = one.to_json()
        for case in one.cases.tolist():
            found[case].append(shared)
    return found


def ranges_unknown(preprocessing: Mapping[str, Any]) -> Warnings:
    """A warning if an older version did not store the range or the median of the training values."""
    columns = [column for column in _states(preprocessing) if column["kind"] == "numeric"]
    if all("median" in column and column.get("bounds") is not None for column in columns):
        return []
    ranges = all(column.get("bounds") is not None for column in columns)
    missing = (
        "the median of its training values, so other units are not detected"
        if ranges
        else "the range of its training values, so values outside it are not reported"
    )
    return [warning("TRAINING_RANGES_UNKNOWN", f"The checkpoint does not contain {missing}.")]


def _states(preprocessing: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """One state for each column: several combined models each have their own."""
    return list({column["name"]: column for column in reversed(preprocessing["table"]["columns"])}.values())[
        ::-1
    ]


def _gaps(
    column: Mapping[str, Any], missing: npt.NDArray[np.bool_], strategy: str, complete: Sequence[str]
) -> Iterator[Finding]:
    name, fill = column["name"], column["fill"]
    if fill is None:
        treated = "the model reads it as missing"
    else:
        shown = f"{fill:.6g}" if isinstance(fill, float | int) else f'"{fill}"'
        statistic = "most frequent category" if column["kind"] != "numeric" else _STATISTIC[strategy]
        treated = f"the model reads the {statistic} of the training, {shown}"
        treated += ", and that it is missing" if column.get("indicator") else ""
    never = "; no training case lacks it" if name in complete else ""
    cases = np.flatnonzero(missing)
    yield Finding("INPUT_MISSING", f'"{name}" is missing; {treated}{never}', name, cases)


def _unseen(column: Mapping[str, Any], texts: Sequence[str]) -> Iterator[Finding]:
    known = set(column["categories"])
    distinct, codes = coded(texts)
    unseen = np.asarray([text not in known and not is_missing(text) for text in distinct], dtype=np.bool_)
    cases = np.flatnonzero(unseen[codes]) if len(distinct) else np.zeros(0, np.int64)
    name = column["name"]
    message = f'the category of "{name}" does not occur in the training; the model reads it as unknown'
    yield Finding("UNSEEN_CATEGORIES", message, name, cases)


def _extremes(column: Mapping[str, Any], values: npt.NDArray[np.float64]) -> Iterator[Finding]:
    bounds, median, name = column.get("bounds"), column.get("median"), column["name"]
    if bounds is None or ("median" in column and median is None):
        return
    low, high = bounds
    outside = (values < low) | (values > high)
    if not outside.any():
        return
    powers = np.zeros(len(values))
    if median:
        usable = outside & np.isfinite(values) & (values != 0)
        ratio = np.divide(np.abs(values), abs(median), where=usable, out=np.ones(len(values)))
        powers = np.where(np.maximum(ratio, 1 / ratio) >= _UNIT_FACTOR, np.round(np.log10(ratio)), 0)
    for power in np.unique(powers[powers != 0]).tolist():
        factor = f"{10**power:,.0f}" if power > 0 else f"1/{10**-power:,.0f} of"
        times = f"{factor} times" if power > 0 else factor
        message = f'"{name}" is about {times} the training median {median:.6g}; another unit is suspected'
        yield Finding("UNIT_SUSPECTED", message, name, np.flatnonzero(powers == power))
    span = f"the training range {low:.6g} to {high:.6g}"
    plain = powers == 0
    yield _outside(name, f"is below {span}", np.flatnonzero(plain & (values < low)))
    yield _outside(name, f"is above {span}", np.flatnonzero(plain & (values > high)))


def _outside(name: str, what: str, cases: npt.NDArray[np.int64]) -> Finding:
    return Finding("VALUE_OUTSIDE_TRAINING", f'"{name}" {what}', name, cases)


def _of_images(prepared: EachCase) -> Iterator[Finding]:
    views = prepared.views
    if views is None:
        return
    of_view = np.asarray(views.columns)
    for column in dict.fromkeys(views.columns):
        absent = (views.slots[:, of_view == column] < 0).all(axis=1)
        message = f'"{column}" has no image; the model predicts without it'
        yield Finding("INPUT_MISSING", message, column, np.flatnonzero(absent))
    shown = (views.slots >= 0).sum(axis=1)
    blank = np.asarray([len(pixels) for pixels in views.pixels]) < shown
    only = views.columns[0] if len(set(views.columns)) == 1 else None
    message = "all pixels of an image have the same value"
    yield Finding("IMAGE_BLANK", message, only, np.flatnonzero(blank))
