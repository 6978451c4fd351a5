"""Multi-class metrics equal scikit-learn's if those are defined; otherwise None with a reason."""

import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn import metrics as reference
from sklearn.exceptions import UndefinedMetricWarning

from medloom_trainer.metrics.figures import confusion_matrix
from medloom_trainer.metrics.multiclass import MulticlassOutcome, of_class
from medloom_trainer.metrics.outcome import estimate

TOLERANCE = 1e-9


@st.composite
def predictions(draw):
    count, size = draw(st.integers(3, 5)), draw(st.integers(1, 40))
    labels = draw(st.lists(st.integers(0, count - 1), min_size=size, max_size=size))
    grid = draw(st.sampled_from([1, 3, 1000]))
    cells = st.lists(st.integers(0, grid), min_size=size * count, max_size=size * count)
    raw = np.array(draw(cells), dtype=float).reshape(size, count)
    raw[raw.sum(axis=1) == 0, 0] = 1
    return np.array(labels), raw / raw.sum(axis=1, keepdims=True)


def reference_values(labels, probability):
    classes = list(range(probability.shape[1]))
    called = probability.argmax(axis=1)
    present, touched = set(labels), set(labels) | set(called)
    report = {"accuracy": reference.accuracy_score(labels, called)}
    report["log_loss"] = reference.log_loss(labels, probability, labels=classes)
    if touched == set(classes):
        report["f1_score"] = reference.f1_score(labels, called, labels=classes, average="macro")
    if len(touched) > 1:
        report["kappa"] = reference.cohen_kappa_score(labels, called)
    if present == set(classes):
        report["auc"] = reference.roc_auc_score(
            labels, probability, multi_class="ovr", average="macro", labels=classes
        )
        report["balanced_accuracy"] = reference.balanced_accuracy_score(labels, called)
    for k in classes:
        own, chosen = labels == k, called == k
        if own.any():
            report[of_class("sensitivity", k)] = reference.recall_score(own, chosen)
        if not own.all():
            report[of_class("specificity", k)] = reference.recall_score(~own, ~chosen)
        if chosen.any():
            report[of_class("ppv", k)] = reference.precision_score(own, chosen)
        if own.any() and not own.all():
            report[of_class("auc", k)] = reference.roc_auc_score(own, probability[:, k])
            report[of_class("auprc", k)] = reference.average_precision_score(own, probability[:, k])
    return report


def random_cases(count):
    return settings(
        max_examples=count, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
    )


@pytest.mark.slow
@random_cases(20)
@given(predictions())
def test_equals_scikit_learn_where_it_is_defined_and_none_with_a_reason_elsewhere(case):
    compare_with_scikit_learn(case)


@pytest.mark.slow
@pytest.mark.full
@random_cases(120)
@given(predictions())
def test_equals_scikit_learn_in_many_cases(case):
    compare_with_scikit_learn(case)


def compare_with_scikit_learn(case):
    labels, probability = case
    names = tuple("abcde"[: probability.shape[1]])
    outcome = MulticlassOutcome(labels, probability, names)
    values, notes = estimate(outcome)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UndefinedMetricWarning)
        expected = reference_values(labels, probability)

    for name, value in expected.items():
        assert values[name] == pytest.approx(value, abs=TOLERANCE), name
    for name, value in values.items():
        assert (value is None) == (name in notes), name
    for name in {"auc", "balanced_accuracy", "f1_score", "kappa"} - expected.keys():
        assert values[name] is None
    matrix = reference.confusion_matrix(labels, outcome.predicted, labels=range(len(names)))
    assert confusion_matrix(outcome, len(names)) == matrix.tolist()


def test_an_absent_class_leaves_the_average_undefined_and_the_others_defined():
    probability = np.array([[0.7, 0.2, 0.1], [0.2, 0.7, 0.1], [0.6, 0.3, 0.1], [0.3, 0.6, 0.1]])
    values, notes = estimate(MulticlassOutcome([0, 1, 0, 1], probability, ("nevus", "melanoma", "keratosis")))
    assert values["auc"] is None and notes["auc"] == "no cases of keratosis"
    assert values["balanced_accuracy"] is None and notes["f1_score"] == "no cases of keratosis"
    assert values["auc[0]"] == values["auc[1]"] == 1
    assert values["auc[2]"] is None and notes["auc[2]"] == "no cases of this class"
    assert list(values)[:3] == ["accuracy", "auc", "f1_score"]


def test_one_class_everywhere_has_no_kappa():
    values, notes = estimate(MulticlassOutcome([0, 0], np.array([[1, 0, 0], [1, 0, 0]]), ("a", "b", "c")))
    assert values["kappa"] is None and "only one class" in notes["kappa"]
    assert values["accuracy"] == 1


def test_brier_is_the_squared_distance_to_the_true_class():
    probability = np.array([[0.5, 0.25, 0.25], [0.0, 1.0, 0.0]])
    values, _ = estimate(MulticlassOutcome([0, 2], probability, ("a", "b", "c")))
    assert values["brier"] == pytest.approx((0.25 + 0.0625 + 0.0625 + 2) / 2)


def test_weights_count_cases():
    generator = np.random.default_rng(0)
    labels, probability = generator.integers(0, 3, 50), generator.dirichlet(np.ones(3), 50).round(1)
    weights = generator.integers(0, 4, (4, 50))
    measured = MulticlassOutcome(labels, probability, ("a", "b", "c")).measure(weights.astype(float))
    for row, times in enumerate(weights):
        repeated, _ = estimate(
            MulticlassOutcome(labels.repeat(times), probability.repeat(times, axis=0), ("a", "b", "c"))
        )
        for name, value in repeated.items():
            assert measured[name][row] == pytest.approx(value, abs=1e-9), name
