"""Several trained models as one: each reads raw cases as prepared in its own training, and the mean of their
predictions is the prediction.
"""

import csv
import json
import shutil

import numpy as np
import pytest
import torch
from jsonschema import Draft202012Validator
from safetensors.numpy import load_file, save_file

from medloom_trainer.contract.run_directory import RunDirectory
from medloom_trainer.contract.schemas import task_schemas
from medloom_trainer.contract.spec import Spec
from medloom_trainer.data.apply import prepare_cases
from medloom_trainer.data.cache import BLAKE2B_VERSION, NEWEST_VERSION
from medloom_trainer.data.splits import read_seen_cases
from medloom_trainer.errors import TrainerError
from medloom_trainer.evaluation.evaluate import evaluate
from medloom_trainer.evaluation.saliency import saliency_of
from medloom_trainer.export import export_model, load_model, model_inputs
from medloom_trainer.export.file import export_file
from medloom_trainer.export.network import outputs_of
from medloom_trainer.export.onnx import run_onnx
from medloom_trainer.inference.checkpoint import load_checkpoint
from medloom_trainer.training.combine import combine
from medloom_trainer.training.fine_tuning import fitted_preparation
from testing.checkpoints import configuration, evaluation_params, write_checkpoint, write_table
from testing.export_models import operators_read_once

pytestmark = pytest.mark.usefixtures("quick_networks")

ENSEMBLE_ID = "1c9d2c1e-7a54-4b0e-9c1d-0a1b2c3d4e5f"
TASKS = task_schemas()


def said(message, fraction):
    pass


def member(folder, *, seed, rows=60, regression=False, **changes):
    """A model with a separate table and preprocessing."""
    table = write_table(folder / "train.csv", rows=rows, seed=seed, regression=regression)
    torch.manual_seed(seed)
    return write_checkpoint(folder / "run", configuration(table, **changes), folder / "cache")


def params_of(folder, checkpoints):
    members = [{"name": f"model {n}", "checkpoint": str(one)} for n, one in enumerate(checkpoints, start=1)]
    return {
        "members": members,
        "job_id": ENSEMBLE_ID,
        "job_name": "together",
        "run_dir": str(folder / "ensemble"),
        "data_dir": str(folder),
        "roots": [],
    }


def combined(folder, checkpoints):
    """→ the folder of its checkpoint, and the result."""
    params = params_of(folder, checkpoints)
    result = combine(params, said)
    Draft202012Validator(TASKS["ensemble"]["params"]).validate(params)
    Draft202012Validator(TASKS["ensemble"]["result"]).validate(result)
    return RunDirectory(folder / "ensemble").checkpoint("best"), result


