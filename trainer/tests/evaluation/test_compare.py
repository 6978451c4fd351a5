"""The task `compare`: every model reads the table with its own preprocessing, and all are measured on the
same cases."""

import csv
import json
import os
import shutil

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from sklearn import metrics as reference

from medloom_trainer.contract.schemas import task_schemas
from medloom_trainer.errors import TrainerError
from medloom_trainer.evaluation.compare import compare
from medloom_trainer.evaluation.evaluate import evaluate
from testing.checkpoints import configuration, evaluation_params, write_checkpoint, write_table

SCHEMA = Draft202012Validator(task_schemas()["compare"]["result"])


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Name → checkpoint: two of the same table, one of them without rows that have gaps; and others."""
    folder = tmp_path_factory.mktemp("models")
    made = {}
    for name, table, changes in (
        ("wide", {}, {"training__seed": 2}),
        ("strict", {}, {"data__missing_strategy": "drop"}),
        ("other", {"classes": ("no", "maybe")}, {}),
        ("number", {"regression": True}, {}),
        ("turned", {}, {"data__positive_class": "no"}),
        ("elsewhere", {"seed": 3}, {}),
    ):
        file = write_table(folder / name / "train.csv", **table)
        made[name] = write_checkpoint(folder / name / "run", configuration(file, **changes), folder / "cache")
    return made


def write_survival(path, *, seed=0, rows=90, scale=1.0):
    """Patients whose time to the event depends on a, in units of `scale`."""
    random = np.random.default_rng(seed)
    path.parent.mkdir(parents=True, exist_ok=True)
    a = random.normal(size=rows)
    hidden, censored = random.exponential(np.exp(-a)) * 100 * scale, random.uniform(20, 300, rows) * scale
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["patient_id", "a", "b", "days", "dead"])
        for row in range(rows):
            days, dead = min(hidden[row], censored[row]), int(hidden[row] <= censored[row])
            writer.writerow([f"secret-{seed}-{row}", f"{a[row]:.4f}", row % 7, f"{days:.3f}", dead])
    return path


@pytest.fixture(scope="module")
def survival_models(tmp_path_factory):
    """From two tables, of which the second has half the follow-up; "again" has the times of the first."""
    folder = tmp_path_factory.mktemp("survival")
    made = {}
    for name, scale, changes in (
        ("long", 1.0, {}),
        ("short", 0.5, {"model__survival_intervals": 5}),
        ("again", 1.0, {"training__seed": 4, "model__dropout": 0.3}),
    ):
        train = write_survival(folder / name / "train.csv", seed=1, scale=scale)
        write_survival(folder / name / "val.csv", seed=2, scale=scale)
        times = {"data__time_column": "days", "data__event_column": "dead", "model__members": 1}
        config = configuration(train, data__val_csv=str(train.parent / "val.csv"), **times, **changes)
        made[name] = write_checkpoint(folder / name / "run", config, folder / "cache")
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
        "data_dir": os.path.commonpath([models[name].parents[3] for name in names]),
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


def test_ids_that_any_model_knows_are_there_once(models, tmp_path):
    ids = ("image_id", "visit_key")
    train = write_table(tmp_path / "a" / "train.csv", ids=ids[:1])
    other = write_table(tmp_path / "b" / "train.csv", ids=ids)
    made = {
        name: write_checkpoint(
            tmp_path / name / "run", configuration(file, data__missing_strategy=gaps), tmp_path / "cache"
        )
        for name, file, gaps in (("a", train, "token"), ("b", other, "drop"))
    }
    run(made, with_gaps(write_table(tmp_path / "test.csv", seed=1, ids=ids), [3]), tmp_path / "out", "a", "b")
    rows = rows_of(tmp_path / "out" / "predictions.csv")
    assert [name for name in rows[0] if name.endswith(ids)] == list(ids)
    for name in ids:
        assert [row[name] for row in rows] == [f"secret-{name}-1-{n}" for n in range(60) if n != 2]


@pytest.mark.slow
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
    [("other", "maybe, yes"), ("number", "their tasks differ"), ("turned", "order of their classes")],
)
def test_models_that_predict_something_else_are_refused_with_the_difference(models, tmp_path, name, said):
    table = write_table(tmp_path / "test.csv", seed=1)
    with pytest.raises(TrainerError) as caught:
        run(models, table, tmp_path / "out", "wide", name)
    assert caught.value.code == "MODELS_NOT_COMPARABLE" and said in str(caught.value)
    assert not (tmp_path / "out").exists()


def curves_of(result_folder, name):
    """(edges, (N, K) survival) of a model in the table of predictions."""
    rows = rows_of(result_folder / "predictions.csv")
    beginning = f"{name}: survival_"
    columns = [column for column in rows[0] if column.startswith(beginning)]
    edges = np.array([float(column.removeprefix(beginning)) for column in columns])
    return edges, np.array([[float(row[column]) for column in columns] for row in rows])


def test_survival_models_with_other_times_are_measured_at_the_same(survival_models, tmp_path):
    """Up to the last time that both predict, with a constant hazard between the edges of each curve."""
    table = write_survival(tmp_path / "test.csv", seed=9)
    result = run(survival_models, table, tmp_path / "out", "long", "short")
    assert [one["code"] for one in result["warnings"]] == ["TIMES_NOT_SHARED"]
    alone = {}
    for name in ("long", "short"):
        evaluate(evaluation_params(survival_models[name], table, tmp_path / name), lambda *_: None)
        rows = rows_of(tmp_path / name / "predictions.csv")
        names = [column for column in rows[0] if column.startswith("survival_")]
        values = np.array([[float(row[column]) for column in names] for row in rows])
        alone[name] = np.array([float(column.removeprefix("survival_")) for column in names]), values
    edges = {name: curves_of(tmp_path / "out", name)[0] for name in alone}
    assert np.array_equal(edges["long"], edges["short"])
    assert edges["long"][-1] == pytest.approx(min(own[-1] for own, _ in alone.values()))
    for name, (own, values) in alone.items():
        knots, logs = np.r_[0, own], np.log(np.c_[np.ones(len(values)), values])
        expected = [np.exp(np.interp(edges[name], knots, row)) for row in logs]
        assert curves_of(tmp_path / "out", name)[1] == pytest.approx(np.array(expected), abs=1e-9)
    (pair,) = result["pairs"]
    values = [model["metrics"]["uno_c"] for model in result["models"]]
    assert pair["differences"]["uno_c"]["estimate"] == pytest.approx(values[0] - values[1], abs=1e-9)
    assert pair["differences"]["integrated_brier"]["low"] is not None


def test_survival_models_with_the_same_times_have_the_numbers_of_their_evaluations(survival_models, tmp_path):
    table = write_survival(tmp_path / "test.csv", seed=9)
    result = run(survival_models, table, tmp_path / "out", "long", "again")
    alone = evaluate(evaluation_params(survival_models["again"], table, tmp_path / "alone"), lambda *_: None)
    assert result["warnings"] == [] and result["models"][1]["metrics"] == alone["metrics"]


def test_survival_and_classes_are_refused(models, survival_models, tmp_path):
    table = write_survival(tmp_path / "test.csv", seed=9)
    with pytest.raises(TrainerError) as caught:
        run({**models, **survival_models}, table, tmp_path / "out", "long", "wide")
    assert caught.value.code == "MODELS_NOT_COMPARABLE"
    assert "their tasks differ: survival and classification" in str(caught.value)


@pytest.mark.parametrize(
    ("damage", "code"),
    [
        (lambda folder: shutil.rmtree(folder), "CHECKPOINT_NOT_FOUND"),
        (lambda folder: next(folder.glob("*model*")).unlink(), "CHECKPOINT_CORRUPT"),
        (lambda folder: next(folder.glob("*model*")).write_bytes(b"no tensors"), "CHECKPOINT_CORRUPT"),
    ],
    ids=["missing", "a part of it missing", "unreadable"],
)
def test_a_checkpoint_that_cannot_be_read_is_refused(models, tmp_path, damage, code):
    copy = tmp_path / "job" / "checkpoints" / "best"
    shutil.copytree(models["strict"], copy)
    damage(copy)
    table = write_table(tmp_path / "test.csv", seed=1)
    with pytest.raises(TrainerError) as caught:
        run({**models, "damaged": copy}, table, tmp_path / "out", "wide", "damaged")
    assert caught.value.code == code
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("learned", ["wide", "elsewhere"])
def test_cases_that_one_of_them_has_learned_from_are_said_of_that_one(models, tmp_path, learned):
    table = shutil.copy(models[learned].parents[2] / "train.csv", tmp_path / "copy.csv")
    result = run(models, table, tmp_path / "out", "wide", "elsewhere")
    said = {one["name"]: [told["code"] for told in one["warnings"]] for one in result["models"]}
    other = "elsewhere" if learned == "wide" else "wide"
    assert "EVALUATED_ON_TRAINING_DATA" in said[learned]
    assert "EVALUATED_ON_TRAINING_DATA" not in said[other]


def test_patients_are_named_in_the_predictions_alone(models, tmp_path):
    table = write_table(tmp_path / "test.csv", seed=1)
    run(models, table, tmp_path / "out", "wide", "strict")
    named = [path.name for path in (tmp_path / "out").iterdir() if "secret" in path.read_text()]
    assert named == ["predictions.csv"]
