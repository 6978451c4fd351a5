"""Values that a training fits on validation, applied by an evaluation to other patients."""

from __future__ import annotations

import csv
import json

import pytest
from jsonschema import Draft202012Validator
from scipy.special import expit, logit
from sklearn import metrics as reference

from medloom_trainer.data.prepare import prepare
from medloom_trainer.errors import TrainerError
from medloom_trainer.evaluation.evaluate import evaluate
from medloom_trainer.inference.checkpoint import load_checkpoint, save_checkpoint
from medloom_trainer.metrics.decision_curve import decision_curve
from testing.checkpoints import (
    CONTRACT,
    configuration,
    evaluation_params,
    write_checkpoint,
    write_table,
)
from testing.synthetic import run

RESULT = Draft202012Validator(json.loads((CONTRACT / "evaluation.schema.json").read_text()))


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """The folder of a short training on tables; two rows of each patient."""
    folder = tmp_path_factory.mktemp("trained")
    validation = write_table(folder / "val.csv", rows=80, seed=5)
    config = configuration(
        write_table(folder / "train.csv", rows=160, seed=4),
        data__val_csv=str(validation),
        training__epochs=6,
        training__learning_rate=0.03,
    )
    data = prepare(
        config,
        roots=[folder],
        cache_dir=folder / "cache",
        progress=lambda *_: None,
        should_stop=lambda: False,
    )
    run(folder / "run", config, data)
    _give_temperature(folder / "run" / "checkpoints" / "best")
    write_table(folder / "test.csv", rows=120, seed=6)
    return folder


def _give_temperature(folder):
    """A temperature as a training with more validation cases would fit it: here they are too few."""
    checkpoint = load_checkpoint(folder)
    fitted = checkpoint.state["fitted_on_validation"]
    fitted["temperature"] = {"value": 1.7, "reason": None, "low": 1.2, "high": 2.4}
    fitted["conformal"]["calibrated_quantile"] = 0.7
    tensors = {"model": checkpoint.tensors("model")}
    job_id = checkpoint.state["job_id"]
    save_checkpoint(folder, job_id=job_id, epoch=1, metrics={}, state=checkpoint.state, tensors=tensors)


def evaluated(trained, out, checkpoint=None, **changes):
    best = checkpoint or trained / "run" / "checkpoints" / "best"
    params = evaluation_params(best, trained / "test.csv", out, roots=[str(trained), str(out.parent)])
    result = evaluate({**params, "data_dir": str(out.parent), **changes}, lambda *_: None)
    RESULT.validate(json.loads(json.dumps(result, allow_nan=False)))
    with (out / "predictions.csv").open(newline="", encoding="utf-8") as file:
        return result, list(csv.DictReader(file))


class TestTemperature:
    @pytest.mark.slow
    def test_calibrated_probabilities_are_those_of_scaled_logits_and_call_the_same_classes(
        self, trained, tmp_path
    ):
        raw, rows = evaluated(trained, tmp_path / "raw")
        after, scaled = evaluated(trained, tmp_path / "scaled", calibrated=True)
        value = raw["temperature"]["value"]
        assert (value, raw["temperature"]["low"], raw["temperature"]["high"]) == (1.7, 1.2, 2.4)
        assert (raw["temperature"]["applied"], after["temperature"]["applied"]) == (
            False,
            True,
        )
        one, other = ([float(row["probability_yes"]) for row in table] for table in (rows, scaled))
        assert other == pytest.approx(expit(logit(one) / value), abs=1e-9)
        assert after["threshold"] == pytest.approx(expit(logit(raw["threshold"]) / value), abs=1e-12)
        assert [row["predicted"] for row in rows] == [row["predicted"] for row in scaled]
        assert after["confusion_matrix"] == raw["confusion_matrix"]
        assert after["metrics"]["auc"] == raw["metrics"]["auc"]
        truth = [row["truth"] == "yes" for row in rows]
        assert after["metrics"]["log_loss"] == pytest.approx(reference.log_loss(truth, other), abs=1e-9)
        assert after["metrics"]["brier"] == pytest.approx(reference.brier_score_loss(truth, other), abs=1e-9)

    def test_before_and_after_stand_in_the_result_whichever_is_asked_for(self, trained, tmp_path):
        raw, _ = evaluated(trained, tmp_path / "raw")
        after, _ = evaluated(trained, tmp_path / "scaled", calibrated=True)
        for side in ("before", "after"):
            assert raw["temperature"][side] == after["temperature"][side]
        for name, one in raw["temperature"]["before"].items():
            assert one == raw["intervals"][name]
            assert after["temperature"]["after"][name] == after["intervals"][name]
        assert "calibration_slope" in raw["temperature"]["before"]

    def test_a_model_of_an_older_version_has_none_and_says_so(self, trained, tmp_path):
        checkpoint = load_checkpoint(trained / "run" / "checkpoints" / "best")
        state = {name: value for name, value in checkpoint.state.items() if name != "fitted_on_validation"}
        older = tmp_path / "older" / "checkpoints" / "best"
        tensors = {"model": checkpoint.tensors("model")}
        save_checkpoint(older, job_id=state["job_id"], epoch=1, metrics={}, state=state, tensors=tensors)
        result, _ = evaluated(trained, tmp_path / "out", older)
        assert result["temperature"]["value"] is None
        assert "which fitted only the threshold" in result["temperature"]["reason"]
        with pytest.raises(TrainerError, match="temperature scaling is not available") as caught:
            evaluated(trained, tmp_path / "refused", older, calibrated=True)
        assert caught.value.code == "TEMPERATURE_UNAVAILABLE"
        assert not (tmp_path / "refused").exists()


