"""Recipes proposed for folders as they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest
from PIL import Image

from medloom_trainer.data.tables import propose_recipe
from medloom_trainer.data.tables.proposals.listing import list_files
from medloom_trainer.data.tables.recipe.places import Places
from medloom_trainer.errors import TrainerError
from testing.recipes import compiled

CASES = 40
PATIENTS = [f"p{i}" for i in range(CASES)]
LABELS = ["a", "b"] * (CASES // 2)


def images(folder: Path, names: list[str]) -> None:
    for index, name in enumerate(names):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(np.full((4, 4), index % 256, dtype=np.uint8)).save(path)


def table(path: Path, columns: dict[str, list[Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    path.write_text("\n".join(rows) + "\n")


def propose(
    folder: Path,
    label: str | None = None,
    patient: str | None = None,
    rule: str | None = None,
    decisions: dict[str, str] | None = None,
    roots: tuple[Path, ...] = (),
    no_patient: bool = False,
) -> dict[str, Any]:
    return propose_recipe(
        {
            "path": str(folder),
            "label_column": label,
            "patient_column": patient,
            "no_patient_column": no_patient,
            "rows_rule": rule,
            "decisions": decisions or {},
            "roots": [str(root) for root in (folder, *roots)],
        }
    )


def asked(proposal: dict[str, Any]) -> dict[str, list[str]]:
    return {question["key"]: question["choices"] for question in proposal["questions"]}


def test_images_in_two_folders_are_found_by_the_names_in_the_table(tmp_path):
    ids = [f"ISIC_{2400 + i:07}" for i in range(CASES)]
    images(tmp_path, [f"part_{i % 2 + 1}/{name}.jpg" for i, name in enumerate(ids)])
    lesions = [f"HAM_{100 + i // 2:07}" for i in range(CASES)]
    table(
        tmp_path / "metadata.csv",
        {
            "lesion_id": lesions,
            "image_id": ids,
            "dx": ["nv", "mel"] * (CASES // 2),
            "age": [40 + i % 9 for i in range(CASES)],
        },
    )
    proposal = propose(tmp_path, label="dx")
    assert proposal["recipe"]["images"] == [
        {"column": "image", "search": ["part_1", "part_2"], "key": "image_id"}
    ]
    assert proposal["recipe"]["patient"] == {"column": "lesion_id"}
    assert (proposal["rows"], proposal["questions"]) == (CASES, [])
    made = compiled(tmp_path, **{k: v for k, v in proposal["recipe"].items() if k != "version"})
    assert all((tmp_path / name).is_file() for name in made.table.cells["image"])


def test_a_second_table_is_joined_by_the_column_that_identifies_its_rows(tmp_path):
    visits = [f"S{100 + i // 2}" for i in range(CASES)]
    table(
        tmp_path / "visits.csv",
        {
            "subject": visits,
            "visit": [1, 2] * (CASES // 2),
            "label": ["a", "b", "b", "a"] * 10,
            "x": list(range(CASES)),
        },
    )
    table(
        tmp_path / "people.csv",
        {"ID": [f"S{100 + i}" for i in range(CASES // 2)], "sex": ["f", "m"] * (CASES // 4)},
    )
    table(tmp_path / "prices.csv", {"item": ["a1x", "b2x", "c3x"], "price": [1, 2, 3]})
    proposal = propose(tmp_path)
    assert proposal["recipe"]["join"] == [{"table": "people", "on": {"subject": "ID"}, "keep": "all"}]
    assert [file["name"] for file in proposal["recipe"]["files"]] == ["visits", "people"]
    assert any("prices.csv" in reason["message"] for reason in proposal["reasons"])
    assert asked(proposal) == {}
    assert proposal["recipe"]["patient"] == {"column": "subject"}


def test_tables_named_as_splits_are_one_table(tmp_path):
    for split in ("train", "valid"):
        table(tmp_path / f"{split}.csv", {"label": ["a", "b"] * 10, "x": list(range(20))})
    proposal = propose(tmp_path)
    assert proposal["recipe"]["files"] == [{"name": "cases", "path": "{split}.csv"}]
    assert (proposal["rows"], "split" in proposal["columns"]) == (40, True)


def test_tables_of_splits_beside_others_are_named_one_by_one(tmp_path):
    for name in ("train", "test", "all"):
        table(tmp_path / f"{name}.csv", {"label": ["a", "b"] * 10, "x": list(range(20))})
    proposal = propose(tmp_path)
    assert proposal["path"] == str(tmp_path / "train.csv")
    assert proposal["settings"] == {"test_csv": str(tmp_path / "test.csv")}
    assert (proposal["rows"], "files" in proposal["recipe"]) == (20, False)


def test_a_path_is_completed_by_the_folder_of_its_table(tmp_path):
    names = [f"images/{i:03}.png" for i in range(CASES)]
    images(tmp_path / "set", names)
    table(tmp_path / "set" / "cases.csv", {"patient_id": PATIENTS, "label": LABELS, "file": names})
    proposal = propose(tmp_path)
    assert proposal["recipe"]["images"] == [{"column": "image", "search": ["set"], "key": "file"}]
    assert not any("not found" in reason["message"] for reason in proposal["reasons"])


def test_folders_name_split_class_and_patient(tmp_path):
    names = [
        f"{split}/{label}/patient{number:03}/{view}.png"
        for split in ("train", "test")
        for label in ("benign", "malignant")
        for number in range(6)
        for view in range(2)
    ]
    images(tmp_path, [*names, "train/benign/patient000/0_mask.png"])
    proposal = propose(tmp_path)
    assert proposal["recipe"]["files"] == [{"name": "images", "pattern": "{split}/{label}/{patient}/{_}.png"}]
    assert proposal["rows"] == len(names)
    assert asked(proposal) == {}


def test_a_one_hot_group_is_the_label(tmp_path):
    classes = ["MEL", "NV", "BCC"]
    columns: dict[str, list[Any]] = {
        "patient_id": PATIENTS,
        "age": [50 + i % 7 for i in range(CASES)],
    }
    columns |= {name: [float(i % 3 == k) for i in range(CASES)] for k, name in enumerate(classes)}
    table(tmp_path / "truth.csv", columns)
    proposal = propose(tmp_path)
    assert proposal["recipe"]["label"] == {"one_hot": classes}
    assert asked(proposal) == {}


def test_asks_for_the_label_and_for_nothing_that_the_files_say(tmp_path):
    columns = {
        "patient_id": PATIENTS,
        "grade": [i % 3 for i in range(CASES)],
        "stage": ["I", "II"] * (CASES // 2),
    }
    table(tmp_path / "cases.csv", columns)
    proposal = propose(tmp_path)
    assert asked(proposal) == {"label": ["grade", "stage"]}
    assert proposal["questions"][0]["message_phrases"] == [{"code": "recipe_ask_label"}]
    assert proposal["reasons"][0]["message_phrases"][0]["code"] == "recipe_table"
    assert asked(propose(tmp_path, label="stage")) == {}


def test_gaps_in_words_are_missing(tmp_path):
    table(
        tmp_path / "cases.csv",
        {
            "patient_id": PATIENTS,
            "label": ["a", "b"] * 20,
            "bmi": ["[Not Available]" if i % 2 else 20 + i for i in range(CASES)],
        },
    )
    proposal = propose(tmp_path)
    assert proposal["recipe"]["missing"] == {"columns": {"bmi": ["[Not Available]"]}}


@pytest.mark.parametrize(
    ("labels", "rows", "question"), [(["yes", "yes"], 20, None), (["yes", "no"], 40, "rows")]
)
def test_rows_that_share_images_are_one_case(tmp_path, labels, rows, question):
    names = [f"a{100 + i // 2}" for i in range(CASES)]
    images(tmp_path, [f"images/{name}.png" for name in dict.fromkeys(names)])
    truth = [labels[i % 2] if i % 4 < 2 else "no" for i in range(CASES)]
    table(tmp_path / "boxes.csv", {"image_id": names, "label": truth, "width": list(range(CASES))})
    proposal = propose(tmp_path, patient="image_id")
    assert proposal["rows"] == rows
    assert [*asked(proposal)] == ([question] if question else [])
    assert proposal["settings"] == ({} if question else {"ignore_columns": ["width"]})


def test_the_rule_for_differing_labels_is_part_of_the_recipe(tmp_path):
    names = [f"a{100 + i // 2}" for i in range(CASES)]
    images(tmp_path, [f"images/{name}.png" for name in dict.fromkeys(names)])
    columns = {"image_id": names, "label": ["yes", "no"] * (CASES // 2), "width": list(range(CASES))}
    table(tmp_path / "boxes.csv", columns)
    proposal = propose(tmp_path, patient="image_id", rule="any")
    assert proposal["recipe"]["rows"] == {"case": ["image"], "rule": "any"}
    assert (proposal["rows"], asked(proposal)) == (CASES // 2, {})
    assert proposal["settings"] == {"ignore_columns": ["width"]}


def test_rows_that_share_images_are_left_alone_while_the_label_is_open(tmp_path):
    names = [f"a{100 + i // 2}" for i in range(CASES)]
    images(tmp_path, [f"images/{name}.png" for name in dict.fromkeys(names)])
    columns = {"image_id": names, "rating": LABELS, "reader": ["r1", "r2"] * (CASES // 2)}
    table(tmp_path / "readers.csv", columns)
    proposal = propose(tmp_path, patient="image_id")
    assert ("rows" in proposal["recipe"], [*asked(proposal)]) == (False, ["label"])
    assert [*asked(propose(tmp_path, label="rating", patient="image_id"))] == ["rows"]


def test_an_age_names_no_image(tmp_path):
    images(tmp_path, [f"images/{number}.png" for number in range(30, 70)])
    table(
        tmp_path / "cases.csv",
        {
            "patient_id": PATIENTS,
            "label": ["a", "b"] * 20,
            "age": [30 + i % 10 for i in range(CASES)],
        },
    )
    proposal = propose(tmp_path)
    assert "images" not in proposal["recipe"]
    assert any(reason["key"] == "images" for reason in proposal["reasons"])


def test_a_published_layout_has_its_template(tmp_path):
    ids = [f"ISIC_{i:07}" for i in range(CASES)]
    images(tmp_path, [f"HAM10000_images_part_{i % 2 + 1}/{name}.jpg" for i, name in enumerate(ids)])
    columns = {"lesion_id": [f"HAM_{i // 2:07}" for i in range(CASES)], "image_id": ids}
    columns |= {"dx": ["nv", "mel"] * (CASES // 2), "dx_type": ["histo"] * CASES, "age": ["50", "60"] * 20}
    table(tmp_path / "HAM10000_metadata.csv", columns)
    proposal = propose(tmp_path)
    assert proposal["template"]["name"] == "ham10000"
    assert proposal["recipe"]["label"] == {"column": "dx"}
    assert proposal["settings"]["ignore_columns"] == ["dx_type"]
    assert "malignant" in str(proposal["questions"]).casefold()
    assert propose(tmp_path, label="age")["recipe"]["label"] == {"column": "age"}
    decided = propose(tmp_path, decisions={"data.recipe.label": "Malignant (mel, bcc, akiec) or benign"})
    assert decided["recipe"]["label"]["name"] == "malignant"
    assert decided["questions"] == proposal["questions"]


def test_refuses_a_choice_that_the_layout_does_not_have(tmp_path):
    table(tmp_path / "cases.csv", {"patient_id": PATIENTS, "label": LABELS})
    with pytest.raises(TrainerError, match="is not a choice of the question") as caught:
        propose(tmp_path, decisions={"data.recipe.label": "Two classes"})
    assert caught.value.code == "INVALID_REQUEST"


def test_refuses_a_folder_without_cases(tmp_path):
    (tmp_path / "notes.txt").write_text("nothing")
    with pytest.raises(TrainerError) as caught:
        propose(tmp_path)
    assert caught.value.code == "DATASET_INVALID"


def reasons(proposal: dict[str, Any]) -> str:
    return "\n".join(reason["message"] for reason in proposal["reasons"])


def test_links_to_files_outside_the_allowed_folders_are_left_out(tmp_path):
    outside, folder = tmp_path / "outside", tmp_path / "r"
    table(outside / "other.csv", {"id": PATIENTS, "secret": ["x", "y"] * (CASES // 2)})
    images(outside, ["extra.png"])
    table(folder / "cases.csv", {"id": PATIENTS, "dx": LABELS})
    images(folder, [f"im/{name}.png" for name in PATIENTS])
    (folder / "leak").mkdir()
    (folder / "leak" / "other.csv").symlink_to(outside / "other.csv")
    (folder / "leak" / "extra.png").symlink_to(outside / "extra.png")
    proposal = propose(folder, label="dx")
    assert "other" not in str(proposal) and "secret" not in proposal["columns"]
    assert list_files(folder, Places(folder, folder)).images == tuple(
        sorted(f"im/{name}.png" for name in PATIENTS)
    )
    assert "secret" in propose(folder, label="dx", roots=(outside,))["columns"]


def test_names_that_a_recipe_cannot_contain_are_left_out_with_a_reason(tmp_path):
    table(tmp_path / "cases.csv", {"id": PATIENTS, "dx": LABELS})
    images(tmp_path, [f"im/{name}.png" for name in PATIENTS])
    images(tmp_path, [f"{folder}/p1.png" for folder in ("a\\b", "c{d}")])
    table(tmp_path / "e{f}.csv", {"id": PATIENTS, "more": LABELS})
    proposal = propose(tmp_path, label="dx")
    assert proposal["recipe"]["images"] == [{"column": "image", "search": ["im"], "key": "id"}]
    assert all(name in reasons(proposal) for name in ("a\\b", "c{d}", "e{f}.csv"))


def test_folders_with_decomposed_names_are_read(tmp_path):
    table(tmp_path / "Da\u0308ten" / "cases.csv", {"id": PATIENTS, "dx": LABELS})
    proposal = propose(tmp_path, label="dx")
    assert proposal["recipe"]["files"] == [{"name": "cases", "path": "D\u00e4ten/cases.csv"}]
    assert proposal["rows"] == CASES


@pytest.mark.parametrize(("column", "other"), [("age", "id"), ("rank", "num"), ("age", "age")])
def test_whole_numbers_that_happen_to_match_are_not_a_key(tmp_path, column, other):
    numbers = list(range(20, 20 + CASES))
    table(tmp_path / "cases.csv", {column: numbers, "dx": LABELS, "sex": ["f", "m"] * (CASES // 2)})
    table(tmp_path / "more.csv", {other: numbers, "score": numbers})
    assert "join" not in propose(tmp_path, label="dx")["recipe"]
    (tmp_path / "more.csv").unlink()
    images(tmp_path, [f"im/{number}.png" for number in numbers])
    assert "images" not in propose(tmp_path, label="dx")["recipe"]


def test_that_no_column_identifies_patients_is_an_answer(tmp_path):
    table(tmp_path / "cases.csv", {"id": [f"S{number:04}" for number in range(CASES)], "label": LABELS})
    assert propose(tmp_path)["recipe"]["open"] == ["patient"]
    answered = propose(tmp_path, no_patient=True)
    assert "open" not in answered["recipe"] and "patient" not in answered["recipe"]
    assert "each row counts as one patient" in reasons(answered)
    table(tmp_path / "cases.csv", {"patient_id": PATIENTS, "label": LABELS})
    with pytest.raises(TrainerError, match='"patient_id" is recognized as the patient column'):
        propose(tmp_path, no_patient=True)


@pytest.mark.parametrize("column", ["id", "image", "patient_no", "caseID"])
def test_whole_numbers_of_a_column_with_the_name_of_an_id_are_a_key(tmp_path, column):
    numbers = list(range(20, 20 + CASES))
    table(tmp_path / "cases.csv", {column: numbers, "dx": LABELS})
    images(tmp_path, [f"im/{number}.png" for number in numbers])
    assert propose(tmp_path, label="dx")["recipe"]["images"][0]["search"] == ["im"]


def test_of_two_folders_with_the_same_names_the_larger_images_are_used(tmp_path):
    table(tmp_path / "cases.csv", {"id": PATIENTS, "dx": LABELS})
    images(tmp_path, [f"a_thumbnails/{name}.png" for name in PATIENTS])
    (tmp_path / "full").mkdir()
    for name in PATIENTS:
        Image.fromarray(np.zeros((400, 400), dtype=np.uint8)).save(tmp_path / "full" / f"{name}.png")
    proposal = propose(tmp_path, label="dx")
    assert proposal["recipe"]["images"] == [{"column": "image", "search": ["full"], "key": "id"}]
    assert "a_thumbnails" in reasons(proposal)


def workbook(path: Path, sheets: dict[str, dict[str, list[Any]]]) -> None:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, columns in sheets.items():
        sheet = book.create_sheet(title)
        for row in [[*columns], *(list(row) for row in zip(*columns.values(), strict=True))]:
            sheet.append(row)
    book.save(path)


VISITS = {
    "subject": [patient for patient in PATIENTS for _ in range(2)],
    "visit": ["baseline", "month 6"] * CASES,
    "weight": list(range(2 * CASES)),
}


@pytest.mark.parametrize("is_folder", [True, False])
def test_the_sheets_of_a_workbook_are_tables(tmp_path, is_folder):
    people = {"subject": PATIENTS, "dx": LABELS}
    sites = {"subject": PATIENTS, "site": ["x", "y"] * (CASES // 2)}
    workbook(tmp_path / "study.xlsx", {"Notes": {"a": [1], "b": [2]}, "People": people, "Sites": sites})
    source = tmp_path if is_folder else tmp_path / "study.xlsx"
    proposal = propose(source, label="dx")
    assert [file["sheet"] for file in proposal["recipe"]["files"]] == ["People", "Sites"]
    assert proposal["recipe"]["join"] == [{"table": "sites", "on": ["subject"], "keep": "all"}]
    assert (proposal["rows"], proposal["columns"]) == (CASES, ["subject", "dx", "site"])
    assert "study.xlsx, Notes" in reasons(proposal)


@pytest.mark.parametrize(("rule", "weights"), [("baseline", [0, 2]), ("last", [1, 3]), ("each", [0, 1])])
def test_asks_which_of_several_joined_rows_describes_the_case(tmp_path, rule, weights):
    table(tmp_path / "people.csv", {"subject": PATIENTS, "dx": LABELS, "sex": LABELS, "site": LABELS})
    table(tmp_path / "visits.csv", VISITS)
    proposal = propose(tmp_path, label="dx")
    assert asked(proposal) == {"rows": ["baseline", "first", "last", "each"]}
    assert (proposal["recipe"]["open"], proposal["rows"]) == (["rows"], 2 * CASES)
    answered = propose(tmp_path, label="dx", rule=rule)
    assert (asked(answered), "open" in answered["recipe"]) == ({}, False)
    assert answered["rows"] == (2 * CASES if rule == "each" else CASES)
    made = compiled(tmp_path, **without_version(answered))
    assert [int(text) for text in made.table.cells["weight"][:2]] == weights


def test_two_joined_tables_with_several_rows_for_a_case_are_not_both_joined(tmp_path):
    table(tmp_path / "people.csv", {"subject": PATIENTS, "dx": LABELS, "sex": LABELS, "site": LABELS})
    table(tmp_path / "visits.csv", VISITS)
    table(tmp_path / "labs.csv", {"subject": VISITS["subject"], "crp": list(range(2 * CASES))})
    proposal = propose(tmp_path, label="dx")
    assert [join["table"] for join in proposal["recipe"]["join"]] == ["labs"]
    assert '"visits.csv" is skipped' in reasons(proposal)


def test_a_code_among_classes_is_a_value_until_it_is_declared_missing(tmp_path):
    grades = [(-1, 0, 1, 0)[i // 2 % 4] for i in range(CASES)]
    table(tmp_path / "cases.csv", {"patient_id": PATIENTS, "label": LABELS, "smoker": grades})
    proposal = propose(tmp_path)
    assert asked(proposal) == {"missing.columns.smoker": ["a value", "a missing value"]}
    assert '"-1" (10)' in proposal["questions"][0]["message"]
    assert ("missing" in proposal["recipe"], "open" in proposal["recipe"]) == (False, False)
    decided = propose(tmp_path, decisions={"missing.columns.smoker": "a missing value"})
    assert decided["recipe"]["missing"] == {"columns": {"smoker": ["-1"]}}


def test_codes_and_words_of_any_column_are_asked_about(tmp_path):
    crp = [-9999 if row % 5 == 0 else row / 8 for row in range(CASES)]
    albumin = ["Unknown" if row % 4 == 0 else "[<LOD>]" if row % 4 == 1 else row / 8 for row in range(CASES)]
    pain = [("None", "mild", "unclear")[row % 3] for row in range(CASES)]
    ache = [("None", "mild", "severe")[row // 2 % 3] for row in range(CASES)]
    columns = {"crp": crp, "albumin": albumin, "pain": pain, "ache": ache}
    table(tmp_path / "cases.csv", {"patient_id": PATIENTS, "label": LABELS, **columns})
    proposal = propose(tmp_path)
    missing = proposal["recipe"]["missing"]["columns"]
    assert missing == {"albumin": ["Unknown", "[<LOD>]"]}
    value, gap = "a value", "a missing value"
    assert asked(proposal) == {
        "missing.columns.crp": [value, gap],
        "missing.columns.pain": [value, gap],
        "missing.columns.pain.None": [gap, value],
        "missing.columns.ache.None": [gap, value],
    }
    assert any('"-9999" (8)' in question["message"] for question in proposal["questions"])
    answers = {"missing.columns.crp": gap, "missing.columns.pain": gap, "missing.columns.ache.None": value}
    decided = propose(tmp_path, decisions=answers)["recipe"]["missing"]["columns"]
    assert decided == {**missing, "crp": ["-9999"], "pain": ["None", "unclear"], "ache": []}


def test_the_only_table_with_the_chosen_label_is_the_main_one(tmp_path):
    table(tmp_path / "exams.csv", {"subject": PATIENTS, "a": LABELS, "b": LABELS, "c": LABELS})
    table(tmp_path / "truth.csv", {"subject": PATIENTS, "dx": LABELS})
    assert [file["name"] for file in propose(tmp_path)["recipe"]["files"]] == ["exams", "truth"]
    chosen = propose(tmp_path, label="dx")["recipe"]["files"]
    assert [file["name"] for file in chosen] == ["truth", "exams"]


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("pt{0:03}/view{1}.png", "{patient}/{_}"),
        ("images/pt{0:03}_view{1}.png", "{_}/{patient}_{_}"),
        ("images/view{1}_pt{0:03}.png", "{_}/{_}_{patient}.png"),
    ],
)
def test_codes_in_image_paths_are_the_patients(tmp_path, name, pattern):
    names = [name.format(i // 2, i % 2) for i in range(CASES)]
    images(tmp_path, names)
    table(tmp_path / "cases.csv", {"file": names, "label": LABELS})
    proposal = propose(tmp_path)
    assert proposal["recipe"]["patient"] == {"from": "file", "pattern": pattern}
    assert len(set(compiled(tmp_path, **without_version(proposal)).table.cells["patient"])) == CASES // 2


def without_version(proposal: dict[str, Any]) -> dict[str, Any]:
    return {key: part for key, part in proposal["recipe"].items() if key != "version"}


@pytest.mark.parametrize(
    ("columns", "network"),
    [
        ({"age": [i / 2 for i in range(CASES)]}, ("none", "concatenate")),
        ({"file": [f"{name}.png" for name in PATIENTS]}, ("resnet18", "none")),
        (
            {"file": [f"{name}.png" for name in PATIENTS], "sex": list("ffmm") * 10},
            ("resnet18", "gated"),
        ),
    ],
)
def test_the_network_fits_the_inputs(tmp_path, columns, network):
    if "file" in columns:
        images(tmp_path, columns["file"])
    table(tmp_path / "cases.csv", {"patient_id": PATIENTS, "label": LABELS, **columns})
    model = propose(tmp_path)["model"]
    assert (model["vision_backbone"], model["fusion_type"]) == network


def test_images_next_to_the_table_are_found(tmp_path):
    images(tmp_path, [f"{name}.png" for name in PATIENTS])
    table(tmp_path / "cases.csv", {"patient_id": PATIENTS, "label": LABELS})
    proposal = propose(tmp_path)
    assert proposal["recipe"]["images"][0]["search"] == ["."]
    assert compiled(tmp_path, **without_version(proposal)).table.cells["image"][0] == "p0.png"


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("exam_date", lambda row: f"2011/02/{row % 28 + 1:02}"),
        ("bp", lambda row: f"{120 + row % 30}/{80 + row % 10}"),
        ("dose", lambda row: f"{row % 30}.96 mg"),
        ("glucose", lambda row: 100 + row * row % 90),
        ("heart_rate_id", lambda row: 60 + row * row % 41),
    ],
)
def test_measurements_and_dates_are_not_proposed_as_patients(tmp_path, column, value):
    table(tmp_path / "t.csv", {"dx": LABELS * 3, column: [value(row) for row in range(3 * CASES)]})
    proposal = propose(tmp_path, label="dx")
    assert ("patient" in proposal["recipe"], asked(proposal)["patient"]) == (False, [])


@pytest.mark.parametrize(
    ("column", "value", "is_named"),
    [
        ("Fallnummer", lambda row: 100_000 + 37 * (row // 3), True),
        ("HC_ID", lambda row: row // 3 + 1, True),
        ("who", lambda row: f"042_S_{row // 3:04}", False),
        ("Name", lambda row: f"Smith{row // 3}", False),
    ],
)
def test_a_repeated_id_without_such_a_name_is_a_question(tmp_path, column, value, is_named):
    """The inspection and the proposal agree: both take what repeats from the roles of the columns."""
    table(tmp_path / "t.csv", {"dx": LABELS * 3, column: [value(row) for row in range(3 * CASES)]})
    proposal = propose(tmp_path, label="dx")
    if is_named:
        assert proposal["recipe"]["patient"] == {"column": column}
    else:
        assert asked(proposal)["patient"] == [column]


def survival(folder: Path, **columns: list[Any]) -> None:
    times = [1 + i % 13 for i in range(CASES)]
    table(
        folder / "cases.csv",
        {"patient_id": PATIENTS, "age": list(range(CASES)), "OS_MONTHS": times, **columns},
    )


def test_a_time_and_an_event_are_the_outcome_unless_another_is_chosen(tmp_path):
    survival(
        tmp_path,
        OS_STATUS=["0:LIVING", "1:DECEASED"] * (CASES // 2),
        PFS_MONTHS=[1 + i % 11 for i in range(CASES)],
        PFS_STATUS=["1:PROGRESSED", "0:CENSORED"] * (CASES // 2),
        stage=["I", "II", "III", "I"] * (CASES // 4),
    )
    proposal = propose(tmp_path)
    pairs = ["OS_MONTHS with OS_STATUS", "PFS_MONTHS with PFS_STATUS"]
    assert proposal["recipe"]["label"] == {"time": "OS_MONTHS", "event": "OS_STATUS"}
    assert asked(proposal) == {"label.time": [*pairs, "another column"]}
    assert proposal["model"] == {"vision_backbone": "none", "fusion_type": "concatenate"}
    chosen = propose(tmp_path, decisions={"label.time": pairs[1]})
    assert chosen["recipe"]["label"] == {"time": "PFS_MONTHS", "event": "PFS_STATUS"}
    other = propose(tmp_path, decisions={"label.time": "another column"})
    assert other["recipe"]["open"] == ["label"] and "stage" in asked(other)["label"]
    assert propose(tmp_path, label="stage")["recipe"]["label"] == {"column": "stage"}


def test_rows_without_a_time_or_an_event_are_excluded_and_this_is_said(tmp_path):
    survival(tmp_path, OS_STATUS=["alive", "dead", "dead", ""] * (CASES // 4))
    proposal = propose(tmp_path)
    assert proposal["recipe"]["label"] == {"time": "OS_MONTHS", "event": "OS_STATUS", "incomplete": "drop"}
    assert "label.incomplete" in {reason["key"] for reason in proposal["reasons"]}
    assert proposal["rows"] == 30


@pytest.mark.parametrize(
    "columns",
    [
        {"time": [0, 6, 12, 24] * (CASES // 4), "status": [0, 1] * (CASES // 2)},
        {"time": list(range(CASES)), "status": ["stable", "worse"] * (CASES // 2)},
        {"time": list(range(CASES)), "status": [0, 1] * (CASES // 2), "event": [1, 0] * (CASES // 2)},
        {"time": list(range(CASES)), "smoker": [0, 1] * (CASES // 2)},
    ],
    ids=["visits", "no yes or no", "two events", "no event"],
)
def test_other_columns_are_no_endpoint(tmp_path, columns):
    table(tmp_path / "cases.csv", {"patient_id": PATIENTS, **columns})
    assert "label.time" not in asked(propose(tmp_path))


def test_lists_of_findings_are_several_labels(tmp_path):
    texts = ["Mass|Nodule", "Mass", "Nodule", "No Finding"] * (CASES // 4)
    table(tmp_path / "cases.csv", {"patient_id": PATIENTS, "x": list(range(CASES)), "findings": texts})
    proposal = propose(tmp_path, label="findings")
    assert proposal["recipe"]["label"] == {
        "column": "findings", "findings": ["Mass", "Nodule"], "delimiter": "|", "none": ["No Finding"],
    }  # fmt: skip
    made = compiled(tmp_path, **{k: v for k, v in proposal["recipe"].items() if k != "version"})
    assert made.table.cells["Mass"][:4] == ["1", "1", "0", "0"]


def test_texts_with_a_delimiter_in_them_stay_classes(tmp_path):
    texts = ["grade 1; low", "grade 2; high"] * (CASES // 2)
    table(tmp_path / "cases.csv", {"patient_id": PATIENTS, "x": list(range(CASES)), "label": texts})
    assert propose(tmp_path)["recipe"]["label"] == {"column": "label"}
