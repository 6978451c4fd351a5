"""Images and tables of the brain: BIDS, ADNI and OASIS."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from testing.medical_files import nifti_file
from testing.miniatures.files import age, table


def bids(folder: Path) -> Path:
    """Two sessions of most participants, with and without a run, a table of the sessions of each, n/a for a
    missing value, a participant without images, and masks among the derivatives."""
    people = []
    for person in range(1, 23):
        name = f"sub-{person:02d}"
        people.append(
            {
                "participant_id": name,
                "age": "n/a" if person % 7 == 3 else age(person),
                "sex": "FM"[person // 2 % 2],
                "group": ["control", "patient"][person % 2],
            }
        )
        if person == 22:
            continue
        sessions = []
        for number in range(1, 2 if person % 5 == 0 else 3):
            session = f"ses-{number:02d}"
            run = "_run-1" if person % 3 == 0 else ""
            image = folder / name / session / "anat" / f"{name}_{session}{run}_T1w.nii.gz"
            _volume(image, 10 * person + number)
            if person == 1:
                _volume(folder / "derivatives" / name / "anat" / f"{name}_{session}_T1w.nii.gz", 1)
            sessions.append(
                {
                    "session_id": session,
                    "acq_time": f"2009-06-{person:02d}T13:45:30",
                    "mmse": 20 + person % 9 + number % 2,
                }
            )
        table(folder / name / f"{name}_sessions.tsv", sessions, delimiter="\t")
    table(folder / "participants.tsv", people, delimiter="\t")
    (folder / "dataset_description.json").write_text('{"Name": "small", "BIDSVersion": "1.9.0"}')
    return folder


def _volume(path: Path, seed: int) -> None:
    nifti_file(path, np.random.default_rng(seed).integers(0, 255, (8, 8, 6)).astype(np.uint8))


def adni(folder: Path) -> Path:
    """Several visits of each participant, of which one has no diagnosis; bounds of measurements; copies of
    the baseline; and criteria of the diagnosis."""
    rows = []
    for person in range(36):
        diagnosis = ["CN", "MCI", "Dementia"][person % 3]
        start = {"CN": "CN", "MCI": ["EMCI", "LMCI"][person // 3 % 2], "Dementia": "AD"}[diagnosis]
        for month, visit in ((0, "bl"), (6, "m06"), (12, "m12")):
            random = np.random.default_rng(10 * person + month)
            memory = 30 - 4 * (person % 3) + int(random.integers(3))
            rows.append(
                {
                    "RID": person + 2,
                    "PTID": f"{11 + person % 5:03d}_S_{person + 2:04d}",
                    "VISCODE": visit,
                    "SITE": 11 + person % 5,
                    "COLPROT": "ADNI1",
                    "ORIGPROT": "ADNI1",
                    "EXAMDATE": f"2005-09-{1 + person % 28:02d}",
                    "DX_bl": start,
                    "AGE": age(person) + 0.3,
                    "PTGENDER": ["Male", "Female"][person // 2 % 2],
                    "PTEDUCAT": int(random.integers(8, 20)),
                    "APOE4": int(random.integers(3)),
                    "ABETA": ">1700" if person % 9 == 4 else round(float(random.uniform(200, 1700)), 1),
                    "CDRSB": [0, 1.5, 4.5][person % 3],
                    "ADAS11": "" if person % 8 == 1 else round(float(random.uniform(2, 30)), 2),
                    "MMSE": memory,
                    "LDELTOTAL": max(0, 14 - 5 * (person % 3)),
                    "Hippocampus": int(random.integers(4000, 9000)),
                    "DX": "" if visit == "m06" or (visit == "bl" and person == 35) else diagnosis,
                    "mPACCdigit": round(float(random.normal()), 3),
                    "EXAMDATE_bl": f"2005-09-{1 + person % 28:02d}",
                    "CDRSB_bl": [0, 1.5, 4.5][person % 3],
                    "MMSE_bl": memory,
                    "Years_bl": month / 12,
                    "Month": month,
                    "M": month,
                    "update_stamp": "2019-08-31 04:20:10.0",
                }
            )
    table(folder / "ADNIMERGE.csv", rows)
    return folder


def oasis_1(folder: Path) -> Path:
    """Young participants without a CDR, and second sessions that repeat the first one."""
    rows = []
    for person in range(1, 51):
        young = person % 5 == 0
        rows.append(
            {
                "ID": f"OAS1_{person:04d}_MR1",
                "M/F": "FM"[person // 2 % 2],
                "Hand": "R",
                "Age": 22 if young else 40 + age(person) // 2,
                "Educ": "" if young else 1 + person % 5,
                "SES": "" if young or person % 7 == 0 else 1 + age(person + 100) % 4,
                "MMSE": "" if young else 20 + age(person) % 11,
                "CDR": "" if young else ["0", "0.5", "0", "1", "2"][person % 4 if person % 11 else 4],
                "eTIV": 1200 + age(person) * 7,
                "nWBV": f"0.{680 + age(person) * 2 + person % 3}",
                "ASF": f"1.{100 + age(person) * 3}",
                "Delay": "N/A",
            }
        )
    for person in (5, 10, 15):
        again = {**rows[person - 1], "ID": f"OAS1_{person:04d}_MR2", "Delay": person}
        rows.append(again)
    table(folder / "oasis_cross-sectional.csv", rows)
    return folder


def oasis_2(folder: Path) -> Path:
    """Two or three visits, not in their order."""
    rows = []
    for person in range(1, 31):
        group = ["Nondemented", "Demented", "Converted"][person % 3]
        for visit in (2, 1, 3)[: 2 + person % 2]:
            rows.append(
                {
                    "Subject ID": f"OAS2_{person:04d}",
                    "MRI ID": f"OAS2_{person:04d}_MR{visit}",
                    "Group": group,
                    "Visit": visit,
                    "MR Delay": 400 * (visit - 1),
                    "M/F": "FM"[person // 2 % 2],
                    "Hand": "R",
                    "Age": 50 + age(person) // 3 + visit,
                    "EDUC": 8 + age(person) % 12,
                    "SES": "" if person % 6 == 0 else 1 + age(person) % 4,
                    "MMSE": 20 + age(person) % 10,
                    "CDR": 0.5 if group == "Demented" or (group == "Converted" and visit > 1) else 0,
                    "eTIV": 1200 + age(person) * 7,
                    "nWBV": f"0.{680 + age(person) * 2 + visit}",
                    "ASF": f"1.{100 + age(person) * 3}",
                }
            )
    table(folder / "oasis_longitudinal.csv", rows)
    return folder
