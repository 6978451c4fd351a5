"""Inputs that were once read wrongly, next to the checkout: each is read right, refused, or reported. The
tests of each module make the same kinds of input; these are the originals."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from inspect import getsource
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from medloom_trainer.data.checks import inspect
from medloom_trainer.data.images import (
    Calibrated,
    UnreadableImage,
    decode_parts,
    divided_series,
    group_scans,
    open_image,
    to_record,
)
from medloom_trainer.data.tables import Slice, learn_labels, read_csv, read_numbers, read_table_file
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
    train = read_csv(case / "train.csv")
    assert set(learn_labels(train, "label", None).classes or ()) == set(train.cells["label"])
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
    none = inspected(case / "cat.csv", label_column="label")
    assert "comorbidity" in message_of(none, "NONE_READ_AS_MISSING")
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
def rows_of_one_image_are_one_case(case: Path, nodes: Nodes) -> None:
    (table,) = (case / "vindr").glob("*.csv")
    readers = inspected(table, label_column="class_name")
    assert "ROWS_SHARE_IMAGES" in keys_of(readers) and readers["readiness"]["status"] == "blocked"
    shutil.copytree(case / "stage_2_train_images", nodes.folder / "images")
    images = nodes.out("images", "LoadImage", {"path": "images"})
    boxes = {"label_column": "Target", "ignore_columns": ["x", "y", "width", "height"]}
    for name, settings in (
        ("stage_2_train_labels.csv", boxes),
        ("stage_2_detailed_class_info.csv", {"label_column": "class"}),
    ):
        shutil.copy(case / name, nodes.folder)
        loaded = nodes.out("dataframe", "LoadTabular", {"path": name, **settings})
        condition = {"filter_condition": "case_id is not missing"}
        joined = nodes.run("FilterData", condition, dataset=[images, loaded])
        content = joined["outputs"]["filtered_dataset"]["content"]
        assert loaded["num_cases"] == 72 and content["num_cases"] == 50, name
        assert "ROWS_SHARE_IMAGES" in {found["code"] for found in joined["warnings"]}


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
    assert len(list((case / "img").iterdir())) == 40
    for name in ("nfc", "nfd"):
        assert inspected(case / f"{name}.csv")["readiness"]["status"] != "blocked", name


@about("excel")
def workbooks_are_read_as_shown(case: Path, nodes: Nodes) -> None:
    def book(name: str) -> Any:
        return read_table_file(case / f"{name}.xlsx", None, "auto")

    assert len(book("w_ok")) == len(book("w_dim")) == 80
    assert book("dimA1").cells and len(book("hidden")) == 12
    merged = book("w_merged")
    assert len({texts for texts in merged.cells[merged.columns[0]] if texts}) == 40
    assert book("emptyformula").cells
    title = book("title")
    assert "TITLE_ROWS_SKIPPED" in {found["code"] for found in title.warnings}


RAMP = 499.5
"""Mean of the values of a test image."""
DICOM = {
    **dict.fromkeys(
        ("ct_slopeempty.dcm", "mlut12.dcm", "plain.dcm", "slopeempty.dcm", "slopeonlyempty.dcm",
         "voi_empty.dcm", "voi_item_empty.dcm"),
        RAMP,
    ),
    "interonly.dcm": RAMP - 1024,
    **dict.fromkeys(("pad_range.dcm", "pad_us.dcm"), None),
}  # fmt: skip
"""File → mean of its values; None: it has padding, which is not a part of its range."""
VOLUMES_OF_FOLDERS = {"s_dup": 3, "s_loc": 1, "s_ok": 1}


@about("dicom")
def incomplete_tags_are_neutral(case: Path, nodes: Nodes) -> None:
    assert {path.name for path in case.iterdir()} == {*DICOM, *VOLUMES_OF_FOLDERS, "case.md"}
    for name, mean in DICOM.items():
        (image,) = shown(case / name, 1)
        if mean is None:
            assert (image.low, image.high) == (250, 1000), name
        else:
            assert image.values.mean() == pytest.approx(mean, abs=0.01), name
    for name, number in VOLUMES_OF_FOLDERS.items():
        scans = group_scans([(file, "DICOM") for file in sorted((case / name).iterdir())])
        assert sum(scan.is_image for scan in scans) == number, name
        assert divided_series(scans) == ((1, 3) if name == "s_dup" else (0, 0))
    assert len(open_image(case / "s_loc")[0]) == len(open_image(case / "s_ok")[0]) == 10


NIFTI = ("ok.nii", "zeropixdim.nii", "zerosform.nii", "multi.nii.gz", "multi2.nii.gz")


@about("nifti")
def headers_are_read_as_the_standard_says(case: Path, nodes: Nodes) -> None:
    assert {path.name for path in case.iterdir()} == {*NIFTI, "rgb.nii", "multi.tif", "case.md"}
    plain = [image.values.tolist() for image in shown(case / "ok.nii", 3)]
    for name in NIFTI:
        assert [image.values.tolist() for image in shown(case / name, 3)] == plain, name
    content, _ = open_image(case / "rgb.nii")
    (colors,) = decode_parts(content, [None])
    assert not isinstance(colors, Calibrated) and colors.shape == (32, 32, 3)
    with pytest.raises(UnreadableImage, match="3 pages"):
        open_image(case / "multi.tif")


def shown(path: Path, slices: int) -> list[Calibrated]:
    content, _ = open_image(path)
    parts = [Slice(number, slices, "axial", "volume") for number in range(1, slices + 1)]
    images = decode_parts(content, parts)
    return [image for image in images if isinstance(image, Calibrated)]


UPRIGHT = (
    "d01_ok", "d12_with_derived", "d16_enhanced_ct_shuffled.dcm", "d25_prone", "n01_lps.nii.gz",
    "n03_flipz.nii.gz", "n23_multimember.nii.gz",
)  # fmt: skip
"""One unit for each millimeter to the left, three to the back and ten to the head, all of which are shown."""
REFUSED = {
    "d04_missing2": "lacks 3 slices",
    "d05b_copied_all": "10 files at the position of another one",
    "d06_two_phases_sameuid": "2 DICOM volumes",
    "d07_dual_echo_sameuid": "2 DICOM volumes",
    "d08_3plane_localizer": "3 DICOM volumes",
    "d13_seg_alone.dcm": "segmentation",
    "d14_rtstruct.dcm": "without an image",
    "d17_enhanced_mr_2echo.dcm": "time points or echoes",
    "d18_nopixeldata.dcm": "without pixels",
    "d26_mixed_size": "2 DICOM volumes",
    "d30_one_truncated": "1 damaged DICOM file",
    "n17_complex.nii.gz": "complex numbers",
    "n22.nrrd": "not an image in a supported format",
    "t01_stack.tif": "10 pages",
}
OTHERS = {
    "d20_nopreamble.dcm", "d23_pet_w50", "d23_pet_w100", "n05_oblique20.nii.gz", "n11_noform.nii.gz",
    "n14_rgb.nii.gz", "n16_2d.nii.gz", "n26_zero_sform.nii", "n27_lesion120.nii.gz",
    "n27_lesion900.nii.gz", "n28_mask.nii.gz",
}  # fmt: skip


@about("volumes")
def volumes_are_read_or_refused(case: Path, nodes: Nodes) -> None:
    assert {path.name for path in case.iterdir()} == {*UPRIGHT, *REFUSED, *OTHERS, "case.md"}
    for name in UPRIGHT:
        stack = np.stack([image.values[:, :, 0] for image in shown(case / name, 10)])
        steps = [float(np.diff(stack, axis=axis).mean()) for axis in (2, 1, 0)]
        assert steps == pytest.approx([1, 3, 50]), name
    for name, reason in REFUSED.items():
        with pytest.raises(UnreadableImage, match=reason):
            decode_parts(open_image(case / name)[0], [None])
    derived = group_scans([(file, "DICOM") for file in sorted((case / "d12_with_derived").iterdir())])
    assert sum(scan.is_image for scan in derived) == 1
    for name in ("n11_noform.nii.gz", "n26_zero_sform.nii"):
        assert len(shown(case / name, 10)) == 10, "without an orientation the axes are those of the standard"
    plain, oblique = (shown(case / name, 3) for name in ("d20_nopreamble.dcm", "n05_oblique20.nii.gz"))
    assert plain[0].values.shape == oblique[0].values.shape == (16, 20, 1)
    (light,), (heavy,) = (shown(case / f"d23_pet_w{weight}", 1) for weight in (50, 100))
    np.testing.assert_allclose(heavy.values, 2 * light.values, rtol=1e-5)
    assert not isinstance(decode_parts(open_image(case / "n14_rgb.nii.gz")[0], [None])[0], Calibrated)
    assert len(shown(case / "n16_2d.nii.gz", 1)) == 1
    lesions = [shown(case / f"n27_lesion{value}.nii.gz", 3) for value in (120, 900)]
    records = [[to_record(one, (48, 48), 16, None).max() for one in images] for images in lesions]
    assert max(records[0]) < max(records[1])
    mask = np.stack([image.values for image in shown(case / "n28_mask.nii.gz", 10)])
    assert np.unique(mask).tolist() == [0, 1]


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


@pytest.mark.parametrize("folder", sorted(CHECKS))
def test_every_file_of_a_case_is_mentioned(folder: str) -> None:
    """The tables of files of images are compared with their folders themselves."""
    if not (SHARED_CASES / folder).is_dir():
        pytest.skip(f"no ../shared/cases/{folder} beside the checkout")
    source = getsource(CHECKS[folder])
    if folder in ("dicom", "nifti", "volumes"):
        assert "path.name for path in case.iterdir()} ==" in source
        return
    names = {path.name.split(".")[0] for path in (SHARED_CASES / folder).iterdir()} - {"case"}
    assert {name for name in names if name not in source} == set()
