"""Tables of cohorts and registries: UK Biobank, cBioPortal and REDCap."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from testing.miniatures.files import age, table


def uk_biobank(folder: Path) -> Path:
    """Fields by their numbers, with negative codes for answers that were not given."""
    rows = []
    for person in range(40):
        random = np.random.default_rng(person)
        rows.append(
            {
                "eid": 1000015 + 11 * person,
                "31-0.0": person // 2 % 2,
                "21003-0.0": 40 + age(person) // 3,
                "21003-1.0": "",
                "1160-0.0": [7, 8, -1, 6, -3][int(random.integers(5))],
                "1070-0.0": [2, 3, -10, 1, 4][int(random.integers(5))],
                "1558-0.0": [1, 2, 3, -3, 5][int(random.integers(5))],
                "21001-0.0": round(float(random.uniform(18, 40)), 4),
                "189-0.0": round(float(random.normal(-1, 3)), 5),
                "2443-0.0": [0, 0, 1, 0, 1, -1][person % 6],
            }
        )
    rows[7]["189-0.0"] = -3  # a value of the deprivation index
    table(folder / "ukb12345.csv", rows)
    return folder


def cbioportal(folder: Path) -> Path:
    """Four lines of comments above the columns, events with their codes, brackets for missing values, other
    end points, patients without follow-up, and two samples of a patient."""
    patients, samples = [], []
    for number in range(40):
        random = np.random.default_rng(number)
        name = f"TCGA-A1-{1000 + number}"
        dead = number % 3 == 0
        time = "" if number in (5, 6) else "0" if number == 7 else f"{random.uniform(2, 200):.2f}"
        patients.append(
            {
                "PATIENT_ID": name,
                "AGE": "[Not Available]" if number % 10 == 3 else age(number),
                "SEX": ["Female", "Male"][number // 2 % 2],
                "CELLULARITY": ["High", "Moderate", "Low", "[Not Evaluated]"][age(number + 50) % 4],
                "OS_MONTHS": time,
                "OS_STATUS": "[Not Available]" if number in (5, 8) else "1:DECEASED" if dead else "0:LIVING",
                "VITAL_STATUS": "Died of Disease" if dead else "Living",
                "RFS_STATUS": "1:Recurred" if number % 4 == 0 else "0:Not Recurred",
                "RFS_MONTHS": f"{random.uniform(2, 200):.2f}",
                "DAYS_TO_LAST_FOLLOWUP": int(random.integers(100, 4000)),
            }
        )
        for sample in range(1, 3 if number % 9 == 1 else 2):
            samples.append(
                {
                    "PATIENT_ID": name,
                    "SAMPLE_ID": f"{name}-{sample:02d}",
                    "GRADE": 1 + age(number + 90) % 3,
                    "ER_STATUS": ["Positive", "Negative"][age(number + 30) % 2],
                    "TMB_NONSYNONYMOUS": round(float(random.uniform(0, 20)), 3),
                }
            )
    for name, rows in (("patient", patients), ("sample", samples)):
        columns = list(rows[0])
        above = [
            "#" + "\t".join(line)
            for line in (columns, columns, ["STRING"] * len(columns), ["1"] * len(columns))
        ]
        table(folder / f"data_clinical_{name}.txt", rows, delimiter="\t", above=above)
    return folder


def redcap(folder: Path) -> Path:
    """Two events of each record, a repeating instrument, boxes to check, and the state of each form."""
    rows = []
    for record in range(1, 37):
        random = np.random.default_rng(record)
        base = {
            "record_id": record,
            "redcap_event_name": "baseline_arm_1",
            "redcap_repeat_instrument": "",
            "redcap_repeat_instance": "",
            "age": age(record),
            "sex": 1 + record // 2 % 2,
            "symptoms___1": int(random.integers(2)),
            "symptoms___2": int(random.integers(2)),
            "creatinine": "" if record % 7 == 2 else round(float(random.uniform(0.5, 2.0)), 2),
            "baseline_complete": 2,
            "relapse": [0, 1, 0][record % 3],
            "outcome_complete": [2, 0][record % 2],
        }
        empty = dict.fromkeys(base, "")
        follow_up = {**empty, "record_id": record, "redcap_event_name": "month_6_arm_1", "creatinine": 1.1}
        rows += [base, follow_up]
        if record % 4 == 0:
            again = {"redcap_repeat_instrument": "adverse_events", "redcap_repeat_instance": 1}
            rows.append({**follow_up, **again, "creatinine": ""})
    table(folder / "Kidney_DATA_2024-01-31_1530.csv", rows)
    return folder
