"""Collections of images of several kinds: TCIA and MedMNIST."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from testing.medical_files import dicom_file
from testing.miniatures.files import age, table

_SLICES = 3


def nsclc_radiomics(folder: Path) -> Path:
    """CT series with structures and segmentations, and a clinical table that also has patients without
    images and patients without a stage."""
    _series(folder, "NSCLC-Radiomics", [f"LUNG1-{number:03d}" for number in range(1, 29)])
    rows = []
    for number in range(1, 31):
        rows.append(
            {
                "PatientID": f"LUNG1-{number:03d}",
                "age": "NA" if number % 9 == 0 else f"{age(number)}.{number % 9}",
                "clinical.T.Stage": 1 + age(number) % 4,
                "Clinical.N.Stage": age(number + 50) % 4,
                "Clinical.M.Stage": 0 if number % 13 else 3,
                "Overall.Stage": ["I", "II", "IIIa", "IIIb"][age(number + 70) % 4],
                "Histology": ["large cell", "squamous cell carcinoma", "adenocarcinoma", "nos", "NA"][
                    age(number + 90) % 5
                ],
                "gender": ["male", "female"][number // 2 % 2],
                "Survival.time": 10 + 31 * number,
                "deadstatus.event": int(number % 4 != 0),
            }
        )
    table(folder / "NSCLC Radiomics Lung1.clinical-version3-Oct 2019.csv", rows)
    return folder


def tcia(folder: Path) -> Path:
    """A collection whose clinical table has another name."""
    _series(folder, "HNSCC", [f"HNSCC-01-{number:04d}" for number in range(1, 25)])
    clinical = [
        {"TCIA ID": f"HNSCC-01-{number:04d}", "Age": age(number), "Recurrence": ["No", "Yes"][number % 3 % 2]}
        for number in range(1, 25)
    ]
    table(folder / "clinical.csv", clinical)
    return folder


def _series(folder: Path, collection: str, patients: list[str]) -> None:
    rows = []
    for number, patient in enumerate(patients, start=1):
        study = f"1.3.6.1.4.1.32722.99.99.{number}"
        above = f"{collection}/{patient}/09-18-2008-StudyID-NA-{69331 + number}"
        for place, modality in enumerate(("CT", "RTSTRUCT", "SEG")):
            uid, name = f"{study}.{place}", f"{place}.000000-{modality}-{82046 + number}"
            count = _SLICES if modality == "CT" else 1
            for index in range(count):
                _slice(
                    folder / above / name / f"1-{index + 1:02d}.dcm",
                    100 * number + 10 * place + index,
                    index,
                    {
                        "PatientID": patient,
                        "StudyInstanceUID": study,
                        "SeriesInstanceUID": uid,
                        "Modality": modality,
                    },
                )
            rows.append(
                {
                    "Series UID": uid,
                    "Collection": collection,
                    "3rd Party Analysis": "",
                    "Data Description URI": "https://doi.org/10.7937/K9/TCIA.2015.PF0M9REI",
                    "Subject ID": patient,
                    "Study UID": study,
                    "Study Description": "",
                    "Study Date": "09-18-2008",
                    "Series Description": "",
                    "Manufacturer": ["SIEMENS", "CMS, Inc."][number % 2],
                    "Modality": modality,
                    "SOP Class Name": "CT Image Storage",
                    "SOP Class UID": "1.2.840.10008.5.1.4.1.1.2",
                    "Number of Images": count,
                    "File Size": "70.37 MB",
                    "File Location": f"./{above}/{name}",
                    "Download Timestamp": "2021-01-01T12:00:00.0",
                }
            )
    table(folder / "metadata.csv", rows)


def _slice(path: Path, seed: int, index: int, tags: dict[str, Any]) -> None:
    pixels = np.random.default_rng(seed).integers(-1000, 1000, (8, 8), dtype=np.int16)
    place = {"ImagePositionPatient": [0, 0, 3 * index], "ImageOrientationPatient": [1, 0, 0, 0, 1, 0]}
    dicom_file(path, pixels, InstanceNumber=index + 1, SOPInstanceUID=f"1.2.{seed}", **place, **tags)


def medmnist(folder: Path) -> Path:
    """Arrays of images and labels by split."""
    random = np.random.default_rng(0)
    arrays: dict[str, Any] = {}
    for split, count in (("train", 30), ("val", 8), ("test", 10)):
        arrays[f"{split}_images"] = random.integers(0, 256, (count, 28, 28), dtype=np.uint8)
        arrays[f"{split}_labels"] = (np.arange(count) % 2).reshape(-1, 1).astype(np.uint8)
    folder.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(folder / "pneumoniamnist.npz", **arrays)
    return folder
