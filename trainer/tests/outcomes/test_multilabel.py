"""Several labels of a case: read, divided, learned, measured as in scikit-learn, and written."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from jsonschema import Draft202012Validator
from sklearn import metrics as reference

from medloom_trainer.contract.schemas import contract
from medloom_trainer.data.features.target_statistics import code_targets
from medloom_trainer.data.splits.divide import choose_validation
from medloom_trainer.data.splits.grouping import strata_of
from medloom_trainer.data.tables import LabelScheme, make_table, targets_of
from medloom_trainer.data.tables.labels import learn_flags, read_labels
from medloom_trainer.errors import TrainerError
from medloom_trainer.jobs.job import run_job
from medloom_trainer.metrics.intervals import intervals
from medloom_trainer.metrics.multilabel import MultilabelOutcome
from medloom_trainer.metrics.outcome import estimate
from medloom_trainer.outcomes.multilabel import Multilabel
from testing.checkpoints import evaluate_best
from testing.synthetic import configuration, events_of
from testing.trainer_process import write_spec

pytestmark = pytest.mark.slow

NAMES = ("nodule", "effusion", "oedema")
KIND = Multilabel(NAMES)


def drawn(size: int = 80, unknown: float = 0.0) -> tuple[Any, Any]:
    """(N, 3) labels and probabilities that are associated with them."""
    random = np.random.default_rng(4)
    probability = random.random((size, 3))
    labels = (random.random((size, 3)) < probability).astype(np.int64)
    labels[random.random((size, 3)) < unknown] = -1
    labels[(labels < 0).all(axis=1), 0] = 1
    return labels, probability


def test_metrics_are_those_of_scikit_learn():
    labels, probability = drawn()
    outcome = MultilabelOutcome(labels, probability, [0.5] * 3, NAMES)
    values, notes = estimate(outcome)
    called = (probability >= 0.5).astype(int)
    expected = {
        "auc": reference.roc_auc_score(labels, probability, average="macro"),
        "auc_micro": reference.roc_auc_score(labels, probability, average="micro"),
        "auprc": reference.average_precision_score(labels, probability, average="macro"),
        "auprc_micro": reference.average_precision_score(labels, probability, average="micro"),
        "f1_score": reference.f1_score(labels, called, average="macro"),
        "f1_micro": reference.f1_score(labels, called, average="micro"),
        "hamming_loss": reference.hamming_loss(labels, called),
        "subset_accuracy": reference.accuracy_score(labels, called),
        "brier": np.mean([reference.brier_score_loss(labels[:, k], probability[:, k]) for k in range(3)]),
    }
    assert {name: values[name] for name in expected} == pytest.approx(expected, abs=1e-9)
    for k in range(3):
        one = reference.roc_auc_score(labels[:, k], probability[:, k])
        assert values[f"auc[{k}]"] == pytest.approx(one, abs=1e-9)
    assert notes == {}


def test_cells_that_nobody_labeled_count_nowhere():
    """The case is ignored for that label; a subset is evaluated if every label is known."""
    labels, probability = drawn(unknown=0.3)
    outcome = MultilabelOutcome(labels, probability, [0.4, 0.5, 0.6], NAMES)
    values, _ = estimate(outcome)
    called = probability >= np.array([0.4, 0.5, 0.6])
    known = labels >= 0
    areas = [reference.roc_auc_score(labels[known[:, k], k], probability[known[:, k], k]) for k in range(3)]
    assert values["auc"] == pytest.approx(np.mean(areas), abs=1e-9)
    micro = reference.roc_auc_score(labels[known], probability[known])
    assert values["auc_micro"] == pytest.approx(micro, abs=1e-9)
    wrong = (called != (labels == 1)) & known
    assert values["hamming_loss"] == pytest.approx(wrong.sum() / known.sum())
    whole = known.all(axis=1)
    assert values["subset_accuracy"] == pytest.approx((~wrong[whole].any(axis=1)).mean())
    # The prediction for an unknown cell has no effect.
    other, _ = estimate(MultilabelOutcome(labels, np.where(known, probability, 0.99), [0.4, 0.5, 0.6], NAMES))
    assert other == pytest.approx(values)


def test_every_metric_has_an_interval_over_patients_or_says_why_not():
    labels, probability = drawn(size=120, unknown=0.1)
    outcome = MultilabelOutcome(labels, probability, [0.5] * 3, NAMES)
    values, notes = estimate(outcome)
    found = intervals(outcome, values, notes, np.arange(120) // 2, replicates=200)
    assert found.keys() == values.keys()
    for name, one in found.items():
        assert one["low"] is not None and one["low"] <= one["estimate"] <= one["high"], name
    rows = intervals(outcome, values, notes, None, replicates=200)
    assert rows["auc"]["low"] != found["auc"]["low"]


def test_cases_of_several_models_are_each_decided_by_the_thresholds_of_their_own():
    labels, probability = drawn(unknown=0.1)
    each = np.where(np.arange(80)[:, None] < 40, [[0.3, 0.5, 0.7]], [[0.6, 0.6, 0.2]])
    values, _ = estimate(MultilabelOutcome(labels, probability, each, NAMES))
    wrong = ((probability >= each) != (labels == 1))[labels >= 0]
    assert values["hamming_loss"] == pytest.approx(wrong.mean())


def test_a_label_with_one_answer_only_is_undefined_and_named():
    labels, probability = drawn()
    labels[:, 1] = 0
    values, notes = estimate(MultilabelOutcome(labels, probability, [0.5] * 3, NAMES))
    assert values["auc"] is None and notes["auc"] == "only one class for effusion"
    assert values["auc[1]"] is None and "no positive cases" in notes["auc[1]"]
    assert values["auc[0]"] is not None and values["hamming_loss"] is not None


def table_of(**cells: list[str]) -> Any:
    return make_table("t.csv", cells)


def test_yes_and_no_are_read_however_they_are_written():
    table = table_of(a=["1", "0", "", "1.0"], b=["yes", "No", "TRUE", "false"], c=["NA", "n", "y", "0"])
    scheme = learn_flags(table, ("a", "b", "c"))
    assert (scheme.task, scheme.classes) == ("multilabel", ("a", "b", "c"))
    assert read_labels(table, scheme, "train").tolist() == [[1, 1, -1], [0, 0, 0], [-1, 1, 1], [1, 0, 0]]
    (said,) = scheme.warnings
    assert said["code"] == "LABELS_MISSING" and "2 of 12" in said["message"] and '"a" 1' in said["message"]


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({"a": ["1", "0", "2"], "b": ["1", "0", "1"]}, '"a" is neither yes nor no in 1 case: t.csv, row 4'),
        ({"a": ["1", "0", ""], "b": ["1", "0", ""]}, "1 of 3 cases have none of the 2 labels: t.csv, row 4"),
        ({"a": ["1", "0", "1"], "b": ["0", "0", ""]}, '"b" is never yes in the training cases (3)'),
        ({"a": ["1", "1", "1"], "b": ["0", "1", ""]}, '"a" is never no in the training cases (3)'),
    ],
)
def test_labels_that_cannot_be_learned_are_refused_with_their_rows(cells, message):
    with pytest.raises(TrainerError) as caught:
        learn_flags(table_of(**cells), tuple(cells))
    assert caught.value.code == "LABEL_INVALID" and message in caught.value.message


def test_every_label_is_divided_alike_between_training_and_validation():
    """Iterative stratification: also for rare labels, and no patient is divided."""
    random = np.random.default_rng(0)
    labels = (random.random((600, 4)) < [0.5, 0.2, 0.05, 0.02]).astype(np.int64)
    patients = np.arange(600) // 2
    scheme = LabelScheme(tuple("abcd"), "multilabel", tuple("abcd"))
    chosen = choose_validation(patients, strata_of(labels, scheme), 0.2, seed=3)
    assert abs(chosen.mean() - 0.2) < 0.01
    assert not set(patients[chosen]) & set(patients[~chosen])
    for answers in labels.T:
        assert abs(answers[chosen].sum() - 0.2 * answers.sum()) <= 2
    plain = [np.isin(patients, random.permutation(300)[:60]) for _ in range(200)]
    off = [abs(labels[part].sum(axis=0) / labels.sum(axis=0) - 0.2)[3] for part in plain]
    assert abs(labels[chosen].sum(axis=0) / labels.sum(axis=0) - 0.2)[3] < np.mean(off)


def test_target_statistics_know_each_label_on_its_own():
    labels = np.array([[1, 0], [1, -1], [0, 1], [0, 0]])
    scheme = LabelScheme(("a", "b"), "multilabel", ("a", "b"))
    codes = code_targets(targets_of(labels, scheme), np.arange(4), seed=0).codes
    assert codes.shape == (4, 2) and codes[:, 0].tolist() == [1, 1, -1, -1]
    assert codes[1, 1] == 0 and codes[:, 1].sum() == pytest.approx(0)


def loss_of(labels: Any, **changes: Any) -> Any:
    return KIND.loss(configuration(**changes)["training"], labels)


def test_the_loss_is_cross_entropy_over_the_labels_that_are_known():
    labels, _ = drawn(size=10, unknown=0.3)
    outputs = torch.randn(10, 3, generator=torch.Generator().manual_seed(0)).double()
    losses = loss_of(labels)(outputs, torch.from_numpy(labels))
    probability = outputs.sigmoid().numpy()
    for case, loss in enumerate(losses.tolist()):
        known = labels[case] >= 0
        cells = -np.log(np.where(labels[case] == 1, probability[case], 1 - probability[case]))[known]
        assert loss == pytest.approx(cells.mean())
    outputs.requires_grad_(True)
    loss_of(labels)(outputs, torch.from_numpy(labels)).sum().backward()
    assert outputs.grad is not None and (outputs.grad[torch.from_numpy(labels < 0)] == 0).all()


def test_class_weights_smoothing_and_focal_change_the_loss():
    labels, _ = drawn(size=40)
    outputs = torch.zeros(40, 3, dtype=torch.float64)
    plain = loss_of(labels)(outputs, torch.from_numpy(labels))
    for changes in ({"class_weights": "balanced"}, {"loss_function": "focal"}):
        assert not torch.allclose(loss_of(labels, **changes)(outputs, torch.from_numpy(labels)), plain)
    balanced = loss_of(labels, class_weights="balanced").label_weights
    counts = torch.tensor(np.stack([(labels == 0).sum(axis=0), (labels == 1).sum(axis=0)]))
    assert torch.allclose((balanced * counts).sum(dim=0), counts.sum(dim=0).float())
    assert torch.allclose(balanced[0] * counts[0], balanced[1] * counts[1])
    named = loss_of(labels, class_weights={"nodule": 3.0, "effusion": 1.0, "oedema": 1.0}).label_weights
    assert float(named[1, 0] / named[0, 0]) == pytest.approx(3)
    smooth = loss_of(labels, label_smoothing=0.2)(torch.full((40, 3), 9.0), torch.from_numpy(labels))
    assert (smooth > 0.5).all()
    with pytest.raises(TrainerError, match="has no weights for: effusion, oedema"):
        loss_of(labels, class_weights={"nodule": 3.0})
    with pytest.raises(TrainerError, match="these labels are binary"):
        loss_of(labels, loss_function="mse")


def test_a_threshold_of_each_label_is_chosen_where_it_is_known():
    labels = np.array([[0, 0], [1, -1], [1, 1], [0, -1]])
    predictions = np.array([[0.1, 0.2], [0.8, 0.99], [0.7, 0.3], [0.2, 0.0]])
    assert KIND.threshold_or_default(None) == [0.5] * 3
    assert Multilabel(("a", "b")).choose_threshold(labels, predictions) == pytest.approx([0.45, 0.25])


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("multilabel")
    random = np.random.default_rng(1)
    x = random.normal(size=(160, 3))
    flags = (x + 0.4 * random.normal(size=(160, 3)) > [0, 0.5, 0.8]).astype(int)
    with (folder / "train.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["patient_id", "a", "b", "c", "sex", *NAMES, "split"])
        for row in range(160):
            cells = ["" if random.random() < 0.1 and name else str(flags[row, name]) for name in range(3)]
            split = "test" if row >= 120 else "train"
            writer.writerow([f"p{row}", *x[row].round(4), "mf"[row % 2], *cells, split])
    spec = write_spec(
        folder / "run",
        folder,
        vision_backbone="none",
        baselines=["logistic_regression", "random_forest", "hist_gradient_boosting"],
        members=2,
        label_columns=list(NAMES),
        subgroup_columns=["sex"],
        epochs=6,
        learning_rate=0.01,
    )
    assert run_job(spec) == 0
    return folder / "run"


@pytest.mark.slow
def test_a_training_learns_them_and_writes_what_the_contract_declares(trained):
    result = json.loads((trained / "metrics" / "validation.json").read_text())
    Draft202012Validator(contract("evaluation")).validate(result)
    assert (result["task"], result["classes"], result["threshold"]) == ("multilabel", list(NAMES), None)
    assert result["metrics"]["auc"] > 0.7 and result["roc"] and len(result["pr"]) == 3
    assert [row["name"] for row in result["per_class"]] == list(NAMES)
    assert all(0 < row["threshold"] < 1 and row["calibration"]["bins"] for row in result["per_class"])
    assert {row["group"] for row in result["subgroups"]} == {"m", "f"}
    (event,) = events_of(trained, "prepared")
    Draft202012Validator(contract("event")).validate(event)
    said = event["prepared"]
    assert (said["label_column"], said["label_columns"]) == (None, list(NAMES))
    assert said["splits"]["train"]["class_counts"].keys() == set(NAMES)
    assert not set(NAMES) & {*said["numeric_columns"], *said["ignored_columns"]}
    assert "LABELS_MISSING" in {one["code"] for one in said["warnings"]}


def test_its_predictions_and_thresholds_evaluate_other_cases(trained, tmp_path):
    result, rows = evaluate_best(trained, trained.parent / "train.csv", tmp_path / "out")
    assert len(rows) == result["num_cases"] == 40
    for part in result["per_class"]:
        name = part["name"]
        known = [row for row in rows if row[f"truth_{name}"]]
        assert len(known) == part["labelled"]
        area = reference.roc_auc_score(
            [int(row[f"truth_{name}"]) for row in known],
            [float(row[f"probability_{name}"]) for row in known],
        )
        assert part["metrics"]["auc"] == pytest.approx(area, abs=1e-9)
        called = [float(row[f"probability_{name}"]) >= part["threshold"] for row in rows]
        assert [row[f"predicted_{name}"] == "1" for row in rows] == called
    logistic, forest, boosting = result["baselines"]
    assert logistic["thresholds"] and logistic["threshold"] is None
    assert "one model per label" in logistic["settings"]
    difference = logistic["differences"]["auc"]
    assert difference["low"] < difference["estimate"] < difference["high"]
    assert all(one["metrics"]["auc"] > 0.7 for one in (forest, boosting))
    assert logistic["verdict"]["metric"] == "auc"
    wrong = result["failures"][0]
    assert wrong["truth"].removeprefix("no ") == wrong["predicted"].removeprefix("no ")
    assert wrong["truth"] != wrong["predicted"]
