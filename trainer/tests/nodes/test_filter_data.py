"""FilterData: its grammar; missing values are unknown; every refusal points at the character."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from medloom_trainer.cases.filter_grammar import MAX_DEPTH, parse_filter
from medloom_trainer.cases.filter_truth import judge
from medloom_trainer.data.tables import make_table
from medloom_trainer.errors import TrainerError
from testing.node_runs import Nodes

COLUMNS = {
    "case_id": ["a", "b", "c", "d"],
    "age": ["17", "18", "", "40.0"],
    "sex": ["f", "m", "f", ""],
    "tumour size": ["1", "2", "3", "4"],
    "in": ["0", "1", "0", "1"],
    'a"b': ["x", "y", "x", "y"],
}


def kept(text: str, column: str | None = None, columns: dict[str, list[str]] = COLUMNS) -> str:
    table = make_table("the table", columns)
    truth = judge(parse_filter(text, table.columns, column), table, text)
    return "".join(name for name, true in zip(columns["case_id"], truth, strict=True) if true == 1)


@pytest.mark.parametrize(
    ("text", "cases"),
    [
        ("age = 18", "b"), ("age == 18", "b"), ("age != 18", "ad"),
        ("age < 18", "a"), ("age <= 18", "ab"), ("age > 18", "d"),
        ("age >= 18", "bd"), ("age = 40", "d"), ("age = 4e1", "d"), ("age > -1", "abd"),
        ('sex = "f"', "ac"), ("sex = 'f'", "ac"), ("sex = f", "ac"), ('sex != "f"', "b"),
        ('sex in ("f", "x")', "ac"), ('sex not in ("f")', "b"), ("age in (17, 40)", "ad"),
        ("age is missing", "c"), ("age is not missing", "abd"), ("not age is missing", "abd"),
        ('age >= 18 and sex = "m"', "b"), ('age >= 18 or sex = "f"', "abcd"),
        ('not (age < 18 or sex = "f")', "b"), ('age < 18 and sex = "f" or age > 30', "ad"),
        ('age > 30 or age < 18 and sex = "f"', "ad"), ('(age > 30 or age < 18) and sex = "f"', "a"),
        ("NOT age < 18 AND age < 30", "b"), ('"tumour size" >= 3', "cd"), ("`tumour size` < 2", "a"),
        ('"in" = 1', "bd"), ('"a""b" = x', "ac"), ("age\n>=\n18", "bd"),
    ],
)  # fmt: skip
def test_the_grammar(text: str, cases: str) -> None:
    assert kept(text) == cases


@pytest.mark.parametrize(
    ("text", "cases"),
    [(">= 18", "bd"), ("in (17, 18)", "ab"), ("not in (17)", "bd"),
     ("is missing", "c"), ("is not missing", "abd"),
     ("> 17 and < 40", "b"), ("not < 18", "bd"), ("not (< 18)", "bd"), ('< 18 or sex = "m"', "ab")],
)  # fmt: skip
def test_a_condition_without_a_column_is_about_filter_column(text: str, cases: str) -> None:
    assert kept(text, "age") == cases


@pytest.mark.parametrize(
    ("text", "cases"),
    [
        ("snomed = 9007199254740993", "b"), ("snomed = 9007199254740992", "a"),
        ('snomed = "9007199254740993"', "b"), ("snomed != 9007199254740993", "acd"),
        ("snomed in (9007199254740993, 9007199254740995)", "bd"),
        ("icd = 1E10", "a"), ('icd = "1E10"', "a"),
        ('icd in ("1E11", "2E05")', "bc"), ("icd = 10000000000", ""),
    ],
)  # fmt: skip
def test_codes_are_compared_to_the_last_character(text: str, cases: str) -> None:
    codes = {
        "case_id": ["a", "b", "c", "d"],
        "snomed": [f"900719925474099{last}" for last in (2, 3, 4, 5)],
        "icd": ["1E10", "1E11", "2E05", "1E12"],
    }
    assert kept(text, columns=codes) == cases


def test_a_missing_value_is_never_kept_nor_its_contrary() -> None:
    for test in ("age < 30", "age = 18", "age in (17)", 'sex = "f"'):
        column = test.split()[0]
        gone = {name for name, text in zip(COLUMNS["case_id"], COLUMNS[column], strict=True) if not text}
        assert not gone & {*kept(test), *kept(f"not ({test})")}
    assert kept('age < 30 or sex = "f"') == "abc", "true or unknown is true"


@pytest.mark.parametrize(
    ("text", "place", "told"),
    [
        ("age >", 6, "is incomplete"),
        ("age 18", 5, "expected =, !="), ("age <> 18", 5, "use !="),
        ("agee > 18", 1, 'did you mean "age"'), ('sex = "f', 7, "missing closing quote"),
        ("age > 18 sex = f", 10, 'expected "and", "or"'),
        ("(age > 18", 10, "expected )"), ("age in 18", 8, "expected ("),
        ("age in (18", 11, "expected , or )"),
        ("age is 18", 8, "expected missing"), ("age > f", 7, "requires a number"),
        ("sex > 3", 7, '"sex" contains text'), ("> 18", 1, "set filter_column"),
        ("", 1, "is incomplete"),
        ("age > 18; drop", 9, "unexpected character"), ("age > and", 7, "keyword"),
        ("age > 1 and", 12, "is incomplete"),
        ("__import__('os')", 1, "no column"), ("age > 18 and\nsex = ", 20, "is incomplete"),
    ],
)  # fmt: skip
def test_refusals_point_at_the_character(text: str, place: int, told: str) -> None:
    with pytest.raises(TrainerError) as caught:
        kept(text)
    assert caught.value.code == "FILTER_INVALID"
    assert caught.value.message.startswith(f"character {place}: ") and told in caught.value.message
    line, mark = caught.value.details.split("\n")[-2:]
    assert len(mark) - 1 <= len(line) and mark.strip() == "^"


def test_limits() -> None:
    for text, told in (
        ("(" * (MAX_DEPTH + 2) + "age > 1" + ")" * (MAX_DEPTH + 2), "nested more"),
        ("not " * (MAX_DEPTH + 2) + "age > 1", "nested more"),
        (" or ".join(["age>1"] * 1200), "has more than"),
        ("(" * 9_000, "nested more"),
    ):
        with pytest.raises(TrainerError, match=told):
            kept(text)


@given(st.text(max_size=60))
def test_any_text_is_a_condition_or_is_refused(text: str) -> None:
    try:
        kept(text, "age")
    except TrainerError as error:
        assert error.code == "FILTER_INVALID"


NUMBER = st.integers(-2, 4)
CELL = st.one_of(st.just(""), NUMBER.map(str))
TEST = st.one_of(
    st.tuples(st.sampled_from("xy"), st.sampled_from(["=", "!=", "<", "<=", ">", ">="]), NUMBER),
    st.tuples(st.sampled_from("xy"), st.just("in"), st.lists(NUMBER, min_size=1, max_size=3)),
    st.tuples(st.sampled_from("xy"), st.just("missing"), st.none()),
)
TREE = st.recursive(
    TEST,
    lambda inner: st.one_of(
        st.tuples(st.just("not"), inner), st.tuples(st.sampled_from(["and", "or"]), inner, inner)
    ),
    max_leaves=8,
)


def written(tree: Any) -> str:
    if tree[0] == "not":
        return f"not ({written(tree[1])})"
    if tree[0] in ("and", "or"):
        return f"({written(tree[1])}) {tree[0]} ({written(tree[2])})"
    column, test, value = tree
    if test == "missing":
        return f"{column} is missing"
    return f"{column} in ({', '.join(map(str, value))})" if test == "in" else f"{column} {test} {value}"


def oracle(tree: Any, row: dict[str, str]) -> bool | None:
    """True, False or None (unknown), one row at a time."""
    if tree[0] == "not":
        inner = oracle(tree[1], row)
        return None if inner is None else not inner
    if tree[0] in ("and", "or"):
        sides = [oracle(tree[1], row), oracle(tree[2], row)]
        decisive = tree[0] == "or"
        return decisive if decisive in sides else None if None in sides else not decisive
    column, test, value = tree
    if test == "missing":
        return row[column] == ""
    if row[column] == "":
        return None
    number = int(row[column])
    if test == "in":
        return number in value
    return {
        "=": number == value, "!=": number != value, "<": number < value,
        "<=": number <= value, ">": number > value, ">=": number >= value,
    }[test]  # fmt: skip


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(TREE, st.lists(st.tuples(CELL, CELL), min_size=1, max_size=6))
def test_as_a_naive_oracle_judges(tree: Any, rows: list[tuple[str, str]]) -> None:
    columns = {"case_id": [str(place) for place in range(len(rows))]}
    columns |= {"x": [x for x, _ in rows], "y": [y for _, y in rows]}
    expected = "".join(
        str(place) for place, (x, y) in enumerate(rows) if oracle(tree, {"x": x, "y": y}) is True
    )
    assert kept(written(tree), None, columns) == expected


def test_the_node(nodes: Nodes) -> None:
    nodes.write("t.csv", "age,label\n1,x\n20,y\n30,x\n,y\n")
    table = nodes.out("dataframe", "LoadTabular", {"path": "t.csv"})
    result = nodes.run("FilterData", {"filter_condition": ">= 18", "filter_column": "age"}, dataset=table)
    port = result["outputs"]["filtered_dataset"]
    assert nodes.cells(port["content"])["age"] == ["20", "30"] and "2 cases excluded" in port["summary"]
    assert port["content"]["label_column"] == "label"
    nodes.refuse("DATASET_INVALID", "FilterData", {"filter_condition": "age > 99"}, dataset=table)
    error = nodes.refuse(
        "FILTER_INVALID", "FilterData", {"filter_condition": "> 1", "filter_column": "agee"}, dataset=table
    )
    assert 'did you mean "age"' in error.message
