"""The task `compare`: every model reads the table in its own way, and all are measured on the same cases."""

import csv
import json

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from sklearn import metrics as reference

from medloom_trainer.errors import TrainerError
from medloom_trainer.evaluation.compare import compare
from medloom_trainer.evaluation.evaluate import evaluate
from testing.checkpoints import CONTRACT, configuration, evaluation_params, write_checkpoint, write_table

SCHEMA = Draft202012Validator(json.loads((CONTRACT / "tasks.schema.json").read_text())["compare"]["result"])


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Name → checkpoint: two of the same table, one of them without rows that have gaps; others beside."""
    folder = tmp_path_factory.mktemp("models")
    made = {}
    for name, table, changes in (
        ("wide", {}, {"training__seed": 2}),
        ("strict", {}, {"data__missing_strategy": "drop"}),
        ("other", {"classes": ("no", "maybe")}, {}),
        ("number", {"regression": True}, {}),
        ("turned", {}, {"data__positive_class": "no"}),
    ):
        file = write_table(folder / name / "train.csv", **table)
        made[name] = write_checkpoint(folder / name / "run", configuration(file, **changes), folder / "cache")
    return made


def run(models, table, out_dir, *names):
    heard = []
    params = {
        **{
            key: evaluation_params(models[names[0]], table, out_dir)[key]
            for key in ("csv", "split", "out_dir")
        },
        **{key: evaluation_params(models[names[0]], table, out_dir)[key] for key in ("cache_dir", "device")},
        "models": [{"name": name, "checkpoint": str(models[name]), "image_root": None} for name in names],
        "data_dir": str(models[names[0]].parents[3]),
        "roots": [str(table.parent)],
    }
    result = compare(params, lambda message, fraction: heard.append(fraction))
    SCHEMA.validate(json.loads(json.dumps(result, allow_nan=False)))
    assert heard == sorted(heard) and heard[-1] <= 1
    return result


def rows_of(file):
    with file.open(newline="", encoding="utf-8") as opened:
        return list(csv.DictReader(opened))


def with_gaps(table, rows):
    lines = table.read_text().splitlines()
    for row in rows:
        cells = lines[row].split(",")
        cells[1] = ""
        lines[row] = ",".join(cells)
    table.write_text("\n".join(lines) + "\n")
    return table


def test_numbers_are_those_of_the_predictions_of_each_model(models, tmp_path):
    table = write_table(tmp_path / "test.csv", seed=1, rows=80)
    result = run(models, table, tmp_path / "out", "wide", "strict")
    rows = rows_of(tmp_path / "out" / "predictions.csv")
    truth = [row["truth"] == "yes" for row in rows]
    areas = [
        reference.roc_auc_score(truth, [float(row[f"{name}: probability_yes"]) for row in rows])
        for name in ("wide", "strict")
    ]
    assert [model["metrics"]["auc"] for model in result["models"]] == pytest.approx(areas, abs=1e-9)
    (pair,) = result["pairs"]
    assert pair["differences"]["auc"]["estimate"] == pytest.approx(areas[0] - areas[1], abs=1e-9)
    right = np.array([[row[f"{name}: correct"] == "true" for row in rows] for name in ("wide", "strict")])
    assert pair["agreement"] == {
        "both_right": int(right.all(axis=0).sum()),
        "only_first": int((right[0] & ~right[1]).sum()),
        "only_second": int((~right[0] & right[1]).sum()),
        "both_wrong": int((~right).all(axis=0).sum()),
    }
    assert (result["num_cases"], result["num_patients"], result["warnings"]) == (80, 40, [])


def test_a_model_measured_here_has_the_numbers_of_its_evaluation(models, tmp_path):
    table = write_table(tmp_path / "test.csv", seed=1)
    compared = run(models, table, tmp_path / "out", "wide", "strict")["models"][1]
    alone = evaluate(evaluation_params(models["strict"], table, tmp_path / "alone"), lambda *_: None)
    assert compared["metrics"] == alone["metrics"] and compared["intervals"] == alone["intervals"]
    assert (compared["digest"], compared["checkpoint_digest"]) == (
        alone["source"]["digest"],
        alone["source"]["checkpoint_digest"],
    )


def test_only_cases_that_every_model_reads_are_compared(models, tmp_path):
    table = with_gaps(write_table(tmp_path / "test.csv", seed=1), [3, 8])
    result = run(models, table, tmp_path / "out", "wide", "strict")
    rows = rows_of(tmp_path / "out" / "predictions.csv")
    assert result["num_cases"] == 58 and {row["row"] for row in rows}.isdisjoint({"4", "9"})
    chances = [float(row["wide: probability_yes"]) for row in rows]
    area = reference.roc_auc_score([row["truth"] == "yes" for row in rows], chances)
    assert result["models"][0]["metrics"]["auc"] == pytest.approx(area, abs=1e-9)
    assert [one["code"] for one in result["warnings"]] == ["CASES_NOT_SHARED"]
    assert "2 cases" in result["warnings"][0]["message"]


def test_several_models_are_compared_in_pairs_and_adjusted_for_their_number(models, tmp_path):
    table = write_table(tmp_path / "test.csv", seed=1)
    again = {**models, "again": models["wide"]}
    pairs = run(again, table, tmp_path / "out", "wide", "strict", "again")["pairs"]
    assert [(pair["first"], pair["second"]) for pair in pairs] == [
        ("wide", "strict"),
        ("wide", "again"),
        ("strict", "again"),
    ]
    found = [pair["differences"]["auc"] for pair in pairs]
    assert all(one["p_holm"] >= one["p"] for one in found) and found[1]["estimate"] == 0
    assert found[0]["p_holm"] == pytest.approx(min(1, 3 * min(one["p"] for one in found)), abs=1e-12)


def test_numbers_are_compared_too(models, tmp_path):
    table = write_table(tmp_path / "test.csv", seed=1, regression=True)
    result = run({**models, "again": models["number"]}, table, tmp_path / "out", "number", "again")
    (pair,) = result["pairs"]
    assert pair["agreement"] is None and pair["differences"]["mae"]["estimate"] == 0
    assert pair["differences"]["auc"]["reason"] and result["models"][0]["roc"] is None


@pytest.mark.parametrize(
    ("name", "said"),
    [("other", "maybe, yes"), ("number", "the task of one is"), ("turned", "another order")],
)
def test_models_that_predict_something_else_are_refused_with_the_difference(models, tmp_path, name, said):
    table = write_table(tmp_path / "test.csv", seed=1)
    with pytest.raises(TrainerError) as caught:
        run(models, table, tmp_path / "out", "wide", name)
    assert caught.value.code == "MODELS_NOT_COMPARABLE" and said in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_patients_are_named_in_the_predictions_alone(models, tmp_path):
    table = write_table(tmp_path / "test.csv", seed=1)
    run(models, table, tmp_path / "out", "wide", "strict")
    named = [path.name for path in (tmp_path / "out").iterdir() if "secret" in path.read_text()]
    assert named == ["predictions.csv"]
