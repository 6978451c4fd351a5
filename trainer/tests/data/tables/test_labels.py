"""The label column: task, classes in order, and every refusal with its rows."""

from __future__ import annotations

from typing import Any

import pytest

from medloom_trainer.data.tables import make_table, read_csv
from medloom_trainer.data.tables.labels import LabelScheme, learn_labels, read_labels
from medloom_trainer.errors import TrainerError
from testing.workspace import Workspace


def learn(work: Workspace, labels: list[Any], task: Any = None) -> tuple[LabelScheme, list[Any]]:
    table = read_csv(work.table("t.csv", [{"label": label, "x": 1} for label in labels]))
    scheme = learn_labels(table, "label", task)
    return scheme, read_labels(table, scheme, "train").tolist()


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        (["b", "a", "c", "a"], ("a", "b", "c")),
        ([0, 1, 1, 0], ("0", "1")),
        (["1.0", "0", "0.0", "1"], ("0", "1")),
        ([10, 9, 2, 10, 9, 2], ("2", "9", "10")),
        (["True", "False"], ("False", "True")),
        (["case", "control"], ("control", "case")),
        (["Disease", "Healthy"], ("Healthy", "Disease")),
        (["malignant", "benign"], ("benign", "malignant")),
        (["nein", "ja"], ("nein", "ja")),
        (["\u9633\u6027", "\u9634\u6027"], ("\u9634\u6027", "\u9633\u6027")),
        ([0, 0.5, 1] * 10, ("0", "0.5", "1")),
        (["1E10", "2E05"], ("2E05", "1E10")),
        (["900000000000000001", "900000000000000002"], ("900000000000000001", "900000000000000002")),
    ],
)
def test_classes_in_order_the_positive_one_last(work: Workspace, labels: list[Any], classes: Any) -> None:
    scheme, values = learn(work, labels)
    assert (scheme.task, scheme.classes) == ("classification", classes)
    names = [classes[value] for value in values]
    assert [name.casefold() for name in names] == [
        str(label).removesuffix(".0").casefold() for label in labels
    ]


@pytest.mark.parametrize("labels", [[0.5, 1, 2, 3], list(range(60)), [10.25, 3, 10.25, 8]])
def test_floats_and_many_numbers_are_a_regression(work: Workspace, labels: list[float]) -> None:
    scheme, values = learn(work, labels)
    assert (scheme.task, scheme.classes, values) == ("regression", None, labels)


@pytest.mark.parametrize(
    ("labels", "task", "said"),
    [
        (["a", "", "b", "NA"], None, "missing in 2 of 4 cases: t.csv, rows 3, 5"),
        (["a", "a"], None, "only one class"),
        ([1.5, "high", 2.5], "regression", "not a number in 1 case: t.csv, row 3"),
        ([1.5, "inf", 2.5, 3.5], "regression", "row 3"),
        ([3, 3, 3], "regression", "only one value"),
        ([f"name {row}" for row in range(60)], None, "60 classes in 60 rows"),
    ],
)
def test_labels_that_cannot_be_learned(work: Workspace, labels: list[Any], task: Any, said: str) -> None:
    with pytest.raises(TrainerError) as caught:
        learn(work, labels, task)
    assert caught.value.code == "LABEL_INVALID"
    assert said in caught.value.message


def test_a_class_that_training_does_not_have(work: Workspace) -> None:
    scheme, _ = learn(work, ["a", "b", "a"])
    other = read_csv(work.table("v.csv", [{"label": label, "x": 1} for label in "abcc"]))
    with pytest.raises(TrainerError, match=r"1 class in val that .*: v.csv, rows 4, 5"):
        read_labels(other, scheme, "val")


def test_at_most_twenty_rows_are_named(work: Workspace) -> None:
    with pytest.raises(TrainerError, match="and 10 more"):
        learn(work, [""] * 30 + ["a", "b"])


@pytest.mark.parametrize("labels", [["a", "b", "a"], [1.5, 2.5, 3.5]])
def test_a_gap_in_another_split_is_a_gap_and_no_class(work: Workspace, labels: list[Any]) -> None:
    scheme, _ = learn(work, labels)
    other = read_csv(work.table("v.csv", [{"label": label, "x": 1} for label in [*labels, ""]]))
    with pytest.raises(TrainerError, match=r"missing in 1 of 4 cases: v\.csv, row 5"):
        read_labels(other, scheme, "val")


