"""Change of inputs and calibration over the windows of a follow-up, each compared with the training or with
the test cases of the development, and the alarms.

At one look, the probability of any false alarm among all windows and series is at most ALPHA if nothing has
changed: the p values are adjusted by Holm's method. Windows that are too small for a subgroup have no numbers
here either, and are not tested.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import phrase, with_phrases
from medloom_trainer.evaluation.shift import mean_difference
from medloom_trainer.evaluation.subgroups import MIN_EVENTS, MIN_PATIENTS
from medloom_trainer.follow_up.calibration import DevelopmentLine, line_of_window
from medloom_trainer.follow_up.collect import MISSING
from medloom_trainer.follow_up.significance import calibration_changed, mean_changed, shares_changed
from medloom_trainer.follow_up.stream import Stream
from medloom_trainer.metrics.binary import BinaryOutcome
from medloom_trainer.metrics.statistics.holm import holm

ALPHA = 0.05
_EMPTY = 0.5
"""Added to each count, so that the stability index is finite."""

Rows = npt.NDArray[np.intp]
Found = tuple[float | None, float | None]
"""(value, p)"""


def input_series(
    stream: Stream, preprocessing: Mapping[str, Any], image_reference: Mapping[str, Any] | None
) -> list[dict[str, Any]]:
    """Contract FollowUpSeries of each column, and of the images. preprocessing: of the checkpoint;
    image_reference: threshold, false_alarms, cases."""
    found: list[dict[str, Any]] = []
    reference = preprocessing.get("reference")
    share = _independent_share(stream, reference)
    states = {state["name"]: state for state in reversed(preprocessing["table"]["columns"])}
    for name, values in stream.inputs.items():
        if reference is None or name not in states or name not in reference["columns"]:
            continue
        known, state = reference["columns"][name], states[name]
        missing, there = known["missing"] * share, (reference["cases"] - known["missing"]) * share
        if state["kind"] != "numeric":
            found.append(_categories(stream, name, values, state, there, missing))
            continue
        found.append(_numbers(stream, name, values, there))
        found.append(_gaps(stream, name, values, np.asarray([there, missing])))
    if stream.distances is not None and image_reference is not None:
        found.append(_images(stream, stream.distances, image_reference, share))
    return found


def _independent_share(stream: Stream, reference: Mapping[str, Any] | None) -> float:
    """Independent cases per case of the training. Its patients may have different numbers of cases, as those
    of the follow-up have."""
    if reference is None or reference["patients"] is None:
        return 1.0
    every = np.arange(len(stream))
    here = stream.independent(every) / max(len(stream), 1)
    return float(min(reference["patients"] / reference["cases"], here or 1.0))


def _numbers(stream: Stream, name: str, values: npt.NDArray[np.float64], trained: float) -> dict[str, Any]:
    there = np.isfinite(values)

    def changed(rows: Rows) -> Found:
        own = values[rows]
        mean = float(own.mean())
        size = mean_difference({"mean": 0.0, "sd": 1.0}, {"mean": mean, "sd": float(own.std(ddof=1))})
        return size, mean_changed(mean, stream.independent(rows), values[there], trained)

    return _series(stream, name, "numeric", None, there, changed)


def _gaps(
    stream: Stream, name: str, values: npt.NDArray[np.float64], trained: npt.NDArray[np.float64]
) -> dict[str, Any]:
    """trained: independent cases with and without a value."""

    def changed(rows: Rows) -> Found:
        return _share(stream, rows, np.isnan(values[rows]), trained)

    everything = np.ones(len(stream), dtype=np.bool_)
    return _series(stream, name, "missing", float(trained[1] / trained.sum()), everything, changed)


def _share(
    stream: Stream, rows: Rows, having: npt.NDArray[np.bool_], trained: npt.NDArray[np.float64]
) -> Found:
    """Share of the cases that have a property; trained: independent cases without and with it."""
    share, independent = float(having.mean()), stream.independent(rows)
    counts = np.asarray([1 - share, share]) * independent
    return share, shares_changed(counts, trained, len(rows))


def _categories(
    stream: Stream,
    name: str,
    values: npt.NDArray[np.float64],
    state: Mapping[str, Any],
    there: float,
    missing: float,
) -> dict[str, Any]:
    """The categories of the training, all others as one, and a missing value."""
    width = len(state["categories"]) + 2
    # Models of older versions have none.
    known = np.asarray([*(share * there for share in state.get("shares") or ()), 0.0, missing])

    def changed(rows: Rows) -> Found:
        if len(known) != width:
            return None, None
        codes = values[rows].astype(np.int64)
        counts = np.bincount(np.where(codes == MISSING, width - 1, codes), minlength=width)
        independent = counts.astype(np.float64) * (stream.independent(rows) / len(rows))
        return stability_index(known, counts), shares_changed(independent, known, len(rows))

    return _series(stream, name, "categorical", None, np.isfinite(values), changed)


def stability_index(trained: npt.NDArray[Any], counts: npt.NDArray[Any]) -> float:
    """Population stability index of the shares of K categories."""
    held = (trained + counts) > 0
    before, after = ((one[held] + _EMPTY) / (one[held] + _EMPTY).sum() for one in (trained, counts))
    return float(((after - before) * np.log(after / before)).sum())


def _images(
    stream: Stream, distances: npt.NDArray[np.float64], reference: Mapping[str, Any], share: float
) -> dict[str, Any]:
    """Share of the cases whose images are further from the training than the threshold."""
    cases = reference["cases"] * share + 1
    beyond = reference["false_alarms"] * cases
    known = np.asarray([cases - beyond, beyond])

    def changed(rows: Rows) -> Found:
        return _share(stream, rows, distances[rows] > reference["threshold"], known)

    return _series(stream, None, "image", float(reference["false_alarms"]), np.isfinite(distances), changed)


def calibration_series(
    stream: Stream, outcome: BinaryOutcome, line: DevelopmentLine | str
) -> list[dict[str, Any]]:
    """Level and slope of the calibration; stream and outcome: the cases with an outcome."""
    names = ("calibration_level", "calibration_slope")
    if isinstance(line, str):
        nothing: dict[str, Any] = {"name": None, "trained": None, "windows": []}
        return [with_phrases({**nothing, "kind": kind, "reason": line}) for kind in names]

    tested: dict[int, tuple[float, float]] = {}

    def changed(part: int) -> Callable[[Rows], Found]:
        def of_rows(rows: Rows) -> Found:
            window = int(stream.windows[rows[0]])
            if window not in tested:
                labels, logits = line_of_window(outcome, stream.one_of_patients(rows))
                tested[window] = calibration_changed(
                    labels, logits, line.coefficients, line.covariance, len(rows)
                )
            return None, tested[window][part]

        return of_rows

    every = np.ones(len(stream), dtype=np.bool_)
    trained = (float(line.coefficients[0]), float(line.coefficients[1]))
    return [
        _series(stream, None, kind, trained[part], every, changed(part), outcome.labels)
        for part, kind in enumerate(names)
    ]


def _series(
    stream: Stream,
    name: str | None,
    kind: str,
    trained: float | None,
    there: npt.NDArray[np.bool_],
    changed: Callable[[Rows], Found],
    labels: npt.NDArray[np.int64] | None = None,
) -> dict[str, Any]:
    """there: (N,) cases that are compared. labels: with both classes in every window."""
    windows = []
    for number in range(int(stream.windows.max(initial=-1)) + 1):
        rows = np.flatnonzero((stream.windows == number) & there)
        reason = _too_few(stream, rows, labels)
        value, p = (None, None) if reason is not None else changed(rows)
        entry = {"window": number + 1, "value": value, "p": p, "p_holm": None, "alarm": False}
        windows.append(with_phrases({**entry, "reason": reason}))
    return {"name": name, "kind": kind, "trained": trained, "windows": windows, "reason": None}


def _too_few(stream: Stream, rows: Rows, labels: npt.NDArray[np.int64] | None) -> str | None:
    if stream.patients_of(rows) < MIN_PATIENTS:
        return phrase("fewer_patients", needed=MIN_PATIENTS)
    if labels is not None and min(stream.patients_of(rows[labels[rows] == k]) for k in (0, 1)) < MIN_EVENTS:
        return phrase("fewer_patients_of_class", needed=MIN_EVENTS)
    return None


def raise_alarms(series: list[dict[str, Any]]) -> int:
    """Set p_holm and alarm of every window with a p value; return the number of tests."""
    tested = [one for found in series for one in found["windows"] if one["p"] is not None]
    for one, adjusted in zip(tested, holm([one["p"] for one in tested]), strict=True):
        one["p_holm"], one["alarm"] = adjusted, adjusted <= ALPHA
    return len(tested)
