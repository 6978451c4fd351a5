"""Inputs that were once read wrongly, next to the checkout: each is read right, refused, or reported. The
tests of each module make the same kinds of input; these are the originals."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from medloom_trainer.data.checks import inspect
from medloom_trainer.data.images import Calibrated, UnreadableImage, group_scans, open_image
from medloom_trainer.data.images.decoders import decode_parts
from medloom_trainer.data.tables import Slice, Slicing, learn_labels, read_csv, read_numbers, read_table_file
from testing.node_runs import Nodes
from testing.shared_data import SHARED_CASES

Found = dict[str, Any]
CHECKS: dict[str, Callable[[Path, Nodes], None]] = {}
"""Folder → what is right for it."""


def about(folder: str) -> Callable[[Callable[[Path, Nodes], None]], Callable[[Path, Nodes], None]]:
    def remember(check: Callable[[Path, Nodes], None]) -> Callable[[Path, Nodes], None]:
        CHECKS[folder] = check
        return check

    return remember


def inspected(path: Path, **params: Any) -> Found:
    absent = dict.fromkeys(
        ("image_root", "label_column", "label_columns", "time_column", "event_column", "patient_column",
         "positive_class", "slices"),
    )  # fmt: skip
    return inspect({**absent, "path": str(path), "roles": {}, "ignore_columns": [], "roots": [], **params})


def roles_in(found: Found) -> dict[str, str]:
    return {column["name"]: column["role"] for column in found["columns"]}


def keys_of(found: Found) -> set[str]:
    return {check["key"] for check in found["readiness"]["checks"]}


def message_of(found: Found, key: str) -> str:
    return " ".join(check["message"] for check in found["readiness"]["checks"] if check["key"] == key)


@about("codes")
def codes_are_texts(case: Path, nodes: Nodes) -> None:
    three = read_csv(case / "three.csv")
    assert len(learn_labels(three, "label", None).classes or ()) == len(set(three.cells["label"]))
    icd = read_csv(case / "icd.csv")
    assert set(learn_labels(icd, "label", None).classes or ()) == set(icd.cells["label"])
    assert all(name.startswith(("1E", "2E")) for name in icd.cells["label"])


@about("ids-as-inputs")
def ids_are_patients(case: Path, nodes: Nodes) -> None:
    for name, patient in (("mrn_like", "PatNr"), ("noise_adni", "PTID"), ("patnr", "Patienten-Nr.")):
        found = inspected(case / f"{name}.csv", label_column="DX" if name == "noise_adni" else None)
        roles = roles_in(found)
        assert roles[patient] == "patient"
        assert roles.get("RID", "id") == "id"


@about("index-is-no-id")
def an_index_is_a_measurement(case: Path, nodes: Nodes) -> None:
    for name in ("bmi", "body_mass_index"):
        assert roles_in(inspected(case / f"{name}.csv"))[name] == "numeric"


@about("join-by-age")
def images_are_joined_by_the_patient(case: Path, nodes: Nodes) -> None:
    shutil.copytree(case / "img", nodes.folder / "img")
    shutil.copy(case / "table.csv", nodes.folder)
    images = nodes.out("images", "LoadImage", {"path": "img"})
    table = nodes.out("dataframe", "LoadTabular", {"path": "table.csv"})
    condition = {"filter_condition": "case_id is not missing"}
    result = nodes.run("FilterData", condition, dataset=[images, table])
    content = result["outputs"]["filtered_dataset"]["content"]
    cells = nodes.cells(content)
    assert [Path(cell).stem for cell in cells["image"]] == cells["patient_id"]
    assert content["num_cases"] == 78
    assert any("2 rows without an image" in found["message"] for found in result["warnings"])


@about("masks-and-tables")
def the_table_is_read_and_masks_are_not(case: Path, nodes: Nodes) -> None:
    found = inspected(case / "imgmask")
    assert (found["num_cases"], roles_in(found)["image"]) == (20, "image")
    assert [one["name"] for one in found["classes"]] != ["images", "masks"]


@about("missing-codes")
def codes_for_missing_values_are_reported(case: Path, nodes: Nodes) -> None:
    for name in ("one", "n99", "two", "three", "nine", "n999_998"):
        assert "SENTINEL_SUSPECTED" in keys_of(inspected(case / f"{name}.csv", label_column="outcome")), name
    for name in ("lab_neg1", "lab_nine", "lab_unknown"):
        table = read_csv(case / f"{name}.csv")
        found = inspected(case / f"{name}.csv", label_column=table.columns[-1])
        assert "CLASS_MAY_BE_MISSING" in keys_of(found), name
    not_available = inspected(case / "notavail.csv", label_column="outcome")
    assert roles_in(not_available)["bmi"] == "ignored" and "MIXED_COLUMN" in keys_of(not_available)
    ages = read_csv(case / "age600.csv")
    assert not read_numbers(ages.cells["Patient Age"], ages.delimiter).texts
    for name, column in (("label", "label"), ("nonelabel", "severity")):
        found = inspected(case / f"{name}.csv", label_column=column)
        assert found["readiness"]["status"] == "blocked" and "is missing in" in message_of(found, "label")


@about("numbers-as-text")
def numbers_are_numbers(case: Path, nodes: Nodes) -> None:
    assert "delta" in [
        name for name, role in roles_in(inspected(case / "minus.csv")).items() if role == "numeric"
    ]
    assert "Patienten-Nr." in read_csv(case / "excel_sep.csv").columns
    assert roles_in(inspected(case / "index.csv"))["Unnamed: 0"] == "id"
    assert "CLASS_IS_A_LIST" in keys_of(inspected(case / "list.csv"))
    assert read_csv(case / "pipe.csv").columns == ("patient_id", "age", "label")


@about("one-hot-siblings")
def other_labels_are_not_inputs(case: Path, nodes: Nodes) -> None:
    groups = {
        "onehot": ("MEL", {"NV", "BCC", "AK"}),
        "isic1500": ("MEL", {"NV", "BCC", "AK", "BKL", "DF", "VASC", "SCC"}),
        "joined_onehot": ("MEL", {"NV", "BCC", "AK", "BKL", "DF", "VASC", "SCC"}),
    }
    for name, (label, others) in groups.items():
        found = inspected(case / f"{name}.csv", label_column=label)
        assert {roles_in(found)[other] for other in others} <= {"ignored", "constant"}, name
        assert "OTHER_LABEL_COLUMN" in keys_of(found)
    nih = inspected(case / "nih1500.csv", label_columns=["Effusion", "Mass"])
    findings = {"Atelectasis", "Cardiomegaly", "Infiltration", "Nodule", "No Finding"}
    assert {roles_in(nih)[finding] for finding in findings} == {"ignored"}


@about("rows-per-image")
def rows_of_one_image_are_reported(case: Path, nodes: Nodes) -> None:
    (table,) = (case / "vindr").glob("*.csv")
    assert "ROWS_SHARE_IMAGES" in keys_of(inspected(table, label_column="class_name"))
    boxes = inspected(case / "stage_2_train_labels.csv", label_column="Target")
    assert roles_in(boxes)["patientId"] == "patient" and boxes["num_patients"] < boxes["num_cases"]


@about("survival-copy-of-event")
def a_copy_of_the_event_is_not_an_input(case: Path, nodes: Nodes) -> None:
    found = inspected(case / "leak.csv", time_column="OS_MONTHS", event_column="OS_STATUS")
    assert roles_in(found)["VITAL_STATUS"] == "ignored"
    assert "VITAL_STATUS" in message_of(found, "OTHER_LABEL_COLUMN")


@about("unicode")
def equal_looking_texts_are_equal(case: Path, nodes: Nodes) -> None:
    for name in ("nbsp", "zw"):
        assert len(learn_labels(read_csv(case / f"{name}.csv"), "label", None).classes or ()) == 2, name
    columns = read_csv(case / "nfdcol.csv")
    assert "d\u00e9s" in columns.columns and set(columns.cells["d\u00e9s"]) & {"caf\u00e9"}
    patients = [
        set(read_csv(case / f"{name}.csv").cells["patient_id"]) for name in ("ptrain", "ptest", "ptest2")
    ]
    assert patients[0] & patients[1] and patients[0] & patients[2]
    for name in ("nfc", "nfd"):
        assert inspected(case / f"{name}.csv")["readiness"]["status"] != "blocked", name


@about("excel")
def workbooks_are_read_as_shown(case: Path, nodes: Nodes) -> None:
    def book(name: str) -> Any:
        return read_table_file(case / f"{name}.xlsx", None, "auto")

    assert len(book("w_ok")) == len(book("w_dim")) == 80
    assert book("dimA1").cells
    merged = book("w_merged")
    assert len({texts for texts in merged.cells[merged.columns[0]] if texts}) == 40
    assert book("emptyformula").cells
    title = book("title")
    assert "TITLE_ROWS_SKIPPED" in {found["code"] for found in title.warnings}


def pixels_of(path: Path, slices: int = 1) -> list[Any]:
    content, _ = open_image(path)
    return decode_parts(content, Slicing(slices, "axial", "volume"))


@about("dicom")
def incomplete_tags_are_neutral(case: Path, nodes: Nodes) -> None:
    for file in sorted(case.glob("*.dcm")):
        assert open_image(file)[1] is not None, file.name
    counts = {}
    for name in ("s_dup", "s_loc", "s_ok"):
        files = [(file, "DICOM") for file in sorted((case / name).iterdir())]
        counts[name] = len(group_scans(files))
    assert counts["s_ok"] == 1 and counts["s_dup"] == 3 and counts["s_loc"] >= 1


@about("nifti")
def headers_are_read_as_the_standard_says(case: Path, nodes: Nodes) -> None:
    for name in ("ok.nii", "rgb.nii", "zeropixdim.nii", "zerosform.nii", "multi.nii.gz", "multi2.nii.gz"):
        assert open_image(case / name)[1] is not None, name
    with pytest.raises(UnreadableImage):
        open_image(case / "multi.tif")


@about("volumes")
def volumes_are_read_or_refused(case: Path, nodes: Nodes) -> None:
    refused = set()
    for path in sorted(case.iterdir()):
        try:
            if path.name != "case.md":
                open_image(path)
        except UnreadableImage:
            refused.add(path.name)
    no_images = {"d13_seg_alone.dcm", "d14_rtstruct.dcm", "d18_nopixeldata.dcm", "d30_one_truncated"}
    several = {"d05b_copied_all", "d06_two_phases_sameuid", "d07_dual_echo_sameuid", "d08_3plane_localizer"}
    several |= {"d04_missing2", "d17_enhanced_mr_2echo.dcm", "d26_mixed_size"}
    assert no_images | several | {"t01_stack.tif", "n17_complex.nii.gz"} <= refused
    derived = [(file, "DICOM") for file in sorted((case / "d12_with_derived").iterdir())]
    assert sum(scan.is_image for scan in group_scans(derived)) == 1
    readable = {
        "d01_ok",
        "d20_nopreamble.dcm",
        "n01_lps.nii.gz",
        "n03_flipz.nii.gz",
        "n05_oblique20.nii.gz",
        "n14_rgb.nii.gz",
    }
    assert not refused & (readable | {"n16_2d.nii.gz", "n23_multimember.nii.gz", "n26_zero_sform.nii"})
    for name in ("d01_ok", "d16_enhanced_ct_shuffled.dcm", "n01_lps.nii.gz"):
        content, _ = open_image(case / name)
        slices = decode_parts(content, [Slice(number, 3, "axial", "volume") for number in (1, 2, 3)])
        assert [round(float(one.values.mean())) for one in slices if isinstance(one, Calibrated)] == [
            -2, 198, 348,
        ], name  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("folder", sorted(CHECKS))
def test_a_case_is_read_as_its_description_says(folder: str, nodes: Nodes) -> None:
    if not (SHARED_CASES / folder).is_dir():
        pytest.skip(f"no ../shared/cases/{folder} beside the checkout")
    CHECKS[folder](SHARED_CASES / folder, nodes)


def test_every_case_has_a_check() -> None:
    if not SHARED_CASES.is_dir():
        pytest.skip("no ../shared/cases beside the checkout")
    assert {case.parent.name for case in SHARED_CASES.glob("*/case.md")} <= set(CHECKS)
