"""Survival in a study: trainings with different intervals, measured at the same times."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from medloom_trainer.data.features import fit_time_grid
from medloom_trainer.errors import TrainerError
from medloom_trainer.metrics.outcome import estimate
from medloom_trainer.metrics.shared_times import shared_times
from medloom_trainer.outcomes.survival import Survival
from testing.study_cells import StudyFiles, cases_at

ROWS, FOLDS = 120, 3
FOLD = np.arange(ROWS) % FOLDS


def labels_of(events: bool = True) -> np.ndarray:
    random = np.random.default_rng(2)
    hidden, censored = random.exponential(1 / HAZARD), random.uniform(2, 30, ROWS)
    return np.stack([np.minimum(hidden, censored), (hidden <= censored) * float(events)], axis=1)


HAZARD = np.exp(np.random.default_rng(1).normal(size=ROWS)) / 10
LABELS = labels_of()


def curves(hazard: np.ndarray, edges: list[float]) -> np.ndarray:
    """Curves with a constant hazard: the same curve at any times."""
    return np.exp(-np.outer(hazard, edges))


def times_of(fold: int, intervals: int) -> dict:
    """Intervals as a training fits them to the cases that it does not hold out."""
    return fit_time_grid(LABELS[fold != FOLD], intervals)


def study(folder: Path, *, labels: np.ndarray = LABELS) -> StudyFiles:
    files = StudyFiles(folder, task="survival", times=times_of(0, 4))
    wrong = np.random.default_rng(5).permutation(HAZARD)
    for name, hazard, intervals in (("few", HAZARD, 4), ("many", HAZARD, 7), ("wrong", wrong, 4)):
        for fold in range(FOLDS):
            inside = np.flatnonzero(fold == FOLD)
            people = [f"P{row}" for row in inside]
            times = times_of(fold, intervals)
            predicted = curves(hazard[inside], times["edges"])
            beside = {"cox_regression": curves(wrong[inside], times["edges"])} if name == "few" else None
            cases = cases_at(inside + 2, labels[inside], people, f"{fold}")
            files.add(name, cases, predicted, fold=fold, times=times, baselines=beside)
    return files


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return study(tmp_path_factory.mktemp("study")).results("uno_c", "wrong")


def test_curves_are_pooled_at_times_that_every_training_predicts(results):
    end = min(times_of(fold, 7)["edges"][-1] for fold in range(FOLDS))
    grids = [Survival.of_state({"preprocessing": {"survival": times_of(fold, 7)}}).grid for fold in range(3)]
    grid = shared_times(grids, LABELS)
    assert len(grid.edges) == 7 and grid.edges[-1] == end
    expected, _ = estimate(Survival(grid).measured(LABELS, curves(HAZARD, grid.edges.tolist()), None))
    (few, _, wrong, baseline) = results["variants"]
    for name in ("uno_c", "c_index", "integrated_brier", "auc_50"):
        assert few["metrics"][name]["estimate"] == pytest.approx(expected[name], abs=1e-9), name
    assert few["metrics"]["uno_c"]["low"] < expected["uno_c"] < few["metrics"]["uno_c"]["high"]
    assert few["figures"]["survival"]["events"] == LABELS[:, 1].sum()
    assert any(f"the same 7 times up to {end:.4g}" in text for text in results["methods"]["statements"])
    assert (baseline["name"], baseline["kind"]) == ("cox_regression", "baseline")
    assert baseline["metrics"]["uno_c"] == wrong["metrics"]["uno_c"]


def test_the_number_of_intervals_alone_makes_no_difference(results):
    """Two variants that predict the same curves have the same results, whatever the number of times."""
    few, many = results["variants"][:2]
    for name, figure in few["metrics"].items():
        if figure["estimate"] is not None:
            assert many["metrics"][name]["estimate"] == pytest.approx(figure["estimate"], abs=1e-9), name
    better = next(one for one in results["comparisons"] if (one["a"], one["metric"]) == ("few", "uno_c"))
    assert better["tests"][-1]["test"] == "patient_bootstrap" and better["tests"][-1]["low"] > 0


def test_cases_without_an_event_measure_nothing(tmp_path):
    with pytest.raises(TrainerError, match="no event was observed"):
        study(tmp_path, labels=np.stack([LABELS[:, 0], np.zeros(ROWS)], axis=1)).results("uno_c")
