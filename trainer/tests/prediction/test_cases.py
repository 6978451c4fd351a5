"""Single cases: warnings about their inputs, and an error for each case that cannot be predicted."""

import json
import shutil

import numpy as np
import pytest
from PIL import Image

from medloom_trainer.errors import TrainerError
from medloom_trainer.inference.checkpoint import load_checkpoint, save_checkpoint
from medloom_trainer.prediction.predict import predict
from medloom_trainer.prediction.resident import resident
from testing.checkpoints import configuration, write_checkpoint, write_table
from testing.predictions import predicted, prediction_params, read_rows


def codes(answer):
    return [(warning["code"], warning["column"]) for warning in answer["warnings"]]


def only(result):
    (answer,) = result["predictions"]
    return answer


@pytest.fixture(scope="module")
def checkpoint(binary_checkpoint):
    """Reads age, from 20 to 89, and sex, m or f."""
    return binary_checkpoint[0]


@pytest.fixture(scope="module")
def image_checkpoint(tmp_path_factory):
    folder = tmp_path_factory.mktemp("images")
    table = write_table(folder / "train.csv", rows=24, images=True)
    config = configuration(table, model__vision_backbone="mobilenetv3_small_100")
    return write_checkpoint(folder / "best", config, folder / "cache")


def trained(folder, **changes):
    table = write_table(folder / "train.csv")
    return write_checkpoint(folder / "best", configuration(table, **changes), folder / "cache")


def test_a_usual_case_has_no_warning(checkpoint):
    result = predicted(checkpoint, rows=[{"age": 50, "sex": "m"}])
    assert (only(result)["warnings"], result["warnings"], only(result)["error"]) == ([], [], None)
    assert sum(only(result)["probabilities"].values()) == pytest.approx(1)
    assert (only(result)["file"], only(result)["row"], only(result)["id"]) == (None, 1, None)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"age": 150, "sex": "m"}, [("VALUE_OUTSIDE_TRAINING", "age")]),
        ({"age": 3, "sex": "m"}, [("VALUE_OUTSIDE_TRAINING", "age")]),
        ({"age": 55_000, "sex": "m"}, [("UNIT_SUSPECTED", "age")]),
        ({"age": 0.055, "sex": "m"}, [("UNIT_SUSPECTED", "age")]),
        ({"age": 50, "sex": "x"}, [("UNSEEN_CATEGORIES", "sex")]),
        ({"age": None, "sex": "m"}, [("INPUT_MISSING", "age")]),
        ({"age": "n/a", "sex": "m"}, [("INPUT_MISSING", "age")]),
        ({"sex": "m"}, [("INPUT_MISSING", "age")]),
    ],
)
def test_an_unusual_value_is_a_warning_of_its_case(checkpoint, row, expected):
    result = predicted(checkpoint, rows=[{"age": 50, "sex": "f"}, row])
    first, second = result["predictions"]
    assert codes(first) == []
    assert codes(second) == expected
    assert second["predicted"] in ("no", "yes")


def test_messages_contain_no_values_of_the_case(checkpoint):
    row = {"age": 155.25, "sex": "unknown-to-training", "patient_id": "secret-7", "label": "yes", "note": "x"}
    result = predicted(checkpoint, rows=[row])
    answer = only(result)
    assert answer["id"] == "secret-7"
    said = json.dumps([answer["warnings"], result["warnings"]])
    assert not any(text in said for text in ("155", "unknown-to-training", "secret"))
    assert [warning["code"] for warning in result["warnings"]] == ["LABELS_IGNORED", "COLUMNS_NOT_READ"]


@pytest.mark.parametrize(
    ("strategy", "indicator", "said"),
    [
        ("median", False, "the model reads the median of the training, "),
        ("mode", False, "the model reads the most frequent value of the training, "),
        ("token", False, "the model reads it as missing"),
    ],
)
def test_a_gap_names_what_the_model_reads_instead(tmp_path, strategy, indicator, said):
    model = trained(tmp_path, data__missing_strategy=strategy, data__missing_indicator=indicator)
    (found,) = only(predicted(model, rows=[{"sex": "m"}]))["warnings"]
    assert said in found["message"] and "it is never missing in the training cases" in found["message"]


