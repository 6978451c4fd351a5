"""Times to an event: read, divided, learned, measured as in scikit-survival, and written."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from jsonschema import Draft202012Validator

from medloom_trainer.contract.schemas import contract
from medloom_trainer.data.features.time_grid import fit_time_grid
from medloom_trainer.data.splits.divide import choose_validation
from medloom_trainer.data.splits.grouping import strata_of
from medloom_trainer.data.tables import LabelScheme, make_table, targets_of
from medloom_trainer.data.tables.labels import learn_survival
from medloom_trainer.errors import TrainerError
from medloom_trainer.jobs.job import run_job
from medloom_trainer.metrics.intervals import intervals
from medloom_trainer.metrics.outcome import estimate
from medloom_trainer.metrics.statistics.kaplan_meier import censoring_curve, survival_curve
from medloom_trainer.metrics.survival import SurvivalOutcome, TimeGrid
from medloom_trainer.outcomes.survival import Survival
from testing.checkpoints import evaluate_best
from testing.synthetic import configuration, events_of
from testing.trainer_process import write_spec

pytestmark = pytest.mark.slow

REFERENCE = json.loads((Path(__file__).parent / "survival_reference.json").read_text())
GIVEN, FOUND = REFERENCE["inputs"], REFERENCE["found"]


def reference_outcome() -> SurvivalOutcome:
    train = np.asarray(GIVEN["train_time"]), np.asarray(GIVEN["train_event"])
    edges = np.asarray(GIVEN["edges"])
    grid = TimeGrid(edges, tuple(GIVEN["horizons"]), GIVEN["tau"], censoring_curve(*train))
    return SurvivalOutcome(GIVEN["time"], GIVEN["event"], GIVEN["survival"], grid)


def test_metrics_are_those_of_scikit_survival():
    """survival_reference.py writes the expected numbers."""
    values, _ = estimate(reference_outcome())
    for name in ("c_index", "uno_c", "integrated_brier"):
        assert values[name] == pytest.approx(FOUND[name], abs=1e-9), name
    areas = [values[f"auc_{quarter}"] for quarter in (25, 50, 75)]
    assert areas == pytest.approx(FOUND["auc"], abs=1e-9)


def test_curves_are_those_of_scikit_survival():
    time, event = np.asarray(GIVEN["time"]), np.asarray(GIVEN["event"])
    times, values = FOUND["kaplan_meier"]
    assert survival_curve(time, event).at(np.asarray(times)) == pytest.approx(values, abs=1e-12)
    steps = FOUND["censoring"]
    censoring = censoring_curve(np.asarray(GIVEN["train_time"]), np.asarray(GIVEN["train_event"]))
    assert censoring.at(np.asarray(steps["times"])) == pytest.approx(steps["values"], abs=1e-12)


def test_a_case_that_counts_twice_counts_like_two():
    outcome = reference_outcome()
    weights = np.ones((1, outcome.size))
    weights[0, :40] = 2
    twice = np.concatenate([np.arange(outcome.size), np.arange(40)])
    doubled = SurvivalOutcome(
        outcome.time[twice], outcome.event[twice], outcome.predictions[twice], outcome.grid
    )
    expected, _ = estimate(doubled)
    for name, value in outcome.measure(weights).items():
        if expected[name] is not None:
            assert float(value[0]) == pytest.approx(expected[name], abs=1e-12), name


def test_every_metric_has_an_interval_over_patients():
    outcome = reference_outcome()
    values, notes = estimate(outcome)
    found = intervals(outcome, values, notes, np.arange(outcome.size) // 2, replicates=200)
    for name in ("c_index", "uno_c", "integrated_brier", "auc_25", "auc_50", "auc_75"):
        assert found[name]["low"] < values[name] < found[name]["high"], name
    assert values["accuracy"] is None and "no classes" in notes["accuracy"]


def test_survival_between_the_edges_follows_a_constant_hazard():
    grid = reference_outcome().grid
    predictions = np.array([[0.9, 0.8, 0.7, 0.6, 0.5, 0.4]])
    at = grid.survival(predictions, np.array([0.0, 0.5, 1.0, 1.5, 10.0, 99.0]))[0]
    assert at == pytest.approx([1, 0.9**0.5, 0.9, (0.9 * 0.8) ** 0.5, 0.4, 0.4])
    assert grid.risk(np.ones((1, 6)))[0] == 0 and grid.risk(np.zeros((1, 6)))[0] > 9


def table_of(days: list[str], dead: list[str]) -> Any:
    return make_table("t.csv", {"days": days, "dead": dead})


@pytest.mark.parametrize(
    ("days", "dead", "message"),
    [
        (["3", "0", "5"], ["1", "1", "0"], '"days" is not above 0 in 1 case: t.csv, row 3'),
        (["3", "-2", "5"], ["1", "1", "0"], '"days" is not above 0 in 1 case: t.csv, row 3'),
        (["3", "", "5"], ["1", "1", "0"], '"days" is missing in 1 case: t.csv, row 3'),
        (["3", "soon", "5"], ["1", "1", "0"], '"days" is not a number in 1 case: t.csv, row 3'),
        (["3", "4", "5"], ["1", "2", "0"], '"dead" is neither yes nor no in 1 case: t.csv, row 3'),
        (["3", "4", "5"], ["1", "", "0"], '"dead" is missing in 1 case: t.csv, row 3'),
        (["3", "4", "5"], ["0", "0", "0"], '"dead" was observed 0 times in 3 training cases'),
    ],
)
def test_what_cannot_be_learned_is_refused_with_its_rows(days, dead, message):
    with pytest.raises(TrainerError) as caught:
        learn_survival(table_of(days, dead), "days", "dead")
    assert caught.value.code == "LABEL_INVALID" and message in caught.value.message


def test_few_events_are_a_warning():
    scheme = learn_survival(table_of(["1", "2", "3", "4"], ["yes", "no", "yes", "no"]), "days", "dead")
    assert [one["code"] for one in scheme.warnings] == ["FEW_EVENTS"]


def labels_of(size: int = 400, seed: int = 0) -> Any:
    random = np.random.default_rng(seed)
    hidden, censored = random.exponential(10, size), random.uniform(0, 25, size)
    return np.stack([np.minimum(hidden, censored), (hidden <= censored).astype(float)], axis=1)


def test_intervals_hold_about_equally_many_events():
    labels = labels_of()
    fitted = fit_time_grid(labels, 8)
    inside = np.searchsorted(fitted["edges"], labels[labels[:, 1] == 1, 0], side="left")
    counts = np.bincount(inside, minlength=8)
    assert len(fitted["edges"]) == 8 and counts.max() - counts.min() <= 2
    assert fitted["tau"] in fitted["edges"] and fitted["horizons"] == sorted(fitted["horizons"])
    assert len(fit_time_grid(np.array([[1.0, 1], [2.0, 1], [2.0, 0]]), 10)["edges"]) < 10


def kind_of_labels(labels: Any, intervals: int = 4) -> Survival:
    return Survival.of_state({"preprocessing": {"survival": fit_time_grid(labels, intervals)}})


def test_the_loss_is_the_likelihood_of_the_intervals():
    """An event in its interval; for a censored case the intervals that it outlived from their middle."""
    labels = np.array([[1.0, 1], [2.0, 1], [3.0, 1], [4.0, 1], [2.4, 0], [2.6, 0], [9.0, 1], [9.0, 0]])
    kind = kind_of_labels(labels[:4])
    edges = kind.grid.edges
    targets = kind.targets(labels)
    middle = (np.concatenate([[0], edges[:-1]]) + edges) / 2
    outputs = torch.randn(8, 4, generator=torch.Generator().manual_seed(0)).double()
    losses = kind.loss(configuration()["training"], targets)(outputs, torch.from_numpy(targets)).numpy()
    hazard = outputs.sigmoid().numpy()
    for case, (time, event) in enumerate(labels):
        upper = np.searchsorted(edges, time)
        outlived = np.arange(4) < upper if event else middle <= time
        expected = -np.log(1 - hazard[case][outlived]).sum()
        if event and upper < 4:
            expected -= np.log(hazard[case][upper])
        assert losses[case] == pytest.approx(expected), case
    survival = kind.predictions(outputs)
    assert survival == pytest.approx(np.cumprod(1 - hazard, axis=1))


def test_splits_have_events_and_times_alike():
    labels = labels_of(500)
    scheme = LabelScheme(("days", "dead"), "survival", None)
    chosen = choose_validation(np.arange(500), strata_of(labels, scheme), 0.2, seed=1)
    assert abs(labels[chosen, 1].mean() - labels[~chosen, 1].mean()) < 0.01
    (question,) = targets_of(labels, scheme)
    assert question.classes is None and abs(question.labels.sum()) < 1e-9


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("survival")
    random = np.random.default_rng(3)
    x = random.normal(size=(260, 2))
    hidden = random.exponential(np.exp(-1.2 * x[:, 0])) * 100
    censored = random.uniform(20, 400, 260)
    with (folder / "train.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["patient_id", "a", "b", "sex", "days", "dead", "split"])
        for row in range(260):
            days = max(1, round(min(hidden[row], censored[row])))
            dead = "yes" if hidden[row] <= censored[row] else "no"
            split = "test" if row >= 200 else "train"
            writer.writerow([f"p{row}", *x[row].round(4), "mf"[row % 2], days, dead, split])
    spec = write_spec(
        folder / "run", folder, baselines=["cox_regression", "random_forest", "hist_gradient_boosting"],
        vision_backbone="none", members=2, time_column="days", event_column="dead",
        survival_intervals=6, subgroup_columns=["sex"], epochs=8, learning_rate=0.01,
    )  # fmt: skip
    assert run_job(spec) == 0
    return folder / "run"


@pytest.mark.slow
def test_a_training_learns_it_and_writes_what_the_contract_declares(trained):
    result = json.loads((trained / "metrics" / "validation.json").read_text())
    Draft202012Validator(contract("evaluation")).validate(result)
    assert (result["task"], result["classes"], result["roc"]) == ("survival", None, None)
    assert result["metrics"]["uno_c"] > 0.65 and result["metrics"]["integrated_brier"] < 0.25
    shown = result["survival"]
    assert len(shown["edges"]) == 6 and shown["groups"][0]["name"] == "low risk"
    assert all(group["at_risk"][0] == group["cases"] for group in shown["groups"])
    ends = [group["curve"]["y"][-1] for group in shown["groups"]]
    assert ends[0] > ends[-1]
    (event,) = events_of(trained, "prepared")
    Draft202012Validator(contract("event")).validate(event)
    assert event["prepared"]["label_columns"] == ["days", "dead"]
    assert not {"days", "dead"} & {*event["prepared"]["numeric_columns"]}
    assert event["prepared"]["monitor"] == "val_loss"


def test_its_predictions_evaluate_other_cases(trained, tmp_path):
    result, rows = evaluate_best(trained, trained.parent / "train.csv", tmp_path / "out")
    assert len(rows) == result["num_cases"] == 60
    time, event = (np.asarray([float(row[f"truth_{name}"]) for row in rows]) for name in ("time", "event"))
    risk = np.asarray([float(row["risk"]) for row in rows])
    pairs = [(i, j) for i in range(60) for j in range(60) if event[i] and time[i] < time[j]]
    right = [(risk[i] > risk[j]) + 0.5 * (risk[i] == risk[j]) for i, j in pairs]
    assert result["metrics"]["c_index"] == pytest.approx(np.mean(right), abs=0.02)
    curves = [[float(value) for name, value in row.items() if name.startswith("survival_")] for row in rows]
    assert all(curve == sorted(curve, reverse=True) for curve in curves)
    assert result["failures"][0]["truth"].startswith("event at ")
    cox, forest, boosting = result["baselines"]
    assert (cox["title"], cox["verdict"]["metric"]) == ("Cox regression", "uno_c")
    assert cox["verdict"]["text"].split(" Cox regression: ")[1].startswith("Uno's C difference")
    assert cox["differences"]["integrated_brier"]["low"] is not None
    assert min(one["metrics"]["uno_c"] for one in (cox, forest, boosting)) > 0.6
    with (tmp_path / "out" / cox["predictions"]).open(newline="") as file:
        # Case, truth and prediction; only the prediction of the model has columns to find cases.
        to_find = {
            "member_sd",
            "loss",
            "missing_views",
            *(name for name in rows[0] if name.startswith("group_")),
        }
        assert next(iter(csv.DictReader(file))).keys() == rows[0].keys() - to_find
    assert result["survival"]["events"] == int(event.sum())
