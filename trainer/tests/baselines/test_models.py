"""A baseline that was stored and read again predicts the same as scikit-learn, to 1e-9."""

import json
import time

import numpy as np
import pytest
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LogisticRegression, Ridge

from medloom_trainer.baselines.boosting import Boosting, as_boosting, fit_boosting
from medloom_trainer.baselines.folds import inner_folds
from medloom_trainer.baselines.forest import Forest, as_forest, fit_forest
from medloom_trainer.baselines.linear import Linear, fit_linear
from medloom_trainer.model.linear_fit import STRENGTHS

pytestmark = pytest.mark.usefixtures("all_fits")

WIDTH = 6


def table(kind, *, rows=90, gaps=False):
    """Numbers that float32 represents exactly, two of them 0 or 1; labels of two or three classes, or
    numbers."""
    random = np.random.default_rng(3)
    matrix = random.normal(size=(rows, WIDTH)).astype(np.float32).astype(np.float64)
    matrix[:, 4:] = matrix[:, 4:] > 0.3
    score = matrix[:, 0] + matrix[:, 4] + random.normal(size=rows) * 0.5
    labels = {"two": (score > 0.3) * 1, "three": np.digitize(score, [-0.2, 0.8]), "number": score * 7 + 40}
    if gaps:
        matrix[random.random(matrix.shape) < 0.2] = np.nan
    return matrix, labels[kind]


def classes_of(kind):
    return {"two": 2, "three": 3, "number": 0}[kind]


def stored(model, of):
    return of.of_json(json.loads(json.dumps(model.to_json(), allow_nan=False)), WIDTH)


def reference(model, matrix, kind):
    return model.predict(matrix) if kind == "number" else model.predict_proba(matrix)


