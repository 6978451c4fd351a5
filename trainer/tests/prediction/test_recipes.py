"""New cases of every source are read as by the recipe of the training, which also reads labels."""

import csv

import numpy as np
import pytest
from PIL import Image

from medloom_trainer.evaluation.evaluate import evaluate
from medloom_trainer.export.package.medloom_model import encode, text_of, without_codes
from medloom_trainer.inference.checkpoint import load_checkpoint
from testing.checkpoints import configuration, evaluation_params, write_checkpoint
from testing.predictions import predicted, read_rows

pytestmark = pytest.mark.usefixtures("quick_networks")

MISSING = {"columns": {"age": ["-9", "NA"], "sex": ["U"], "label": ["unknown"]}, "everywhere": ["-8"]}
SINGLE = {"version": 1, "missing": MISSING, "patient": {"column": "id"}, "label": {"column": "label"}}
JOINED = {
    **SINGLE,
    "files": [{"name": "cases", "path": "cases.csv"}, {"name": "labs", "path": "labs.csv"}],
    "join": [{"table": "labs", "on": ["id"], "keep": "all"}],
    "split": {"column": "split", "words": {"train": ["1"], "val": ["2"], "test": ["3"]}},
}


def rows_of(count, seed):
    """Cases with codes instead of some values."""
    generator = np.random.default_rng(seed)
    rows = []
    for row in range(count):
        age = int(generator.integers(20, 90))
        marker = f"{generator.normal():.2f}"
        label = "yes" if age + generator.normal(0, 20) > 55 else "no"
        rows.append(
            {
                "id": f"{seed}-{row}",
                "age": "-9" if row % 7 == 3 else str(age),
                "sex": "U" if row % 9 == 4 else "mf"[row % 2],
                "marker": "-8.0" if row % 5 == 2 else marker,
                "label": label,
                "split": "3" if seed else "112"[row % 3],
            }
        )
    return rows


def write(path, rows, columns):
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    return path


INPUTS = ["id", "age", "sex", "marker"]


def single(folder, rows, others):
    return write(folder / "cases.csv", rows, [*INPUTS, *(name for name in others if name != "split")])


def joined(folder, rows, others):
    write(folder / "labs.csv", rows, ["id", "marker"])
    write(folder / "cases.csv", rows, ["id", "age", "sex", *others])
    return folder


@pytest.fixture(scope="module", params=[(SINGLE, single), (JOINED, joined)], ids=["table", "join"])
def model(request, tmp_path_factory, quick_networks):
    """(checkpoint, source of new cases, their rows, evaluated predictions)"""
    recipe, write_source = request.param
    folder = tmp_path_factory.mktemp("recipe")
    labels = ["label", "split"]
    table = write_source(folder / "train", rows_of(120, 0), labels)
    config = configuration(table, data__recipe=recipe, data__missing_strategy="median")
    checkpoint = write_checkpoint(folder / "best", config, folder / "cache", roots=[folder])
    rows = rows_of(24, 7)
    test = write_source(folder / "test", rows, labels)
    params = evaluation_params(checkpoint, test, folder / "evaluated", roots=[str(folder)])
    evaluate(params | {"data_dir": str(folder)}, lambda message, fraction: None)
    source = write_source(folder / "new", rows, [])
    return checkpoint, source, rows, read_rows(folder / "evaluated" / "predictions.csv")


def probabilities(answers):
    return [answer["probabilities"]["yes"] for answer in answers]


def test_an_unlabeled_source_is_predicted_as_evaluated(model):
    checkpoint, source, _, evaluated = model
    result = predicted(checkpoint, path=str(source))
    assert result["num_failed"] == 0
    assert probabilities(result["predictions"]) == [float(row["probability_yes"]) for row in evaluated]


def test_rows_have_the_codes_for_missing_values_of_the_recipe(model):
    checkpoint, source, rows, _ = model
    plain = [{name: row[name] for name in INPUTS} for row in rows]
    typed = [
        {**row, "age": int(row["age"]), "marker": float(row["marker"])} for row in plain if row["age"] != "NA"
    ]
    table = predicted(checkpoint, path=str(source))
    for given in (plain, typed):
        result = predicted(checkpoint, rows=given)
        assert probabilities(result["predictions"]) == probabilities(table["predictions"])
        assert result["input_digests"] == table["input_digests"]
        codes = [{one["code"] for one in answer["warnings"]} for answer in result["predictions"]]
        assert codes == [{one["code"] for one in answer["warnings"]} for answer in table["predictions"]]
        assert "INPUT_MISSING" in codes[3] and "VALUE_OUTSIDE_TRAINING" not in codes[3]


