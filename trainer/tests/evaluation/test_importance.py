"""Permutation importance and ablation: by their definition, limited, with a reason if there is none."""

import csv
import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from jsonschema import Draft202012Validator
from sklearn import metrics as reference

from medloom_trainer.contract.schemas import task_schemas
from medloom_trainer.evaluation import importance
from medloom_trainer.evaluation.evaluate import evaluate
from medloom_trainer.evaluation.feature_bank import FeatureBank
from medloom_trainer.evaluation.importance import explain, partners
from medloom_trainer.evaluation.result import evaluation_result
from medloom_trainer.inference.checkpoint import load_checkpoint
from medloom_trainer.inference.predict import predict
from medloom_trainer.metrics.score_drops import MainScore, ScoreDrops
from medloom_trainer.metrics.statistics.clusters import Clusters
from medloom_trainer.outcomes import kind_of
from medloom_trainer.outcomes.multilabel import Multilabel
from testing.checkpoints import configuration as config_of_table
from testing.checkpoints import evaluation_params, write_checkpoint, write_table
from testing.synthetic import cases_of, configuration, prepared, run

SCHEMA = Draft202012Validator(task_schemas()["evaluate"]["result"])
BOTH = {"vision_backbone": "mobilenetv3_small_100", "fusion_type": "concatenate"}

pytestmark = pytest.mark.usefixtures("quick_networks")


def trained(folder, *, epochs=4, task="classification", num_views=0, **changes):
    """A checkpoint. The label determines the first number of the table and the brightness of the images."""
    data = prepared(train_cases=120, num_views=num_views, task=task)
    base = {"vision_backbone": "none", "fusion_type": "concatenate", "epochs": epochs}
    run(folder, configuration(**{**base, **changes, "learning_rate": 0.01}), data)
    return load_checkpoint(folder / "checkpoints" / "best"), data


def explained(checkpoint, cases, store, repeats=3):
    state = checkpoint.state
    predictions = predict(checkpoint.build_network(), cases, store, checkpoint_state=state)
    result = evaluation_result(
        kind=kind_of(state),
        threshold=state["threshold"],
        cases=cases,
        predictions=predictions,
        split="test",
        source={"csv": "", "checkpoint": "", "checkpoint_digest": ""},
        flow=[],
        missing={},
    )
    return explain(checkpoint, cases, store, result, repeats=repeats, device="cpu", progress=lambda *_: None)


@pytest.fixture(scope="module")
def table_model(tmp_path_factory):
    return trained(tmp_path_factory.mktemp("table"))


@pytest.mark.slow
def test_the_column_that_shows_the_label_matters_and_noise_does_not(table_model):
    found = explained(table_model[0], cases_of(200, seed=9, num_views=0), None).result
    by_name = {entry["name"]: entry for entry in found["inputs"]}
    assert found["inputs"][0]["name"] == "age" and by_name["age"]["low"] > 0.05
    for noise in ("site", "ward"):
        assert abs(by_name[noise]["drop"]) < by_name["age"]["drop"] / 3
    assert (found["metric"], found["num_cases"], found["ablation"]) == ("auc", 200, [])


@pytest.mark.slow
def test_a_drop_is_the_mean_over_exchanges_that_anybody_can_repeat(table_model):
    checkpoint, _ = table_model
    cases = cases_of(150, seed=4, num_views=0)
    found = explained(checkpoint, cases, None, repeats=3).result

    def area(of):
        chances = predict(checkpoint.build_network(), of, None, checkpoint_state=checkpoint.state)
        return reference.roc_auc_score(cases.labels, chances[:, 1])

    drops = []
    for repeat in range(3):
        order = partners(cases.patients, 150, np.random.default_rng([found["seed"], repeat]))
        values, present = cases.values.copy(), cases.present.copy()
        values[:, 0], present[:, 0] = values[order, 0], present[order, 0]
        drops.append(area(cases) - area(replace(cases, values=values, present=present)))
    age = next(entry for entry in found["inputs"] if entry["name"] == "age")
    assert age["drop"] == pytest.approx(np.mean(drops), abs=1e-6)
    assert age["low"] < age["drop"] < age["high"]
    assert explained(checkpoint, cases, None, repeats=3).result == found


def test_a_number_has_the_increase_of_its_error(tmp_path):
    checkpoint, _ = trained(tmp_path, task="regression")
    found = explained(checkpoint, cases_of(120, seed=9, num_views=0, task="regression"), None).result
    assert found["metric"] == "mae" and found["inputs"][0]["name"] == "age"
    assert found["inputs"][0]["low"] > 0


def test_values_go_from_patient_to_patient():
    patients = np.repeat(np.arange(20), [1, 2, 3, 4] * 5)
    for seed in range(5):
        order = partners(patients, len(patients), np.random.default_rng(seed))
        givers = patients[order]
        assert (givers != patients).all()
        assert all(len(set(givers[patients == patient])) == 1 for patient in range(20))
    alone = partners(None, 50, np.random.default_rng(0))
    assert sorted(alone) == list(range(50)) and (alone != np.arange(50)).all()


