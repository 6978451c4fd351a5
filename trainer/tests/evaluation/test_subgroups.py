"""Groups with fewer than 20 cases or 5 events: their size, and the reason why they have no metrics."""

import numpy as np
import pytest

from medloom_trainer.evaluation.subgroups import subgroup_metrics
from medloom_trainer.metrics.binary import BinaryOutcome
from medloom_trainer.metrics.multiclass import MulticlassOutcome
from medloom_trainer.metrics.outcome import estimate
from medloom_trainer.metrics.regression import RegressionOutcome
from medloom_trainer.outcomes.classification import Classification
from medloom_trainer.outcomes.regression import Regression

BINARY, SEVERAL = Classification(("no", "yes")), Classification(("x", "y", "z"))


def groups(**sizes):
    return {"site": np.repeat(list(sizes), list(sizes.values())).astype(np.str_)}


def of_binary(columns, labels, seed=0):
    labels = np.asarray(labels)
    probability = np.random.default_rng(seed).random(len(labels))
    found = subgroup_metrics(
        columns, labels, BINARY, lambda mask: BinaryOutcome(labels[mask], probability[mask], 0.5)
    )
    return found, labels, probability


@pytest.mark.parametrize(
    "cases, events, reason",
    [
        (19, 10, "fewer than 20 cases"),
        (20, 4, "fewer than 5 events"),
        (20, 16, "fewer than 5 cases without the event"),
        (20, 5, None),
    ],
)
def test_too_small_a_group_has_a_size_and_a_reason_but_no_number(cases, events, reason):
    found, *_ = of_binary(groups(a=cases), [1] * events + [0] * (cases - events))
    assert [(one["cases"], one["events"], one["reason"]) for one in found] == [(cases, events, reason)]
    assert bool(found[0]["metrics"]) == (reason is None)


def test_a_group_is_measured_on_its_cases_alone():
    found, labels, probability = of_binary(groups(a=30, b=40), [0, 1] * 35)
    assert [one["group"] for one in found] == ["a", "b"]
    values, _ = estimate(BinaryOutcome(labels[30:], probability[30:], 0.5))
    assert found[1]["metrics"] == {name: values[name] for name in found[1]["metrics"]}
    assert set(found[1]["metrics"]) >= {"accuracy", "auc", "f1_score", "sensitivity", "specificity"}


def test_cases_of_unknown_group_stand_last_under_their_own_name():
    columns = {"sex": np.array([""] * 20 + ["m"] * 20)}
    found, *_ = of_binary(columns, [0, 1] * 20)
    assert [(one["group"], one["cases"]) for one in found] == [("m", 20), ("unknown", 20)]


def test_several_classes_keep_the_accuracy_when_one_is_rare():
    labels = np.array([0] * 12 + [1] * 12 + [2] * 3)
    probability = np.random.default_rng(0).dirichlet(np.ones(3), 27)
    found = subgroup_metrics(
        groups(a=27), labels, SEVERAL, lambda m: MulticlassOutcome(labels[m], probability[m], ("x", "y", "z"))
    )
    assert found[0]["metrics"]["accuracy"] is not None and found[0]["events"] is None
    assert {v for name, v in found[0]["metrics"].items() if name != "accuracy"} == {None}
    assert "fewer than 5 cases" in found[0]["reason"]


def test_a_regression_counts_cases_only():
    truth = np.arange(25.0)
    found = subgroup_metrics(
        groups(a=25), truth, Regression(0, 1), lambda m: RegressionOutcome(truth[m], truth[m] + 1)
    )
    assert found[0]["metrics"]["bias"] == 1 and found[0]["events"] is None
    assert "auc" not in found[0]["metrics"]


def test_the_minima_count_patients():
    """Forty rows of eight patients count as eight, and twenty-five patients with six rows each as
    twenty-five."""
    labels = np.array([0, 1] * 20)
    few = of_patients(labels, np.arange(40) // 5)
    assert (few["cases"], few["patients"], few["metrics"]) == (40, 8, {})
    assert few["reason"] == "fewer than 20 patients"

    ill = np.repeat(np.arange(25) < 4, 6).astype(int)
    rare = of_patients(ill, np.repeat(np.arange(25), 6))
    assert rare["events"] == 24 and rare["reason"] == "fewer than 5 patients with the event"


def test_every_number_of_a_group_has_its_interval():
    found, *_ = of_binary(groups(a=60), [0, 1] * 30)
    assert found[0]["intervals"].keys() == found[0]["metrics"].keys()
    for one in found[0]["intervals"].values():
        assert one["low"] < one["estimate"] < one["high"]
    clustered = of_patients(np.array([0, 1] * 60), np.arange(120) // 3)
    assert clustered["intervals"]["sensitivity"]["method"] == "Wilson, effective sample size"


def of_patients(labels, patients):
    probability = np.random.default_rng(0).random(len(labels))
    (found,) = subgroup_metrics(
        groups(a=len(labels)),
        labels,
        BINARY,
        lambda mask: BinaryOutcome(labels[mask], probability[mask], 0.5),
        patients,
    )
    return found
