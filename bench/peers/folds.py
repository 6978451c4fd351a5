"""The folds: the same files for every contender, split by patient and stratified by class."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
from sklearn.model_selection import StratifiedGroupKFold

LEFT_OUT = ("biopsed", "cancer", "lesion_id", "split")
"""biopsed reveals the label, cancer is a synonym of the label, the others identify the row."""
VALIDATION_PARTS = 5
"""One of this many parts of the rows outside the fold is used for validation."""


def write_folds(data: Path, work: Path, count: int) -> list[Path]:
    """Folders with train.csv, val.csv and test.csv, with absolute image paths."""
    rows = [row for split in ("train", "val", "test") for row in _read(data, split)]
    labels = np.array([row["label"] for row in rows])
    patients = np.array([row["patient_id"] for row in rows])
    folders = []
    for index, (rest, test) in enumerate(_parts(count).split(rows, labels, patients)):
        train, val = next(_parts(VALIDATION_PARTS).split(rest, labels[rest], patients[rest]))
        folder = work / f"fold-{index + 1}"
        folder.mkdir()
        for name, chosen in (("train", rest[train]), ("val", rest[val]), ("test", test)):
            _write(folder / f"{name}.csv", [rows[row] for row in chosen])
        folders.append(folder)
    return folders


def _parts(count: int) -> StratifiedGroupKFold:
    return StratifiedGroupKFold(count, shuffle=True, random_state=0)


def _read(data: Path, split: str) -> list[dict[str, str]]:
    with (data / f"{split}.csv").open(newline="", encoding="utf-8") as file:
        return [
            {
                **{name: value for name, value in row.items() if name not in LEFT_OUT},
                "image": str(data / row["image"]),
            }
            for row in csv.DictReader(file)
        ]


def _write(path: Path, rows: list[dict[str, str]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