@pytest.mark.slow
@pytest.mark.parametrize("fusion", ["concatenate", "cross_attention"])
def test_images_are_seen_once_and_count_as_one_input(tmp_path, monkeypatch, fusion):
    checkpoint, data = trained(tmp_path, epochs=1, num_views=2, **{**BOTH, "fusion_type": fusion})
    cases = cases_of(60, seed=9, num_views=2)
    cases.slots[::5, 1] = -1
    cases.slots[3] = -1
    network = checkpoint.build_network()
    options = {"image_normalization": checkpoint.state["image_normalization"], "device": torch.device("cpu")}
    bank = FeatureBank(network, cases.slots, data.store, batch_size=8, **options)
    kind = kind_of(checkpoint.state)
    remembered = kind.predictions(bank.predict(cases.values, cases.codes, cases.present, cases.slots))
    plain = predict(network, cases, data.store, checkpoint_state=checkpoint.state)
    np.testing.assert_allclose(remembered, plain, atol=1e-5)
    hidden = replace(cases, slots=np.full_like(cases.slots, -1))
    np.testing.assert_allclose(
        kind.predictions(bank.predict(cases.values, cases.codes, cases.present, hidden.slots)),
        predict(network, hidden, data.store, checkpoint_state=checkpoint.state),
        atol=1e-5,
    )
    seen = []
    gather = data.store.gather_into
    monkeypatch.setattr(
        data.store, "gather_into", lambda slots, out: (seen.append(slots.size), gather(slots, out))[1]
    )
    found = explained(checkpoint, cases, data.store, repeats=2)
    # Once to predict (120 views), once to store the features of the 16 existing images.
    assert sum(seen) == 120 + len(np.unique(cases.slots[cases.slots >= 0]))
    assert {entry["kind"] for entry in found.result["inputs"]} == {"column", "images"}
    assert [entry["without"] for entry in found.result["ablation"]] == ["images", "table"]
    moved = np.abs(
        np.array(found.table["without images: probability_class 1"])
        - np.array(found.table["probability_class 1"])
    )
    assert found.result["ablation"][0]["mean_change"] == pytest.approx(moved.mean(), abs=1e-9)


def test_a_large_table_is_sampled_by_patients_and_says_so(table_model, monkeypatch):
    monkeypatch.setattr(importance, "_MAX_CASES", 100)
    cases = replace(cases_of(300, seed=9, num_views=0), patients=np.repeat(np.arange(100), 3))
    assert explained(table_model[0], cases, None).result["num_cases"] == 99


def test_few_patients_get_a_reason_and_no_number(table_model):
    found = explained(table_model[0], cases_of(16, seed=1, num_views=0), None).result
    assert found["reason"] == "fewer than 20 patients" and found["inputs"] == [] and found["metric"] is None


@pytest.mark.slow
def test_it_is_part_of_an_evaluation_that_asks_for_it(tmp_path):
    train = write_table(tmp_path / "train" / "train.csv", images=True)
    changes = {"model__vision_backbone": "mobilenetv3_small_100", "model__pretrained": False}
    checkpoint = write_checkpoint(tmp_path / "run", config_of_table(train, **changes), tmp_path / "cache")
    table = write_table(tmp_path / "test" / "test.csv", seed=1, images=True)
    params = evaluation_params(checkpoint, table, tmp_path / "out", importance={"repeats": 2})
    result = evaluate(params, lambda *_: None)
    SCHEMA.validate(json.loads(json.dumps(result, allow_nan=False)))
    assert {entry["name"] for entry in result["importance"]["inputs"]} == {"age", "sex", "images"}
    with (tmp_path / "out" / result["importance"]["predictions"]).open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 60 and "without table: probability_yes" in rows[0] and "patient" not in rows[0]
    assert "importance" not in evaluate(
        evaluation_params(checkpoint, table, tmp_path / "plain"), lambda *_: None
    )


def test_of_several_labels_it_is_the_mean_area_over_the_cases_that_know_each():
    random = np.random.default_rng(0)
    labels = random.integers(0, 2, (80, 2))
    labels[::7, 1] = -1
    kind = Multilabel(("a", "b"))
    after = random.random((80, 2))
    scores = [
        MainScore.from_outcome(kind.measured(labels, one, [0.5, 0.5])) for one in (labels * 0.8 + 0.1, after)
    ]
    known = labels[:, 1] >= 0
    area = reference.roc_auc_score
    areas = area(labels[:, 0], after[:, 0]), area(labels[known, 1], after[known, 1])
    drop = ScoreDrops(scores[0], Clusters.from_patients(None, 80), seed=0).measure([scores[1]])
    assert scores[0].metric == "auc" and drop.drop == pytest.approx(1 - np.mean(areas))
    assert drop.low < drop.drop < drop.high
