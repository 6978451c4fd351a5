"""The evaluation of a follow-up: as any other evaluation, by window, with the development."""

import csv

import numpy as np
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


def test_without_any_prediction_there_is_nothing_to_measure(binary_checkpoint, tmp_path):
    found = FollowUp(binary_checkpoint[0], tmp_path / "follow-up").evaluate()
    assert (found["coverage"]["predicted"], found["result"], found["tests"]) == (0, None, 0)


@pytest.mark.parametrize(
    ("columns", "settings", "metric"),
    [
        (("cough", "fever"), {"data__label_columns": ["cough", "fever"]}, "auc"),
        (("days", "dead"), {"data__time_column": "days", "data__event_column": "dead"}, "c_index"),
    ],
)
def test_several_labels_and_times_to_an_event_are_measured(tmp_path, columns, settings, metric):
    def table(name, seed):
        generator = np.random.default_rng(seed)
        rows = []
        for number in range(120):
            age = int(generator.integers(20, 90))
            ill = int(age + generator.normal(0, 20) > 55)
            first = ill if columns[0] == "cough" else round(float(generator.exponential(3000 / age)) + 1, 1)
            other = int(generator.random() < 0.5)
            rows.append({"case": f"{seed}-{number}", "age": age, columns[0]: first, columns[1]: other})
        with (tmp_path / name).open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        return rows

    table("train.csv", 1)
    config = configuration(tmp_path / "train.csv", **settings, data__ignore_columns=["case"])
    checkpoint = write_checkpoint(tmp_path / "best", config, tmp_path / "cache")
    rows = table("new.csv", 2)
    follow_up = FollowUp(checkpoint, tmp_path / "follow-up", id_column="case")
    follow_up.predict([{"case": row["case"], "age": row["age"]} for row in rows])
    outcomes = [{name: row[name] for name in ("case", *columns)} for row in rows]
    assert follow_up.add(outcomes, id_column="case")["added"] == 120
    found = follow_up.evaluate()
    assert found["result"]["num_cases"] == 120
    assert any(name.startswith(metric) for name in found["result"]["metrics"])
    assert found["windows"][0]["cases"] == 120