def test_the_package_encodes_the_rows_as_the_prediction_does(model):
    checkpoint, _, rows, _ = model
    preprocessing = load_checkpoint(checkpoint).state["preprocessing"]
    missing = {}
    for column in preprocessing["table"]["columns"]:
        categories = None if column["kind"] == "numeric" else column["categories"]
        texts = [text_of(row[column["name"]], categories) for row in rows]
        missing[column["name"]] = without_codes(texts, preprocessing["recipe"], column["name"])
    encoded = encode(preprocessing["table"], missing)
    assert [row for row in range(24) if missing["age"][row] == ""] == [3, 10, 17]
    assert encoded["values"].shape[0] == 24


def test_a_source_that_lacks_a_column_with_codes_is_predicted_with_gaps(model, tmp_path):
    checkpoint, _, rows, _ = model
    if load_checkpoint(checkpoint).state["preprocessing"]["recipe"].get("join"):
        pytest.skip("the table itself lacks the column")
    table = write(tmp_path / "cases.csv", rows, ["id", "age", "marker"])
    result = predicted(checkpoint, path=str(table), roots=[str(tmp_path)])
    assert "COLUMNS_ABSENT" in [one["code"] for one in result["warnings"]] and result["num_failed"] == 0


def test_an_own_recipe_reads_neither_its_label_nor_its_split(model, tmp_path):
    """As of a registered dataset."""
    checkpoint, _, rows, evaluated = model
    table = write(tmp_path / "cases.csv", rows, INPUTS)
    dropped = {"column": "label", "uncertain": {"unknown": "drop"}}
    recipe = {**SINGLE, "label": dropped, "split": {"column": "split"}}
    result = predicted(checkpoint, path=str(table), recipe=recipe, roots=[str(tmp_path)])
    assert probabilities(result["predictions"]) == [float(row["probability_yes"]) for row in evaluated]


def test_several_rows_of_a_case_become_one_without_a_label_to_choose_by(model, tmp_path):
    checkpoint, _, rows, evaluated = model
    table = write(tmp_path / "cases.csv", [row for row in rows for _ in range(2)], INPUTS)
    recipe = {**SINGLE, "rows": {"case": ["id"], "rule": "any", "positive": "yes"}}
    result = predicted(checkpoint, path=str(table), recipe=recipe, roots=[str(tmp_path)])
    assert probabilities(result["predictions"]) == [float(row["probability_yes"]) for row in evaluated]


def test_a_folder_of_images_is_predicted_without_folders_of_classes(tmp_path):
    generator = np.random.default_rng(0)
    pixels = generator.integers(0, 255, (24, 24, 24, 3), dtype=np.uint8)
    for row in range(24):
        file = tmp_path / "train" / "ab"[row % 2] / f"{row}.png"
        file.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(pixels[row]).save(file)
    recipe = {
        "version": 1,
        "files": [{"name": "images", "pattern": "{label}/{_}.png"}],
        "label": {"column": "label"},
    }
    config = configuration(
        tmp_path / "train",
        data__recipe=recipe,
        model__vision_backbone="mobilenetv3_small_100",
        model__fusion_type="none",
    )
    checkpoint = write_checkpoint(tmp_path / "best", config, tmp_path / "cache", roots=[tmp_path])
    new = [*generator.integers(0, 255, (4, 24, 24, 3), dtype=np.uint8)]
    for folder in (tmp_path / "classes" / "a", tmp_path / "flat"):
        folder.mkdir(parents=True)
        for number, image in enumerate(new):
            Image.fromarray(image).save(folder / f"new-{number}.png")
    sorted_by_class = predicted(checkpoint, path=str(tmp_path / "classes"))
    own = {"version": 1, "files": [{"name": "images", "pattern": "{_}.png"}]}
    flat = predicted(checkpoint, path=str(tmp_path / "flat"), recipe=own)
    rows = [{"image": f"flat/new-{number}.png"} for number in range(4)]
    typed = predicted(checkpoint, rows=rows, image_root=str(tmp_path))
    answers = [[one["probabilities"] for one in result["predictions"]] for result in (flat, typed)]
    assert answers[0] == answers[1] == [one["probabilities"] for one in sorted_by_class["predictions"]]
