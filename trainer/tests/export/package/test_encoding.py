"""The package encodes tables exactly as the training does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from medloom_trainer.data.features import encode_table
from medloom_trainer.data.tables import make_table, read_csv
from medloom_trainer.data.tables.recipe.missing_codes import mark_missing
from medloom_trainer.errors import TrainerError
from medloom_trainer.export.package.medloom_model import (
    InputError,
    encode,
    read_table,
    text_of,
    without_codes,
)

NUMBERS = [
    "12",
    "63.5",
    "",
    "NA",
    "-4",
    "1e3",
    "89+",
    "<0.1",
    "inf",
    "-Inf",
    "nan",
    "?",
    " 7 ",
    "0012",
    "≥ 3",
]
NOTATIONS = [
    NUMBERS,
    ["12", "3.5", "", "-2"],
    ["1,5", "2,25", "", "-3", "NA"],
    ["1,234.5", "2,000", "12", ""],
    ["1.234,5", "7", "2.000"],
    ["12 %", "7%", "", "3.5 %"],
    ["$ 12", "$7.5", ""],
    ["1 234", "2\u2019000.5", "7"],
    ["\u22125", "5", "\u20133"],
    ["63 y", "7 years", "8Y"],
    [".5", "5.", "+3", "1E-2"],
]
CATEGORIES = ["f", "m", "", "NA", "unseen", "none", "None", "F", "?", "UNK", "Größe", "other, one"]


def numeric(**changes):
    return {
        "name": "x",
        "kind": "numeric",
        "fill": None,
        "indicator": False,
        "center": 3.3,
        "scale": 1.7,
        "bounds": [-2.5, 88.125],
        "median": 4.0,
        "has_infinite": False,
        **changes,
    }


def categorical(kind, **changes):
    state = {"fill": None, "indicator": False, "categories": ["Größe", "f", "m", "other, one"]}
    means = [[0.1], [0.2], [0.3], [1 / 3]] if kind == "target" else None
    shares = [0.1, 0.2, 0.3, 0.4]
    return {"name": "x", "kind": kind, **state, "means": means, "shares": shares, **changes}


def equal(column, texts, delimiter=",", strategy="token"):
    """The texts as a column of a table, and in reverse order as another; refused if Medloom refuses them."""
    state = {"missing_strategy": strategy, "columns": [column, {**column, "name": "y"}]}
    plain = [text.strip() for text in texts]
    table = make_table("t.csv", {"x": plain, "y": plain[::-1]})
    table = replace(table, delimiter=delimiter)
    cells = {name: [text_of(cell, None) for cell in table.cells[name]] for name in "xy"}
    try:
        expected = encode_table(table, state)
    except TrainerError:
        with pytest.raises(InputError):
            encode(state, cells, delimiter)
        return
    found = encode(state, cells, delimiter)
    for name in ("values", "codes", "present"):
        other = getattr(expected, name)
        assert found[name].dtype == other.dtype
        np.testing.assert_array_equal(found[name], other, err_msg=name)


FILLS = [{}, {"fill": 4.25}, {"fill": 4.25, "indicator": True}]


@pytest.mark.parametrize("texts", NOTATIONS)
@pytest.mark.parametrize("delimiter", [",", ";"])
def test_numbers_in_every_notation(texts, delimiter):
    for changes in FILLS:
        equal(numeric(**changes), texts, delimiter)


@pytest.mark.parametrize("seed", range(4))
def test_mixed_notations_are_read_or_refused_alike(seed):
    random = np.random.default_rng(seed)
    pool = sorted(
        {text for texts in NOTATIONS for text in texts} | {"tall", "1,234,567", "12345678901234567"}
    )
    for _ in range(100):
        texts = random.choice(pool, size=random.integers(1, 4)).tolist()
        equal(numeric(has_infinite=True), texts, str(random.choice([",", ";"])))


@pytest.mark.parametrize(
    "changes",
    [
        {"has_infinite": True},
        {"has_infinite": True, "fill": 4.25, "indicator": True},
        {"bounds": None},
        {"scale": 1e-12, "center": 0.0},
        {"center": 0.0, "scale": 1.0},
    ],
)
def test_infinite_values_bounds_and_scales(changes):
    equal(numeric(**changes), NUMBERS)


def test_quantiles_agree_to_the_last_digit_of_float32():
    random = np.random.default_rng(0)
    quantiles = np.sort(random.lognormal(size=40)).round(2).tolist()
    column = numeric(quantiles=quantiles, center=0.01, scale=0.98, bounds=[quantiles[0], quantiles[-1]])
    numbers = [*random.lognormal(size=500).round(3), *quantiles, -5.0, 99.0, np.inf]
    texts = [repr(float(number)) for number in numbers] + ["", "NA"]
    state = {"missing_strategy": "token", "columns": [column]}
    expected = encode_table(make_table("t.csv", {"x": texts}), state).values
    found = encode(state, {"x": texts})["values"]
    np.testing.assert_array_max_ulp(found, expected, maxulp=1)


@pytest.mark.parametrize("kind", ["onehot", "embedding", "target"])
@pytest.mark.parametrize("changes", [{}, {"fill": "m"}, {"fill": "m", "indicator": True}])
def test_categories_missing_and_unseen_ones(kind, changes):
    equal(categorical(kind, **changes), CATEGORIES)


def test_categories_of_older_versions_and_of_several_classes():
    older = {key: value for key, value in categorical("onehot").items() if key not in ("shares", "indicator")}
    equal(older, CATEGORIES)
    equal(categorical("target", means=[[0.1, 0.2]] * 4), CATEGORIES)
    equal(categorical("target", categories=[], means=[], shares=[]), CATEGORIES)


def test_gaps_are_refused_if_the_model_needs_complete_cases():
    state = {"missing_strategy": "drop", "columns": [numeric()]}
    with pytest.raises(InputError, match=r'Row 2: column "x" has no value'):
        encode(state, {"x": ["1", ""]})


@pytest.mark.parametrize("text", ["tall", "12 cm", "1,5 %", "12345678901234567"])
def test_a_text_among_numbers_is_refused_with_its_row_and_not_its_value(text):
    state = {"missing_strategy": "token", "columns": [numeric()]}
    with pytest.raises(InputError, match='Row 2: column "x"') as raised:
        encode(state, {"x": ["1.5", text]})
    assert text not in str(raised.value)


@pytest.mark.parametrize(
    ("value", "categories", "text"),
    [
        (None, None, ""),
        (float("nan"), None, ""),
        (np.float64("nan"), ["a"], ""),
        (63, None, "63"),
        (np.int64(63), None, "63"),
        (0.5, None, "0.5"),
        (True, None, "1"),
        (1.0, ["0", "1"], "1"),
        (np.float32(1), ["no", "1.0"], "1.0"),
        (True, ["no", "Yes"], "Yes"),
        ("  a\u00a0b ", ["a b"], "a b"),
    ],
)
def test_values_become_the_texts_of_a_table(value, categories, text):
    assert text_of(value, categories) == text


@pytest.mark.parametrize(
    "content",
    [
        "a,b\n1,2\n3,\n",
        "\ufeffa;b\r\n1,5;x\r\n2;\r\n",
        "a\tb\n1\t2\n",
        'a,b\n"1;5","x, y"\n"2;0",z\n\n',
        ",b\n0,1\n1,2\n",
        "a\n1\n2\n",
        "Größe,b\n1, x \n",
    ],
)
def test_csv_has_the_cells_that_medloom_reads(tmp_path, content):
    file = tmp_path / "t.csv"
    file.write_text(content, encoding="utf-8", newline="")
    table = read_csv(file)
    cells, delimiter = read_table(file)
    assert (cells, delimiter) == ({name: list(table.cells[name]) for name in table.columns}, table.delimiter)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"a,b\n1\n", "row 1: the number of fields is 1"),
        (b"a,a\n1,2\n", "repeated"),
        (b"a\n\xff\n", "UTF-8"),
        (b"", "empty"),
    ],
)
def test_a_table_that_cannot_be_read_is_refused(tmp_path, content, reason):
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(InputError, match=reason):
        read_table(tmp_path / "t.csv")


def test_codes_for_missing_values_of_the_recipe_are_missing():
    codes = {"everywhere": ["-9", "unknown"], "columns": {"y": ["99"]}}
    texts = ["-9", "-9.0", "\u22129", "-90", "unknown", "99", "099", "NA", ""]
    table = make_table("t.csv", {"x": texts, "y": texts})
    tables, _, _ = mark_missing({"t": table}, codes)
    for name in "xy":
        assert without_codes(texts, {"missing": codes}, name) == list(tables["t"].cells[name])
    assert without_codes(texts, {}, "x") == texts


def test_members_of_an_ensemble_encode_the_same_column_differently():
    columns = [numeric(fill=1.0), categorical("onehot"), numeric(center=0.0), categorical("embedding")]
    for column, name in zip(columns, "abab", strict=True):
        column["name"] = name
    state = {"missing_strategy": "median", "columns": columns}
    cells = {"a": ["1", "", "2.5"], "b": ["f", "x", "NA"]}
    expected, found = encode_table(make_table("t.csv", cells), state), encode(state, cells)
    for name in ("values", "codes", "present"):
        np.testing.assert_array_equal(found[name], getattr(expected, name))