@pytest.mark.parametrize(
    ("negative", "positive"),
    [
        ("no cancer", "cancer"),
        ("CN", "AD"),
        ("non-covid", "covid"),
        ("nv", "mel"),
        ("no fracture", "fracture"),
        ("low risk", "high risk"),
        ("NoFinding", "Atelectasis"),
        ("without metastasis", "metastasis"),
        ("covid negative", "covid positive"),
        ("healthy control", "asthma"),
        ("normal", "low"),
        ("benign", "Low grade"),
        ("normal", "abnormal"),
        ("benign", "non-benign"),
        ("normal", "Not normal"),
        ("survived", "died"),
        ("other", "malignant"),
        ("kein Befund", "Tumor"),
        ("ohne Rezidiv", "mit Rezidiv"),
        ("rezidivfrei", "Rezidiv"),
        ("sans l\u00e9sion", "l\u00e9sion"),
        ("sin tumor", "con tumor"),
        ("senza recidiva", "recidiva"),
        ("geen tumor", "tumor"),
        ("ikke syk", "syk"),
        ("absence of tumor", "tumor"),
        ("lack of response", "response"),
        ("\u65e0\u80bf\u7624", "\u80bf\u7624"),
        ("\u672a\u8f6c\u79fb", "\u8f6c\u79fb"),
        ("\u6b63\u5e38", "\u4e0d\u6b63\u5e38"),
        ("\u7ed3\u6838\u9634\u6027", "\u7ed3\u6838\u9633\u6027"),
        ("\u8ee2\u79fb\u306a\u3057", "\u8ee2\u79fb\u3042\u308a"),
        ("-1", "1"),
    ],
)
def test_a_negation_is_never_the_positive_class(work: Workspace, negative: str, positive: str) -> None:
    for labels in ([negative, positive], [positive, negative]):
        scheme, _ = learn(work, labels * 2)
        assert (scheme.classes, scheme.warnings) == ((negative, positive), [])


@pytest.mark.parametrize("labels", [["BCC", "ACK"], ["F", "M"], [2, 1], ["benign", "normal"]])
def test_where_only_the_order_decides_a_warning_says_so(work: Workspace, labels: list[Any]) -> None:
    scheme, _ = learn(work, labels * 2)
    (given,) = scheme.warnings
    assert given["code"] == "POSITIVE_CLASS_ASSUMED"
    first, last = sorted(str(label) for label in labels)
    assert f'"{last}" of label "label"' in given["message"]
    assert f'set data.positive_class to "{last}" or "{first}"' in given["message"]


def test_a_named_positive_class_counts_whatever_its_name(work: Workspace) -> None:
    table = read_csv(work.table("t.csv", [{"label": label, "x": 1} for label in ["ACK", "BCC"] * 2]))
    scheme = learn_labels(table, "label", None, "ack")
    assert (scheme.classes, scheme.positive_class, scheme.warnings) == (("BCC", "ACK"), "ACK", [])
    assert read_labels(table, scheme, "train").tolist() == [1, 0, 1, 0]


@pytest.mark.parametrize(
    ("labels", "positive", "said"),
    [
        (["benign", "malignant"], "malignent", 'did you mean "malignant"?'),
        (["benign", "malignant"], "xyz", 'its classes are "benign", "malignant"'),
        (["a", "b", "c"], "c", "requires two classes"),
        ([0.5, 1.25, 2.5], "1.25", "is numeric"),
    ],
)
def test_a_positive_class_that_cannot_be_one(
    work: Workspace, labels: list[Any], positive: str, said: str
) -> None:
    table = read_csv(work.table("t.csv", [{"label": label, "x": 1} for label in labels * 3]))
    with pytest.raises(TrainerError) as caught:
        learn_labels(table, "label", None, positive)
    assert caught.value.code == "LABEL_INVALID"
    assert said in caught.value.message


