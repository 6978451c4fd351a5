"""Codes in image paths that may be patients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from medloom_trainer.data.checks.path_groups import groups_in_paths
from testing.workspace import Workspace, codes


@pytest.mark.parametrize(
    ("path", "form", "groups"),
    [
        (lambda n: f"patient{n // 4:05d}/study{n % 2}/view{n % 4}.jpg", "patient99999", 25),
        (lambda n: f"CheXpert/train/patient{n // 4:05d}/study1/view{n % 4}.jpg", "patient99999", 25),
        (lambda n: f"sub-{n // 5:02d}/ses-{n % 5}/T1w.nii.gz", "sub-99", 20),
        (lambda n: f"images/{n // 4:08d}_{n % 4:03d}.png", "99999999", 25),
        (lambda n: f"pneumonia/person{n // 3}_bacteria_{n}.jpeg", "person99", 34),
        (lambda n: f"{'ABCD'[n % 4]}{'XY'[n // 50]}-{n // 4:04d}/{n}.png", "aa-9999", 100),
    ],
)
def test_a_code_that_groups_the_files_is_found(path: Callable[[int], str], form: str, groups: int) -> None:
    found = groups_in_paths([path(number) for number in range(100)])
    if groups == 100:  # each folder has one file
        assert found is None
    else:
        assert found is not None
        assert (found.form, found.groups, found.files) == (form, groups, 100)


@pytest.mark.parametrize(
    "path",
    [
        lambda n: f"images/ISIC_{n:07d}.jpg",
        lambda n: f"{'benign' if n % 2 else 'malignant'}/{n // 2:03d}.png",
        lambda n: f"part{n // 20}/{n}.jpg",
        lambda n: f"2021{1 + n // 10:02d}01/scan_{n}.png",
        lambda n: f"site{n % 5}/a{n}.png",
        lambda n: f"scan.nii.gz#slice={1 + n % 3}of3",
        lambda n: "",
    ],
)
def test_other_numbers_are_not_patients(path: Callable[[int], str]) -> None:
    assert groups_in_paths([path(number) for number in range(100)]) is None


def test_a_training_without_a_patient_column_warns_of_it(work: Workspace) -> None:
    rows = [
        {
            "image": work.image(f"patient{number // 4:05d}/study1/view{number % 4}.png", number),
            "age": 30 + number * 7 % 50,
            "label": number // 4 % 2,
        }
        for number in range(48)
    ]
    work.table("train.csv", rows)
    settings: dict[str, Any] = {"model": {"vision_backbone": "none"}, "val_csv": None}
    kept, found = [
        one for one in work.prepare(**settings).summary["warnings"] if one["code"] == "PATIENTS_IN_PATHS"
    ]
    assert "not divided" in kept["message"]
    assert '"patient99999"' in found["message"] and "different codes: 10" in found["message"]
    work.table("train.csv", [{**row, "patient_id": str(row["image"])[:12]} for row in rows])
    assert "PATIENTS_IN_PATHS" not in codes(work.prepare(**settings).summary["warnings"])