def test_a_case_with_a_gap_fails_alone_if_the_model_reads_complete_cases(tmp_path):
    model = trained(tmp_path, data__missing_strategy="drop")
    rows = [{"age": 50, "sex": "m"}, {"age": None, "sex": "m"}, {"age": 60, "sex": "f"}]
    result = predicted(model, rows=rows)
    assert [answer["error"] and answer["error"]["code"] for answer in result["predictions"]] == [
        None,
        "CASE_VALUE_MISSING",
        None,
    ]
    assert (result["num_cases"], result["num_failed"], len(result["input_digests"])) == (3, 1, 3)
    assert result["predictions"][1]["error"]["column"] == "age"
    complete = predicted(model, rows=[rows[0], rows[2]])
    assert [complete["predictions"][0], complete["predictions"][1] | {"row": 3}] == [
        result["predictions"][0],
        result["predictions"][2],
    ]
    only_gaps = predicted(model, rows=[{"age": None, "sex": "m"}])
    assert (only_gaps["num_failed"], only(only_gaps)["predicted"]) == (1, None)


def test_a_site_that_the_training_does_not_have_is_a_warning_of_its_case(tmp_path):
    table = write_table(tmp_path / "train.csv", ids=("site",))
    rows = read_rows(table)
    lines = [",".join(rows[0])]
    for number, row in enumerate(rows):
        lines.append(",".join((row | {"site": f"hospital {number % 3}"}).values()))
    table.write_text("\n".join(lines) + "\n", encoding="utf-8")
    config = configuration(table, data__ignore_columns=["site"], data__subgroup_columns=["site"])
    model = write_checkpoint(tmp_path / "best", config, tmp_path / "cache")
    sites = ("hospital 1", "secret clinic", None)
    result = predicted(model, rows=[{"age": 50, "sex": "m", "site": site} for site in sites])
    found = [codes(answer) for answer in result["predictions"]]
    assert found == [[], [("ACQUISITION_UNSEEN", "site")], []]
    assert "secret" not in json.dumps([answer["warnings"] for answer in result["predictions"]])


def test_text_in_a_numeric_column_fails_its_case(checkpoint):
    rows = [{"age": 50, "sex": "m"}, {"age": "old", "sex": "m"}, {"age": "60", "sex": "f"}]
    first, second, third = predicted(checkpoint, rows=rows)["predictions"]
    assert (first["error"], third["error"]) == (None, None)
    assert second["error"]["code"] == "CASE_VALUE_INVALID" and "old" not in second["error"]["message"]
    assert (second["predicted"], second["probabilities"], second["warnings"]) == (None, None, [])


def test_rows_without_any_input_are_refused(checkpoint):
    with pytest.raises(TrainerError) as caught:
        predicted(checkpoint, rows=[{"Age at visit": 50}])
    assert caught.value.code == "COLUMN_NOT_FOUND"


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([50, 50.0, "50"], None),
        ([1e22, "1e22"], None),
        ([0.1 + 0.2, "0.30000000000000004"], None),
        ([12345678901234567890, 1.2345678901234567e19], None),
        ([True, 1], None),
    ],
)
def test_a_number_is_read_as_from_a_table(checkpoint, values, text):
    rows = [{"age": value, "sex": "m"} for value in values]
    result = predicted(checkpoint, rows=rows)
    assert all(answer["error"] is None for answer in result["predictions"])
    assert len({json.dumps(answer["probabilities"]) for answer in result["predictions"]}) == 1
    assert len(set(result["input_digests"])) == 1


def test_a_category_has_the_spelling_of_the_training(tmp_path):
    table = write_table(tmp_path / "train.csv")
    text = table.read_text().replace(",m,", ",1.0,").replace(",f,", ",0.0,")
    table.write_text(text)
    config = configuration(table, data__categorical_columns=["sex"])
    model = write_checkpoint(tmp_path / "best", config, tmp_path / "cache")
    answers = predicted(model, rows=[{"age": 50, "sex": sex} for sex in (1, True, "1.0", 0)])["predictions"]
    assert [codes(answer) for answer in answers] == [[], [], [], []]
    assert answers[0]["probabilities"] == answers[1]["probabilities"] == answers[2]["probabilities"]


