"""The task `evaluate`: values fitted in the checkpoint are applied, never refitted; the files contain the
result."""

import base64
import csv
import io
import json
import shutil

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from PIL import Image
from sklearn import metrics as reference

from medloom_trainer.contract.schemas import task_schemas
from medloom_trainer.data.apply import prepare_cases
from medloom_trainer.errors import TrainerError
from medloom_trainer.evaluation.evaluate import evaluate, prediction_device
from medloom_trainer.evaluation.failure_images import MAX_CASES
from medloom_trainer.inference.checkpoint import load_checkpoint
from medloom_trainer.inference.predict import predict
from testing.checkpoints import (
    configuration,
    evaluation_params,
    forget_store_version,
    write_checkpoint,
    write_table,
)

SCHEMA = Draft202012Validator(task_schemas()["evaluate"]["result"])


def run(checkpoint, table, out_dir, **changes):
    heard = []
    params = evaluation_params(checkpoint, table, out_dir, **changes)
    result = evaluate(params, lambda message, fraction: heard.append((message, fraction)))
    SCHEMA.validate(json.loads(json.dumps(result, allow_nan=False)))
    return result, heard


def codes(result):
    return {warning["code"] for warning in result["warnings"]}


@pytest.mark.parametrize("replaced", ["model", "state", "manifest", "folder"])
def test_a_checkpoint_that_became_a_link_after_the_check_of_the_service_is_refused(
    binary_checkpoint, tmp_path, replaced
):
    """Complete except for the location of its files, so that only the location can be the reason."""
    folder = tmp_path / "root" / "checkpoint"
    shutil.copytree(binary_checkpoint[0], folder)
    manifest = json.loads((folder / "checkpoint.json").read_text())
    names = {name: facts["file"] for name, facts in manifest["files"].items()}
    link = folder if replaced == "folder" else folder / {**names, "manifest": "checkpoint.json"}[replaced]
    outside = tmp_path / "outside"
    link.rename(outside)
    link.symlink_to(outside)
    params = evaluation_params(folder, write_table(tmp_path / "root" / "test.csv", seed=1), tmp_path / "out")
    with pytest.raises(TrainerError) as caught:
        evaluate(params | {"data_dir": str(tmp_path / "data")}, lambda message, fraction: None)
    assert caught.value.code == "PATH_NOT_ALLOWED"
    # Inside the roots a link may lead anywhere.
    evaluate(params | {"roots": [str(tmp_path)]}, lambda message, fraction: None)


