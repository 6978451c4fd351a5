"""The evaluation result: as declared in the contract, consistent with the predictions, without patients."""

import csv
import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from sklearn import metrics as reference

import medloom_trainer
from medloom_trainer.data.splits import digest_keys
from medloom_trainer.data.types import Cases
from medloom_trainer.errors import TrainerError
from medloom_trainer.evaluation.result import evaluation_result, write_evaluation
from medloom_trainer.metrics.calibration import reliability_bins
from medloom_trainer.outcomes.classification import Classification
from medloom_trainer.outcomes.regression import Regression

CONTRACT = Path(medloom_trainer.__file__).parent / "contract"
SCHEMA = Draft202012Validator(json.loads((CONTRACT / "evaluation.schema.json").read_text()))
FLOW = [{"step": "rows", "cases": 60, "patients": 30}]
SOURCE = {"csv": "/data/test.csv", "checkpoint": "/runs/a/checkpoints/best", "checkpoint_digest": "c" * 64}


BINARY, SEVERAL = Classification(("benign", "malignant")), Classification(("a", "b", "c"))
NUMBER = Regression(mean=0, std=1)


def cases_of(labels, patients=None, subgroups=None):
    count = len(labels)
    return Cases(
        rows=np.arange(count) + 2,
        slots=None,
        values=np.zeros((count, 1), np.float32),
        codes=np.zeros((count, 0), np.int64),
        present=np.ones((count, 1), bool),
        labels=labels,
        patients=patients,
        subgroups=subgroups or {},
        digest="d" * 64,
        keys=digest_keys([]),
    )


def evaluate(kind, cases, predictions, threshold=None, split="test", **more):
    result = evaluation_result(
        kind=kind,
        threshold=threshold,
        cases=cases,
        predictions=predictions,
        split=split,
        source=SOURCE,
        flow=FLOW,
        missing={"age": 3},
        **more,
    )
    SCHEMA.validate(json.loads(json.dumps(result, allow_nan=False)))
    return result