def predictions(checkpoint, table, out_dir, **changes):
    """→ the rows of predictions.csv, and the result."""
    params = evaluation_params(checkpoint, table, out_dir, **changes)
    result = evaluate(params, said)
    Draft202012Validator(TASKS["evaluate"]["result"]).validate(json.loads(json.dumps(result)))
    with (out_dir / "predictions.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file)), result


def column(rows, name):
    return np.array([float(row[name]) for row in rows])


@pytest.fixture(scope="module")
def classes(tmp_path_factory):
    """(folder, checkpoints of three members, ensemble). The second member itself has several networks, the
    last one encodes its table differently."""
    folder = tmp_path_factory.mktemp("classes")
    made = [member(folder / f"m{seed}", seed=seed, model__members=seed) for seed in (1, 2)]
    other = {"data__categorical_encoding": "label", "data__scaling": "minmax"}
    made.append(member(folder / "m3", seed=3, model__members=1, **other))
    return folder, made, combined(folder, made)[0]


@pytest.fixture(scope="module")
def test_table(tmp_path_factory):
    return write_table(tmp_path_factory.mktemp("test") / "test.csv", rows=180, seed=9)


@pytest.mark.slow
def test_each_member_reads_the_raw_case_as_it_alone_would(classes, test_table, tmp_path):
    _, members, ensemble = classes
    alone = [
        column(predictions(one, test_table, tmp_path / f"{n}")[0], "probability_yes")
        for n, one in enumerate(members)
    ]
    rows, result = predictions(ensemble, test_table, tmp_path / "all")
    assert np.std(alone, axis=0).max() > 1e-3
    np.testing.assert_allclose(column(rows, "probability_yes"), np.mean(alone, axis=0), atol=1e-6)
    thresholds = [load_checkpoint(one).state["threshold"] for one in members]
    assert result["threshold"] == pytest.approx(np.mean(thresholds))
    assert (
        result["temperature"]["value"] is None and "validation predictions" in result["temperature"]["reason"]
    )


@pytest.mark.slow
def test_disagreement_is_the_spread_and_the_information_between_members(classes, test_table, tmp_path):
    """By the formulas of Lakshminarayanan 2017 and Depeweg 2018, from the predictions of the single
    members."""
    _, members, ensemble = classes
    chance = np.array(
        [column(predictions(one, test_table, tmp_path / f"{n}")[0], "probability_yes")
         for n, one in enumerate(members)]
    )  # fmt: skip
    rows, result = predictions(ensemble, test_table, tmp_path / "all")

    def entropy(p):
        return -(p * np.log(p) + (1 - p) * np.log(1 - p))

    information = entropy(chance.mean(axis=0)) - entropy(chance).mean(axis=0)
    np.testing.assert_allclose(column(rows, "member_sd"), chance.std(axis=0, ddof=1), atol=1e-6)
    np.testing.assert_allclose(column(rows, "mutual_information"), information, atol=1e-6)
    found = result["disagreement"]
    assert (found["members"], found["measure"], found["error"]) == (3, "mutual_information", "error_rate")
    wrong = np.array([row["correct"] == "false" for row in rows])
    of_case = column(rows, "mutual_information")
    for group in found["groups"]:
        inside = (of_case >= group["low"]) & (of_case <= group["high"])
        assert group["cases"] == inside.sum()
        assert group["error"]["estimate"] == pytest.approx(wrong[inside].mean())
    assert sum(group["cases"] for group in found["groups"]) == 180
    assert "disagreement" not in predictions(members[0], test_table, tmp_path / "one")[1]
    assert predictions(members[1], test_table, tmp_path / "two")[1]["disagreement"]["members"] == 2


@pytest.mark.slow
def test_numbers_are_averaged_in_their_own_units(tmp_path):
    members = [
        member(tmp_path / f"m{seed}", seed=seed, regression=True, rows=r) for seed, r in ((1, 60), (2, 40))
    ]
    table = write_table(tmp_path / "test" / "test.csv", rows=180, seed=9, regression=True)
    scales = [load_checkpoint(one).state["label_normalization"]["mean"] for one in members]
    assert abs(scales[0] - scales[1]) > 0.1
    alone = [
        column(predictions(one, table, tmp_path / f"{n}")[0], "predicted") for n, one in enumerate(members)
    ]
    rows, result = predictions(combined(tmp_path, members)[0], table, tmp_path / "all")
    np.testing.assert_allclose(column(rows, "predicted"), np.mean(alone, axis=0), rtol=1e-5)
    np.testing.assert_allclose(column(rows, "member_sd"), np.std(alone, axis=0, ddof=1), atol=1e-4)
    assert result["disagreement"]["error"] == "absolute_error" and "mutual_information" not in rows[0]
    errors = np.abs(column(rows, "truth") - column(rows, "predicted"))
    third = result["disagreement"]["groups"][0]
    inside = column(rows, "member_sd") <= third["high"]
    assert third["error"]["estimate"] == pytest.approx(errors[inside].mean(), rel=1e-6)


@pytest.mark.slow
def test_images_are_normalized_by_each_member_as_its_training_did(tmp_path):
    members = []
    for seed in (1, 2):
        table = write_table(tmp_path / f"m{seed}" / "train.csv", rows=24, seed=seed, images=True)
        config = configuration(
            table, model__vision_backbone="mobilenetv3_small_100", data__normalize="dataset"
        )
        members.append(write_checkpoint(tmp_path / f"m{seed}" / "run", config, tmp_path / "cache"))
    normalizations = [load_checkpoint(one).state["image_normalization"] for one in members]
    assert normalizations[0] != normalizations[1]
    test = write_table(tmp_path / "test" / "test.csv", rows=12, seed=9, images=True)
    alone = [
        column(predictions(one, test, tmp_path / f"{n}")[0], "probability_yes")
        for n, one in enumerate(members)
    ]
    rows, _ = predictions(combined(tmp_path, members)[0], test, tmp_path / "all")
    np.testing.assert_allclose(column(rows, "probability_yes"), np.mean(alone, axis=0), atol=1e-5)


@pytest.fixture(scope="module")
def seeing(tmp_path_factory):
    """(members that read images and a table with different backbones and normalizations, ensemble, test
    table)"""
    folder = tmp_path_factory.mktemp("seeing")
    members = []
    for seed, backbone in ((1, "mobilenetv3_small_100"), (2, "resnet18")):
        table = write_table(folder / f"m{seed}" / "train.csv", rows=24, seed=seed, images=True)
        config = configuration(table, model__vision_backbone=backbone, data__normalize="dataset")
        torch.manual_seed(seed)
        members.append(write_checkpoint(folder / f"m{seed}" / "run", config, folder / "cache"))
    test = write_table(folder / "test" / "test.csv", rows=60, seed=9, images=True)
    return members, combined(folder, members)[0], test


@pytest.mark.slow
def test_inputs_are_left_out_of_every_member(seeing, tmp_path):
    """The prediction of the ensemble without images, or without the table, is the mean of those of its
    members."""
    members, ensemble, test = seeing

    def ablated(checkpoint, name):
        _, result = predictions(checkpoint, test, tmp_path / name, importance={"repeats": 2})
        with (tmp_path / name / "ablation.csv").open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file)), result["importance"]

    alone = [ablated(one, f"{n}")[0] for n, one in enumerate(members)]
    rows, importance = ablated(ensemble, "all")
    for without in ("images", "table"):
        name = f"without {without}: probability_yes"
        mean = np.mean([column(one, name) for one in alone], axis=0)
        np.testing.assert_allclose(column(rows, name), mean, atol=1e-5)
    assert importance["reason"] is None
    assert {one["name"] for one in importance["inputs"]} == {"age", "sex", "images"}