def test_digests_depend_on_the_inputs_alone(checkpoint):
    rows = [
        {"age": 50, "sex": "m", "patient_id": "a"},
        {"age": "50.0", "sex": " m ", "patient_id": "b"},
        {"age": 51, "sex": "m"},
    ]
    first, same, other = predicted(checkpoint, rows=rows)["input_digests"]
    assert first == same != other


def test_an_image_that_cannot_be_used_fails_its_case(image_checkpoint, tmp_path):
    folder = image_checkpoint.parents[2]
    generator = np.random.default_rng(0)
    outside = tmp_path / "outside.png"
    for path in (folder / "one.png", outside):
        Image.fromarray(generator.integers(0, 255, (24, 24, 3), dtype=np.uint8)).save(path)
    (folder / "damaged.png").write_bytes(b"\x89PNG damaged")
    names = ["one.png", "absent.png", "damaged.png", str(outside), None, str(folder / "one.png")]
    rows = [{"image": name, "age": 50, "sex": "m"} for name in names]
    result = predicted(image_checkpoint, rows=rows, image_root=str(folder))
    errors = [answer["error"] and answer["error"]["code"] for answer in result["predictions"]]
    unreadable = ["IMAGES_UNREADABLE", "IMAGES_UNREADABLE"]
    assert errors == [None, *unreadable, "PATH_NOT_ALLOWED", "CASE_VALUE_MISSING", None]
    assert {answer["error"]["column"] for answer in result["predictions"] if answer["error"]} == {"image"}
    first, last = result["predictions"][0], result["predictions"][-1]
    assert first["probabilities"] == last["probabilities"]
    assert result["input_digests"][0] == result["input_digests"][-1] != result["input_digests"][1]


def test_images_of_a_request_are_not_stored(image_checkpoint, tmp_path):
    folder = image_checkpoint.parents[2]
    Image.new("RGB", (24, 24), (90, 20, 10)).save(folder / "blank.png")
    rows = [{"image": "blank.png", "age": 50, "sex": "m"}]
    result = predicted(image_checkpoint, rows=rows, image_root=str(folder), cache_dir=str(tmp_path / "cache"))
    assert codes(only(result)) == [("IMAGE_BLANK", "image")]
    assert not (tmp_path / "cache").exists()


def test_an_empty_image_follows_the_setting_of_the_training(tmp_path):
    table = write_table(tmp_path / "train.csv", rows=24, images=True)
    config = configuration(
        table, model__vision_backbone="mobilenetv3_small_100", data__unreadable_images="missing"
    )
    model = write_checkpoint(tmp_path / "best", config, tmp_path / "cache")
    rows = [{"age": 50, "sex": "m"}, {"age": 50, "sex": "m", "image": "absent.png"}]
    without, absent = predicted(model, rows=rows, image_root=str(tmp_path))["predictions"]
    assert codes(without) == [("INPUT_MISSING", "image")] and without["predicted"] is not None
    assert absent["error"]["code"] == "IMAGES_UNREADABLE"


def test_the_image_root_of_a_checkpoint_is_not_trusted(image_checkpoint, tmp_path):
    """Its images may be read only if the request may read them."""
    (tmp_path / "root").mkdir()
    name = read_rows(image_checkpoint.parents[2] / "train.csv")[0]["image"]
    rows = [{"image": name, "age": 50, "sex": "m"}]
    assert only(predicted(image_checkpoint, rows=rows))["error"] is None
    answer = only(predicted(image_checkpoint, rows=rows, roots=[str(tmp_path / "root")]))
    assert answer["error"]["code"] == "IMAGES_UNREADABLE"