def test_the_metrics_are_those_of_the_predictions_in_the_file(binary_checkpoint, tmp_path):
    checkpoint, _ = binary_checkpoint
    result, heard = run(checkpoint, write_table(tmp_path / "test.csv", seed=1), tmp_path / "out")
    with (tmp_path / "out" / "predictions.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    truth = [row["truth"] == "yes" for row in rows]
    chances = [float(row["probability_yes"]) for row in rows]
    assert result["metrics"]["auc"] == pytest.approx(reference.roc_auc_score(truth, chances), abs=1e-9)
    assert result["threshold"] == load_checkpoint(checkpoint).state["threshold"]
    assert result["metrics"]["f1_score"] == pytest.approx(
        reference.f1_score(truth, np.array(chances) >= result["threshold"]), abs=1e-9
    )
    assert json.loads((tmp_path / "out" / "evaluation.json").read_text()) == json.loads(json.dumps(result))
    assert (result["num_cases"], result["num_patients"]) == (60, 30)
    assert result["intervals"]["auc"]["method"] == "DeLong over patients, logit scale"
    fractions = [fraction for _, fraction in heard]
    assert fractions == sorted(fractions) and fractions[0] >= 0 and fractions[-1] <= 1


def test_patients_are_named_in_the_table_of_predictions_alone(binary_checkpoint, tmp_path):
    """They are needed there to compare models patient by patient; no other file contains them."""
    run(binary_checkpoint[0], write_table(tmp_path / "test.csv", seed=1), tmp_path / "out")
    written = (tmp_path / "out").iterdir()
    named = [path.name for path in written if "secret" in path.read_text(encoding="utf-8")]
    assert named == ["predictions.csv"]


def test_other_ids_follow_the_patient_in_the_table_of_predictions_alone(tmp_path):
    ids = ("image_id", "visit_key", "group_id")
    train = write_table(tmp_path / "train.csv", ids=ids)
    config = configuration(train, data__ignore_columns=["visit_key"])
    checkpoint = write_checkpoint(tmp_path / "best", config, tmp_path / "cache")
    table = write_table(tmp_path / "test.csv", seed=1, ids=ids)
    run(checkpoint, table, tmp_path / "out")
    with (tmp_path / "out" / "predictions.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    with table.open(newline="", encoding="utf-8") as file:
        given = list(csv.DictReader(file))
    assert list(rows[0])[:7] == ["file", "row", "split", "patient", "image_id", "visit_key", "input_group_id"]
    for written, source in (
        ("image_id", "image_id"),
        ("visit_key", "visit_key"),
        ("input_group_id", "group_id"),
    ):
        assert [row[written] for row in rows] == [row[source] for row in given]
    others = [path for path in (tmp_path / "out").iterdir() if path.name != "predictions.csv"]
    assert others and not any("secret" in path.read_text(encoding="utf-8") for path in others)


def test_a_table_may_lack_ids_of_the_training_and_a_model_may_be_older(tmp_path):
    train = write_table(tmp_path / "train.csv", ids=("image_id",))
    checkpoint = write_checkpoint(tmp_path / "best", configuration(train), tmp_path / "cache")
    header = lambda name: (tmp_path / name / "predictions.csv").read_text().splitlines()[0]  # noqa: E731
    run(checkpoint, write_table(tmp_path / "test.csv", seed=1), tmp_path / "lacking")
    assert "patient,truth" in header("lacking")
    with_ids = write_table(tmp_path / "ids.csv", seed=1, ids=("image_id",))
    run(checkpoint, with_ids, tmp_path / "whole")
    assert "patient,image_id,truth" in header("whole")
    loaded = load_checkpoint(checkpoint)
    del loaded.state["preprocessing"]["id_columns"]
    older = prepare_cases(
        loaded.state["preprocessing"], with_ids, image_root=None, split="test", roots=[tmp_path],
        cache_dir=tmp_path / "cache", progress=lambda *_: None,
    )  # fmt: skip
    assert older.cases.other_ids == {}


def test_nothing_is_fitted_to_the_evaluated_table(binary_checkpoint, tmp_path):
    """The prediction of a row does not depend on the other rows of its table."""
    checkpoint, _ = binary_checkpoint
    table = write_table(tmp_path / "test.csv", seed=1)
    lines = table.read_text(encoding="utf-8").splitlines()
    (tmp_path / "part.csv").write_text("\n".join(lines[:21]) + "\n", encoding="utf-8")

    def chances(name):
        run(checkpoint, tmp_path / f"{name}.csv", tmp_path / name)
        with (tmp_path / name / "predictions.csv").open(newline="", encoding="utf-8") as file:
            return [float(row["probability_yes"]) for row in csv.DictReader(file)]

    assert chances("part") == pytest.approx(chances("test")[:20], abs=1e-6)


def test_a_table_that_lacks_a_class_is_measured_as_far_as_it_goes(binary_checkpoint, tmp_path):
    table = write_table(tmp_path / "test.csv", seed=1, classes=("yes", "yes"))
    result, _ = run(binary_checkpoint[0], table, tmp_path / "out")
    assert result["metrics"]["auc"] is None and "only one class" in result["notes"]["auc"]
    assert result["metrics"]["accuracy"] is not None


@pytest.mark.slow
def test_images_are_prepared_as_in_training(tmp_path):
    table = write_table(tmp_path / "train.csv", rows=24, images=True)
    config = configuration(table, model__vision_backbone="mobilenetv3_small_100")
    checkpoint = write_checkpoint(tmp_path / "best", config, tmp_path / "cache")
    test = write_table(tmp_path / "test.csv", rows=24, seed=1, images=True)
    result, _ = run(checkpoint, test, tmp_path / "out")
    loaded = load_checkpoint(checkpoint)
    inputs = prepare_cases(
        loaded.state["preprocessing"],
        test,
        image_root=None,
        split="test",
        roots=[tmp_path],
        cache_dir=tmp_path / "cache",
        progress=lambda *_: None,
    )
    expected = predict(
        loaded.build_network(), inputs.cases, inputs.store, checkpoint_state=loaded.state, device="cpu"
    )
    assert result["metrics"]["log_loss"] == pytest.approx(
        reference.log_loss(inputs.cases.labels, expected, labels=[0, 1]), abs=1e-6
    )
    assert result["missing"]["image"] == 0
    assert not (tmp_path / "out" / "failure-images.json").exists()


@pytest.mark.slow
def test_failure_images_are_what_the_model_saw_and_name_nobody(tmp_path):
    table = write_table(tmp_path / "train.csv", rows=24, images=True)
    config = configuration(table, model__vision_backbone="mobilenetv3_small_100")
    checkpoint = write_checkpoint(tmp_path / "best", config, tmp_path / "cache")
    test = write_table(tmp_path / "test.csv", rows=24, seed=1, images=True)
    result, _ = run(checkpoint, test, tmp_path / "out", failure_images=True)
    file = tmp_path / "out" / "failure-images.json"
    text = file.read_text(encoding="utf-8")
    assert "secret" not in text and ".png" not in text
    images = json.loads(text)
    assert images["num_views"] == 1
    assert len(images["cases"]) == min(len(result["failures"]), MAX_CASES) > 0
    state = load_checkpoint(checkpoint).state
    folder = {"image_root": None, "roots": [tmp_path], "cache_dir": tmp_path / "cache"}
    seen = prepare_cases(state["preprocessing"], test, split="test", progress=lambda *_: None, **folder)
    rows = seen.cases.rows.tolist()
    for failure, views in zip(result["failures"], images["cases"], strict=False):
        (view,) = views
        slots = seen.cases.slots[[rows.index(failure["row"])]]
        pixels = np.asarray(Image.open(io.BytesIO(base64.b64decode(view["png"]))).convert("RGB"))
        assert np.array_equal(pixels, seen.store.gather(slots)[0, 0])


def test_a_regression_answers_in_the_units_of_the_table(tmp_path):
    table = write_table(tmp_path / "train.csv", regression=True)
    checkpoint = write_checkpoint(tmp_path / "best", configuration(table), tmp_path / "cache")
    result, _ = run(checkpoint, write_table(tmp_path / "test.csv", seed=1, regression=True), tmp_path / "out")
    assert result["task"] == "regression" and result["metrics"]["auc"] is None
    # An untrained network predicts near the mean of the training labels, which are between 7 and 30.
    assert 5 < np.mean(result["regression"]["predicted"]) < 32


def with_splits(table, splits):
    """The table with a new column that assigns its rows to splits."""
    lines = table.read_text(encoding="utf-8").splitlines()
    joined = [f"{line},{split}" for line, split in zip(lines, ["split", *splits], strict=True)]
    table.write_text("\n".join(joined), encoding="utf-8")
    return table


class TestSplit:
    """The labeled cases of the split are measured, whether or not the training had a split column."""

    def test_the_split_column_of_the_table_chooses_its_rows(self, binary_checkpoint, tmp_path):
        splits = ["Training"] * 30 + ["valid"] * 10 + ["test"] * 20
        table = with_splits(write_table(tmp_path / "test.csv", seed=1), splits)
        for split, cases in (("test", 20), ("val", 10)):
            result, _ = run(binary_checkpoint[0], table, tmp_path / split, split=split)
            assert (result["split"], result["num_cases"]) == (split, cases)
            assert [step["cases"] for step in result["flow"]] == [60, cases]
            assert "NO_SPLIT_COLUMN" not in codes(result)
        with pytest.raises(TrainerError, match='no row has the value "fold 3" in column "split"') as caught:
            run(binary_checkpoint[0], table, tmp_path / "out", split="fold 3")
        assert caught.value.code == "DATASET_INVALID"

    def test_a_table_without_one_is_all_of_the_split_and_says_so(self, binary_checkpoint, tmp_path):
        result, _ = run(binary_checkpoint[0], write_table(tmp_path / "test.csv", seed=1), tmp_path / "out")
        assert (result["split"], result["num_cases"]) == ("test", 60)
        (said,) = [w["message"] for w in result["warnings"] if w["code"] == "NO_SPLIT_COLUMN"]
        assert said == "test.csv has no split column, so all rows (60) are used as the test split"


class TestTrainingData:
    def test_the_training_table_is_recognized(self, binary_checkpoint, tmp_path):
        checkpoint, table = binary_checkpoint
        result, _ = run(checkpoint, table, tmp_path / "out")
        assert "EVALUATED_ON_TRAINING_DATA" in codes(result)

    @pytest.mark.slow
    def test_a_copy_of_the_training_split_is_recognized_by_its_digest(self, tmp_path):
        table = write_table(tmp_path / "train.csv")
        validation = write_table(tmp_path / "val.csv", seed=2)
        config = configuration(table, data__val_csv=str(validation))
        checkpoint = write_checkpoint(tmp_path / "best", config, tmp_path / "cache")
        for name, phrase in (("train", "the train split"), ("val", "the val split")):
            copy = tmp_path / f"copy-of-{name}.csv"
            copy.write_bytes((tmp_path / f"{name}.csv").read_bytes())
            result, _ = run(checkpoint, copy, tmp_path / "out")
            assert [w for w in result["warnings"] if phrase in w["message"]], name

    @pytest.mark.slow
    @pytest.mark.parametrize("is_earlier", [False, True], ids=["this version", "an earlier version"])
    def test_patients_and_images_of_the_training_are_recognized_in_any_table(self, tmp_path, is_earlier):
        table = write_table(tmp_path / "train.csv", images=True)
        config = configuration(table, model__vision_backbone="resnet18")
        checkpoint = write_checkpoint(tmp_path / "best", config, tmp_path / "cache")
        if is_earlier:
            forget_store_version(tmp_path / "best", tmp_path.glob("0-*.png"))
        lines = table.read_text(encoding="utf-8").splitlines()[1:]
        other = tmp_path / "again"
        strangers = write_table(other / "test.csv", rows=20, seed=1, images=True)
        renamed = [line.replace("secret-0", "renamed") for line in lines[4:7]]  # new patients, known images
        for name in [line.split(",")[1] for line in renamed]:
            (other / name).write_bytes((tmp_path / name).read_bytes())
        known = [line.replace(",0-", ",2-") for line in lines[:3]]  # two known patients, new images
        for name in [line.split(",")[1] for line in known]:
            (other / name).write_bytes((other / name.replace("2-", "1-", 1)).read_bytes())
        with strangers.open("a", encoding="utf-8") as file:
            file.write("\n".join([*known, *renamed, ""]))
        result, _ = run(checkpoint, strangers, tmp_path / "out")
        (warning,) = [w for w in result["warnings"] if w["code"] == "EVALUATED_ON_TRAINING_DATA"]
        assert warning["message"].startswith("2 patients and 3 images of these cases were in the training")

    def test_a_model_without_that_record_says_so(self, tmp_path):
        table = write_table(tmp_path / "train.csv")
        checkpoint = write_checkpoint(tmp_path / "best", configuration(table), tmp_path / "cache")
        (tmp_path / "best" / "known-cases.safetensors").unlink()
        result, _ = run(checkpoint, write_table(tmp_path / "test.csv", seed=1), tmp_path / "out")
        assert "LEAK_CHECK_INCOMPLETE" in codes(result)

    def test_what_is_kept_names_no_patient(self, binary_checkpoint):
        kept = (binary_checkpoint[0].parent.parent / "known-cases.safetensors").read_bytes()
        assert b"secret" not in kept and b"patients" in kept

    def test_new_patients_raise_no_such_warning(self, binary_checkpoint, tmp_path):
        table = write_table(tmp_path / "test.csv", seed=1)
        result, _ = run(binary_checkpoint[0], table, tmp_path / "out")
        assert not {"EVALUATED_ON_TRAINING_DATA", "LEAK_CHECK_INCOMPLETE"} & set(codes(result))

    def test_the_test_rows_of_a_table_with_a_split_column_raise_none(self, tmp_path):
        table = write_table(tmp_path / "train.csv")
        with_splits(table, ["train"] * 30 + ["val"] * 14 + ["test"] * 16)
        checkpoint = write_checkpoint(tmp_path / "best", configuration(table), tmp_path / "cache")
        result, _ = run(checkpoint, table, tmp_path / "out", split="test")
        assert "EVALUATED_ON_TRAINING_DATA" not in codes(result) and result["num_cases"] == 16
        result, _ = run(checkpoint, table, tmp_path / "out", split="train")
        assert "EVALUATED_ON_TRAINING_DATA" in codes(result) and result["num_cases"] == 30


class TestRefused:
    def code(self, *args, **changes):
        with pytest.raises(TrainerError) as caught:
            run(*args, **changes)
        return caught.value.code

    def test_each_with_its_code_and_without_files(self, binary_checkpoint, tmp_path):
        checkpoint, _ = binary_checkpoint
        table = write_table(tmp_path / "test.csv", seed=1)
        unlabeled = tmp_path / "unlabeled.csv"
        unlabeled.write_text("patient_id,age,sex\na,30,m\n", encoding="utf-8")
        foreign = write_table(tmp_path / "foreign.csv", seed=1, classes=("maybe", "perhaps"))
        out = tmp_path / "out"
        assert self.code(tmp_path / "nowhere", table, out) == "CHECKPOINT_NOT_FOUND"
        assert self.code(checkpoint, tmp_path / "nowhere.csv", out) == "FILE_NOT_FOUND"
        assert self.code(checkpoint, unlabeled, out) == "COLUMN_NOT_FOUND"
        assert self.code(checkpoint, foreign, out) == "LABEL_INVALID"
        assert self.code(checkpoint, table, out, device="cuda:99") == "DEVICE_UNAVAILABLE"
        assert not out.exists()

    def test_a_damaged_checkpoint(self, tmp_path):
        table = write_table(tmp_path / "train.csv")
        checkpoint = write_checkpoint(tmp_path / "best", configuration(table), tmp_path / "cache")
        (weights,) = checkpoint.glob("model.*.safetensors")
        damaged = bytearray(weights.read_bytes())
        damaged[-1] ^= 1
        weights.write_bytes(damaged)
        assert self.code(checkpoint, table, tmp_path / "out") == "CHECKPOINT_CORRUPT"


@pytest.mark.parametrize("text", ["", "gpu", "cuda:", "cpu:0", "cuda:0;rm"])
def test_what_is_no_device_is_refused(text):
    with pytest.raises(TrainerError) as caught:
        prediction_device(text)
    assert caught.value.code == "DEVICE_UNAVAILABLE"


def test_several_processes_predict_on_prediction_device():
    assert prediction_device("cpu:4") == "cpu"