@pytest.mark.slow
def test_where_the_ensemble_looks_is_the_mean_of_where_its_members_look(seeing, tmp_path):
    members, ensemble, test = seeing
    shown = {"failure_images": True, "saliency": True}
    _, result = predictions(ensemble, test, tmp_path / "out", **shown)
    assert "SETTING_WITHOUT_EFFECT" not in {one["code"] for one in result["warnings"]}
    assert json.loads((tmp_path / "out" / "failure-images.json").read_text())["saliency"] is True

    def looked(checkpoint):
        loaded = load_checkpoint(checkpoint)
        prepared = prepare_cases(
            loaded.state["preprocessing"], test, image_root=None, split="test", roots=[test.parent],
            cache_dir=tmp_path / "cache", progress=said,
        )  # fmt: skip
        return saliency_of(
            loaded.build_network(), prepared.cases, 5, prepared.store, output=1,
            image_normalization=loaded.state["image_normalization"],
        )  # fmt: skip

    mean = np.mean([looked(one).map for one in members], axis=0)
    np.testing.assert_allclose(looked(ensemble).map, mean / mean.max(), atol=1e-4)


@pytest.mark.slow
def test_the_ensemble_does_without_its_members(classes, test_table, tmp_path):
    """Their run directories may have been removed; the cases that they had seen are still known."""
    _, members, _ = classes
    copies = []
    for number, one in enumerate(members):
        run = shutil.copytree(one.parents[1], tmp_path / f"run-{number}")
        copies.append(run / "checkpoints" / "best")
    ensemble, result = combined(tmp_path, copies)
    before = predictions(ensemble, test_table, tmp_path / "before")[0]
    for copy in copies:
        shutil.rmtree(copy.parents[1])
    assert predictions(ensemble, test_table, tmp_path / "after")[0] == before
    assert result["cases_known"] is True
    assert [one["checkpoint_digest"] for one in result["members"]] == [
        load_checkpoint(one).manifest["files"]["model"]["sha256"] for one in members
    ]
    # Cases of the second member's training, with another file name.
    seen = write_table(tmp_path / "other.csv", rows=20, seed=2)
    _, told = predictions(ensemble, seen, tmp_path / "seen")
    known = [one for one in told["warnings"] if one["code"] == "EVALUATED_ON_TRAINING_DATA"]
    assert [one["message"][:11] for one in known] == ["10 patients"]


@pytest.mark.slow
def test_an_ensemble_whose_members_forgot_their_cases_says_so(classes, test_table, tmp_path):
    _, members, _ = classes
    copies = [shutil.copytree(one.parents[1], tmp_path / f"{n}") for n, one in enumerate(members[:2])]
    (copies[1] / "known-cases.safetensors").unlink()
    ensemble, result = combined(tmp_path, [copy / "checkpoints" / "best" for copy in copies])
    assert result["cases_known"] is False
    codes = {one["code"] for one in predictions(ensemble, test_table, tmp_path / "out")[1]["warnings"]}
    assert "LEAK_CHECK_INCOMPLETE" in codes


@pytest.mark.slow
@pytest.mark.parametrize(
    ("versions", "are_known"),
    [
        ((BLAKE2B_VERSION, BLAKE2B_VERSION), True),
        ((BLAKE2B_VERSION, None), True),
        ((BLAKE2B_VERSION, NEWEST_VERSION), False),
    ],
)
def test_an_ensemble_knows_images_whose_digests_are_of_one_version(classes, tmp_path, versions, are_known):
    """None: a member without images."""
    _, members, _ = classes
    copies = [shutil.copytree(one.parents[1], tmp_path / f"{n}") for n, one in enumerate(members[:2])]
    for run_dir, version in zip(copies, versions, strict=True):
        if version is not None:
            tensors = load_file(run_dir / "known-cases.safetensors")
            tensors |= {name: np.asarray([version], np.uint64) for name in ("images", "trained_images")}
            tensors["store_version"] = np.asarray([version], np.uint64)
            save_file(tensors, run_dir / "known-cases.safetensors")
    ensemble, result = combined(tmp_path, [copy / "checkpoints" / "best" for copy in copies])
    assert result["cases_known"] is are_known
    seen = read_seen_cases(ensemble.parents[1])
    assert (None if seen is None else seen.store_version) == (BLAKE2B_VERSION if are_known else None)


