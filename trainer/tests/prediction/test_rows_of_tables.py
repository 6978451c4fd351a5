"""A table of new cases: one bad row does not cost the others, and a table of another study is refused."""

import json

import pytest

from medloom_trainer.errors import TrainerError
from testing.checkpoints import configuration, write_checkpoint, write_table
from testing.predictions import predicted, read_rows


@pytest.fixture(scope="module")
def checkpoint(binary_checkpoint):
    """Reads age and sex."""
    return binary_checkpoint[0]


def written(path, lines):
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def test_each_malformed_row_of_a_thousand_is_an_error_of_its_case(checkpoint, tmp_path):
    good = [f"p{row},{20 + row % 70},{'mf'[row % 2]},a" for row in range(996)]
    bad = ["p996,50", "p997,50,m,a,b", "p998,old,m,a"]
    lines = ["patient_id,age,sex,note", *good[:300], *bad, *good[300:], "* p: pseudonym,,,"]
    complete = [*lines[:301], *(["p,50,m,a"] * 3), *lines[304:-1], "p,50,m,a"]
    table = written(tmp_path / "new.csv", lines)
    result = predicted(checkpoint, path=table, out_dir=str(tmp_path), roots=[str(tmp_path)])
    others = predicted(
        checkpoint,
        path=written(tmp_path / "all.csv", complete),
        out_dir=str(tmp_path / "all"),
        roots=[str(tmp_path)],
    )
    rows, expected = read_rows(tmp_path / "predictions.csv"), read_rows(tmp_path / "all" / "predictions.csv")
    assert (result["num_cases"], result["num_failed"], others["num_failed"]) == (1000, 4, 0)
    errors = {int(row["row"]): row["error"].split(":")[0] for row in rows if row["error"]}
    malformed = "CASE_ROW_MALFORMED"
    assert errors == {302: malformed, 303: malformed, 304: "CASE_VALUE_INVALID", 1001: malformed}
    wrong = {302, 303, 304, 1001}
    stated = [
        [(row["probability_yes"], row["predicted"]) for row in found if int(row["row"]) not in wrong]
        for found in (rows, expected)
    ]
    assert stated[0] == stated[1]


def test_a_repeated_header_is_an_error_of_its_case(checkpoint, tmp_path):
    lines = ["patient_id,age,sex", "a,50,m", "patient_id,age,sex", "b,60,f"]
    result = predicted(checkpoint, path=written(tmp_path / "new.csv", lines), roots=[str(tmp_path)])
    codes = [one["error"] and one["error"]["code"] for one in result["predictions"]]
    assert codes == [None, "CASE_ROW_MALFORMED", None]
    assert result["predictions"][1]["row"] == 3


def test_a_malformed_row_of_a_recipe_is_an_error_of_its_case(tmp_path):
    table = write_table(tmp_path / "train.csv")
    recipe = {"version": 1, "label": {"column": "label"}, "patient": {"column": "patient_id"}}
    model = write_checkpoint(tmp_path / "best", configuration(table, data__recipe=recipe), tmp_path / "cache")
    path = written(tmp_path / "new.csv", ["patient_id,age,sex", "a,50,m", "b,60", "c,70,f"])
    for _ in range(2):  # the second time could read a kept table
        result = predicted(model, path=path)
        codes = [one["error"] and one["error"]["code"] for one in result["predictions"]]
        assert codes == [None, "CASE_ROW_MALFORMED", None]


def test_a_row_whose_image_may_not_be_read_is_an_error_of_its_case(checkpoint):
    refused = {"row": 1, "code": "PATH_NOT_ALLOWED", "message": "outside", "column": "image"}
    rows = [{"age": 50, "sex": "m"}, {"age": 60, "sex": "f"}]
    result = predicted(checkpoint, rows=rows, refused_rows=[refused])
    first, second = result["predictions"]
    assert (first["error"], second["predicted"], result["num_failed"]) == (None, None, 1)
    assert {key: second["error"][key] for key in ("code", "column")} == {
        "code": "PATH_NOT_ALLOWED",
        "column": "image",
    }


def test_cases_of_the_training_are_warned_of(checkpoint, tmp_path):
    known = read_rows(checkpoint.parents[2] / "train.csv")[0]["patient_id"]
    for changes in (
        {"rows": [{"patient_id": known, "age": 50, "sex": "m"}]},
        {"path": written(tmp_path / "new.csv", ["patient_id,age,sex", f"{known},50,m", "new,60,f"])},
    ):
        result = predicted(checkpoint, roots=[str(tmp_path)], **changes)
        (found,) = [one for one in result["warnings"] if one["code"] == "PREDICTED_TRAINING_CASES"]
        assert found["message"].startswith("1 patient") and known not in json.dumps(found)
    new = predicted(checkpoint, rows=[{"patient_id": "somebody new", "age": 50, "sex": "m"}])
    assert new["warnings"] == []


@pytest.fixture(scope="module")
def wide(tmp_path_factory):
    """Reads age, sex, weight, height and pressure."""
    folder = tmp_path_factory.mktemp("wide")
    rows = [line.split(",") for line in write_table(folder / "plain.csv").read_text().splitlines()]
    lines = [",".join([*rows[0], "weight_kg", "height_cm", "pressure"])]
    for number, row in enumerate(rows[1:]):
        lines.append(",".join([*row, str(50 + number % 37), str(150 + number % 41), f"{number % 29}.5"]))
    table = written(folder / "train.csv", lines)
    return write_checkpoint(folder / "best", configuration(table), folder / "cache")


class TestColumns:
    def test_a_table_of_another_study_is_refused_unless_the_caller_permits_it(self, wide, tmp_path):
        table = written(tmp_path / "new.csv", ["age,sex,stage", "50,m,1", "60,f,2"])
        with pytest.raises(TrainerError) as caught:
            predicted(wide, path=table, roots=[str(tmp_path)])
        assert caught.value.code == "COLUMN_NOT_FOUND" and "weight_kg" in caught.value.message
        result = predicted(wide, path=table, roots=[str(tmp_path)], allow_missing_columns=True)
        assert (result["num_cases"], result["num_failed"]) == (2, 0)
        (found,) = [one for one in result["warnings"] if one["code"] == "COLUMNS_ABSENT"]
        assert "proposal" not in found

    def test_other_names_are_proposed_by_name_type_and_range_and_not_applied(self, wide, tmp_path):
        header = "age,Sex at birth,pressure,Weight kg,height"
        table = written(tmp_path / "new.csv", [header, "50,m,3,70,165", "60,f,4,71,190"])
        result = predicted(wide, path=table, roots=[str(tmp_path)], allow_missing_columns=True)
        (found,) = [one for one in result["warnings"] if one["code"] == "COLUMNS_ABSENT"]
        assert found["proposal"] == {
            "Sex at birth": "sex",
            "Weight kg": "weight_kg",
            "height": "height_cm",
        }
        missing = {one["column"] for one in result["predictions"][0]["warnings"]}
        assert missing == {"sex", "weight_kg", "height_cm"}

    def test_a_column_of_another_type_or_range_is_not_proposed(self, wide, tmp_path):
        header = "age,sex,pressure,Weight kg,height"
        table = written(tmp_path / "new.csv", [header, "50,m,3,heavy,1.65", "60,f,4,light,1.90"])
        result = predicted(wide, path=table, roots=[str(tmp_path)])
        (found,) = [one for one in result["warnings"] if one["code"] == "COLUMNS_ABSENT"]
        assert "proposal" not in found
