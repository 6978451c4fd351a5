"""Survival curves of models that were trained with different intervals, measured at the same times."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.features import fit_time_grid
from medloom_trainer.errors import TrainerError
from medloom_trainer.metrics.arrays import FloatArray
from medloom_trainer.metrics.statistics.kaplan_meier import StepCurve
from medloom_trainer.metrics.survival import TimeGrid


def shared_times(grids: Sequence[TimeGrid], labels: FloatArray) -> TimeGrid:
    """grids: of the models. labels (N, 2): time and event of all cases on which any of them is measured.

    The result has as many intervals as the finest grid, at quantiles of these event times, up to the last
    time that every model predicts. Horizons, tau and the distribution of censoring are those of these cases,
    so that each number is the same quantity for every model (Uno et al. 2011 also weight a sample by its own
    censoring). INVALID_REQUEST if none of the cases had the event.
    """
    if not (labels[:, 1] == 1).any():
        message = phrase("no_shared_event")
        raise TrainerError("INVALID_REQUEST", message, phrase("use_cases_with_events"))
    finest = max(len(grid.edges) for grid in grids)
    end = min(float(grid.edges[-1]) for grid in grids)
    fitted = fit_time_grid(labels, finest, end)
    times, values = (np.asarray(fitted["censoring"][key]) for key in ("times", "values"))
    censoring = StepCurve(times, values, np.zeros(len(times)))
    return TimeGrid(np.asarray(fitted["edges"]), tuple(fitted["horizons"]), fitted["tau"], censoring)