class TestOperatingPoints:
    def test_each_threshold_of_the_checkpoint_is_measured_on_these_cases(self, trained, tmp_path):
        result, rows = evaluated(trained, tmp_path / "out")
        kept = load_checkpoint(trained / "run" / "checkpoints" / "best").state["fitted_on_validation"]
        points = result["operating_points"]["points"]
        assert [point["threshold"] for point in points] == [
            point["threshold"] for point in kept["operating_points"]
        ]
        assert [point["rule"]["rule"] for point in points] == ["youden", "sensitivity", "specificity"]
        truth = [row["truth"] == "yes" for row in rows]
        for point in points:
            called = [float(row["probability_yes"]) >= point["threshold"] for row in rows]
            (tn, fp), (fn, tp) = reference.confusion_matrix(truth, called).tolist()
            assert point["confusion"] == {
                "true_positive": tp,
                "false_positive": fp,
                "false_negative": fn,
                "true_negative": tn,
            }
            expected = {
                "sensitivity": reference.recall_score(truth, called),
                "specificity": tn / (tn + fp),
                "ppv": reference.precision_score(truth, called),
                "npv": tn / (tn + fn),
                "accuracy": reference.accuracy_score(truth, called),
            }
            found = {name: one["estimate"] for name, one in point["metrics"].items()}
            assert found == pytest.approx(expected, abs=1e-9)
            assert all("Wilson" in one["method"] for one in point["metrics"].values())

    def test_with_the_temperature_thresholds_move_and_decisions_stay(self, trained, tmp_path):
        raw, _ = evaluated(trained, tmp_path / "raw")
        after, _ = evaluated(trained, tmp_path / "scaled", calibrated=True)
        for one, other in zip(
            raw["operating_points"]["points"], after["operating_points"]["points"], strict=True
        ):
            assert one["threshold"] != other["threshold"] and one["confusion"] == other["confusion"]

    def test_the_decision_curve_is_that_of_the_shown_probabilities(self, trained, tmp_path):
        result, rows = evaluated(trained, tmp_path / "out", calibrated=True)
        truth = [int(row["truth"] == "yes") for row in rows]
        expected = decision_curve(truth, [float(row["probability_yes"]) for row in rows])
        curve = result["decision_curve"]["curve"]
        for name in ("thresholds", "model", "treat_all"):
            assert curve[name] == pytest.approx(expected[name])


