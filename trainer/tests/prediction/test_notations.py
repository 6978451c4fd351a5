"""A number of a single case is read in the notation of the training."""

import csv
from dataclasses import replace

import numpy as np
import pytest

from export.package.test_encoding import NOTATIONS
from medloom_trainer.data.features import encode_table
from medloom_trainer.data.tables import Notation, make_table, marks_of_column, read_numbers, sign_of_column
from medloom_trainer.export.package.medloom_model import trained_marks, unmistakable
from medloom_trainer.inference.checkpoint import load_checkpoint
from medloom_trainer.prediction.inputs import table_of_rows
from testing.checkpoints import configuration, write_checkpoint
from testing.predictions import predicted


def state_of(texts, delimiter):
    table = replace(make_table("t.csv", {"x": [text.strip() for text in texts]}), delimiter=delimiter)
    marks, sign = marks_of_column(table, "x"), sign_of_column(table, "x")
    return table, {"name": "x", "kind": "numeric", "sign": sign, **marks}


@pytest.mark.parametrize("texts", NOTATIONS)
@pytest.mark.parametrize("delimiter", [",", ";"])
def test_a_row_is_read_as_in_its_table(texts, delimiter):
    table, column = state_of(texts, delimiter)
    expected = read_numbers(table.cells["x"], delimiter)
    if expected.texts:
        return
    trained = Notation.of_column(column)
    together = read_numbers(table.cells["x"], delimiter, trained)
    np.testing.assert_array_equal(together.values, expected.values)
    for row, text in enumerate(table.cells["x"]):
        alone = read_numbers([text], delimiter, trained)
        np.testing.assert_array_equal(alone.values, expected.values[row : row + 1], err_msg=text)
        one, errors = table_of_rows([{"x": text}], {"table": {"columns": [column]}})
        assert not errors
        read = read_numbers(one.cells["x"], one.delimiter, trained)
        np.testing.assert_array_equal(read.values, expected.values[row : row + 1], err_msg=text)
        if trained is not None:
            marks = trained_marks(column)
            assert unmistakable(text, marks, column["sign"]) == one.cells["x"][0]


@pytest.mark.parametrize("seed", range(4))
def test_a_number_of_a_request_has_one_value_in_every_notation(seed):
    generator = np.random.default_rng(seed)
    values = [1.234, 12.345, 999.999, 0.125, 1234.0, 1e22, *generator.normal(0, 10, 20).round(3).tolist()]
    for texts in NOTATIONS:
        _, column = state_of(texts, ";")
        table, errors = table_of_rows([{"x": value} for value in values], {"table": {"columns": [column]}})
        assert not errors
        read = read_numbers(table.cells["x"], table.delimiter, Notation.of_column(column))
        assert read.values.tolist() == values


@pytest.mark.parametrize(
    ("marks", "text", "value"),
    [
        ((",", "."), "1.234", 1234.0),
        ((",", "."), "1,234", 1.234),
        ((".", ","), "1,234", 1234.0),
        ((".", ""), "1,234", None),
        ((",", ""), "1.234", None),
        ((",", ""), "54.5", 54.5),
        ((".", ""), "54,5", 54.5),
        ((".", ""), "1.234,5", 1234.5),
    ],
)
def test_the_training_decides_what_a_text_leaves_open(marks, text, value):
    numbers = read_numbers([text], ",", Notation(*marks))
    if value is None:
        assert numbers.ambiguous == numbers.texts == [0]
    elif {marks[0]} >= {mark for mark in ".," if mark in text and len(text) == 4}:
        assert numbers.values.tolist() == [value]
    column = {"name": "x", "kind": "numeric", "sign": "", "decimal": marks[0], "thousands": marks[1]}
    table, errors = table_of_rows([{"x": text}, {"x": 7.5}], {"table": {"columns": [column]}})
    assert [error.code for error in errors.values()] == ([] if value else ["CASE_VALUE_INVALID"])
    if value is not None:
        assert read_numbers(table.cells["x"], ",", Notation(*marks)).values.tolist() == [value, 7.5]


def test_a_table_in_another_certain_notation_keeps_it():
    numbers = read_numbers(["1.234,5", "2.000"], ";", Notation(".", ""))
    assert numbers.values.tolist() == [1234.5, 2000.0]


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    """Trained on numbers such as 1.234,5."""
    folder = tmp_path_factory.mktemp("notation")
    generator = np.random.default_rng(0)
    with (folder / "train.csv").open("w", newline="") as file:
        writer = csv.writer(file, delimiter=";")
        writer.writerow(["patient_id", "platelets", "sex", "label"])
        for row in range(80):
            value = generator.integers(1000, 400_000) / 10
            label = "yes" if value + generator.normal(0, 15_000) > 20_000 else "no"
            german = f"{value:,.1f}".translate({ord(","): ".", ord("."): ","})
            writer.writerow([f"p{row}", german, "mf"[row % 2], label])
    config = configuration(folder / "train.csv", data__missing_strategy="median")
    return write_checkpoint(folder / "best", config, folder / "cache")


def test_one_row_is_predicted_as_in_a_long_table(checkpoint, tmp_path):
    texts = ["1.234", "20.000", "12.345,6", "123,4", "39.999,9"]
    lines = "".join(f"{text};m\n" for text in texts)
    (tmp_path / "new.csv").write_text(f"platelets;sex\n{lines}", encoding="utf-8")
    table = predicted(checkpoint, path=str(tmp_path / "new.csv"), roots=[str(tmp_path)])
    rows = predicted(checkpoint, rows=[{"platelets": text, "sex": "m"} for text in texts])
    numbers = [1234, 20_000, 12_345.6, 123.4, 39_999.9]
    typed = predicted(checkpoint, rows=[{"platelets": number, "sex": "m"} for number in numbers])
    assert table["input_digests"] == rows["input_digests"] == typed["input_digests"]
    answers = [[one["probabilities"] for one in result["predictions"]] for result in (table, rows, typed)]
    assert answers[0] == answers[1] == answers[2]
    for place, text in enumerate(texts):
        (tmp_path / "one.csv").write_text(f"platelets;sex\n{text};m\n", encoding="utf-8")
        one = predicted(checkpoint, path=str(tmp_path / "one.csv"), roots=[str(tmp_path)])
        assert one["input_digests"] == table["input_digests"][place : place + 1]


def test_a_number_with_two_values_is_an_error_of_its_case(binary_checkpoint):
    """The training has whole numbers of years: nothing decides."""
    checkpoint, _ = binary_checkpoint
    state = load_checkpoint(checkpoint).state["preprocessing"]["table"]["columns"][0]
    assert (state["name"], state["decimal"]) == ("age", None)
    rows = [{"age": text, "sex": "m"} for text in ("54,5", "54.5", "1,234")]
    _, second, third = predicted(checkpoint, rows=rows)["predictions"]
    assert (second["error"], third["error"]["code"]) == (None, "CASE_VALUE_INVALID")
    (alone,) = predicted(checkpoint, rows=rows[:1])["predictions"]
    assert alone["error"] is None


def test_an_evaluation_of_few_rows_reads_the_notation_of_the_training(checkpoint):
    table = replace(make_table("t.csv", {"platelets": ["1.234"], "sex": ["m"]}), delimiter=";")
    long = replace(make_table("t.csv", {"platelets": ["1.234", "5,5"], "sex": ["m", "m"]}), delimiter=";")
    state = load_checkpoint(checkpoint).state["preprocessing"]["table"]
    one, several = encode_table(table, state), encode_table(long, state)
    np.testing.assert_array_equal(one.values, several.values[:1])
