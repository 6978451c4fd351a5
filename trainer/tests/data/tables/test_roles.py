"""Roles of columns: named, or inferred; and the reasons why columns are not used."""

from __future__ import annotations

import hashlib
import uuid
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from medloom_trainer.data.tables import make_table, read_csv
from medloom_trainer.data.tables.column_names import nearest_name
from medloom_trainer.data.tables.roles import Roles, infer_roles
from medloom_trainer.errors import TrainerError
from testing.workspace import Workspace, codes


def roles_of(work: Workspace, rows: list[dict[str, Any]], **data: Any) -> Roles:
    path = work.table("train.csv", rows)
    return infer_roles(read_csv(path), work.config(**data)["data"], work.folder)


def wide_rows(count: int = 60) -> list[dict[str, Any]]:
    return [
        {
            "number": row + 1, "lesion_id": row // 2, "patient_id": f"P{row // 2}", "split": "train",
            "photo": f"a/{row}.png", "age": 40 + row % 30, "grade": row % 3, "bleeds": str(row // 2 % 2 == 0),
            "itch": ["True", "False", "UNK"][row % 3], "only": "yes", "empty": "", "said": f"text {row}",
            "seen_on": f"2020-01-{row % 28 + 1:02d}", "birth_date": f"19{row:02d}-01-01",
            "mixed": row if row else "unsure", "outcome": row % 2, "Diagnosis": ["a", "b"][row % 2],
        }
        for row in range(count)
    ]  # fmt: skip


def test_every_column_finds_its_role(work: Workspace) -> None:
    roles = roles_of(work, wide_rows())
    assert (roles.label, roles.patient, roles.split, roles.images) == (
        "Diagnosis",
        "patient_id",
        "split",
        ("photo",),
    )
    assert roles.numeric == ("age", "grade")  # few distinct integers remain numbers
    assert roles.categorical == ("bleeds", "itch")  # True and False are categories, and so is UNK
    assert {name: roles.kinds[name] for name in roles.ignored} == {
        "number": "id", "lesion_id": "id", "only": "constant", "empty": "constant", "said": "id",
        "seen_on": "ignored", "birth_date": "ignored", "mixed": "ignored", "outcome": "ignored",
    }  # fmt: skip
    assert set(roles.reasons) == set(roles.kinds) == set(wide_rows()[0])
    assert all(roles.reasons.values())


def test_ids_of_cases_are_also_those_that_the_configuration_ignores(work: Workspace) -> None:
    rows = [row | {"report": f"{number} " + "x" * 100} for number, row in enumerate(wide_rows())]
    assert roles_of(work, rows).kinds["report"] == "id"
    assert roles_of(work, rows).ids == ("number", "lesion_id", "said"), "a free text is not an id"
    roles = roles_of(work, rows, ignore_columns=["lesion_id", "age", "birth_date", "report"])
    assert (roles.kinds["lesion_id"], roles.ids) == ("ignored", ("number", "lesion_id", "said"))


@pytest.mark.parametrize("length", [300, 5000])
def test_long_texts_are_texts(work: Workspace, length: int) -> None:
    rows = [{"label": row % 2, "age": 40 + row, "report": f"{row} " + "x" * length} for row in range(20)]
    roles = roles_of(work, rows)
    assert (roles.images, roles.numeric, roles.kinds["report"]) == ((), ("age",), "id")


def test_another_label_column_never_becomes_an_input_silently(work: Workspace) -> None:
    roles = roles_of(work, wide_rows())
    assert "outcome" in roles.ignored
    assert "OTHER_LABEL_COLUMN" in codes(roles.warnings)


def test_the_configuration_wins(work: Workspace) -> None:
    roles = roles_of(
        work, wide_rows(), label_column="outcome", numeric_columns=["age"], categorical_columns=["grade"],
        ignore_columns=["Diagnosis"], image_columns=["photo"],
    )  # fmt: skip
    assert (roles.label, roles.numeric, roles.categorical) == ("outcome", ("age",), ("grade",))
    assert roles.ignored["Diagnosis"] == "set in data.ignore_columns"
    assert roles.ignored["bleeds"] == "is not among data.categorical_columns"


@pytest.mark.parametrize(
    ("data", "code", "said"),
    [
        ({"label_column": "Diagnosi"}, "COLUMN_NOT_FOUND", 'did you mean "Diagnosis"?'),
        ({"label_columns": ["outcome", "bleds"]}, "COLUMN_NOT_FOUND", 'did you mean "bleeds"?'),
        ({"ignore_columns": ["AGE"]}, "COLUMN_NOT_FOUND", 'did you mean "age"?'),
        ({"subgroup_columns": ["zzz"]}, "COLUMN_NOT_FOUND", "data.subgroup_columns"),
        ({"label_column": "age", "numeric_columns": ["age"]}, "INVALID_CONFIG", '"age"'),
        ({"patient_column": "age", "ignore_columns": ["age"]}, "INVALID_CONFIG", '"age"'),
    ],
)
def test_wrong_names_are_refused(work: Workspace, data: dict[str, Any], code: str, said: str) -> None:
    with pytest.raises(TrainerError) as caught:
        roles_of(work, wide_rows(), **data)
    assert caught.value.code == code
    assert said in caught.value.message


def test_no_label(work: Workspace) -> None:
    with pytest.raises(TrainerError) as caught:
        roles_of(work, [{"age": 1, "height": 2}, {"age": 3, "height": 4}])
    assert caught.value.code == "LABEL_NOT_FOUND"


def test_repeated_ids_without_a_patient_column_are_a_warning(work: Workspace) -> None:
    rows = [{"case_id": f"C{row // 2}", "age": row, "label": row % 2} for row in range(20)]
    assert "REPEATED_IDS" in codes(roles_of(work, rows).warnings)
    assert "REPEATED_IDS" not in codes(roles_of(work, rows, patient_column="case_id").warnings)


def test_image_columns_are_known_by_their_files_too(work: Workspace, tmp_path: Path) -> None:
    rows = [{"scan": f"scans/{row}", "age": row, "label": row % 2} for row in range(6)]
    (tmp_path / "scans").mkdir()
    for row in rows:
        (tmp_path / str(row["scan"])).write_bytes(b"x")
    assert roles_of(work, rows).images == ("scan",)


def test_a_value_beside_gaps_tells_something(work: Workspace) -> None:
    rows = [{"fever": "yes" if row % 2 else "", "label": row % 2} for row in range(8)]
    assert roles_of(work, rows).categorical == ("fever",)


def test_numbers_among_texts_are_never_categories_in_silence(work: Workspace) -> None:
    rows = [
        {
            "height": "unclear" if row % 5 == 0 else f"1{row} cm" if row % 5 == 1 else 150 + row,
            "weight": f"{40 + row}.5" if row % 3 else f"{40 + row},5",
            "grade": "ungraded" if row % 4 == 0 else row % 3,
            "label": row % 2,
        }
        for row in range(60)
    ]
    roles = roles_of(work, rows)
    kinds = {column: roles.kinds[column] for column in ("height", "weight", "grade")}
    assert kinds == {"height": "ignored", "weight": "ignored", "grade": "categorical"}
    said = [found["message"] for found in roles.warnings if found["code"] == "MIXED_COLUMN"]
    assert len(said) == 3
    assert '"height" contains numbers and other text in 24 of 60 cases' in said[0]
    assert '"aaaaaaa"' in said[0] and '"99 aa"' in said[0] and "unclear" not in said[0]
    assert '"weight" contains decimal points and decimal commas in 20 of 60 cases' in said[1]
    assert said[2].endswith("is read as categories")


def test_categories_that_hold_some_digits_are_not_accused(work: Workspace) -> None:
    rows = [{"stage": ["1", "2a", "2b", "3a", "4b"][row % 5], "label": row % 2} for row in range(40)]
    assert "MIXED_COLUMN" not in codes(roles_of(work, rows).warnings)


def test_a_column_that_is_merely_absent_is_not_taken_for_another() -> None:
    table = make_table("external.csv", {"lesion_id": ["1"], "ages": ["2"]})
    assert nearest_name(table, "pesticide") is None
    assert nearest_name(table, "age") == "ages"


@pytest.mark.parametrize(
    "name",
    ["PTID", "Patienten-Nr.", "\u75c5\u4eba\u7f16\u53f7", "Patient ID", "Subject ID", "PatNr", "eid", "RID"],
)
def test_a_patient_column_is_recognized_in_the_usual_names(work: Workspace, name: str) -> None:
    rows = [{name: 1000 + row // 3, "age": 30 + row * 7 % 50, "label": row % 2} for row in range(60)]
    roles = roles_of(work, rows)
    assert (roles.patient, roles.numeric) == (name, ("age",))


@pytest.mark.parametrize("name", ["body_mass_index", "Ki67-index", "charlson index", "pid", "thyroID"])
def test_values_decide_whether_a_column_is_an_id(work: Workspace, name: str) -> None:
    rows = [{name: 18.5 + row * 0.1, "x": row % 7, "label": row % 2} for row in range(60)]
    assert name in roles_of(work, rows).numeric


def test_an_id_of_few_values_is_a_category(work: Workspace) -> None:
    rows = [{"site_id": 1 + row % 4, "age": 30 + row * 7 % 50, "label": row // 3 % 2} for row in range(90)]
    roles = roles_of(work, rows)
    assert (roles.categorical, roles.numeric) == (("site_id",), ("age",))


def test_repeated_codes_are_proposed_as_the_patient(work: Workspace) -> None:
    rows = [{"who": f"042_S_{row // 3:04d}", "age": 30 + row * 7 % 50, "label": row % 2} for row in range(90)]
    roles = roles_of(work, rows)
    assert roles.kinds["who"] == "id"
    assert "REPEATED_IDS" in codes(roles.warnings)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("dx_1", lambda row: f"{'ICEG'[row % 4]}{10 + row % 8}.{row % 3}"),
        ("morphology", lambda row: f"{8000 + row % 45}/3"),
        ("icd10", lambda row: f"I{100 + row % 40}"),
        ("icd9_code", lambda row: 41000 + row % 40),
    ],
)
def test_codes_of_diagnoses_are_categories(work: Workspace, name: str, code: Any) -> None:
    rows = [{name: code(row), "age": 30 + row * 7 % 50, "label": row % 2} for row in range(400)]
    assert roles_of(work, rows).categorical == (name,)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Aufnahme", lambda row: 20000 + row),
        ("Visit", lambda row: 43831.25 + row),
        ("seen", lambda row: 20200101 + row % 28),
        ("exam_date", lambda row: 43831 + row),
    ],
)
def test_dates_as_numbers_are_dates(work: Workspace, name: str, value: Any) -> None:
    rows = [{name: value(row), "age": 30 + row * 7 % 50, "label": row % 2} for row in range(60)]
    roles = roles_of(work, rows)
    assert (roles.reasons[name], roles.numeric) == ("contains dates", ("age",))


def test_numbers_with_one_frequent_text_are_not_categories(work: Workspace) -> None:
    rows = [
        {
            "bmi": 20 + row * 0.1 if row % 3 == 0 else "[Not Available]",
            "age": 30 + row * 7 % 50,
            "label": row % 2,
        }
        for row in range(90)
    ]
    roles = roles_of(work, rows)
    assert (roles.kinds["bmi"], codes(roles.warnings)) == ("ignored", {"MIXED_COLUMN"})


@pytest.mark.parametrize(
    ("name", "words", "split"),
    [
        ("set", ("train", "tuning", "holdout"), "set"),
        ("Subset", ("Training", "Validate", "Test"), "Subset"),
        ("set", ("A", "B", "train"), None),
        ("phase", ("train", "train", "train"), None),
    ],
)
def test_a_split_column_is_recognized_by_name_and_words(
    work: Workspace, name: str, words: tuple[str, ...], split: str | None
) -> None:
    rows = [{name: words[row % 3], "age": 30 + row * 7 % 50, "label": row % 2} for row in range(60)]
    assert roles_of(work, rows).split == split


def visits(name: str, value: Any, *, patients: int = 80) -> list[dict[str, Any]]:
    """Three visits of each patient. The label differs between visits; sex and birth year do not."""
    rng = np.random.default_rng(0)
    sex, born = rng.choice(["M", "F"], patients), rng.integers(1930, 2000, patients)
    return [
        {
            name: value(patient), "sex": sex[patient], "born": born[patient],
            "crp": round(float(rng.normal(5, 2)), 1), "label": rng.integers(0, 2),
        }
        for patient in range(patients)
        for _ in range(3)
    ]  # fmt: skip


NUMBERS_OF_PATIENTS = (
    "NHS Number", "subject_nr", "nhc", "Codice paziente", "\u767b\u8bb0\u53f7", "empi", "SEQN",
    "Patient Identifier", "UHID", "\u60a3\u8005", "dicom_patientid",
)  # fmt: skip


@pytest.mark.parametrize("name", NUMBERS_OF_PATIENTS)
def test_names_of_registers_are_patients(work: Workspace, name: str) -> None:
    roles = roles_of(work, visits(name, lambda patient: 4711 + 37 * patient))
    assert (roles.patient, roles.numeric) == (name, ("born", "crp"))
    few = [{name: row % 4, "age": 30.5 + row, "label": row // 3 % 2} for row in range(80)]
    ambiguous = name not in ("Codice paziente", "Patient Identifier", "dicom_patientid")
    assert (name in roles_of(work, few).numeric) is ambiguous


@pytest.mark.parametrize(
    "name",
    [
        "Fallnummer",
        "Fall-Nr",
        "case_no",
        "study_number",
        "dossier",
        "HC_ID",
        "Lfd. Nr.",
        "Kennung",
        "case",
        "visit_id",
    ],
)
def test_whole_numbers_with_the_name_of_an_id_are_no_inputs(work: Workspace, name: str) -> None:
    roles = roles_of(work, visits(name, lambda patient: 40_000 + 37 * patient))
    assert (roles.kinds[name], roles.repeated_ids) == ("id", (name,))
    assert codes(roles.warnings) == {"ID_LIKE_COLUMN", "REPEATED_IDS"}


@pytest.mark.parametrize(
    "value",
    [
        lambda patient: uuid.UUID(int=(patient + 12345) * 7919**7),
        lambda patient: hashlib.sha256(bytes([patient])).hexdigest()[:12],
        lambda patient: f"1.2.840.113619.2.55.{patient * 7919}",
        lambda patient: f"{['Smith', 'Meyer', 'Li'][patient % 3]} {chr(65 + patient % 26)}{patient}",
        lambda patient: 1_000_003 * (patient * 31 % 80) + 7_000_000,
    ],
)
def test_values_that_group_the_rows_are_ids_whatever_their_name(work: Workspace, value: Any) -> None:
    roles = roles_of(work, visits("who", value))
    assert (roles.kinds["who"], roles.repeated_ids) == ("id", ("who",))
    message = next(found["message"] for found in roles.warnings if found["code"] == "REPEATED_IDS")
    assert '"who"' in message and "data.patient_column" in message


def test_short_numbers_that_group_the_rows_are_named_but_remain_inputs(work: Workspace) -> None:
    roles = roles_of(work, visits("stratum", lambda patient: patient * 31 % 80 + 1))
    assert ("stratum" in roles.numeric, roles.repeated_ids) == (True, ("stratum",))
    (found,) = roles.warnings
    assert 'in which "sex", "born" do not change' in found["message"]


def test_a_patient_column_leaves_nothing_to_propose(work: Workspace) -> None:
    rows = [
        row | {"patient_id": f"P{i // 3}"} for i, row in enumerate(visits("base", lambda i: 20_000 + 37 * i))
    ]
    roles = roles_of(work, rows)
    assert (roles.patient, roles.warnings, "base" in roles.numeric) == ("patient_id", [], True)


def test_texts_with_equal_groups_are_named(work: Workspace) -> None:
    rows = [{"who": f"Mr {chr(97 + row // 3)}{'x' * (row % 2 == 9)}", "crp": row * 7 % 50 + 0.5,
             "label": row * 7 % 3 % 2} for row in range(78)]  # fmt: skip
    roles = roles_of(work, rows)
    assert ("who" in roles.categorical, roles.repeated_ids) == (True, ("who",))


@pytest.mark.parametrize("name", ["heart_rate_id", "ThyroID", "albumin_id", "glucose key", "index", "lab no"])
def test_measurements_with_the_name_of_an_id_are_inputs(work: Workspace, name: str) -> None:
    rng = np.random.default_rng(0)
    rows = [
        {name: value, "x": rng.integers(0, 9), "label": rng.integers(0, 2)}
        for value in rng.normal(90, 20, 240).round().astype(int)
    ]
    roles = roles_of(work, rows)
    assert (name in roles.numeric, codes(roles.warnings)) == (True, set())


@pytest.mark.parametrize(
    ("name", "value", "kind"),
    [
        ("name", lambda row: "abc"[row % 3], "categorical"),
        ("address", lambda row: ["urban", "rural"][row % 2], "categorical"),
        ("phone", lambda row: ["yes", "no"][row % 2], "categorical"),
        ("birth", lambda row: 2500 + row * 37 % 1500, "numeric"),
        ("birth", lambda row: 1930 + row % 70, "ignored"),
        ("zip", lambda row: 10_000 + row * 77, "ignored"),
        ("first_name", lambda row: "abc"[row % 3], "ignored"),
        ("pid", lambda row: row % 4, "numeric"),
    ],
)
def test_values_decide_whether_a_column_identifies_a_person(
    work: Workspace, name: str, value: Any, kind: str
) -> None:
    rows = [{name: value(row), "age": 30 + row * 7 % 50, "label": row // 3 % 2} for row in range(90)]
    roles = roles_of(work, rows)
    assert roles.kinds[name] == kind
    named = [found["message"] for found in roles.warnings if f'"{name}"' in found["message"]]
    assert len(named) == (kind == "ignored"), "what is not used is named"


def test_repeated_names_of_persons_are_proposed_as_the_patient(work: Workspace) -> None:
    roles = roles_of(work, visits("Name", lambda patient: f"Smith{patient}"))
    assert (roles.kinds["Name"], roles.repeated_ids) == ("ignored", ("Name",))


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("bp", lambda row: f"{120 + row % 30}/{80 + row % 10}", "ratios or pairs of numbers"),
        ("titer", lambda row: f"1:{10 + row % 30}", "ratios or pairs of numbers"),
        ("dose", lambda row: f"~{row % 40}.96", "approximate numbers"),
        ("cells", lambda row: f"{row % 40}.5x10^3", "numbers with powers of 10"),
        ("change", lambda row: f"({row % 40}.5)" if row % 3 else f"{row}.5", "numbers in parentheses"),
        (
            "share",
            lambda row: f"{row % 40}.5%" if row % 3 else f"{row}.5",
            "numbers with units or other symbols",
        ),
    ],
)
def test_quantities_in_other_notations_are_named_as_such(
    work: Workspace, name: str, value: Any, said: str
) -> None:
    rows = [{name: value(row), "age": 30 + row * 7 % 50, "label": row // 3 % 2} for row in range(90)]
    roles = roles_of(work, rows)
    assert (roles.kinds[name], roles.reasons[name], roles.repeated_ids) == ("ignored", f"contains {said}", ())
    (found,) = roles.warnings
    assert (found["code"], f"contains {said} in" in found["message"]) == ("MIXED_COLUMN", True)


def test_one_unit_in_all_cells_makes_numbers(work: Workspace) -> None:
    rows = [{"dose": f"{row % 40}.96 mg", "label": row // 3 % 2} for row in range(90)]
    roles = roles_of(work, rows)
    assert (roles.numeric, roles.reasons["dose"]) == (("dose",), 'contains numbers with "mg"')


def test_exponents_without_decimals_are_texts(work: Workspace) -> None:
    rows = [{"code": f"{row % 15}E3", "label": row // 3 % 2} for row in range(90)]
    assert (roles_of(work, rows).categorical, roles_of(work, rows).warnings) == (("code",), [])


def test_codes_with_exponents_are_categories_and_not_mixed(work: Workspace) -> None:
    rows = [
        {"code": ("1E10", "1E11", "12")[row % 3], "many": f"{row % 30}E3", "label": row % 2}
        for row in range(90)
    ]
    roles = roles_of(work, rows)
    assert roles.categorical == ("code", "many")
    assert "MIXED_COLUMN" not in codes(roles.warnings)
    one = [{"count": "1E5" if row == 7 else row % 40, "label": row % 2} for row in range(90)]
    (found,) = [given for given in roles_of(work, one).warnings if given["code"] == "MIXED_COLUMN"]
    assert "in 1 of 90 cases: row 9" in found["message"] and '"9a9"' in found["message"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("cohort", ("train", "validate", "test")),
        ("Fold", ("Training", "held-out", "Training")),
        ("train_test", ("training set", "test set", "test set")),
        ("set", ("train", "eval", "test")),
        ("group", ("derivation", "internal validation", "external test")),
        ("分组", ("训练集", "验证集", "测试集")),
        ("is_train", ("True", "False", "True")),
    ],
)
def test_a_column_of_splits_with_another_name_is_reported_and_not_an_input(
    work: Workspace, name: str, words: tuple[str, ...]
) -> None:
    rows = [{name: words[row % 3], "x": row % 7, "label": row % 2} for row in range(30)]
    roles = roles_of(work, rows)
    assert (roles.kinds[name], roles.split, codes(roles.warnings)) == ("ignored", None, {"SPLIT_NOT_USED"})
    assert "data.split_column" in roles.warnings[0]["message"]
    assert roles_of(work, rows, split_column=name).split == name
    assert roles_of(work, rows, categorical_columns=[name]).categorical == (name,)


@pytest.mark.parametrize(
    "words", [("training", "none", "none"), ("valid", "invalid", "valid"), ("tested", "not tested", "test")]
)
def test_categories_that_only_resemble_splits_are_inputs(work: Workspace, words: tuple[str, ...]) -> None:
    rows = [{"exercise": words[row % 3], "label": row % 2} for row in range(30)]
    assert roles_of(work, rows).categorical == ("exercise",)