def test_spellings_of_a_class_are_one_and_a_warning_names_them(work: Workspace) -> None:
    scheme, values = learn(work, ["Yes", "no", "yes", "Yes", "No", "no"])
    assert (scheme.classes, values) == (("no", "Yes"), [1, 0, 1, 1, 0, 0])
    (given,) = scheme.warnings
    assert given["code"] == "CLASS_NAMES_MERGED"
    assert '"No" = "no"' in given["message"] and '"Yes" = "yes"' in given["message"]


def test_a_model_that_tells_spellings_apart_still_does(work: Workspace) -> None:
    older = LabelScheme(("label",), "classification", ("Yes", "no", "yes"))
    table = read_csv(work.table("t.csv", [{"label": label, "x": 1} for label in ["Yes", "yes", "no"]]))
    assert read_labels(table, older, "test").tolist() == [0, 2, 1]


@pytest.mark.parametrize("odd", ["pending", "<5", "inf", "7,5"])
def test_a_quantity_with_other_texts_does_not_become_classes(work: Workspace, odd: str) -> None:
    labels = [f"{row % 30}.5" for row in range(80)] + [odd] * 20
    with pytest.raises(TrainerError, match="looks numeric, but is not a number in 20 of 100") as caught:
        learn(work, labels)
    assert caught.value.code == "LABEL_INVALID" and "pending" not in caught.value.message


@pytest.mark.parametrize(
    ("labels", "named"),
    [
        ([-1, 0, 1], ('"-1" (5)',)),
        ([0, 1, 9], ('"9" (5)',)),
        (["benign", "malignant", "Not collected", "unknown"], ('"Not collected"', '"unknown"')),
        ([0, 1, 8, 9], ('"8" (5)', '"9" (5)')),
        ([0, 1, 77], ('"77"',)),
        ([0, 1, -99, -999], ('"-99"', '"-999"')),
        ([1, 2, 3, 9], ('"9"',)),
        (["pos", "neg", "equivocal", "not specified"], ('"equivocal"', '"not specified"')),
        (["ja", "nein", "-", "unklar"], ('"-"', '"unklar"')),
    ],
)
def test_classes_that_may_be_missing_are_reported(work: Workspace, labels: list[Any], named: Any) -> None:
    scheme, _ = learn(work, labels * 5, "classification")
    (message,) = [one["message"] for one in scheme.warnings if one["code"] == "CLASS_MAY_BE_MISSING"]
    assert all(text in message for text in named)
    assert len(scheme.classes or ()) == len(labels)


@pytest.mark.parametrize(
    "labels",
    [
        [0, 1, 2],
        ["mild", "severe"],
        [-1, 0, 5],
        [*range(1, 10)],
        [-1, 1],
        ["-", "+"],
        [6, 7, 8, 9],
        ["3+4", "4+3", "4+4", "3+3"],
        ["ER+", "ER-", "HER2+/ER+"],
        ["Normal", "Lung Opacity", "No Lung Opacity / Not Normal"],
        ["adenocarcinoma, NOS", "carcinoma, small cell", "sarcoma"],
    ],
)
def test_other_classes_are_not_in_question(work: Workspace, labels: list[Any]) -> None:
    scheme, _ = learn(work, labels * 5, "classification")
    assert not {"CLASS_MAY_BE_MISSING", "CLASS_IS_A_LIST"} & {one["code"] for one in scheme.warnings}


@pytest.mark.parametrize(
    "labels",
    [
        ["Mass", "Mass|Nodule", "Nodule"],
        ["['normal']", "['effusion', 'mass']", "['mass']"],
        ["Mass", "Mass, Nodule", "Nodule", "Nodule, Edema"],
        ["Mass", "Mass/Nodule", "Nodule"],
        ["Mass", "Mass + nodule", "Nodule"],
        ["Mass", "Mass & Nodule", "Nodule"],
        ["Mass", "Mass and nodule", "Nodule"],
    ],
)
def test_lists_of_findings_are_reported(work: Workspace, labels: list[str]) -> None:
    scheme, _ = learn(work, labels * 5)
    assert "CLASS_IS_A_LIST" in {one["code"] for one in scheme.warnings}


