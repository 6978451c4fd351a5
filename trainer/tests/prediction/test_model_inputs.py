"""The inputs of a model, for a form: ranges, categories, and how a missing value is read."""

import csv
import json

import pytest
from jsonschema import Draft202012Validator

from medloom_trainer.contract.schemas import task_schemas
from medloom_trainer.errors import TrainerError
from medloom_trainer.inference.checkpoint import load_checkpoint, save_checkpoint
from medloom_trainer.prediction.model_inputs import model_inputs
from testing.checkpoints import configuration, write_checkpoint, write_table


def inputs_of(checkpoint, **changes):
    """The result of the task, checked against its contract."""
    folder = str(checkpoint.parents[2])
    params = {"checkpoint": str(checkpoint), "data_dir": folder, "roots": [folder]} | changes
    schemas = task_schemas()["model_inputs"]
    Draft202012Validator(schemas["params"]).validate(params)
    result = model_inputs(params, lambda message, fraction: None)
    Draft202012Validator(schemas["result"]).validate(json.loads(json.dumps(result, allow_nan=False)))
    return result


def columns_of(checkpoint):
    return {column["name"]: column for column in inputs_of(checkpoint)["columns"]}


def trained(folder, *, cells=None, **changes):
    """A checkpoint of a table in which `cells` (row number, row) replaces each row."""
    table = write_table(folder / "train.csv")
    with table.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    with table.open("w", newline="", encoding="utf-8") as file:
        changed = [row if cells is None else cells(number, row) for number, row in enumerate(rows)]
        writer = csv.DictWriter(file, list(changed[0]))
        writer.writeheader()
        writer.writerows(changed)
    return write_checkpoint(folder / "best", configuration(table, **changes), folder / "cache")


def changed_state(checkpoint, folder, change):
    """A copy whose state was changed, as an earlier version would have written it."""
    before = load_checkpoint(checkpoint)
    change(before.state["preprocessing"])
    save_checkpoint(
        folder,
        job_id="j",
        epoch=0,
        metrics={},
        state=before.state,
        tensors={"model": before.tensors("model")},
    )
    return folder


def test_a_number_has_the_range_of_training_and_a_category_its_patients(binary_checkpoint):
    checkpoint, table = binary_checkpoint
    columns = columns_of(checkpoint)
    with table.open(newline="", encoding="utf-8") as file:
        ages = [float(row["age"]) for row in csv.DictReader(file)]
    age, sex = columns["age"], columns["sex"]
    assert (age["kind"], age["categories"], sex["kind"], sex["range"]) == (
        "numeric",
        None,
        "categorical",
        None,
    )
    assert min(ages) <= age["range"]["low"] < age["range"]["high"] <= max(ages)
    state = load_checkpoint(checkpoint).state["preprocessing"]
    assert [age["range"]["low"], age["range"]["high"]] == state["table"]["columns"][0]["bounds"]
    # Each patient has a row of either sex.
    patients = state["reference"]["patients"]
    assert sex["categories"] == [{"name": name, "patients": patients} for name in "fm"]
    assert inputs_of(checkpoint)["images"] == {"columns": [], "required": False}


def test_many_cases_of_one_patient_are_one_patient(tmp_path):
    """A site of one patient with many cases would identify this patient."""

    def cells(number, row):
        if number < 20:
            return row | {"patient_id": "alone", "site": "village"}
        return row | {"site": "town"}

    sites = columns_of(trained(tmp_path, cells=cells))["site"]["categories"]
    known = {site["name"]: site["patients"] for site in sites}
    assert known["village"] == 1 and known["town"] > 10


def test_an_earlier_version_never_counts_more_patients_than_there_are(binary_checkpoint, tmp_path):
    def forget(preprocessing):
        for column in preprocessing["reference"]["columns"].values():
            column.pop("patients", None)

    def forget_total(preprocessing):
        forget(preprocessing)
        del preprocessing["reference"]["patients"]

    def without_patients(preprocessing):
        forget(preprocessing)
        preprocessing["reference"]["patients"] = preprocessing["patient_column"] = None

    def forget_all(preprocessing):
        del preprocessing["reference"]

    checkpoint, _ = binary_checkpoint
    cases = load_checkpoint(checkpoint).state["preprocessing"]["reference"]["cases"]
    counts = []
    for change in (forget, forget_total, without_patients, forget_all):
        copy = changed_state(checkpoint, tmp_path / "run" / "checkpoints" / change.__name__, change)
        counts.append([one["patients"] for one in columns_of(copy)["sex"]["categories"]])
    # Half of the cases are the second one of a patient: all of them may have the same sex.
    assert counts == [[0, 0], [0, 0], [cases // 2, cases // 2], [0, 0]]


def test_a_range_that_is_unknown_is_none(binary_checkpoint, tmp_path):
    def without(key):
        def change(preprocessing):
            preprocessing["table"]["columns"][0][key] = None

        return change

    for key in ("bounds", "median"):
        copy = changed_state(binary_checkpoint[0], tmp_path / "run" / "checkpoints" / key, without(key))
        assert columns_of(copy)["age"]["range"] is None


@pytest.mark.parametrize(
    ("strategy", "age", "sex"),
    [
        ("token", ("gap", False), ("gap", False)),
        ("drop", ("refused", False), ("refused", False)),
        ("mean", ("mean", True), ("mode", True)),
        ("median", ("median", True), ("mode", True)),
        ("mode", ("mode", True), ("mode", True)),
    ],
)
def test_a_missing_value_is_read_as_the_state_says(tmp_path, strategy, age, sex):
    columns = columns_of(trained(tmp_path, data__missing_strategy=strategy))
    missing = {name: columns[name]["missing"] for name in ("age", "sex")}
    known = {name: (one["read_as"], one["value"] is not None) for name, one in missing.items()}
    assert known == {"age": age, "sex": sex}
    assert not any(one["seen"] for one in missing.values())


def test_a_gap_that_training_had_is_seen(tmp_path):
    def cells(number, row):
        return row | {"age": ""} if number % 4 == 0 else row

    columns = columns_of(trained(tmp_path, cells=cells))
    assert [columns[name]["missing"]["seen"] for name in ("age", "sex")] == [True, False]


@pytest.mark.parametrize(("unreadable", "required"), [("refuse", True), ("missing", False)])
def test_images_are_required_unless_training_allowed_missing_ones(tmp_path, unreadable, required):
    table = write_table(tmp_path / "train.csv", rows=24, images=True)
    config = configuration(
        table, model__vision_backbone="mobilenetv3_small_100", data__unreadable_images=unreadable
    )
    checkpoint = write_checkpoint(tmp_path / "best", config, tmp_path / "cache")
    assert inputs_of(checkpoint)["images"] == {"columns": ["image"], "required": required}


def test_a_checkpoint_outside_the_folders_is_refused(binary_checkpoint, tmp_path):
    with pytest.raises(TrainerError) as caught:
        inputs_of(binary_checkpoint[0], data_dir=str(tmp_path), roots=[str(tmp_path)])
    assert caught.value.code == "PATH_NOT_ALLOWED"
