"""Images of skin: HAM10000 and the challenges of ISIC."""

from __future__ import annotations

from pathlib import Path

from testing.miniatures.files import age, lines, picture, table

_SITES = ["back", "face", "unknown", "lower extremity"]


def ham10000(folder: Path) -> Path:
    """Two images of each lesion in two folders, gaps in the age, and masks in another folder."""
    diagnoses = ["nv", "mel", "bkl", "bcc", "akiec", "vasc", "df"]
    rows = []
    for case in range(56):
        image = f"ISIC_{24306 + case:07d}"
        rows.append(
            {
                "lesion_id": f"HAM_{case // 2:07d}",
                "image_id": image,
                "dx": diagnoses[case // 2 % 7],
                "dx_type": ["histo", "follow_up", "consensus", "confocal"][case // 2 % 4],
                "age": "" if case % 14 == 5 else f"{age(case, step=5)}.0",
                "sex": ["male", "female", "unknown"][case % 3],
                "localization": _SITES[case % 4],
                "dataset": ["vidir_modern", "rosendahl", "vidir_molemax"][case % 3],
            }
        )
        picture(folder / f"HAM10000_images_part_{1 + case % 2}" / f"{image}.jpg", case)
        picture(folder / "HAM10000_segmentations" / f"{image}_segmentation.png", 0, gray=True)
    table(folder / "HAM10000_metadata.csv", rows)
    return folder


def isic_2019(folder: Path) -> Path:
    """A one-hot group in one table, the metadata in another, images without a lesion, and texts between the
    images."""
    classes = ["MEL", "NV", "BCC", "AK", "BKL", "DF", "VASC", "SCC"]
    truth, metadata = [], []
    for case in range(48):
        name = f"ISIC_{case:07d}" + ("_downsampled" if case % 5 == 0 else "")
        lesion = case // 2
        flags = {one: f"{float(place == lesion % 8)}" for place, one in enumerate(classes)}
        truth.append({"image": name, **flags, "UNK": "0.0"})
        metadata.append(
            {
                "image": name,
                "age_approx": "" if case % 9 == 4 else f"{age(case, step=5)}.0",
                "anatom_site_general": ["anterior torso", "upper extremity", "", "head/neck"][case % 4],
                "lesion_id": "" if lesion % 6 == 5 else f"BCN_{lesion:07d}",
                "sex": ["female", "male", ""][case % 3],
            }
        )
        picture(folder / "ISIC_2019_Training_Input" / f"{name}.jpg", case)
    lines(folder / "ISIC_2019_Training_Input" / "LICENSE.txt", ["CC-BY-NC"])
    table(folder / "ISIC_2019_Training_GroundTruth.csv", truth)
    table(folder / "ISIC_2019_Training_Metadata.csv", metadata)
    return folder


def isic_2020(folder: Path) -> Path:
    """Three columns that determine each other, and a list of duplicates."""
    rows = []
    for case in range(40):
        malignant = case // 2 % 4 == 3
        name = f"ISIC_{15719 + case:07d}"
        rows.append(
            {
                "image_name": name,
                "patient_id": f"IP_{case // 2:07d}",
                "lesion_id": f"IL_{case:07d}",
                "sex": ["male", "female"][case // 2 % 2],
                "age_approx": age(case, step=5),
                "anatom_site_general_challenge": ["torso", "lower extremity", "", "head/neck"][case % 4],
                "diagnosis": "melanoma" if malignant else ["unknown", "nevus"][case % 2],
                "benign_malignant": "malignant" if malignant else "benign",
                "target": int(malignant),
            }
        )
        picture(folder / "train" / f"{name}.jpg", case)
    table(folder / "ISIC_2020_Training_GroundTruth_v2.csv", rows)
    pair = {"image_name_1": rows[0]["image_name"], "image_name_2": rows[2]["image_name"]}
    table(folder / "ISIC_2020_Training_Duplicates.csv", [pair])
    return folder
