"""Baselines learn from the same rows as the networks of the model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from tests.baselines.test_job import fit, state_of

from medloom_trainer.baselines.ablation import train_ablation
from medloom_trainer.baselines.design import Design
from medloom_trainer.baselines.predict import predict_baselines
from medloom_trainer.baselines.rows import LearningRows
from medloom_trainer.baselines.table import fit_table_baseline
from medloom_trainer.data.types import PreparedData
from medloom_trainer.exchange.control import Control
from medloom_trainer.exchange.events import Events
from medloom_trainer.outcomes import kind_of_data
from medloom_trainer.training.distributed.group import Group
from medloom_trainer.training.members.plan import table_of_both
from testing.synthetic import configuration, prepared, spec_of

pytestmark = pytest.mark.slow

MEMBERS, TRAIN, VAL = 3, 50, 16


def data_of(**changes) -> PreparedData:
    """Each of the networks leaves out a fold of training and validation cases."""
    data = prepared(train_cases=TRAIN, val_cases=VAL, **{"num_views": 0, **changes})
    folds = np.random.default_rng(3).permutation(np.arange(TRAIN + VAL) % MEMBERS)
    return replace(data, member_folds=folds)


def test_the_model_is_fitted_on_training_and_validation_rows():
    data = data_of()
    fitted = fit_table_baseline("logistic_regression", data, 0)
    both = table_of_both(data)
    matrix = Design.from_layout(data.layout, both, blanks=False).matrix(both)
    assert (fitted.splits, fitted.num_cases, len(matrix)) == (["train", "val"], TRAIN + VAL, TRAIN + VAL)
    matrix[:, 0] = (matrix[:, 0] - matrix[:, 0].mean()) / matrix[:, 0].std()
    strength = float(fitted.baseline.settings.split(" = ")[1].split(" ")[0])
    reference = LogisticRegression(C=strength, max_iter=2000).fit(matrix, both.labels)
    assert fitted.baseline.predict(both) == pytest.approx(reference.predict_proba(matrix), abs=1e-9)


@pytest.mark.parametrize("name", ["logistic_regression", "hist_gradient_boosting"])
def test_a_validation_case_is_predicted_without_its_fold(name):
    data = data_of()
    before = fit_table_baseline(name, data, 0)
    mine = data.member_folds[TRAIN:] == 1
    labels = data.val.labels.copy()
    labels[mine] = 1 - labels[mine]
    after = fit_table_baseline(name, replace(data, val=replace(data.val, labels=labels)), 0)
    assert np.array_equal(after.validation[mine], before.validation[mine])
    assert not np.array_equal(after.validation[~mine], before.validation[~mine])
    assert not np.array_equal(after.baseline.predict(data.val), before.baseline.predict(data.val))


def test_the_threshold_is_chosen_by_these_predictions():
    data = data_of()
    fitted = fit_table_baseline("logistic_regression", data, 0)
    chosen = kind_of_data(data).choose_threshold(data.val.labels, fitted.validation)
    assert fitted.baseline.threshold == chosen


def test_without_folds_the_training_rows_alone_are_learned():
    data = replace(data_of(), member_folds=None)
    fitted = fit_table_baseline("logistic_regression", data, 0)
    assert (fitted.splits, fitted.num_cases) == (["train"], TRAIN)
    assert np.array_equal(fitted.validation, fitted.baseline.predict(data.val))
    assert "out_of_fold" not in fitted.to_json()


@pytest.mark.parametrize("folds", [True, False])
def test_validation_cases_are_compared_by_these_predictions_and_others_by_the_model(tmp_path, folds):
    data = data_of() if folds else replace(data_of(), member_folds=None)
    assert fit(tmp_path, data, ["logistic_regression"]) == []
    fitted = fit_table_baseline("logistic_regression", data, 0)
    of_model = {"splits": ["train", "val"] if folds else ["train"], "cases": 66 if folds else 50}
    for validation in (True, False):
        [one], warnings = predict_baselines(tmp_path, state_of(data), data.val, None, validation=validation)
        assert warnings == []
        expected = fitted.validation if validation else fitted.baseline.predict(data.val)
        assert np.array_equal(one.predictions, expected)
        assert one.fitted_on == {**of_model, "same_as_model": True}


def test_a_model_that_learned_from_further_cases_is_said(tmp_path):
    data = replace(data_of(), member_folds=None)
    fit(tmp_path, data, ["logistic_regression"])
    told = []
    for changes in ({"config": {"data": {"validation": "folds"}}}, {"fine_tuned_from": {"job_id": "x"}}):
        [one], _ = predict_baselines(tmp_path, {**state_of(data), **changes}, data.val, None)
        told.append(one.fitted_on["same_as_model"])
    assert told == [False, False]


def test_a_baseline_of_other_validation_rows_is_not_used(tmp_path):
    data = data_of()
    fit(tmp_path, data, ["logistic_regression"])
    state = {**state_of(data), "data_digests": {"train": data.train.digest, "val": "another"}}
    found, [told] = predict_baselines(tmp_path, state, data.val, None)
    assert found == [] and "different training rows" in told["message"]


def test_a_stop_is_obeyed_between_the_fits(tmp_path):
    data, asked = data_of(), []

    class Stops(Control):
        def stops(self) -> bool:
            asked.append(True)
            return len(asked) > 2

    [told] = fit(tmp_path, data, ["logistic_regression"], control=Stops(tmp_path, 1))
    assert "stopped while it was being trained" in told["message"]


def test_patients_of_both_splits_are_told_apart():
    data = data_of()
    first, second = np.arange(TRAIN) // 2, np.arange(VAL) // 2

    def groups(train_ids=None, val_ids=None):
        train = replace(data.train, patients=first, patient_ids=train_ids)
        val = replace(data.val, patients=second, patient_ids=val_ids)
        return LearningRows.from_data(replace(data, train=train, val=val)).groups

    assert len(np.unique(groups())) == (TRAIN + VAL) // 2
    shared = groups([f"p{i}" for i in first], [f"p{i}" for i in second])
    assert np.array_equal(shared[:VAL], shared[TRAIN:])


def test_the_table_alone_keeps_what_its_networks_say_of_cases_that_they_left_out(tmp_path, quick_networks):
    data = data_of(num_views=1)
    config = configuration(fusion_type="late", epochs=1, members=MEMBERS, linear_share=0)
    with Events(tmp_path, 1) as events:
        content = train_ablation(
            "table_only",
            spec_of(tmp_path, config),
            data,
            events=events,
            control=Control(tmp_path, 1),
            group=Group.alone(),
        )
    assert content["cases"] == TRAIN + VAL
    assert np.shape(content["out_of_fold"]) == (VAL, 2)