@pytest.mark.slow
@pytest.mark.parametrize(
    "format",
    # ONNX by default: test_formats.py, late fusion and a convolutional network.
    ["PyTorch", pytest.param("ONNX", marks=pytest.mark.full), "TorchScript"],
)
def test_every_format_takes_raw_rows_through_each_preparation(classes, test_table, tmp_path, format):
    folder, _, ensemble = classes
    params = {
        "checkpoint": str(ensemble), "format": format, "quantization": "none", "out_dir": str(tmp_path),
        "data_dir": str(folder), "cache_dir": str(tmp_path / "cache"), "roots": [],
    }  # fmt: skip
    with operators_read_once():
        result = export_file(params, said)
    Draft202012Validator(TASKS["export"]["result"]).validate(result)
    file = tmp_path / result["file"]
    assert str(folder).encode() not in file.read_bytes()
    document = export_model(load_checkpoint(ensemble), format="PyTorch").document
    inputs = model_inputs(document, test_table)
    given = [inputs[facts["name"]] for facts in document["inputs"]]
    if format == "PyTorch":
        found = outputs_of(load_model(file).network, given)
    elif format == "ONNX":
        found = run_onnx(file.read_bytes(), given)
    else:
        found = outputs_of(torch.jit.load(file), given)
    rows, _ = predictions(ensemble, test_table, tmp_path / "out")
    np.testing.assert_allclose(found[:, 1], column(rows, "probability_yes"), atol=1e-5)


def test_members_that_were_prepared_alike_share_their_inputs(tmp_path):
    table = write_table(tmp_path / "train.csv")
    members = []
    for seed in (1, 2):
        torch.manual_seed(seed)
        members.append(write_checkpoint(tmp_path / f"{seed}", configuration(table), tmp_path / "cache"))
    state = load_checkpoint(combined(tmp_path, members)[0]).state
    assert state["layout"] == load_checkpoint(members[0]).state["layout"]


def test_columns_are_exchanged_in_every_encoding(classes, test_table, tmp_path):
    """Importance and shift name a column once, whatever the number of members that read it."""
    _, _, ensemble = classes
    _, result = predictions(ensemble, test_table, tmp_path / "out", importance={"repeats": 2})
    assert sorted(one["name"] for one in result["importance"]["inputs"]) == ["age", "sex"]
    assert sorted(one["name"] for one in result["shift"]["inputs"]) == ["age", "sex"]
    drop = next(one["drop"] for one in result["importance"]["inputs"] if one["name"] == "age")
    assert abs(drop) > 1e-3


def test_what_does_not_answer_the_same_question_is_refused(classes, tmp_path):
    folder, members, ensemble = classes
    number = member(tmp_path / "number", seed=1, regression=True)
    reversed_ = member(tmp_path / "reversed", seed=1, data__positive_class="no")
    for others, words in (
        ([members[0], number], "task: model 1 has classification, but model 2 has regression"),
        ([members[0], reversed_], "order: model 1 has no, yes, but model 2 has yes, no"),
        ([members[0], ensemble], "model 2 is already an ensemble"),
    ):
        params = params_of(tmp_path, others) | {"roots": [str(folder)]}
        with pytest.raises(TrainerError, match=words) as caught:
            combine(params, said)
        assert caught.value.code == "MEMBERS_DIFFER" and caught.value.details
        assert not (tmp_path / "ensemble").exists()


def test_an_ensemble_cannot_be_fine_tuned_and_names_what_can(classes, tmp_path):
    folder, _, ensemble = classes
    config = configuration(folder / "m1" / "train.csv", model__fine_tune_from=str(ensemble))
    spec = Spec(
        job_id=ENSEMBLE_ID, attempt=1, job_name="more", run_dir=tmp_path / "run", cache_dir=tmp_path,
        config=config, roots=(folder,), resume_from=None,
    )  # fmt: skip
    with pytest.raises(TrainerError, match="the trained model is an ensemble") as caught:
        fitted_preparation(spec)
    assert caught.value.code == "CHECKPOINT_MISMATCH" and "one of its members" in caught.value.details