KINDS = ["two", "three", "number"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("settings", [{}, {"max_depth": 1}, {"min_samples_leaf": 200}, {"n_estimators": 1}])
def test_a_forest_is_that_of_scikit_learn(kind, settings):
    """With a single tree, with stumps, and with trees of only one leaf."""
    matrix, labels = table(kind)
    of = RandomForestRegressor if kind == "number" else RandomForestClassifier
    fitted = of(**{"n_estimators": 7, "random_state": 0, **settings}).fit(matrix, labels)
    found = stored(as_forest(fitted, classes_of(kind)), Forest).predict(matrix)
    assert found == pytest.approx(reference(fitted, matrix, kind), abs=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("settings", [{}, {"max_iter": 1}, {"min_samples_leaf": 80}])
def test_boosting_is_that_of_scikit_learn(kind, gaps, settings):
    """Also with missing values, after a single round, and if no tree has a split."""
    matrix, labels = table(kind, gaps=gaps)
    of = HistGradientBoostingRegressor if kind == "number" else HistGradientBoostingClassifier
    fitted = of(**{"max_iter": 9, "min_samples_leaf": 5, "random_state": 0, **settings}).fit(matrix, labels)
    fresh = table(kind, rows=200, gaps=True)[0]
    found = stored(as_boosting(fitted, classes_of(kind)), Boosting).predict(fresh)
    assert found == pytest.approx(reference(fitted, fresh, kind), abs=1e-9)


def test_a_column_that_is_missing_or_one_number_is_split_where_it_is_missing():
    """Its split is at infinity, which JSON cannot represent."""
    matrix, labels = table("two")
    matrix[:, 0] = np.where(labels == 1, np.nan, 2.0)
    fitted = HistGradientBoostingClassifier(max_iter=3, random_state=0).fit(matrix, labels)
    found = stored(as_boosting(fitted, 2), Boosting).predict(matrix)
    assert found == pytest.approx(fitted.predict_proba(matrix), abs=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_the_linear_model_is_that_of_scikit_learn(kind):
    matrix, labels = table(kind)
    model, words = fit_linear(
        matrix, labels, np.arange(90), num_classes=classes_of(kind), scaled=[0, 1, 2, 3], seed=0
    )
    scaled = matrix.copy()
    scaled[:, :4] = (matrix[:, :4] - matrix[:, :4].mean(axis=0)) / matrix[:, :4].std(axis=0)
    strength = float(words.split(" = ")[1].split(" ")[0])
    assert strength in STRENGTHS
    fitted = Ridge(strength) if kind == "number" else LogisticRegression(C=strength, max_iter=2000)
    found = stored(model, Linear).predict(matrix)
    assert found == pytest.approx(reference(fitted.fit(scaled, labels), scaled, kind), abs=1e-9)


def test_the_penalty_of_the_linear_model_suits_the_labels():
    """Labels that no column predicts: a strong penalty. Labels that a column predicts: a weak one."""
    matrix, labels = table("two", rows=300)
    strengths = []
    for answers in (np.random.default_rng(1).permutation(labels), (matrix[:, 0] > 0) * 1):
        _, words = fit_linear(matrix, answers, np.arange(300), num_classes=2, scaled=[0, 1, 2, 3], seed=0)
        strengths.append(float(words.split(" = ")[1].split(" ")[0]))
    assert strengths[0] <= 0.1 and strengths[1] >= 10


FITS = {
    "linear": (fit_linear, Linear, {"scaled": [0, 1, 2, 3]}),
    "forest": (fit_forest, Forest, {"threads": 1}),
    "boosting": (fit_boosting, Boosting, {}),
}


@pytest.mark.parametrize("name", FITS)
def test_a_class_that_training_lacks_has_probability_zero(name):
    fit, of, more = FITS[name]
    matrix, labels = table("two")
    model, _ = fit(matrix, np.where(labels == 1, 3, 1), np.arange(90), num_classes=4, seed=0, **more)
    found = stored(model, of).predict(matrix)
    assert found.shape == (90, 4)
    assert not found[:, [0, 2]].any()
    assert found.sum(axis=1) == pytest.approx(1)
    assert np.mean((found[:, 3] > 0.5) == (labels == 1)) > 0.7


@pytest.mark.slow
@pytest.mark.parametrize("name", FITS)
def test_the_setting_is_chosen_by_folds_that_keep_patients_together(name, monkeypatch):
    """Every row three times: rows of a patient in both parts of a fold would look like perfect
    predictions."""
    fit, _, more = FITS[name]
    matrix, labels = (np.repeat(part, 3, axis=0) for part in table("two"))
    patients = np.repeat(np.arange(90), 3)
    module = fit.__globals__
    seen = []
    plain = module["inner_folds"]
    monkeypatch.setitem(module, "inner_folds", lambda *a, **k: seen.append(plain(*a, **k)) or seen[-1])
    first, words = fit(matrix, labels, patients, num_classes=2, seed=0, **more)
    assert "grouped cross-validation on the fitted rows" in words
    assert {"forest": "200 trees with up to 256 leaves", "boosting": " rounds "}.get(name, "C = ") in words
    assert all(not set(patients[a]) & set(patients[b]) for a, b in seen[0])
    assert sorted(np.concatenate([held for _, held in seen[0]])) == list(range(270))
    again, _ = fit(matrix, labels, patients, num_classes=2, seed=0, **more)
    assert first.to_json() == again.to_json()


@pytest.mark.parametrize("rows_of_a_patient", [1, 3])
def test_inner_folds_spread_classes_evenly_and_measure_every_row_once(rows_of_a_patient):
    patients = np.repeat(np.arange(60), rows_of_a_patient)
    labels = (patients % 4 == 0).astype(np.int64)
    folds = inner_folds(labels, patients, classes=2, folds=3, seed=0)
    assert sorted(np.concatenate([held for _, held in folds])) == list(range(len(patients)))
    assert [labels[held].mean() for _, held in folds] == pytest.approx([0.25] * 3)


def test_inner_folds_of_many_patients_take_no_second():
    """A forest of ten thousand rows must take only seconds."""
    labels = np.arange(20_000) % 7 == 0
    started = time.process_time()
    inner_folds(labels, np.arange(20_000), classes=2, folds=3, seed=0)
    assert time.process_time() - started < 0.5


def test_trees_that_lead_in_a_circle_or_out_of_the_table_are_refused():
    matrix, labels = table("two")
    fitted = RandomForestClassifier(n_estimators=1, max_depth=2, random_state=0).fit(matrix, labels)
    good = as_forest(fitted, 2).to_json()
    for key, value in {"left": 0, "right": 0, "feature": WIDTH}.items():
        wrong = json.loads(json.dumps(good))
        wrong["trees"][0][key][0] = value
        with pytest.raises(ValueError):
            Forest.of_json(wrong, WIDTH)
    assert stored(as_forest(fitted, 2), Forest)
