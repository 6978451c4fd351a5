"""Sets as people have them, in miniature, with one recipe each and nothing else: from the files to the arrays
of a training, and to the same preparation for an evaluation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from medloom_trainer.data.apply import prepare_cases
from medloom_trainer.data.checks import inspect
from medloom_trainer.data.images import UnreadableImage
from medloom_trainer.data.images.image_files import locate
from medloom_trainer.data.images.sources import open_image
from medloom_trainer.data.outline import outline
from medloom_trainer.data.types import PreparedData
from medloom_trainer.errors import TrainerError
from testing.medical_files import dicom_file
from testing.recipes import compiled
from testing.workspace import Workspace


def prepared_by(work: Workspace, source: Path, recipe: dict[str, Any], **data: Any) -> PreparedData:
    recipe = {"version": 1, **recipe}
    outline(work.config(train_csv=str(source), recipe=recipe, **data), roots=[work.folder], fitted=None)
    return work.prepare(train_csv=str(source), recipe=recipe, **data)


def ham10000(work: Workspace, count: int = 36) -> Path:
    """Metadata, two folders of images, and several images of a lesion."""
    rows = [
        {
            "lesion_id": f"HAM_{case // 2:07d}",
            "image_id": f"ISIC_{case:07d}",
            "dx": ["nv", "mel", "bkl"][case // 2 % 3],
            "dx_type": "histo",
            "age": 30 + case,
            "localization": ["back", "face"][case % 2],
        }
        for case in range(count)
    ]
    for case, row in enumerate(rows):
        work.image(f"ham/HAM10000_images_part_{1 + case % 2}/{row['image_id']}.jpg", case)
    return work.table("ham/HAM10000_metadata.csv", rows).parent


HAM10000 = {
    "files": [{"name": "metadata", "path": "HAM10000_metadata.csv"}],
    "images": [{"column": "image", "search": ["HAM10000_images_part_{_}"], "key": "image_id"}],
    "patient": {"column": "lesion_id"},
    "label": {"column": "dx", "name": "malignant", "map": {"mel": "yes", "nv": "no", "bkl": "no"}},
}


def test_a_table_with_two_folders_of_images(work: Workspace) -> None:
    source = ham10000(work)
    made = compiled(source, **HAM10000)
    assert made.table.cells["image"][:2] == [
        "HAM10000_images_part_1/ISIC_0000000.jpg",
        "HAM10000_images_part_2/ISIC_0000001.jpg",
    ]
    assert made.table.place(3) == ("HAM10000_metadata.csv", 5)
    prepared = prepared_by(work, source, HAM10000)
    assert prepared.classes == ("no", "yes")
    assert prepared.preprocessing["patient_column"] == "lesion_id"
    assert prepared.summary["image_columns"] == ["image"]
    assert prepared.summary["numeric_columns"] == ["age"]
    assert prepared.summary["categorical_columns"] == ["localization"]  # neither dx nor an identifier
    assert prepared.flow[0] == {"step": 'recipe: 36 rows of "metadata"', "cases": 36, "patients": None}
    assert prepared.train.places is not None
    assert {file for file, _ in prepared.train.places} == {"HAM10000_metadata.csv"}


def test_another_table_is_read_with_the_recipe_of_the_model(work: Workspace) -> None:
    prepared = prepared_by(work, ham10000(work), HAM10000)
    state = json.loads(json.dumps(prepared.preprocessing, allow_nan=False))
    again = prepare_cases(
        state, work.folder / "ham", image_root=None, split="test", roots=[work.folder], cache_dir=work.cache,
        progress=lambda message, fraction: None, whole_table=True,
    )  # fmt: skip
    assert len(again.cases.rows) == 36
    assert again.cases.labels is not None and sorted(set(again.cases.labels.tolist())) == [0, 1]
    assert again.flow[0]["step"].startswith("recipe: ")


def test_a_recipe_for_a_table_that_has_changed_is_refused(work: Workspace) -> None:
    source = ham10000(work)
    table = source / "HAM10000_metadata.csv"
    table.write_text(table.read_text().replace("lesion_id,", "lesion,", 1))
    with pytest.raises(TrainerError) as caught:
        prepared_by(work, source, HAM10000)
    assert caught.value.code == "COLUMN_NOT_FOUND"
    assert '"lesion_id" (data.recipe.patient); did you mean "lesion"?' in caught.value.message


def chexpert(work: Workspace) -> Path:
    """Two tables of paths, and findings with 1, 0, -1 for uncertain and blank for not mentioned."""
    for split, first, count in (("train", 0, 30), ("valid", 30, 10)):
        rows = []
        for case in range(first, first + count):
            path = f"CheXpert-v1.0-small/{split}/patient{case // 2:05d}/study{1 + case % 2}/view1_frontal.jpg"
            work.image(path, case)
            finding = {"Edema": ["1.0", "0.0", "-1.0", ""][case % 4], "Mass": ["0.0", "1.0", "1.0"][case % 3]}
            rows.append({"Path": path, "Sex": "MF"[case % 2], "Age": 40 + case, **finding})
        work.table(f"CheXpert-v1.0-small/{split}.csv", rows)
    return work.folder / "CheXpert-v1.0-small"


CHEXPERT = {
    "files": [{"name": "cases", "path": "{split}.csv"}],
    "columns": [{"from": "Path", "pattern": "CheXpert-v1.0-small/{folder}/{patient}/{study}/{view}.jpg"}],
    "images": [{"column": "image", "pattern": "{folder}/{patient}/{study}/{view}.jpg"}],
    "patient": {"column": "patient"},
    "label": {"findings": ["Edema", "Mass"], "uncertain": {"-1": "missing", "": "negative"}},
    "split": {"column": "split", "words": {"train": ["train"], "val": ["valid"]}},
}


def test_paths_with_patients_and_uncertain_findings(work: Workspace) -> None:
    source = chexpert(work)
    made = compiled(source, **CHEXPERT)
    assert made.table.cells["Edema"][:4] == ["1.0", "0.0", "", "0"]
    assert made.table.cells["image"][0] == "train/patient00000/study1/view1_frontal.jpg"
    (step,) = [step for step in made.steps if step.kind == "label"]
    assert step.counts == {"uncertain": 20}  # 10 with -1, 10 that are blank
    assert '"-1" is missing, an empty cell is negative' in step.message
    prepared = prepared_by(work, source, CHEXPERT)
    assert (prepared.task, prepared.classes) == ("multilabel", ("Edema", "Mass"))
    assert (len(prepared.train.rows), len(prepared.val.rows)) == (30, 10)
    assert prepared.preprocessing["patient_column"] == "patient"
    assert prepared.summary["numeric_columns"] == ["Age"]


def breakhis(work: Workspace) -> Path:
    """A folder for each class, and the patient in the name of each file."""
    for case in range(24):
        label, code = [("benign", "B_A"), ("malignant", "M_DC")][case % 2]
        slide = f"14-{2000 + case // 4 * 2 + case % 2}AB"
        work.image(f"breakhis/{label}/SOB/40X/SOB_{code}-{slide}-40-{case:03d}.png", case)
    return work.folder / "breakhis"


BREAKHIS = {
    "files": [{"name": "images", "pattern": "{label}/SOB/{magnification}/SOB_{_}-{_}-{patient}-{_}-{_}.png"}],
    "patient": {"column": "patient"},
    "label": {"column": "label"},
}


def test_folders_of_classes_with_patients_in_the_names(work: Workspace) -> None:
    source = breakhis(work)
    made = compiled(source, **BREAKHIS)
    assert (len(made.table), len(set(made.table.cells["patient"]))) == (24, 12)
    prepared = prepared_by(work, source, BREAKHIS, model={"fusion_type": "none"})
    assert prepared.classes == ("benign", "malignant")
    assert prepared.train.patients is not None and prepared.val.patients is not None
    assert len(set(prepared.train.patient_ids or ())) + len(set(prepared.val.patient_ids or ())) == 12


def medmnist(work: Workspace) -> Path:
    """Arrays of images and labels by split."""
    rng = np.random.default_rng(0)
    arrays: dict[str, Any] = {}
    for split, count in (("train", 20), ("val", 8), ("test", 8)):
        arrays[f"{split}_images"] = rng.integers(0, 256, (count, 28, 28), dtype=np.uint8)
        arrays[f"{split}_labels"] = (np.arange(count) % 2).reshape(-1, 1).astype(np.uint8)
    path = work.folder / "sets" / "pneumoniamnist.npz"
    path.parent.mkdir()
    np.savez_compressed(path, **arrays)
    return path


def test_a_folder_of_dicom_series(work: Workspace) -> None:
    folder = work.folder / "tcia"
    for patient in ("A", "B"):
        study = folder / patient / "study"
        ids = {"PatientID": f"P-{patient}", "StudyInstanceUID": f"1.2.{ord(patient)}"}
        for number, series in ((1, "3.1"), (2, "3.2")):
            for place in range(3):
                position = [0, 0, float(place)]
                tags = {"SeriesInstanceUID": series, "ImagePositionPatient": position, "Modality": "CT"}
                dicom_file(study / f"{number}-{place}.dcm", **ids, **tags)
        for side in ("L", "R"):  # one series, two images without a position
            tags = {
                "SeriesInstanceUID": "3.3",
                "ImageLaterality": side,
                "ViewPosition": "CC",
                "Modality": "MG",
            }
            dicom_file(folder / patient / "mammo" / f"{side}.dcm", **ids, **tags)
    (folder / "LICENSE").write_text("not an image")
    work.table("tcia/labels.csv", [{"patient": f"P-{name}", "dx": name} for name in "AB"])
    made = compiled(
        folder,
        files=[{"name": "series", "dicom": True}, {"name": "labels", "path": "labels.csv"}],
        join=[{"table": "labels", "on": {"PatientID": "patient"}}],
        patient={"column": "PatientID"},
    )
    cells = made.table.cells
    assert cells["PatientID"] == ["P-A"] * 4 + ["P-B"] * 4
    assert cells["Laterality"][:4] == ["L", "R", "", ""] and cells["dx"][:4] == ["A"] * 4
    assert cells["image"][:2] == ["A/mammo/L.dcm", "A/mammo/R.dcm"]
    for cell in cells["image"]:
        content, _ = open_image(locate(cell, folder, [str(folder)]))
        assert isinstance(content, bytes) == ("mammo" in cell)
        assert isinstance(content, bytes) or len(content) == 3
    mammo = compiled(
        folder,
        files=[{"name": "views", "dicom": True, "path": "A/mammo"}],
        views={"case": ["PatientID"], "by": ["Laterality", "ViewPosition"]},
    )
    assert mammo.settings["image_columns"] == ["image_L_CC", "image_R_CC"]


def test_dicom_files_that_are_not_rows_are_counted(work: Workspace) -> None:
    """As LoadImage reads them: without a preamble, divided into echoes, without reports and localizers."""
    folder = work.folder / "mixed"
    pixels = np.zeros((4, 4), dtype=np.uint16)

    def stored(name: str, place: int, **tags: Any) -> Path:
        known = {
            "SeriesInstanceUID": "3.1",
            "StudyInstanceUID": "1.2",
            "ImagePositionPatient": [0, 0, 5.0 * place],
        }
        return dicom_file(folder / "scan" / name, pixels, **{**known, **tags})

    for echo in (1, 2):
        for place in range(6):
            described = {"EchoTime": echo, "SeriesDescription": "dual echo", "AcquisitionNumber": 4}
            stored(f"{echo}-{place}", place, **described)
    plain = stored("1-3", 3, EchoTime=1, SeriesDescription="dual echo", AcquisitionNumber=4)
    plain.write_bytes(plain.read_bytes()[132:])
    stored(
        "scout",
        0,
        ImageType=["ORIGINAL", "PRIMARY", "LOCALIZER"],
        ImageOrientationPatient=[1, 0, 0, 0, 0, -1],
    )
    stored("seg", 0, Modality="SEG", SeriesInstanceUID="3.9")
    damaged = stored("damaged", 0, SeriesInstanceUID="3.8")
    damaged.write_bytes(damaged.read_bytes()[:-9])
    (folder / "scan" / "notes.txt").write_text("not an image")
    dicom_file(folder / "photo.dcm", pixels)
    made = compiled(folder, files=[{"name": "images", "dicom": True}])
    cells = made.table.cells
    assert cells["EchoTime"] == ["", "1", "2"] or cells["EchoTime"] == ["", "1.0", "2.0"]
    assert cells["SeriesDescription"] == ["", "dual echo", "dual echo"]
    assert cells["AcquisitionNumber"] == ["", "4", "4"] and cells["image"][0] == "photo.dcm"
    assert made.steps[0].counts == {
        "damaged": 1, "without_image": 1, "localizers": 1, "other_files": 1, "divided": 1,
    }  # fmt: skip
    assert [found["code"] for found in made.table.warnings] == ["SERIES_DIVIDED"]
    for cell in cells["image"][1:]:
        with pytest.raises(UnreadableImage, match="1 damaged DICOM file"):
            open_image(locate(cell, folder, [str(folder)]))


def test_bids_with_participants_and_sessions(work: Workspace) -> None:
    folder = work.folder / "bids"
    rows = [{"participant_id": f"sub-{name}", "age": 30, "group": "ad"} for name in ("01", "02", "03")]
    folder.mkdir()
    work.table("bids/participants.csv", rows)
    for name in ("sub-01", "sub-02"):
        for session in ("ses-1", "ses-2"):
            path = folder / name / session / "anat" / f"{name}_{session}_T1w.nii.gz"
            path.parent.mkdir(parents=True)
            path.touch()
    files = [
        {
            "name": "images",
            "pattern": "{participant_id}/{session}/anat/{participant_id}_{session}_T1w.nii.gz",
        },
        {"name": "people", "path": "participants.csv"},
    ]
    made = compiled(
        folder,
        files=files,
        join=[{"table": "people", "on": ["participant_id"]}],
        patient={"column": "participant_id"},
        label={"column": "group"},
        rows={
            "case": ["participant_id"],
            "rule": "first",
            "visit": {"column": "session", "values": ["ses-1"]},
        },
    )
    assert made.table.cells["image"] == [
        "sub-01/ses-1/anat/sub-01_ses-1_T1w.nii.gz",
        "sub-02/ses-1/anat/sub-02_ses-1_T1w.nii.gz",
    ]
    assert ("unused", 1) in {item for step in made.steps for item in step.counts.items()}


def test_arrays_of_images(work: Workspace) -> None:
    path = medmnist(work)
    for source, files in (
        (path, {}),
        (work.folder, {"files": [{"name": "m", "path": "sets/pneumoniamnist.npz"}]}),
    ):
        prepared = prepared_by(work, source, files, model={"fusion_type": "none"})
        assert (len(prepared.train.rows), len(prepared.val.rows)) == (20, 8)
        assert prepared.store is not None and prepared.store.record_shape == (16, 16, 1)
        assert prepared.val.slots is not None and prepared.train.slots is not None
        assert len({*prepared.train.slots.ravel().tolist(), *prepared.val.slots.ravel().tolist()}) == 28
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(TrainerError) as caught:
        prepared_by(work, path, {})
    assert caught.value.code == "DATASET_INVALID"


def test_an_inspection_reads_with_the_recipe(work: Workspace) -> None:
    source = ham10000(work)
    (source / "HAM10000_images_part_1" / "ISIC_0000000.jpg").unlink()
    params = {
        "path": str(source), "image_root": None, "label_column": None, "label_columns": None,
        "time_column": None, "event_column": None, "patient_column": None, "positive_class": None,
        "slices": None, "roles": {}, "ignore_columns": [], "recipe": {"version": 1, **HAM10000},
        "roots": [str(work.folder)],
    }  # fmt: skip
    found = inspect(params)
    assert (found["num_cases"], found["num_patients"]) == (36, 18)
    assert {entry["name"]: entry["count"] for entry in found["classes"]} == {"no": 24, "yes": 12}
    roles = {column["name"]: column["role"] for column in found["columns"]}
    assert (roles["malignant"], roles["lesion_id"], roles["image"]) == ("label", "patient", "image")
    assert roles["dx"] == "ignored"
    steps = [check for check in found["readiness"]["checks"] if check["key"] == "recipe"]
    assert [check["status"] for check in steps] == ["ready", "warning", "ready", "ready"]
    assert "1 of them not found" in steps[1]["message"]
    chosen = inspect({**params, "roles": {"localization": "label", "image_id": "patient"}})
    assert {entry["name"] for entry in chosen["classes"]} == {"back", "face"}
    assert chosen["num_patients"] == 36


def test_the_own_keys_of_the_configuration_replace_those_of_the_recipe(work: Workspace) -> None:
    own = {"label_column": "localization", "patient_column": "image_id"}
    prepared = prepared_by(work, ham10000(work), HAM10000, **own)
    assert prepared.classes == ("back", "face")
    assert prepared.preprocessing["patient_column"] == "image_id"
    inputs = {column["name"] for column in prepared.preprocessing["table"]["columns"]}
    assert not inputs & {"dx", "malignant"}  # the other label is not an input either
