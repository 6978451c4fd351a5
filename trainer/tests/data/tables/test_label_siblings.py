"""Columns that are labels themselves become inputs only if the configuration names them."""

from __future__ import annotations

from typing import Any

import pytest

from medloom_trainer.data.tables import read_csv
from medloom_trainer.data.tables.flag_labels import read_flag_column
from medloom_trainer.data.tables.roles import Roles, infer_roles
from testing.workspace import Workspace, codes


def roles_of(work: Workspace, rows: list[dict[str, Any]], **data: Any) -> Roles:
    path = work.table("train.csv", rows)
    return infer_roles(read_csv(path), work.config(**data)["data"], work.folder)


def lesions(count: int = 60) -> list[dict[str, Any]]:
    """One-hot classes, a risk factor with the same coding, and an age."""
    names = ("MEL", "NV", "BCC")
    return [
        {name: float(row % 3 == place) for place, name in enumerate(names)}
        | {"smoker": row % 2, "age": 30 + row * 7 % 50}
        for row in range(count)
    ]


def test_the_rest_of_a_one_hot_group_is_no_input(work: Workspace) -> None:
    roles = roles_of(work, lesions(), label_column="MEL")
    assert roles.numeric == ("smoker", "age")
    assert roles.kinds["NV"] == roles.kinds["BCC"] == "ignored"
    (warning,) = [given for given in roles.warnings if given["code"] == "OTHER_LABEL_COLUMN"]
    assert '"NV"' in warning["message"] and '"BCC"' in warning["message"]


def test_columns_that_are_named_as_inputs_remain(work: Workspace) -> None:
    roles = roles_of(work, lesions(), label_column="MEL", numeric_columns=["NV", "age"])
    assert "NV" in roles.numeric


def test_flags_that_do_not_sum_to_one_are_inputs(work: Workspace) -> None:
    rows = [{**row, "NV": float(number % 5 == 1)} for number, row in enumerate(lesions())]
    assert roles_of(work, rows, label_column="MEL").numeric == ("NV", "BCC", "smoker", "age")


def test_other_findings_next_to_several_labels_are_no_inputs(work: Workspace) -> None:
    findings = ("Atelectasis", "Effusion", "Mass", "Nodule")
    rows = [
        {"age": 40 + row * 7 % 50, "smoker": ("no", "yes")[row % 2]}
        | {name: int(row % (place + 2) == 0) for place, name in enumerate(findings)}
        for row in range(60)
    ]
    roles = roles_of(work, rows, label_columns=["Effusion", "Mass"])
    assert {roles.kinds["Atelectasis"], roles.kinds["Nodule"]} == {"ignored"}
    assert (roles.numeric, roles.categorical) == (("age",), ("smoker",))
    apart = [
        {key: value for key, value in row.items() if key != "Effusion"} | {"site": 1, "Edema": row["Mass"]}
        for row in rows
    ]
    roles = roles_of(work, apart, label_columns=["Atelectasis", "Mass", "Edema"])
    assert {roles.kinds[label] for label in roles.labels} == {"label"}
    assert roles.kinds["Nodule"] == "ignored"


def test_a_copy_of_the_event_is_no_input_of_survival(work: Workspace) -> None:
    status = ("Living", "Died of disease", "Died of another cause")
    rows = [
        {
            "months": 1 + row,
            "event": int(row % 3 > 0),
            "vital_status": status[row % 3],
            "stage": "I" * (1 + row % 2),
        }
        for row in range(60)
    ]
    roles = roles_of(work, rows, time_column="months", event_column="event")
    assert roles.kinds["vital_status"] == "ignored"
    assert roles.categorical == ("stage",)


def test_a_copy_of_the_label_in_another_coding_is_no_input(work: Workspace) -> None:
    outcome = ("well", "died of disease", "died of another cause")
    rows = [
        {
            "coded": 1 + (row % 3 > 0),
            "later": outcome[row % 3],
            "age": 30 + row * 7 % 50,
            "finding": ("benign", "malignant")[row % 3 > 0],
        }
        for row in range(60)
    ]
    roles = roles_of(work, rows, label_column="finding")
    assert (roles.numeric, roles.categorical) == (("age",), ())
    assert roles.reasons["coded"] == 'determines the label "finding", or follows from it'
    named = roles_of(work, rows, label_column="finding", categorical_columns=["coded"])
    assert named.categorical == ("coded",)


