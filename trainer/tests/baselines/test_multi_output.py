"""Simple models of several labels, and of times to an event."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from medloom_trainer.baselines.cox import Cox, cox_coefficients, fit_cox
from medloom_trainer.baselines.folds import interval_loss
from medloom_trainer.baselines.forest import fit_forest
from medloom_trainer.baselines.linear import Linear
from medloom_trainer.baselines.multi_output import Hazards, PerLabel, fit_hazards, fit_per_label
from medloom_trainer.baselines.table import _model_of_json
from medloom_trainer.data.features import fit_time_grid
from medloom_trainer.outcomes.survival import Survival

REFERENCE = json.loads((Path(__file__).parent / "cox_reference.json").read_text())
ROWS, WIDTH = 120, 3
RANDOM = np.random.default_rng(4)
MATRIX = RANDOM.normal(size=(ROWS, WIDTH))


def survival(rows: int = ROWS) -> tuple[np.ndarray, Survival]:
    hidden = RANDOM.exponential(np.exp(-MATRIX[:rows, 0])) * 10
    censored = RANDOM.uniform(1, 30, rows)
    labels = np.stack([np.minimum(hidden, censored), (hidden <= censored) * 1.0], axis=1)
    return labels, Survival.of_state({"preprocessing": {"survival": fit_time_grid(labels, 5)}})


def stored(name: str, model: Cox | PerLabel | Hazards) -> Cox | PerLabel | Hazards:
    return _model_of_json(name, json.loads(json.dumps(model.to_json(), allow_nan=False)), WIDTH)


@pytest.mark.parametrize("penalty", ["0.0", "3.0"])
def test_cox_coefficients_are_those_of_scikit_survival(penalty):
    """cox_reference.py writes the expected numbers, for a cohort with tied times."""
    given = REFERENCE["inputs"]
    labels = np.stack([given["time"], np.asarray(given["event"], dtype=float)], axis=1)
    found = cox_coefficients(np.asarray(given["matrix"]), labels, float(penalty))
    assert found == pytest.approx(REFERENCE["coefficients"][penalty], abs=1e-6)


def test_cox_curves_are_those_of_breslow():
    given = REFERENCE["inputs"]
    labels = np.stack([given["time"], np.asarray(given["event"], dtype=float)], axis=1)
    kind = Survival.of_state({"preprocessing": {"survival": fit_time_grid(labels, 5)}})
    matrix = np.asarray(given["matrix"])
    model, words = fit_cox(matrix, labels, np.arange(len(labels)), kind=kind, scaled=[], seed=0)
    penalty = words.split(" = ")[1].split(" ")[0]
    assert "lowest interval loss in 5-fold grouped cross-validation" in words
    times, values = (np.asarray(part) for part in REFERENCE["curves"][penalty])
    at = np.searchsorted(times, kind.grid.edges, side="right") - 1
    assert stored("cox_regression", model).predict(matrix[:5]) == pytest.approx(values[:, at], abs=1e-6)


def test_cox_learns_where_columns_are_copies_and_outliers_are_far():
    labels, kind = survival()
    matrix = np.hstack([MATRIX[:, :1], MATRIX[:, :1], np.where(np.arange(ROWS) == 3, 1e6, 0)[:, None]])
    model, _ = fit_cox(matrix, labels, np.arange(ROWS), kind=kind, scaled=[0, 1, 2], seed=0)
    assert model.coefficients[0] == pytest.approx(model.coefficients[1]) and model.coefficients[0] > 0.1
    assert np.isfinite(model.predict(matrix)).all() and np.isfinite(model.predict(matrix * 1e3)).all()


def test_the_loss_that_chooses_is_the_likelihood_of_the_network():
    """For curves of the same hazards."""
    labels, kind = survival()
    targets = kind.targets(labels)
    hazard = RANDOM.uniform(0.05, 0.5, (ROWS, 5))
    expected = 0.0
    for case, (outlived, event) in enumerate(targets):
        expected -= np.log(1 - hazard[case, :outlived]).sum()
        expected -= np.log(hazard[case, event]) if event >= 0 else 0
    assert interval_loss(targets, np.cumprod(1 - hazard, axis=1)) == pytest.approx(expected)


def fit_logistic(matrix, labels, groups):
    fitted = LogisticRegression(C=1e6, max_iter=5000).fit(matrix, labels)
    width = matrix.shape[1]
    plain = (np.zeros(width), np.ones(width))
    return Linear(*plain, fitted.coef_, fitted.intercept_, (0, 1), 2), "weak"


def test_each_label_has_a_model_of_the_cases_that_know_it():
    labels = (MATRIX > 0).astype(np.int64)
    labels[::3, 1] = -1
    labels[RANDOM.random(ROWS) < 0.2, 0] ^= 1
    seen = []

    def fit(matrix, flags, groups):
        seen.append((len(flags), set(flags.tolist()), groups.tolist()))
        return fit_logistic(matrix, flags, groups)

    model, words = fit_per_label(MATRIX, labels, np.arange(ROWS), ("a", "b", "c"), fit)
    assert words == "one model per label; a, b, c: weak"
    assert [size for size, _, _ in seen] == [ROWS, 80, ROWS] and all(flags == {0, 1} for _, flags, _ in seen)
    assert not set(seen[1][2]) & set(range(0, ROWS, 3))
    found = stored("logistic_regression", model).predict(MATRIX)
    assert found.shape == (ROWS, 3)
    alone, _ = fit_logistic(MATRIX, labels[:, 0], np.arange(ROWS))
    assert found[:, 0] == pytest.approx(alone.predict(MATRIX)[:, 1])


def test_hazards_are_those_of_the_rows_of_person_and_interval():
    """Compared with a logistic regression of the intervals by hand: one likelihood for all of them."""
    labels, kind = survival()
    targets = kind.targets(labels)
    model, words = fit_hazards(MATRIX, targets, np.arange(ROWS), 5, fit_logistic)
    assert words == "discrete-time hazards in 5 intervals; weak"
    curves = stored("logistic_regression", model).predict(MATRIX)

    def curves_of(parameters):
        scores = parameters[0] + (MATRIX @ parameters[1:4])[:, None] + parameters[4] * np.arange(5)
        return np.cumprod(1 / (1 + np.exp(scores)), axis=1)

    best = minimize(lambda one: interval_loss(targets, curves_of(one)), np.zeros(5), tol=1e-10)
    assert curves == pytest.approx(curves_of(best.x), abs=1e-3)


@pytest.mark.slow
def test_rows_of_one_case_stay_in_one_fold_of_the_hazards():
    labels, kind = survival()
    groups = np.arange(ROWS) // 2
    seen = []

    def fit(matrix, happened, group):
        seen.append((matrix, happened, group))
        return fit_forest(matrix, happened, group, num_classes=2, seed=0, threads=1)

    model, _ = fit_hazards(MATRIX, kind.targets(labels), groups, 5, fit)
    ((matrix, happened, group),) = seen
    assert happened.sum() == (kind.targets(labels)[:, 1] >= 0).sum()
    assert all(matrix[row, :3].tolist() in MATRIX[groups == group[row]].tolist() for row in range(0, 300, 7))
    curves = stored("random_forest", model).predict(MATRIX)
    assert (np.diff(curves, axis=1) <= 1e-12).all() and np.corrcoef(curves[:, 2], MATRIX[:, 0])[0, 1] < -0.5