class TestPatients:
    def test_both_ways_are_the_metrics_of_the_combined_rows(self, trained, tmp_path):
        result, rows = evaluated(trained, tmp_path / "out")
        by_patient: dict[str, list[tuple[int, float]]] = {}
        for row in rows:
            case = int(row["truth"] == "yes"), float(row["probability_yes"])
            by_patient.setdefault(row["patient"], []).append(case)
        found = result["patient_level"]
        disagreeing = sum(len({label for label, _ in rows}) > 1 for rows in by_patient.values())
        assert (found["patients"], found["with_several_rows"]) == (60, 60)
        assert found["disagreeing"] == disagreeing > 0
        assert [(one["name"], one["label"], one["patients"]) for one in found["aggregations"]] == [
            ("mean", "any", 60),
            ("max", "any", 60),
        ]
        patients = by_patient.values()
        combined = {
            "mean": [(max(y for y, _ in rows), sum(p for _, p in rows) / len(rows)) for rows in patients],
            "max": [(max(y for y, _ in rows), max(p for _, p in rows)) for rows in patients],
        }
        for one in found["aggregations"]:
            truth, chances = zip(*combined[one["name"]], strict=True)
            called = [chance >= result["threshold"] for chance in chances]
            expected = {
                "auc": reference.roc_auc_score(truth, chances),
                "sensitivity": reference.recall_score(truth, called),
                "brier": reference.brier_score_loss(truth, chances),
            }
            estimates = {name: one["metrics"][name]["estimate"] for name in expected}
            assert estimates == pytest.approx(expected, abs=1e-9)
            assert one["metrics"]["sensitivity"]["method"] == "Wilson"

    def test_without_several_rows_or_patients_there_is_a_reason(self, trained, tmp_path):
        lines = (trained / "test.csv").read_text().splitlines()
        single = tmp_path / "single.csv"
        single.write_text("\n".join([lines[0], *lines[1::2]]) + "\n")
        result, _ = evaluated(trained, tmp_path / "out", csv=str(single), roots=[str(trained), str(tmp_path)])
        assert result["patient_level"]["aggregations"] == []
        assert result["patient_level"]["reason"] == "every patient has one row"


class TestConformalSets:
    @pytest.mark.parametrize("calibrated", [False, True])
    def test_the_sets_are_those_of_the_quantile_and_stand_with_the_predictions(
        self, trained, tmp_path, calibrated
    ):
        result, rows = evaluated(trained, tmp_path / "out", calibrated=calibrated)
        kept = load_checkpoint(trained / "run" / "checkpoints" / "best").state["fitted_on_validation"]
        found = result["conformal"]
        assert found["quantile"] == kept["conformal"]["calibrated_quantile" if calibrated else "quantile"]
        assert (found["alpha"], found["method"]) == (0.1, "lac")
        sets = [
            {name for name in ("no", "yes") if 1 - float(row[f"probability_{name}"]) <= found["quantile"]}
            for row in rows
        ]
        assert [set(filter(None, row["prediction_set"].split("|"))) for row in rows] == sets
        inside = [row["truth"] in one for row, one in zip(rows, sets, strict=True)]
        assert found["coverage"]["estimate"] == pytest.approx(sum(inside) / len(rows), abs=1e-12)
        assert found["coverage"]["low"] < found["coverage"]["estimate"] < found["coverage"]["high"]
        sizes = [len(one) for one in sets]
        assert found["mean_size"] == pytest.approx(sum(sizes) / len(sizes))
        assert (found["empty"], found["single"]) == (sizes.count(0), sizes.count(1))
        for of_class in found["per_class"]:
            own = [held for row, held in zip(rows, inside, strict=True) if row["truth"] == of_class["name"]]
            assert of_class["cases"] == len(own)
            assert of_class["coverage"]["estimate"] == pytest.approx(sum(own) / len(own), abs=1e-12)

    def test_numbers_have_intervals(self, tmp_path):
        table = write_table(tmp_path / "train.csv", regression=True)
        validation = write_table(tmp_path / "val.csv", rows=50, seed=2, regression=True)
        config = configuration(table, data__val_csv=str(validation))
        checkpoint = write_checkpoint(tmp_path / "best", config, tmp_path / "cache")
        write_table(tmp_path / "test.csv", seed=1, regression=True)
        result, rows = evaluated(tmp_path, tmp_path / "out", checkpoint, data_dir=str(tmp_path))
        found = result["conformal"]
        assert (found["method"], found["mean_size"], found["per_class"]) == ("absolute_error", None, None)
        held = [float(r["interval_low"]) <= float(r["truth"]) <= float(r["interval_high"]) for r in rows]
        assert found["coverage"]["estimate"] == pytest.approx(sum(held) / len(rows))
        widths = [float(row["interval_high"]) - float(row["interval_low"]) for row in rows]
        assert widths == pytest.approx([found["width"]] * len(rows))
        assert result["temperature"]["value"] is None and result["operating_points"]["points"] == []
        assert [one["name"] for one in result["patient_level"]["aggregations"]] in ([], ["mean"])