def test_grades_in_several_notations_are_one_class() -> None:
    grades = ["0.50", ".5", "0", "0.0", "1", "1.0"] * 20
    scheme = learn_labels(make_table("t.csv", {"cdr": grades}), "cdr", None)
    assert scheme.classes == ("0", "0.5", "1")
    older = LabelScheme(("cdr",), "classification", ("0.0", "0.50", "1.0"))
    labels = read_labels(make_table("t.csv", {"cdr": grades}), older, "test")
    assert labels[:6].tolist() == [1, 1, 0, 0, 2, 2]


def test_the_positive_class_may_be_written_as_another_number() -> None:
    scheme = learn_labels(make_table("t.csv", {"y": ["0", "1"] * 20}), "y", None, "1.0")
    assert scheme.positive_class == "1"
    codes = make_table("t.csv", {"y": ["900000000000000001", "900000000000000002"] * 20})
    assert learn_labels(codes, "y", None, "900000000000000002").positive_class == "900000000000000002"


@pytest.mark.parametrize(
    ("column", "codes"),
    [
        ("icd9", ["250.1", "250.10", "401.9"]),
        ("diagnosis_code", ["250.1", "250.10", "V10"]),
        ("label", ["007", "07", "7"]),
        ("label", ["01", "1", "10"]),
        ("label", ["1E+10", "1E+11", "2E+05"]),
        ("label", ["900000000000000001.0", "900000000000000002.0", "5"]),
        ("label", ["9007199254740993.0", "9007199254740992.0", "5"]),
    ],
)
def test_codes_are_classes_to_the_last_character(column: str, codes: list[str]) -> None:
    table = make_table("t.csv", {column: codes * 20})
    scheme = learn_labels(table, column, None)
    assert (scheme.task, {*(scheme.classes or ())}, scheme.warnings) == ("classification", {*codes}, [])
    assert [(scheme.classes or ())[label] for label in read_labels(table, scheme, "test")] == codes * 20
    other = make_table("v.csv", {column: ["250.100" if column == "icd9" else "0000", codes[0]]})
    with pytest.raises(TrainerError, match="1 class in val"):
        read_labels(other, scheme, "val")


def test_many_codes_are_not_a_quantity() -> None:
    codes = [f"{row:04}" for row in range(30)] * 4
    assert learn_labels(make_table("t.csv", {"label": codes}), "label", None).task == "classification"
    icd = [f"{250 + row % 10}.{row % 3}" for row in range(300)] + ["V10.1", "E850"] * 5
    assert learn_labels(make_table("t.csv", {"icd9": icd}), "icd9", None).task == "classification"


@pytest.mark.parametrize("labels", [["0", "1", "0.0", "1.0"], ["-1", "1", "+1", "-1.0"]])
def test_merged_spellings_of_numbers_are_reported(labels: list[str]) -> None:
    scheme = learn_labels(make_table("t.csv", {"y": labels * 9}), "y", None)
    assert len(scheme.classes or ()) == 2
    assert [one["code"] for one in scheme.warnings] == ["CLASS_NAMES_MERGED"]
    assert f'"{labels[2]}"' in scheme.warnings[0]["message"]
    floats = learn_labels(make_table("t.csv", {"y": ["0.0", "1.0"] * 9}), "y", None)
    assert (floats.classes, floats.warnings) == (("0", "1"), [])


def test_classes_that_are_no_codes_are_compared_as_numbers() -> None:
    scheme = learn_labels(make_table("t.csv", {"y": ["1", "2"] * 9}), "y", None)
    assert read_labels(make_table("v.csv", {"y": ["2.0", "01"]}), scheme, "val").tolist() == [1, 0]


@pytest.mark.parametrize(("cases", "task"), [(40, "classification"), (20, "regression")])
def test_half_grades_are_classes_if_they_repeat(cases: int, task: str) -> None:
    grades = [str((0, 0.5, 1, 2, 3)[row % 5]) for row in range(cases)]
    assert learn_labels(make_table("t.csv", {"cdr": grades}), "cdr", None).task == task
    doses = [str((0, 0.3, 1, 2, 3)[row % 5]) for row in range(cases)]
    assert learn_labels(make_table("t.csv", {"dose": doses}), "dose", None).task == "regression"