def binary(size=60, threshold=0.4, **more):
    generator = np.random.default_rng(0)
    positive = generator.random(size)
    labels = (generator.random(size) < positive).astype(np.int64)
    sites = np.array(["north", "south"] * (size // 2))
    cases = cases_of(labels, np.arange(size) // 2, {"site": sites})
    predictions = np.stack([1 - positive, positive], axis=1)
    result = evaluate(BINARY, cases, predictions, threshold, **more)
    return result, cases, predictions


def several(labels=None, size=60):
    generator = np.random.default_rng(1)
    labels = generator.integers(0, 3, size) if labels is None else np.asarray(labels)
    predictions = generator.dirichlet(np.ones(3), len(labels))
    cases = cases_of(labels)
    return evaluate(SEVERAL, cases, predictions), cases, predictions


def regression(size=40):
    generator = np.random.default_rng(2)
    truth = generator.normal(50, 10, size)
    cases = cases_of(truth, np.arange(size))
    predictions = truth + generator.normal(0, 2, size)
    return evaluate(NUMBER, cases, predictions), cases, predictions


class TestBinary:
    def test_metrics_at_the_threshold_with_intervals(self):
        result, cases, predictions = binary()
        called = predictions[:, 1] >= 0.4
        assert list(result["metrics"])[:3] == ["accuracy", "auc", "f1_score"]
        assert result["metrics"]["f1_score"] == pytest.approx(reference.f1_score(cases.labels, called))
        assert result["metrics"]["auc"] == pytest.approx(
            reference.roc_auc_score(cases.labels, predictions[:, 1])
        )
        assert result["intervals"].keys() == result["metrics"].keys()
        assert result["positive_class"] == "malignant" and result["threshold"] == 0.4

    def test_the_area_under_the_drawn_curve_is_the_metric(self):
        result, cases, _ = binary()
        (roc,) = result["roc"]
        assert roc["name"] == "malignant"
        area = np.trapezoid(roc["curve"]["y"], roc["curve"]["x"])
        assert area == pytest.approx(result["metrics"]["auc"], abs=1e-12)
        assert result["pr"][0]["prevalence"] == pytest.approx(cases.labels.mean())

    def test_counts_flow_and_provenance_are_in_the_result(self):
        result, cases, _ = binary()
        assert (result["num_cases"], result["num_patients"]) == (60, 30)
        assert result["class_counts"] == {
            "benign": int((cases.labels == 0).sum()),
            "malignant": int((cases.labels == 1).sum()),
        }
        assert result["source"] == {**SOURCE, "digest": "d" * 64}
        assert result["flow"] == FLOW and result["missing"] == {"age": 3}
        assert result["software"]["torch"] == version("torch")
        assert result["software"]["medloom_trainer"] == medloom_trainer.__version__

    def test_calibration_bins_hold_every_case_and_their_bars_hold_the_share(self):
        result, _, _ = binary()
        assert sum(one["count"] for one in result["calibration"]["bins"]) == 60
        for one in result["calibration"]["bins"]:
            assert 0 <= one["low"] <= one["observed"] <= one["high"] <= 1
        assert result["calibration"]["slope"] == result["metrics"]["calibration_slope"]

    @pytest.mark.parametrize(("cases", "bins"), [(19, 1), (39, 1), (60, 3), (120, 6), (1000, 10), (5003, 10)])
    def test_calibration_bins_are_as_many_as_the_cases_can_carry(self, cases, bins):
        random = np.random.default_rng(cases)
        probability = random.beta(0.5, 4, cases)  # most are near 0
        drawn = reliability_bins(random.random(cases) < probability, probability)
        counts = [one["count"] for one in drawn]
        assert (len(drawn), sum(counts)) == (bins, cases)
        assert bins == 1 or min(counts) >= 20
        predicted = [one["predicted"] for one in drawn]
        assert predicted == sorted(predicted)

    def test_equal_probabilities_share_a_calibration_bin(self):
        probability = np.repeat([0.1, 0.2, 0.7], [5, 90, 25])
        drawn = reliability_bins(probability > 0.5, probability)
        assert [one["count"] for one in drawn] == [95, 25]
        assert drawn[1]["predicted"] == pytest.approx(0.7)

    def test_failures_are_the_most_confident_mistakes_by_row(self):
        result, cases, predictions = binary()
        called = (predictions[:, 1] >= 0.4).astype(int)
        wrong = {int(row) for row in cases.rows[called != cases.labels]}
        confidence = [one["confidence"] for one in result["failures"]]
        assert {one["row"] for one in result["failures"]} <= wrong
        assert len(result["failures"]) == min(20, len(wrong))
        assert confidence == sorted(confidence, reverse=True)
        first = result["failures"][0]
        assert first["truth"] != first["predicted"]
        assert first["confidence"] == pytest.approx(
            predictions[first["row"] - 2][["benign", "malignant"].index(first["predicted"])]
        )

    def test_without_a_threshold_it_is_a_half(self):
        assert binary(threshold=None)[0]["threshold"] == 0.5

    def test_one_class_only_leaves_the_curves_out_and_says_why(self):
        cases = cases_of(np.ones(30, np.int64))
        predictions = np.full((30, 2), 0.5)
        result = evaluate(Classification(("a", "b")), cases, predictions, 0.5)
        assert result["metrics"]["auc"] is None and "only one class" in result["notes"]["auc"]
        assert result["roc"] == [] and result["pr"] == []

    def test_subgroups_are_measured(self):
        result, _, _ = binary()
        assert [(one["group"], one["cases"]) for one in result["subgroups"]] == [("north", 30), ("south", 30)]
        assert all(one["metrics"]["auc"] is not None for one in result["subgroups"])


class TestSeveralClasses:
    def test_each_class_has_its_own_numbers(self):
        result, cases, predictions = several()
        assert [one["name"] for one in result["per_class"]] == ["a", "b", "c"]
        for k, one in enumerate(result["per_class"]):
            expected = reference.roc_auc_score(cases.labels == k, predictions[:, k])
            assert one["metrics"]["auc"] == pytest.approx(expected)
            assert one["intervals"]["auc"]["method"] in ("Newcombe", "DeLong, logit scale")
            assert one["intervals"]["sensitivity"]["method"] == "Wilson"
        assert np.sum(result["confusion_matrix"]) == 60
        assert not any(
            name.endswith("]") for name in result["metrics"] | result["intervals"] | result["notes"]
        )
        assert len(result["roc"]) == 3 and result["threshold"] is None and result["positive_class"] is None

    def test_an_absent_class_has_a_reason_and_the_others_a_number(self):
        result, *_ = several([0, 1] * 20)
        assert result["metrics"]["auc"] is None and result["notes"]["auc"] == "no cases of c"
        first, _, last = result["per_class"]
        assert first["metrics"]["auc"] is not None
        assert last["metrics"]["auc"] is None
        assert last["intervals"]["auc"]["reason"] == "no cases of this class"
        assert [one["name"] for one in result["roc"]] == ["a", "b"]
        assert result["class_counts"] == {"a": 20, "b": 20, "c": 0}


class TestRegression:
    def test_original_units_and_limits_of_agreement(self):
        result, cases, predictions = regression()
        assert result["metrics"]["mae"] == pytest.approx(np.abs(predictions - cases.labels).mean())
        drawn = result["regression"]
        assert drawn["truth"] == cases.labels.tolist() and drawn["predicted"] == predictions.tolist()
        assert drawn["loa_low"] < drawn["bias"] < drawn["loa_high"]
        for absent in (
            "classes",
            "class_counts",
            "confusion_matrix",
            "roc",
            "pr",
            "calibration",
            "per_class",
        ):
            assert result[absent] is None
        assert {result["metrics"][name] for name in ("accuracy", "auc", "f1_score")} == {None}

    def test_failures_are_the_largest_errors(self):
        result, cases, predictions = regression()
        errors = np.abs(predictions - cases.labels)
        assert result["failures"][0]["row"] == cases.rows[errors.argmax()]
        assert result["failures"][0]["confidence"] == pytest.approx(errors.max())

    def test_one_case_has_no_limits_and_no_drawing(self):
        result = evaluate(NUMBER, cases_of(np.array([1.0])), np.array([2.0]))
        assert result["regression"] is None and result["metrics"]["mae"] == 1


class TestWarnings:
    def test_rows_that_count_as_patients_are_a_warning(self):
        result, *_ = several()
        assert result["warnings"][0]["code"] == "PATIENTS_UNKNOWN"
        assert result["num_patients"] is None

    @pytest.mark.parametrize("split, warned", [("val", True), ("validation", True), ("test", False)])
    def test_a_split_that_chose_epoch_and_threshold_is_a_warning(self, split, warned):
        result, *_ = binary(split=split)
        assert ("CHOSEN_ON_THIS_SPLIT" in {one["code"] for one in result["warnings"]}) == warned

    def test_warnings_of_the_data_are_passed_on(self):
        result, *_ = binary(warnings=[{"code": "X", "message": "y"}])
        assert result["warnings"] == [{"code": "X", "message": "y"}]


class TestRefused:
    @pytest.mark.parametrize("labels", [None, np.zeros(0, np.int64)])
    def test_nothing_to_evaluate(self, labels):
        cases = cases_of(np.zeros(0)) if labels is None else cases_of(labels)
        cases = cases if labels is not None else Cases(**{**vars(cases), "labels": None})
        with pytest.raises(TrainerError) as caught:
            evaluate(Classification(("a", "b")), cases, np.zeros((0, 2)), 0.5)
        assert caught.value.code == "DATASET_INVALID"

    def test_a_network_that_predicts_nan(self):
        predictions = np.array([[np.nan, 0.5], [0.5, 0.5]])
        with pytest.raises(TrainerError, match="1 of 2 cases") as caught:
            evaluate(Classification(("a", "b")), cases_of(np.array([0, 1])), predictions, 0.5)
        assert caught.value.code == "TRAINER_FAILED"


class TestFiles:
    def read(self, path):
        with path.open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def test_predictions_are_exact_and_name_their_rows(self, tmp_path):
        result, cases, predictions = binary()
        path = tmp_path / "new" / "folder" / "evaluation.json"
        write_evaluation(path, result, BINARY, cases, predictions)
        assert json.loads(path.read_text(encoding="utf-8")) == json.loads(json.dumps(result))
        rows = self.read(path.parent / "predictions.csv")
        assert list(rows[0]) == [
            "file", "row", "split", "patient", "truth", "predicted", "correct", "probability_benign",
            "probability_malignant", "loss", "group_site",
        ]  # fmt: skip
        assert [int(row["row"]) for row in rows] == cases.rows.tolist()
        assert [float(row["probability_malignant"]) for row in rows] == predictions[:, 1].tolist()
        named = [["benign", "malignant"].index(row["predicted"]) for row in rows]
        assert named == (predictions[:, 1] >= 0.4).astype(int).tolist()
        right = [row["truth"] == row["predicted"] for row in rows]
        assert [row["correct"] for row in rows] == ["true" if one else "false" for one in right]
        assert 0 < sum(right) < len(rows)

    def test_metrics_can_be_computed_again_from_the_predictions(self, tmp_path):
        result, cases, predictions = several()
        write_evaluation(tmp_path / "evaluation.json", result, SEVERAL, cases, predictions)
        rows = self.read(tmp_path / "predictions.csv")
        accuracy = np.mean([row["truth"] == row["predicted"] for row in rows])
        assert accuracy == pytest.approx(result["metrics"]["accuracy"])

    def test_numbers_of_a_regression_and_chosen_names(self, tmp_path):
        result, cases, predictions = regression()
        result["predictions"] = "validation-predictions.csv"
        write_evaluation(tmp_path / "validation.json", result, NUMBER, cases, predictions)
        rows = self.read(tmp_path / "validation-predictions.csv")
        assert [float(row["predicted"]) for row in rows] == predictions.tolist()
        assert sorted(entry.name for entry in tmp_path.iterdir()) == [
            "validation-predictions.csv", "validation.json",
        ]  # fmt: skip


def test_few_patients_are_said_to_be_few():
    generator = np.random.default_rng(0)
    labels = generator.integers(0, 2, 84)
    positive = generator.random(84)
    predictions = np.stack([1 - positive, positive], axis=1)
    few = evaluate(Classification(("a", "b")), cases_of(labels, np.arange(84) % 9), predictions, 0.5)
    messages = {one["code"]: one["message"] for one in few["warnings"]}
    assert "84 cases from only 9 patients" in messages["FEW_PATIENTS"]
    many = evaluate(Classification(("a", "b")), cases_of(labels, np.arange(84)), predictions, 0.5)
    assert many["warnings"] == []


def test_a_result_that_is_too_good_to_be_true_is_asked_about():
    labels = np.arange(120) % 2
    sure = np.where(labels == 1, 0.9, 0.1) + np.linspace(0, 0.05, 120)
    unsure = np.random.default_rng(0).uniform(0.05, 0.95, 120)
    asked = [
        "TOO_GOOD_TO_BE_TRUE" in {one["code"] for one in evaluate(BINARY, cases_of(labels), told)["warnings"]}
        for told in (np.stack([1 - sure, sure], axis=1), np.stack([1 - unsure, unsure], axis=1))
    ]
    assert asked == [True, False]
