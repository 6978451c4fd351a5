"""Findings about single cases, from the values that the training stored: gaps, values unlike those of the
training, suspected units, blank images."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.codes import PhraseCode, WarningCode
from medloom_trainer.contract.phrases import Phrased, join, phrase, with_phrases
from medloom_trainer.data.each_case import EachCase
from medloom_trainer.data.features import MAX_GROUPS
from medloom_trainer.data.tables import coded, is_missing, missing_mask, read_as_trained
from medloom_trainer.inference.image_reference import ImageReference
from medloom_trainer.metrics.arrays import FloatArray
from medloom_trainer.warnings import Warnings, warning

_UNIT_FACTOR = 500
"""Ratio to the training median from which another unit is suspected: units usually differ by 1,000, and
values by less than 2."""
_STATISTIC: Mapping[str, PhraseCode] = {
    "mean": "statistic_mean",
    "median": "statistic_median",
    "mode": "statistic_mode",
}


@dataclass(frozen=True)
class Finding:
    """One finding about several cases."""

    code: WarningCode
    message: Phrased
    column: str | None
    cases: npt.NDArray[np.int64]
    """Positions of the cases."""

    def to_json(self) -> dict[str, Any]:
        return with_phrases({"code": self.code, "message": self.message, "column": self.column})


def findings_of(prepared: EachCase, preprocessing: Mapping[str, Any]) -> list[Finding]:
    """Findings about each case, in the order of the columns."""
    state = preprocessing["table"]
    complete = preprocessing.get("complete_columns", [])
    found: list[Finding] = []
    for column in column_states(preprocessing):
        texts = prepared.table.cells[column["name"]]
        if column["kind"] == "numeric":
            values = read_as_trained(prepared.table, column).values
            found += _gaps(column, np.isnan(values), state["missing_strategy"], complete)
            found += _extremes(column, values)
        else:
            found += _gaps(column, missing_mask(texts), state["missing_strategy"], complete)
            found += _unseen(column, texts)
    found += [*_acquisition(prepared, preprocessing), *_of_images(prepared)]
    return [one for one in found if len(one.cases)]


def unlike_training(prepared: EachCase, distances: FloatArray, reference: ImageReference) -> list[Finding]:
    """A finding about the cases whose images are beyond the threshold of the training."""
    views = prepared.views
    columns = [] if views is None else list(dict.fromkeys(views.columns))
    share = f"{1 - reference.false_alarms:.0%}"
    message = phrase("case_image_unlike", share=share, cases=reference.cases)
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
    columns = [column for column in column_states(preprocessing) if column["kind"] == "numeric"]
    if all("median" in column and column.get("bounds") is not None for column in columns):
        return []
    ranges = all(column.get("bounds") is not None for column in columns)
    return [warning("TRAINING_RANGES_UNKNOWN", phrase("medians_unknown" if ranges else "ranges_unknown"))]


def column_states(preprocessing: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """One state for each column: several combined models each have their own."""
    return list({column["name"]: column for column in reversed(preprocessing["table"]["columns"])}.values())[
        ::-1
    ]


def _gaps(
    column: Mapping[str, Any], missing: npt.NDArray[np.bool_], strategy: str, complete: Sequence[str]
) -> Iterator[Finding]:
    name, fill = column["name"], column["fill"]
    if fill is None:
        message = phrase("case_reads_missing", column=name)
    else:
        shown = f"{fill:.6g}" if isinstance(fill, float | int) else f'"{fill}"'
        statistic = phrase("statistic_category" if column["kind"] != "numeric" else _STATISTIC[strategy])
        code: PhraseCode = "case_reads_fill_and_gap" if column.get("indicator") else "case_reads_fill"
        message = phrase(code, column=name, statistic=statistic, value=shown)
    if name in complete:
        message = join(message, phrase("never_missing"), mark="semicolon")
    yield Finding("INPUT_MISSING", message, name, np.flatnonzero(missing))


def _unseen(column: Mapping[str, Any], texts: Sequence[str]) -> Iterator[Finding]:
    name = column["name"]
    message = phrase("case_category_unseen", column=name)
    yield Finding("UNSEEN_CATEGORIES", message, name, _others(texts, column["categories"]))


def _acquisition(prepared: EachCase, preprocessing: Mapping[str, Any]) -> Iterator[Finding]:
    """Sites, scanners and other groups of cases that the training did not have. The training stores all
    groups of a column unless there are many; columns that the model reads have their own finding."""
    inputs = {column["name"] for column in preprocessing["table"]["columns"]}
    for group in preprocessing.get("subgroups", ()):
        name = group["name"]
        of_column = group["kind"] == "groups" and group.get("of") != "images" and name not in inputs
        if not of_column or name not in prepared.table.cells or len(group["groups"]) >= MAX_GROUPS:
            continue
        unseen = _others(prepared.table.cells[name], group["groups"])
        yield Finding("ACQUISITION_UNSEEN", phrase("case_group_unseen", column=name), name, unseen)


def _others(texts: Sequence[str], known: Sequence[str]) -> npt.NDArray[np.int64]:
    """Positions of the texts that are neither missing nor among the known ones."""
    distinct, codes = coded(texts)
    others = {*distinct} - {*known}
    unseen = np.asarray([text in others and not is_missing(text) for text in distinct], dtype=np.bool_)
    return np.flatnonzero(unseen[codes]) if len(distinct) else np.zeros(0, np.int64)


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
        code: PhraseCode = "case_times_median" if power > 0 else "case_part_of_median"
        message = phrase(code, column=name, factor=int(10 ** abs(power)), median=f"{median:.6g}")
        yield Finding("UNIT_SUSPECTED", message, name, np.flatnonzero(powers == power))
    plain = powers == 0
    span = {"column": name, "low": f"{low:.6g}", "high": f"{high:.6g}"}
    for found, message in (
        (values < low, phrase("case_below_range", **span)),
        (values > high, phrase("case_above_range", **span)),
    ):
        yield Finding("VALUE_OUTSIDE_TRAINING", message, name, np.flatnonzero(plain & found))


def _of_images(prepared: EachCase) -> Iterator[Finding]:
    views = prepared.views
    if views is None:
        return
    of_view = np.asarray(views.columns)
    for column in dict.fromkeys(views.columns):
        absent = (views.slots[:, of_view == column] < 0).all(axis=1)
        message = phrase("case_without_image", column=column)
        yield Finding("INPUT_MISSING", message, column, np.flatnonzero(absent))
    shown = (views.slots >= 0).sum(axis=1)
    blank = np.asarray([len(pixels) for pixels in views.pixels]) < shown
    only = views.columns[0] if len(set(views.columns)) == 1 else None
    message = phrase("case_image_blank")
    yield Finding("IMAGE_BLANK", message, only, np.flatnonzero(blank))
