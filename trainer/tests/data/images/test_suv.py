"""PET in Bq/ml is read as standardized uptake value, or refused with the tag that is missing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydicom.dataset import Dataset

from medloom_trainer.data.images import (
    FIRST_RULES,
    Calibrated,
    UnreadableImage,
    decode_parts,
    open_image,
    to_record,
)
from testing.medical_files import dicom_file

HALF_LIFE = 6586.2
PET: dict[str, Any] = {
    "SOPClassUID": "1.2.840.10008.5.1.4.1.1.128",
    "Modality": "PT",
    "Units": "BQML",
    "DecayCorrection": "START",
    "PatientWeight": 50,
    "SeriesDate": "20200101",
    "SeriesTime": "120000",
    "AcquisitionTime": "120500",
}
INJECTED: dict[str, Any] = {
    "RadionuclideTotalDose": 370e6,
    "RadionuclideHalfLife": HALF_LIFE,
    "RadiopharmaceuticalStartTime": "110000",
}
PIXELS = np.array([[0, 1000], [5000, 20000]], dtype=np.uint16)


def pet(folder: Path, injection: dict[str, Any] | None = None, **tags: Any) -> Path:
    """Tags with the value None are left out."""
    item = Dataset()
    for name, value in {**INJECTED, **(injection or {})}.items():
        if value is not None:
            setattr(item, name, value)
    return dicom_file(
        folder / "pet", PIXELS, **{**PET, "RadiopharmaceuticalInformationSequence": [item], **tags}
    )


def image(path: Path, rules: int | None = None) -> Calibrated:
    content, header = open_image(path)
    assert header.measured
    (found,) = decode_parts(content, [None]) if rules is None else decode_parts(content, [None], rules)
    assert isinstance(found, Calibrated)
    return found


def expected(seconds: float, weight: float = 50) -> Any:
    return PIXELS * (1000 * weight / (370e6 * 2 ** (-seconds / HALF_LIFE)))


@pytest.mark.parametrize(
    ("injection", "tags", "seconds"),
    [
        ({}, {}, 3600),
        ({}, {"PatientWeight": 100}, 3600),
        ({}, {"DecayCorrection": "ADMIN"}, 0),
        ({"RadiopharmaceuticalStartTime": "233000"}, {"SeriesTime": "003000"}, 3600),
        ({"RadiopharmaceuticalStartDateTime": "20191231120000"}, {}, 86400),
        ({}, {"SeriesTime": "180000"}, 3900),
        ({}, {"SeriesDate": None}, 3600),
    ],
    ids=[
        "one hour",
        "weight",
        "corrected to injection",
        "midnight",
        "with date",
        "derived later",
        "no dates",
    ],
)
def test_activity_becomes_uptake(
    tmp_path: Path, injection: dict[str, Any], tags: dict[str, Any], seconds: float
) -> None:
    found = image(pet(tmp_path, injection, **tags))
    weight = float(tags.get("PatientWeight", 50))
    np.testing.assert_allclose(found.values[:, :, 0], expected(seconds, weight), rtol=1e-5)
    assert (found.low, found.high, found.compressed) == (0, 10, True)


def test_patients_of_other_weights_have_other_records(tmp_path: Path) -> None:
    light, heavy = (image(pet(tmp_path / str(kg), PatientWeight=kg)) for kg in (50, 100))
    records = [to_record(one, (2, 2), 16, None)[:, :, 0] for one in (light, heavy)]
    assert (records[0] <= records[1]).all() and records[0][1, 1] < records[1][1, 1]
    before = [image(pet(tmp_path / str(kg), PatientWeight=kg), FIRST_RULES) for kg in (50, 100)]
    np.testing.assert_array_equal(before[0].values, before[1].values)
    np.testing.assert_array_equal(before[0].values[:, :, 0], PIXELS)


@pytest.mark.parametrize(
    ("tag", "injection", "tags"),
    [
        ("PatientWeight", {}, {"PatientWeight": None}),
        ("PatientWeight", {}, {"PatientWeight": 0}),
        ("RadionuclideTotalDose", {"RadionuclideTotalDose": None}, {}),
        ("RadionuclideTotalDose", {}, {"RadiopharmaceuticalInformationSequence": None}),
        ("RadionuclideHalfLife", {"RadionuclideHalfLife": None}, {}),
        ("RadiopharmaceuticalStartTime", {"RadiopharmaceuticalStartTime": None}, {}),
        ("RadiopharmaceuticalStartDateTime", {"RadiopharmaceuticalStartDateTime": "20200102120000"}, {}),
        ("DecayCorrection", {}, {"DecayCorrection": "NONE"}),
        ("SeriesTime", {}, {"SeriesTime": None}),
        ("Units", {}, {"Units": None}),
        (r"\(7053,1000\)", {}, {"Units": "CNTS"}),
    ],
)
def test_pet_without_what_the_conversion_needs_is_refused(
    tmp_path: Path, tag: str, injection: dict[str, Any], tags: dict[str, Any]
) -> None:
    content, _ = open_image(pet(tmp_path, injection, **tags))
    with pytest.raises(UnreadableImage, match=f"converted to SUV: the tag {tag} is missing"):
        decode_parts(content, [None])


def test_uptake_and_pictures_of_the_screen_are_not_converted(tmp_path: Path) -> None:
    found = image(pet(tmp_path, Units="GML", PatientWeight=None))
    np.testing.assert_array_equal(found.values[:, :, 0], PIXELS)
    picture = dicom_file(tmp_path / "picture", PIXELS, Modality="PT")
    (shown,) = decode_parts(picture.read_bytes(), [None])
    assert isinstance(shown, Calibrated) and shown.high == 20000