def test_a_copy_with_one_exception_or_of_few_patients_is_an_input(work: Workspace) -> None:
    rows = [
        {"almost": (row or 1) % 2, "ward": f"w{row // 30}", "patient_id": row // 10, "label": row % 2}
        for row in range(60)
    ]
    assert "almost" in roles_of(work, rows, label_column="label").numeric
    of_wards = [{**row, "label": row["ward"] == "w1"} for row in rows]
    assert "ward" in roles_of(work, of_wards, label_column="label").categorical


def test_flags_are_read_however_they_are_written(work: Workspace) -> None:
    event = ("1:DECEASED", "0:LIVING", "1.000", "0.000", "dead", "Alive", "Positive", "negative")
    rows = [{"months": 1 + row, "event": event[row % 8], "age": 30 + row * 7 % 50} for row in range(80)]
    table = read_csv(work.table("t.csv", rows))
    assert read_flag_column(table, "event").tolist() == [1, 0] * 40


def test_columns_that_follow_from_several_classes_are_no_inputs(work: Workspace) -> None:
    names = ("mel", "nv", "bcc", "df")
    rows = [
        {name.upper(): int(row % 4 == place) for place, name in enumerate(names)}
        | {"malignant": row % 4 in (0, 2), "age": 30 + row * 7 % 50, "dx": names[row % 4]}
        for row in range(80)
    ]
    roles = roles_of(work, rows, label_column="dx")
    assert (roles.numeric, roles.categorical) == (("age",), ())


def test_a_rare_value_does_not_hide_a_copy(work: Workspace) -> None:
    rows = [
        {"later": "lost" if row == 3 else ("well", "dead")[row % 2], "age": row, "label": row % 2}
        for row in range(60)
    ]
    assert roles_of(work, rows, label_column="label").kinds["later"] == "ignored"


@pytest.mark.parametrize("survival", [False, True])
def test_the_outcome_in_another_unit_is_no_input(work: Workspace, survival: bool) -> None:
    rows = [
        {
            "months": 1 + row * 1.37,
            "days": round((1 + row * 1.37) * 30.4),
            "age": row * 7 % 50,
            "event": row % 2,
        }
        for row in range(60)
    ]
    named = {"time_column": "months", "event_column": "event"} if survival else {"label_column": "months"}
    roles = roles_of(work, rows, **named)
    assert roles.reasons["days"] == 'is "months" in another unit'
    assert "age" in roles.numeric


def suspected(roles: Roles) -> list[str]:
    return [given["message"] for given in roles.warnings if given["code"] == "LABEL_COLUMN_SUSPECTED"]


@pytest.mark.parametrize("gap", ["empty", "none"])
def test_a_one_hot_group_may_have_gaps(work: Workspace, gap: str) -> None:
    rows = lesions(120)
    for number, row in enumerate(rows):
        if gap == "empty" and number % 20 == 1:
            row["NV"] = ""
        if gap == "none" and number % 40 < 1:
            row |= dict.fromkeys(("MEL", "NV", "BCC"), 0.0)
    roles = roles_of(work, rows, label_column="MEL")
    assert (roles.kinds["NV"], roles.kinds["BCC"], roles.numeric) == ("ignored", "ignored", ("smoker", "age"))


def findings(count: int = 120) -> list[dict[str, Any]]:
    names = ("Atelectasis", "Effusion", "Mass", "Nodule")
    return [
        {"age": 40 + row * 7 % 50}
        | {name: int(row % (place + 3) == 0) for place, name in enumerate(names)}
        | {"sex_male": row // 2 % 2, "smoker": row // 3 % 2}
        for row in range(count)
    ]


def test_other_findings_next_to_one_label_are_no_inputs(work: Workspace) -> None:
    roles = roles_of(work, findings(), label_column="Effusion")
    assert roles.numeric == ("age", "sex_male", "smoker")
    (message,) = [one["message"] for one in roles.warnings if one["code"] == "OTHER_LABEL_COLUMN"]
    assert '"Atelectasis", "Mass", "Nodule"' in message and "sex" not in message
    chosen = roles_of(work, findings(), label_column="Effusion", numeric_columns=["age", "Mass"])
    assert chosen.numeric == ("age", "Mass"), "named as an input"
    risks = [{f"risk{place}": value for place, value in enumerate(row.values())} for row in findings()]
    assert suspected(roles_of(work, risks, label_column="risk2")) == []


@pytest.mark.parametrize("label", ["Effusion", "No Finding"])
def test_findings_that_no_finding_excludes_are_no_inputs(work: Workspace, label: str) -> None:
    rows = [
        {
            **row,
            "No Finding": int(not any(row[name] for name in ("Atelectasis", "Effusion", "Mass", "Nodule"))),
        }
        for row in findings()
    ]
    rows = [
        {name: row[name] for name in sorted(row, key=lambda name: name in ("sex_male", "smoker"))}
        for row in rows
    ]
    roles = roles_of(work, rows, label_column=label)
    assert roles.numeric == ("age", "sex_male", "smoker")


def test_findings_in_another_coding_are_findings(work: Workspace) -> None:
    rows = [
        {
            **row,
            "Mass": ("no", "yes")[row["Mass"]],
            "Nodule": ("", "1", "-1.0")[row["Nodule"] * (1 + (row["age"] == 40))],
        }
        for row in findings()
    ]
    roles = roles_of(work, rows, label_columns=["Atelectasis", "Effusion"])
    assert {roles.kinds["Mass"], roles.kinds["Nodule"]} == {"ignored"}
    assert roles.kinds["sex_male"] == "numeric"


def test_other_endpoints_are_no_inputs_of_survival(work: Workspace) -> None:
    later = (
        "RFS_MONTHS", "PFS_MONTHS", "RFS_STATUS", "DFS.time", "DFS", "cause_of_death",
        "days_to_last_followup",
    )  # fmt: skip
    rows = [
        {"OS_MONTHS": 1 + row * 1.37, "OS_STATUS": row % 2, "age": row * 7 % 50, "nodes_status": row // 5 % 2}
        | {name: row * 7 % (3 + place) for place, name in enumerate(later)}
        for row in range(60)
    ]
    roles = roles_of(work, rows, time_column="OS_MONTHS", event_column="OS_STATUS")
    assert roles.numeric == ("age", "nodes_status")
    assert {roles.kinds[name] for name in later} == {"ignored"}
    assert (
        "PFS_MONTHS"
        in roles_of(work, [row | {"dx": row["age"] % 3} for row in rows], label_column="dx").numeric
    )


def test_a_rounded_outcome_is_no_input(work: Workspace) -> None:
    rows = [
        {
            "months": 1 + row * 1.37,
            "years": round((1 + row * 1.37) / 12),
            "stage": row * 7 % 5,
            "event": row % 2,
        }
        for row in range(120)
    ]
    roles = roles_of(work, rows, time_column="months", event_column="event")
    assert (roles.kinds["years"], roles.numeric) == ("ignored", ("stage",))


@pytest.mark.parametrize("survival", [False, True])
def test_a_column_that_nearly_copies_the_answer_is_in_question(work: Workspace, survival: bool) -> None:
    rows = [
        {
            "reader2": ("neg", "pos")[(row % 2) ^ (row % 25 == 0)],
            "test": ("neg", "pos")[(row % 2) ^ (row % 8 == 0)],
            "time": 1 + row,
            "event": row % 2,
        }
        for row in range(100)
    ]
    named = {"time_column": "time", "event_column": "event"} if survival else {"label_column": "event"}
    roles = roles_of(work, rows, **named)
    assert roles.categorical == ("reader2", "test")
    (message,) = suspected(roles)
    assert '"reader2" (96%)' in message and "test" not in message
    rare = [{"flag": 0, "other": row // 50, "label": int(row % 25 == 0)} for row in range(100)]
    assert suspected(roles_of(work, rare, label_column="label")) == [], (
        "the most frequent answer agrees by chance"
    )


GRADES = {
    "words": ("normal", "benign", "malignant"),
    "numbers": ("1", "2", "3", "4"),
    "two": ("benign", "malignant"),
}


@pytest.mark.parametrize("names", GRADES.values(), ids=GRADES)
def test_a_second_reader_with_the_same_classes_is_no_input(work: Workspace, names: tuple[str, ...]) -> None:
    """He agrees in 85 %, which is neither a copy nor nearly one."""
    rows = [
        {
            "age": 30 + row * 7 % 50,
            "reader_2": names[(row + (row * 7 % 20 < 3)) % len(names)],
            "label": names[row % len(names)],
        }
        for row in range(120)
    ]
    roles = roles_of(work, rows, label_column="label")
    assert roles.kinds["reader_2"] == "ignored"
    assert "agrees with it in most cases" in roles.reasons["reader_2"]
    assert "OTHER_LABEL_COLUMN" in codes(roles.warnings)
    named = roles_of(
        work, rows, label_column="label", categorical_columns=["reader_2"], numeric_columns=["age"]
    )
    assert named.kinds["reader_2"] == "categorical"


def test_answers_to_another_question_are_inputs(work: Workspace) -> None:
    rows = [
        {
            "pain": ("no", "yes")[row % 20 < 9 or row % 2],
            "flag": (row % 7 > 0) == (row % 2),
            "side": ("left", "right")[row // 3 % 2],
            "chance": ("benign", "malignant")[row // 2 % 2],
            "age": 30 + row * 7 % 50,
            "label": ("benign", "malignant")[row % 2],
        }
        for row in range(120)
    ]
    kinds = roles_of(work, rows, label_column="label").kinds
    assert {kinds[name] for name in ("pain", "flag", "side", "chance")} <= {"categorical", "numeric"}
    general = [{**row, "label": ("no", "yes")[number % 2]} for number, row in enumerate(rows)]
    assert roles_of(work, general, label_column="label").kinds["pain"] in ("categorical", "numeric")