class TestTables:
    def test_the_file_begins_with_the_identifiers_of_the_user(self, image_checkpoint, tmp_path):
        folder = image_checkpoint.parents[2]
        table = write_table(folder / "new.csv", rows=4, seed=5, images=True)
        lines = table.read_text().splitlines()
        header, first, second, *others = lines
        lines = [f"{header},visit", f"{first},=1+1", f"{second.replace('.png', '.jpg')},v2"]
        table.write_text("\n".join([*lines, *(f"{line},v" for line in others)]) + "\n")
        result = predicted(
            image_checkpoint, path=str(table), out_dir=str(tmp_path), id_column="visit", returned=1
        )
        rows = read_rows(tmp_path / "predictions.csv")
        assert list(rows[0])[:5] == ["visit", "image", "file", "row", "predicted"]
        assert list(rows[0])[-2:] == ["warnings", "error"]
        assert (rows[0]["visit"], rows[0]["file"], rows[0]["row"]) == ("'=1+1", "new.csv", "2")
        assert rows[1]["error"].startswith("IMAGES_UNREADABLE: ") and rows[1]["predicted"] == ""
        assert (len(rows), len(result["predictions"]), result["num_failed"]) == (4, 1, 1)
        assert (only(result)["file"], only(result)["row"], only(result)["id"]) == ("new.csv", 2, "=1+1")

    @pytest.mark.parametrize("format_name", ["csv", "json", "parquet"])
    def test_the_file_has_the_format_of_the_request(self, checkpoint, tmp_path, format_name):
        import polars

        table = write_table(tmp_path / "new.csv", rows=6, seed=5)
        out = tmp_path / "out"
        changes = {"roots": [str(tmp_path)], "returned": 6}
        result = predicted(checkpoint, path=str(table), out_dir=str(out), format=format_name, **changes)
        assert [path.name for path in out.iterdir()] == [f"predictions.{format_name}"] == [result["file"]]
        read = {"csv": polars.read_csv, "json": polars.read_json, "parquet": polars.read_parquet}[format_name]
        frame = read(out / result["file"])
        stated = [answer["probabilities"]["yes"] for answer in result["predictions"]]
        assert frame["probability_yes"].to_list() == stated

    def test_a_column_that_is_absent_is_a_warning_about_all_cases(self, checkpoint, tmp_path):
        (tmp_path / "new.csv").write_text("Age,sex\n50,m\n60,f\n")
        result = predicted(checkpoint, path=str(tmp_path / "new.csv"))
        assert [warning["code"] for warning in result["warnings"]] == [
            "COLUMNS_NOT_READ",
            "COLUMNS_ABSENT",
        ] or [warning["code"] for warning in result["warnings"]] == ["COLUMNS_ABSENT", "COLUMNS_NOT_READ"]
        assert all(codes(answer) == [("INPUT_MISSING", "age")] for answer in result["predictions"])

    def test_progress_rises_to_the_end(self, checkpoint, tmp_path):
        table = write_table(tmp_path / "new.csv", rows=30, seed=5)
        heard = []
        params = prediction_params(checkpoint, path=str(table), out_dir=str(tmp_path))
        predict(params, lambda message, fraction: heard.append((str(message), fraction)))
        fractions = [fraction for _, fraction in heard]
        assert fractions == sorted(fractions) and fractions[-1] <= 1
        assert {"predicting", "writing the table"} <= {message for message, _ in heard}


