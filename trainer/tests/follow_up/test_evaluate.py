"""The evaluation of a follow-up: as any other evaluation, by window, with the development."""

import pytest

from medloom_trainer.evaluation.evaluate import evaluate
from testing.checkpoints import configuration, evaluation_params, write_checkpoint, write_table
from testing.follow_ups import FollowUp
from testing.predictions import read_rows


def rows_of(table):
    return [{name: text for name, text in row.items() if name != "label"} for row in read_rows(table)]


def outcomes_of(table):
    return [{"case": row["case"], "label": row["label"]} for row in read_rows(table)]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    return write_table(tmp_path_factory.mktemp("new") / "new.csv", rows=120, seed=5, ids=("case",))


@pytest.fixture(scope="module")
def followed(binary_checkpoint, table, tmp_path_factory):
    """120 cases of 60 patients in two windows, with all outcomes."""
    found = FollowUp(binary_checkpoint[0], tmp_path_factory.mktemp("followed"), id_column="case")
    rows = rows_of(table)
    found.predict(rows[:60], "first", day=3)
    found.predict(rows[60:], "second", day=40)
    found.add(outcomes_of(table), id_column="case")
    return found


@pytest.fixture(scope="module")
def evaluated(binary_checkpoint, table, tmp_path_factory):
    """(result, files) of an evaluation on the same cases."""
    folder = tmp_path_factory.mktemp("evaluated")
    params = evaluation_params(binary_checkpoint[0], table, folder)
    result = evaluate(params | {"roots": [str(table.parent), *params["roots"]]}, lambda *_: None)
    return result, {
        "result": str(folder / "evaluation.json"),
        "predictions": str(folder / "predictions.csv"),
    }


def test_metrics_intervals_and_subgroups_are_those_of_an_evaluation(followed, evaluated):
    result = followed.evaluate()["result"]
    other = evaluated[0]
    for part in ("num_cases", "num_patients", "threshold", "confusion_matrix"):
        assert result[part] == other[part], part
    # Batches of other sizes change the last digits, and thereby ties.
    assert result["metrics"] == pytest.approx(other["metrics"], abs=1e-3)
    for name, interval in other["intervals"].items():
        assert result["intervals"][name]["low"] == pytest.approx(interval["low"], abs=1e-3), name
    assert [(one["column"], one["group"], one["cases"]) for one in result["subgroups"]] == [
        (one["column"], one["group"], one["cases"]) for one in other["subgroups"]
    ]
    assert result["temperature"]["applied"] is False  # the training could not fit one


def test_windows_are_measured_with_calibration(followed):
    found = followed.evaluate()
    assert [(one["group"], one["cases"], one["patients"]) for one in found["windows"]] == [
        ("1", 60, 30),
        ("2", 60, 30),
    ]
    for one in found["windows"]:
        assert {"auc", "brier", "calibration_slope", "calibration_intercept"} <= set(one["metrics"])
        assert one["intervals"]["auc"]["low"] < one["metrics"]["auc"]


def test_an_update_is_suggested_with_intervals_and_metrics_before_and_after(followed):
    update = followed.evaluate()["update"]
    alone, both = update["updates"]
    assert (alone["name"], both["name"]) == ("intercept", "intercept_and_slope")
    assert alone["intercept_interval"]["low"] < alone["intercept"] < alone["intercept_interval"]["high"]
    assert both["slope_interval"]["low"] < both["slope"] < both["slope_interval"]["high"]
    assert both["metrics"]["log_loss"] <= alone["metrics"]["log_loss"] <= update["original"]["log_loss"]


def test_small_windows_report_no_numbers_and_are_not_tested(binary_checkpoint, table, tmp_path):
    follow_up = FollowUp(binary_checkpoint[0], tmp_path / "follow-up", id_column="case")
    rows = rows_of(table)
    follow_up.predict(rows[:60], "first", day=3)
    follow_up.predict(rows[60:70], "second", day=40)
    follow_up.add(outcomes_of(table)[:70], id_column="case")
    found = follow_up.evaluate()
    assert found["windows"][1]["metrics"] == {} and "20 patients" in found["windows"][1]["reason"]
    ages = next(one for one in found["series"] if (one["name"], one["kind"]) == ("age", "numeric"))
    assert ages["windows"][0]["p"] is not None
    assert (ages["windows"][1]["value"], ages["windows"][1]["p"]) == (None, None)


def test_too_few_outcomes_have_a_reason_and_inputs_are_compared(binary_checkpoint, table, tmp_path):
    follow_up = FollowUp(binary_checkpoint[0], tmp_path / "follow-up", id_column="case")
    follow_up.predict(rows_of(table)[:60])
    found = follow_up.evaluate()
    assert (found["result"], found["windows"], found["update"]) == (None, [], None)
    assert "20 patients" in found["reason"] and found["tests"] > 0


def test_a_shift_of_an_input_is_an_alarm_of_its_window(binary_checkpoint, table, tmp_path):
    follow_up = FollowUp(binary_checkpoint[0], tmp_path / "follow-up", id_column="case")
    rows = rows_of(table)
    follow_up.predict(rows[:60], "first", day=3)
    follow_up.predict([row | {"age": 85, "sex": "other"} for row in rows[60:]], "second", day=40)
    found = follow_up.evaluate()
    alarms = {
        (one["name"], one["kind"], window["window"])
        for one in found["series"]
        for window in one["windows"]
        if window["alarm"]
    }
    assert alarms == {("age", "numeric", 2), ("sex", "categorical", 2)}


def test_predictions_of_another_checkpoint_are_only_counted(followed, binary_checkpoint, table, tmp_path):
    follow_up = FollowUp(binary_checkpoint[0], tmp_path / "follow-up", id_column="case")
    follow_up.predict(rows_of(table)[:60])
    (file,) = follow_up.folder.glob("cases/*.json")
    digest = followed.evaluate()["result"]["source"]["checkpoint_digest"]
    file.write_text(file.read_text().replace(digest, "f" * 64))
    found = follow_up.evaluate()
    assert (found["other_checkpoint"], found["series"], found["result"]) == (60, [], None)


def test_calibration_is_compared_with_the_development(followed, evaluated):
    by_kind = {one["kind"]: one for one in followed.evaluate(evaluated[1])["series"]}
    level = by_kind["calibration_level"]["windows"]
    assert all(0 < one["p"] <= 1 and not one["alarm"] for one in level)
    without = {one["kind"]: one for one in followed.evaluate()["series"]}
    assert "no evaluation on test cases" in without["calibration_level"]["reason"]


def test_numbers_have_windows_and_no_tests_of_calibration(tmp_path):
    config = configuration(write_table(tmp_path / "train.csv", regression=True))
    checkpoint = write_checkpoint(tmp_path / "best", config, tmp_path / "cache")
    new = write_table(tmp_path / "new.csv", regression=True, seed=3, ids=("case",))
    follow_up = FollowUp(checkpoint, tmp_path / "follow-up", id_column="case")
    follow_up.predict(rows_of(new))
    follow_up.add(outcomes_of(new), id_column="case")
    found = follow_up.evaluate()
    assert found["windows"][0]["metrics"]["mae"] > 0
    assert {one["kind"] for one in found["series"]} <= {"numeric", "missing", "categorical"}
    assert found["update"]["updates"][0]["name"] == "intercept"
