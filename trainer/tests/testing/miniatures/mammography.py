"""Images of the breast: mammograms and ultrasound."""

from __future__ import annotations

from pathlib import Path

from testing.miniatures.files import dicom_picture, picture, table


def cbis_ddsm(folder: Path) -> Path:
    """Paths that differ from the downloaded folders, line ends in cells, several abnormalities of an image,
    and masks next to the images."""
    for split, first, count in (("train", 0, 24), ("test", 24, 8)):
        rows = []
        for case in range(first, first + count):
            patient, side, view = (
                f"P_{case // 2:05d}",
                ["LEFT", "RIGHT"][case // 2 % 2],
                ["CC", "MLO"][case % 2],
            )
            start = f"Mass-{'Training' if split == 'train' else 'Test'}_{patient}_{side}_{view}"
            uid = f"1.3.6.1.4.1.9590.100.1.2.{1000 + case}"
            for number in range(1, 3 if case % 6 == 0 else 2):
                pathology = ["BENIGN", "MALIGNANT", "BENIGN_WITHOUT_CALLBACK", "MALIGNANT"][case // 2 % 4]
                rows.append(
                    {
                        "patient_id": patient,
                        "breast_density": 1 + case % 4,
                        "left or right breast": side,
                        "image view": view,
                        "abnormality id": number,
                        "abnormality type": "mass",
                        "mass shape": ["OVAL", "IRREGULAR", "LOBULATED"][case % 3],
                        "mass margins": ["SPICULATED", "CIRCUMSCRIBED"][case % 2],
                        "assessment": 2 + case % 4,
                        "pathology": "MALIGNANT" if number == 2 else pathology,
                        "subtlety": 1 + case % 5,
                        "image file path": f"{start}/{uid}/{uid}.1/000000.dcm",
                        "cropped image file path": f"{start}_{number}/{uid}/{uid}.2/000001.dcm\n",
                        "ROI mask file path": f"{start}_{number}/{uid}/{uid}.2/000000.dcm\n",
                    }
                )
                date = f"CBIS-DDSM/{start}_{number}/10-04-2016-DDSM-NA-{10000 + case}"
                dicom_picture(folder / date / "1.000000-ROI mask images-18515" / "1-1.dcm", 0, Modality="MG")
            inner = f"07-20-2016-DDSM-NA-{30000 + case}/1.000000-full mammogram images-{20000 + case}"
            dicom_picture(folder / "CBIS-DDSM" / start / inner / "1-1.dcm", case, Modality="MG")
        table(folder / f"mass_case_description_{split}_set.csv", rows)
        calcification = {"patient_id": "P_00038", "breast density": 2, "pathology": "BENIGN"}
        table(folder / f"calc_case_description_{split}_set.csv", [calcification])
    return folder


def busi(folder: Path) -> Path:
    """A folder for each class, with one or several masks next to each image."""
    for seed, (name, count) in enumerate((("benign", 16), ("malignant", 10), ("normal", 8))):
        for number in range(1, count + 1):
            start = folder / "Dataset_BUSI_with_GT" / name / f"{name} ({number})"
            picture(start.with_name(f"{start.name}.png"), 100 * seed + number)
            picture(start.with_name(f"{start.name}_mask.png"), 0, gray=True)
            if number == 4:
                picture(start.with_name(f"{start.name}_mask_1.png"), 0, gray=True)
    return folder