class TestDecision:
    def test_the_operating_point_decides(self, checkpoint, tmp_path):
        copied = with_fitted(checkpoint, tmp_path, threshold=0.5, sensitivity=0.999)
        rows = [{"age": 80, "sex": "m"}, {"age": 25, "sex": "f"}]
        usual = predicted(copied, rows=rows)
        assert (usual["basis"]["operating_point"], usual["basis"]["threshold"]) == ("default", 0.5)
        for name in ("sensitivity", "sensitivity:0.9"):
            chosen = predicted(copied, rows=rows, operating_point=name)
            assert chosen["basis"]["operating_point"] == "sensitivity:0.9"
            assert chosen["basis"]["threshold"] == 0.999
            assert [answer["predicted"] for answer in chosen["predictions"]] == ["no", "no"]

    def test_an_operating_point_that_does_not_exist_is_refused_with_those_that_do(self, checkpoint, tmp_path):
        copied = with_fitted(checkpoint, tmp_path, threshold=0.5, sensitivity=0.999)
        with pytest.raises(TrainerError) as caught:
            predicted(copied, rows=[{"age": 50}], operating_point="specificity:0.9")
        assert caught.value.code == "OPERATING_POINT_NOT_FOUND"
        assert "sensitivity:0.9" in caught.value.message

    def test_the_temperature_is_applied_if_there_is_one(self, checkpoint, tmp_path):
        row = {"age": 80, "sex": "m"}
        copied = with_fitted(checkpoint, tmp_path, threshold=0.5, sensitivity=0.9, temperature=2.0)
        plain, scaled = (only(predicted(copied, rows=[row], calibrated=wanted)) for wanted in (False, True))
        odds = [answer["probabilities"]["yes"] / answer["probabilities"]["no"] for answer in (plain, scaled)]
        assert odds[1] == pytest.approx(odds[0] ** 0.5)
        result = predicted(copied, rows=[row], calibrated=True)
        assert result["basis"]["temperature"] == 2.0
        without = predicted(checkpoint, rows=[row], calibrated=True)
        assert without["basis"]["temperature"] is None
        assert only(without)["probabilities"] == plain["probabilities"]


def with_fitted(checkpoint, folder, *, threshold, sensitivity, temperature=None):
    """A copy of the checkpoint that has other values from validation."""
    stored = load_checkpoint(checkpoint)
    fitted = stored.state["fitted_on_validation"]
    point = {"threshold": sensitivity, "reason": None, "sensitivity": 0.9, "specificity": 0.5}
    rules = [{"rule": "youden"}, {"rule": "sensitivity", "at_least": 0.9}]
    none = {"threshold": None, "reason": "too few", "sensitivity": None, "specificity": None}
    points = [{"rule": rules[0]} | none, {"rule": rules[1]} | point]
    scaled = {**fitted["temperature"], "value": temperature}
    state = stored.state | {
        "threshold": threshold,
        "fitted_on_validation": {**fitted, "operating_points": points, "temperature": scaled},
    }
    target = folder / "run" / "checkpoints" / "best"
    tensors = {"model": stored.tensors("model")}
    save_checkpoint(
        target, job_id=stored.manifest["job_id"], epoch=1, metrics={}, state=state, tensors=tensors
    )
    return target


class TestResidentModels:
    def test_a_model_is_loaded_once(self, checkpoint):
        assert resident(checkpoint, "cpu") is resident(checkpoint, "cpu")

    def test_a_replaced_checkpoint_is_loaded_again(self, checkpoint, tmp_path):
        copied = tmp_path / "run" / "checkpoints" / "best"
        shutil.copytree(checkpoint, copied)
        before = only(predicted(copied, rows=[{"age": 80, "sex": "m"}]))
        stored = load_checkpoint(copied)
        tensors = {name: tensor + 0.1 for name, tensor in stored.tensors("model").items()}
        kept = {"job_id": stored.manifest["job_id"], "epoch": 2, "metrics": {}, "state": stored.state}
        save_checkpoint(copied, **kept, tensors={"model": tensors})
        after = only(predicted(copied, rows=[{"age": 80, "sex": "m"}]))
        assert before["probabilities"] != after["probabilities"]

    def test_a_damaged_checkpoint_is_refused_although_it_was_loaded(self, checkpoint, tmp_path):
        copied = tmp_path / "run" / "checkpoints" / "best"
        shutil.copytree(checkpoint, copied)
        predicted(copied, rows=[{"age": 80, "sex": "m"}])
        (weights,) = copied.glob("model.*")
        weights.write_bytes(weights.read_bytes()[:-1] + b"x")
        with pytest.raises(TrainerError) as caught:
            predicted(copied, rows=[{"age": 80, "sex": "m"}])
        assert caught.value.code == "CHECKPOINT_CORRUPT"
