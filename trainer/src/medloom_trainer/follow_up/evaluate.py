"""The task `follow_up_evaluate`: the outcomes that are known so far, measured like any evaluation, by window
of time, with the change of inputs and calibration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import phrase, with_phrases
from medloom_trainer.data.types import CaseKeys, Cases
from medloom_trainer.evaluation.postprocessing import Postprocessing
from medloom_trainer.evaluation.recalibration import recalibration
from medloom_trainer.evaluation.result import evaluation_result
from medloom_trainer.evaluation.subgroups import MIN_PATIENTS, subgroup_metrics
from medloom_trainer.follow_up.calibration import development_line
from medloom_trainer.follow_up.coverage import coverage_of
from medloom_trainer.follow_up.drift import ALPHA, calibration_series, input_series, raise_alarms
from medloom_trainer.follow_up.records import FollowUpFolder
from medloom_trainer.follow_up.stream import Stream, Windows, read_stream
from medloom_trainer.inference.checkpoint import Checkpoint, load_checkpoint
from medloom_trainer.inference.checkpoint_files import refuse_links_out
from medloom_trainer.inference.image_reference import read_image_reference
from medloom_trainer.metrics.binary import BinaryOutcome
from medloom_trainer.metrics.statistics.clusters import Clusters
from medloom_trainer.outcomes import OutcomeKind, kind_of

SPLIT = "follow-up"
_OF_WINDOWS = ("brier", "log_loss", "calibration_slope", "calibration_intercept")
"""Metrics of a window, in addition to those of any subgroup."""


def follow_up_evaluate(params: Mapping[str, Any], progress: Callable[[str, float], None]) -> dict[str, Any]:
    """Return the result that contracts declare for `follow_up_evaluate`."""
    progress(phrase("reading_checkpoint"), 0.0)
    path, roots = Path(params["checkpoint"]), [Path(root) for root in params["roots"]]
    refuse_links_out(path, [*roots, Path(params["data_dir"])])
    checkpoint = load_checkpoint(path)
    folder, windows = FollowUpFolder(Path(params["folder"])), Windows.of_params(params)
    stream, outcomes = read_stream(folder, windows, checkpoint.digest), folder.outcomes()
    progress(phrase("measuring"), 0.2)
    reference = read_image_reference(checkpoint)
    series = input_series(
        stream, checkpoint.state["preprocessing"], None if reference is None else reference.facts()
    )
    known = np.flatnonzero(np.asarray([one in outcomes for one in stream.ids], dtype=np.bool_))
    measured = _measured(checkpoint, stream, known, outcomes, params)
    series += measured.pop("series")
    progress(phrase("measuring"), 0.9)
    tests = raise_alarms(series)
    return {
        "coverage": coverage_of(stream, outcomes, windows),
        "other_checkpoint": stream.counts["other_checkpoint"],
        "alpha": ALPHA,
        "tests": tests,
        "series": series,
        **measured,
    }


def _measured(
    checkpoint: Checkpoint,
    stream: Stream,
    known: npt.NDArray[np.intp],
    outcomes: Mapping[str, Any],
    params: Mapping[str, Any],
) -> dict[str, Any]:
    """result, windows, update, reason, and the series of calibration. known: cases with an outcome."""
    patients = None if stream.patients is None else stream.patients[known]
    if Clusters.from_patients(patients, len(known)).count < MIN_PATIENTS:
        reason = phrase("fewer_patients", needed=MIN_PATIENTS)
        return with_phrases({"result": None, "windows": [], "update": None, "reason": reason, "series": []})
    kind, state = kind_of(checkpoint.state), checkpoint.state
    labels = _labels(stream, known, outcomes)
    fitted = state.get("fitted_on_validation")
    # As the predictions were stated by default.
    calibrated = fitted is not None and fitted["temperature"]["value"] is not None
    cases = _cases(stream, known, labels)
    given = stream.predictions[known]
    result = evaluation_result(
        kind=kind,
        threshold=state["threshold"],
        cases=cases,
        predictions=given,
        split=SPLIT,
        source={"csv": "", "checkpoint": params["checkpoint"], "checkpoint_digest": checkpoint.digest},
        flow=_flow(stream, known),
        missing={},
        fitted=fitted,
        calibrated=calibrated,
        seed=int(state["config"]["training"]["seed"]),
    )
    applied = Postprocessing.create(kind, state["threshold"], given, fitted, calibrated=calibrated)
    outcome = applied.outcome(labels)
    series: list[dict[str, Any]] = []
    if isinstance(outcome, BinaryOutcome):
        line = development_line(params["development"], applied)
        series = calibration_series(_part(stream, known), outcome, line)
    return {
        "result": result,
        "windows": _windows(kind, applied, cases, labels, stream.windows[known]),
        "update": _update(recalibration(outcome, patients), result["intervals"]),
        "reason": None,
        "series": series,
    }


def _labels(stream: Stream, known: npt.NDArray[np.intp], outcomes: Mapping[str, Any]) -> npt.NDArray[Any]:
    """In the form of `read_labels`, whose JSON the outcomes are."""
    return np.asarray([outcomes[stream.ids[k]] for k in known.tolist()])


def _cases(stream: Stream, known: npt.NDArray[np.intp], labels: npt.NDArray[Any]) -> Cases:
    """The cases as an evaluation reads them; their inputs are not needed."""
    count = len(known)
    nothing = np.zeros(0, np.uint64)
    return Cases(
        rows=np.arange(1, count + 1),
        slots=None,
        values=np.zeros((count, 0), np.float32),
        codes=np.zeros((count, 0), np.int64),
        present=np.zeros((count, 0), np.bool_),
        labels=labels,
        patients=None if stream.patients is None else stream.patients[known],
        subgroups={name: groups[known] for name, groups in stream.groups.items()},
        digest="",
        keys=CaseKeys(nothing, nothing),
        places=[stream.places[k] for k in known.tolist()],
    )


def _part(stream: Stream, rows: npt.NDArray[np.intp]) -> Stream:
    """These cases, as far as series of calibration need them."""
    return replace(
        stream,
        ids=[stream.ids[k] for k in rows.tolist()],
        windows=stream.windows[rows],
        patients=None if stream.patients is None else stream.patients[rows],
    )


def _flow(stream: Stream, known: npt.NDArray[np.intp]) -> list[dict[str, Any]]:
    def step(name: str, patients: npt.NDArray[np.int64] | None, cases: int) -> dict[str, Any]:
        return {
            "step": name,
            "cases": cases,
            "patients": None if patients is None else len(np.unique(patients)),
        }

    patients = stream.patients
    return [
        step("predicted cases", patients, len(stream)),
        step("cases with an outcome", None if patients is None else patients[known], len(known)),
    ]


def _windows(
    kind: OutcomeKind,
    applied: Postprocessing,
    cases: Cases,
    labels: npt.NDArray[Any],
    windows: npt.NDArray[np.int64],
) -> list[dict[str, Any]]:
    """The windows that have an outcome, as subgroups of the column `window`."""
    # With leading zeros, the order of names is that of time.
    names = np.asarray([f"{number + 1:03d}" for number in windows.tolist()])
    found = subgroup_metrics(
        {"window": names},
        labels,
        kind,
        lambda inside: applied.outcome(labels[inside], inside),
        cases.patients,
        metrics=[*kind.subgroup_metrics, *_OF_WINDOWS],
    )
    return [with_phrases({**one, "group": str(int(one["group"]))}) for one in found]


def _update(
    found: dict[str, Any] | None, intervals: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any] | None:
    """The recalibration with the intervals of its coefficients, as far as metrics have them: of the intercept
    with slope 1, and of the slope."""
    if found is None:
        return None
    for update in found["updates"]:
        alone = update["name"] == "intercept"
        update["intercept_interval"] = intervals.get("calibration_intercept") if alone else None
        update["slope_interval"] = None if alone else intervals.get("calibration_slope")
    return found
