"""Radiographs of the chest."""

from __future__ import annotations

from pathlib import Path

from testing.miniatures.files import age, dicom_picture, lines, picture, table

FINDINGS = (
    "No Finding", "Enlarged Cardiomediastinum", "Cardiomegaly", "Lung Opacity", "Lung Lesion", "Edema",
    "Consolidation", "Pneumonia", "Atelectasis", "Pneumothorax", "Pleural Effusion", "Pleural Other",
    "Fracture", "Support Devices",
)  # fmt: skip
"""Findings of the labeler of CheXpert, in the order of its table."""
_CODES = ("1.0", "", "0.0", "-1.0", "1.0")
NIH_FINDINGS = (
    "Atelectasis", "Cardiomegaly", "Effusion", "Infiltration", "Mass", "Nodule", "Pneumonia", "Pneumothorax",
    "Consolidation", "Edema", "Emphysema", "Fibrosis", "Pleural_Thickening", "Hernia",
)  # fmt: skip


def _codes(case: int) -> dict[str, str]:
    return {
        finding: "" if finding == "Fracture" else _CODES[(case + place) % 5]
        for place, finding in enumerate(FINDINGS)
    }


def chexpert(folder: Path) -> Path:
    """Paths that begin with the name of the set, several views of a study, and 1, 0, -1 and blank."""
    for split, first, count in (("train", 0, 40), ("valid", 40, 10)):
        rows = []
        for case in range(first, first + count):
            frontal = case % 4 != 1
            view = f"view{1 + case % 2}_{'frontal' if frontal else 'lateral'}.jpg"
            path = f"{split}/patient{1 + case // 4:05d}/study{1 + case // 2 % 2}/{view}"
            rows.append(
                {
                    "Path": f"CheXpert-v1.0-small/{path}",
                    "Sex": ["Male", "Female"][case // 4 % 2],
                    "Age": age(case),
                    "Frontal/Lateral": "Frontal" if frontal else "Lateral",
                    "AP/PA": ["AP", "PA"][case % 3 // 2] if frontal else "",
                    **_codes(case),
                }
            )
            picture(folder / path, case, gray=True)
        table(folder / f"{split}.csv", rows)
    return folder


def nih_chest_xray14(folder: Path) -> Path:
    """Findings in one cell, names of columns with commas, commas at the ends of the lines, images in several
    folders, and lists of the splits."""
    head = (
        "Image Index,Finding Labels,Follow-up #,Patient ID,Patient Age,Patient Gender,View Position,"
        "OriginalImage[Width,Height],OriginalImagePixelSpacing[x,y],"
    )
    rows, split = [head], {"train_val": [], "test": []}
    for case in range(60):
        name = f"{1 + case // 3:08d}_{case % 3:03d}.png"
        several = f"{NIH_FINDINGS[case % 14]}|{NIH_FINDINGS[(case + 5) % 14]}"
        found = "No Finding" if case % 4 == 3 else NIH_FINDINGS[case % 14] if case % 4 else several
        sex, view = "MF"[case // 3 % 2], ["PA", "AP"][case % 2]
        rows.append(
            f"{name},{found},{case % 3},{1 + case // 3},{age(case)},{sex},{view},2682,2749,0.143,0.143,"
        )
        split["test" if case >= 48 else "train_val"].append(name)
        picture(folder / f"images_{1 + case // 30:03d}" / "images" / name, case, gray=True)
    lines(folder / "Data_Entry_2017.csv", rows)
    lines(folder / "BBox_List_2017.csv", ["Image Index,Finding Label,Bbox [x,y,w,h],,,"])
    for word, names in split.items():
        lines(folder / f"{word}_list.txt", names)
    return folder


def mimic_cxr_jpg(folder: Path) -> Path:
    """Three compressed tables, of which one has a row for each study, and images four folders deep. One study
    has no findings."""
    images, findings, splits = [], [], []
    for case in range(48):
        subject, study = 10000032 + case // 4, 50414267 + case // 2
        name = f"{case:08x}-bde0afdd-112c0b34-7bc16630-4e384014"
        key = {"dicom_id": name, "subject_id": subject, "study_id": study}
        images.append(
            {
                **key,
                "PerformedProcedureStepDescription": "CHEST (PA AND LAT)",
                "ViewPosition": ["PA", "LATERAL", "AP", "LL"][case % 4],
                "Rows": 3056,
                "Columns": 2544,
                "StudyDate": 21800506 + case,
                "StudyTime": 213014.531,
                "ProcedureCodeSequence_CodeMeaning": "CHEST (PA AND LAT)",
                "ViewCodeSequence_CodeMeaning": "postero-anterior",
                "PatientOrientationCodeSequence_CodeMeaning": "Erect",
            }
        )
        word = "test" if case >= 40 else "validate" if case >= 32 else "train"
        splits.append({"dicom_id": name, "study_id": study, "subject_id": subject, "split": word})
        if case % 2 == 0 and case != 10:
            findings.append(
                {"subject_id": subject, "study_id": study, **dict(sorted(_codes(case // 2).items()))}
            )
        picture(folder / f"files/p10/p{subject}/s{study}/{name}.jpg", case, gray=True)
    for name, rows in (("metadata", images), ("chexpert", findings), ("split", splits)):
        table(folder / f"mimic-cxr-2.0.0-{name}.csv.gz", rows)
    return folder


def rsna_pneumonia(folder: Path) -> Path:
    """A row for each box, and DICOM files without series in one folder."""
    boxes, classes = [], []
    for case in range(36):
        name = f"{case:08x}-73ed-4db4-9b3c-3b4b3b1b7f36"
        ill = case % 3 == 0
        for box in range(1 + ill * (case // 3 % 2)):
            place = {"x": 264.0 + case, "y": 152.0, "width": 213.0, "height": 379.0 + box} if ill else {}
            gaps = dict.fromkeys(("x", "y", "width", "height"), "")
            boxes.append({"patientId": name, **gaps, **place, "Target": int(ill)})
            word = "Lung Opacity" if ill else ["Normal", "No Lung Opacity / Not Normal"][case % 2]
            classes.append({"patientId": name, "class": word})
        dicom_picture(folder / "stage_2_train_images" / f"{name}.dcm", case, Modality="CR")
    table(folder / "stage_2_train_labels.csv", boxes)
    table(folder / "stage_2_detailed_class_info.csv", classes)
    return folder
