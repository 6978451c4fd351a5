"""Figures for survival: observed curves of cases by predicted risk, and calibration at the horizons."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.metrics.arrays import FloatArray
from medloom_trainer.metrics.statistics.kaplan_meier import (
    StepCurve,
    censoring_curve,
    survival_curve,
)
from medloom_trainer.metrics.survival import SurvivalOutcome

_GROUPS = ("low risk", "middle risk", "high risk")
_BINS = 5
_CASES_PER_BIN = 20
_TICKS = 6
_MAX_POINTS = 500


def survival_figures(outcome: SurvivalOutcome) -> dict[str, Any]:
    """Contract SurvivalResult."""
    grid, time, event = outcome.grid, outcome.time, outcome.event
    ticks = np.linspace(0, float(time.max()), _TICKS)
    return {
        "events": int(event.sum()),
        "median_follow_up": censoring_curve(time, event).median(),
        "edges": grid.edges.tolist(),
        "tau": grid.tau,
        "horizons": list(grid.horizons),
        "groups": _groups(outcome, ticks),
        "at_risk_times": ticks.tolist(),
        "calibration": [{"horizon": horizon, "bins": _bins(outcome, horizon)} for horizon in grid.horizons],
    }


def _groups(outcome: SurvivalOutcome, ticks: FloatArray) -> list[dict[str, Any]]:
    """Thirds of the evaluated cases by their risk; cases of equal risk are in one group."""
    cuts = np.quantile(outcome.risk, [1 / 3, 2 / 3])
    third = np.searchsorted(cuts, outcome.risk, side="left")
    found = []
    for number, name in enumerate(_GROUPS):
        inside = third == number
        if not inside.any():
            continue
        time, event = outcome.time[inside], outcome.event[inside]
        found.append(
            {
                "name": name,
                "cases": int(inside.sum()),
                "events": int(event.sum()),
                "curve": _steps(survival_curve(time, event)),
                "at_risk": [int((time >= tick).sum()) for tick in ticks],
            }
        )
    return found


def _steps(curve: StepCurve) -> dict[str, list[float]]:
    """Steps from (0, 1); if there are many, evenly spaced ones and the last."""
    shown = np.unique(np.linspace(0, len(curve.times) - 1, min(len(curve.times), _MAX_POINTS)).astype(int))
    return {"x": [0.0, *curve.times[shown].tolist()], "y": [1.0, *curve.values[shown].tolist()]}


def _bins(outcome: SurvivalOutcome, horizon: float) -> list[dict[str, float | int]]:
    """Groups of equal size by predicted risk at the horizon: the mean risk, and the Kaplan-Meier estimate."""
    predicted = 1 - outcome.grid.survival(outcome.predictions, np.asarray([horizon]))[:, 0]
    bins: list[dict[str, float | int]] = []
    for inside in _fifths(predicted):
        curve = survival_curve(outcome.time[inside], outcome.event[inside])
        low, high = curve.interval(horizon)
        observed = float(curve.at(np.asarray([horizon]))[0])
        bins.append(
            {
                "predicted": float(predicted[inside].mean()),
                "observed": 1 - observed,
                "count": int(inside.sum()),
                "low": 1 - high,
                "high": 1 - low,
            }
        )
    return bins


def _fifths(values: FloatArray) -> list[npt.NDArray[np.bool_]]:
    """Masks of up to _BINS groups of at least _CASES_PER_BIN cases; equal values share a group."""
    count = max(1, min(_BINS, len(values) // _CASES_PER_BIN))
    cuts = np.unique(np.quantile(values, np.linspace(0, 1, count + 1)[1:-1]))
    index = np.searchsorted(cuts, values, side="left")
    return [index == number for number in np.unique(index)]
