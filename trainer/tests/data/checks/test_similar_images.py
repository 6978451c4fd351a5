"""Copies of images that no digest finds: within a split a warning, across splits a suspected leak."""

from __future__ import annotations

from typing import Any

import numpy as np
from PIL import Image

from testing.workspace import Workspace


def picture(number: int, size: int = 96) -> Image.Image:
    """Smooth, all with the same bright middle, as images of one anatomy are."""
    coarse = np.random.default_rng(number).integers(0, 90, (8, 8, 3), dtype=np.uint8)
    image = np.asarray(Image.fromarray(coarse).resize((size, size), Image.Resampling.BICUBIC)).astype(float)
    rows, columns = np.mgrid[-1 : 1 : size * 1j, -1 : 1 : size * 1j]
    shared = 150 * np.exp(-2 * (rows**2 + columns**2))
    return Image.fromarray(np.clip(image + shared[:, :, None], 0, 255).astype(np.uint8))


def rows_of(work: Workspace, count: int, first: int = 0) -> list[dict[str, Any]]:
    (work.folder / "images").mkdir(exist_ok=True)
    rows = []
    for number in range(first, first + count):
        picture(number).save(work.folder / f"images/{number}.png")
        rows.append({"image": f"images/{number}.png", "patient_id": f"P{number}", "label": number % 2})
    return rows


def said(work: Workspace, train: list[dict[str, Any]], val: list[dict[str, Any]]) -> list[str]:
    work.table("train.csv", train)
    prepared = work.prepare(
        val_csv=str(work.table("val.csv", val)), image_size=[64, 64], model={"fusion_type": "none"}
    )
    return [found["message"] for found in prepared.summary["warnings"] if found["code"] == "IMAGES_ALIKE"]


def test_different_images_of_one_anatomy_are_no_copies(work: Workspace) -> None:
    assert said(work, rows_of(work, 40), rows_of(work, 10, 100)) == []


def test_copies_in_another_format_and_size_are_found_in_and_across_splits(work: Workspace) -> None:
    train, val = rows_of(work, 40), rows_of(work, 10, 100)
    picture(3).save(work.folder / "images/104.jpg", quality=50)
    picture(7).resize((61, 61), Image.Resampling.LANCZOS).save(work.folder / "images/11.jpg", quality=80)
    val[4]["image"], train[11]["image"] = "images/104.jpg", "images/11.jpg"
    across, within = sorted(said(work, train, val), key=lambda text: "leak" not in text)
    assert across.startswith("1 case of val (val.csv, row 6)") and "unseen leak" in across
    assert within.startswith("1 case of train (train.csv, row 13)")


def test_images_of_one_patient_and_blank_ones_are_not_compared(work: Workspace) -> None:
    train, val = rows_of(work, 40), rows_of(work, 10, 100)
    picture(3).save(work.folder / "images/4.jpg", quality=70)
    train[4].update(image="images/4.jpg", patient_id="P3")
    for row in (train[10], train[12], val[2]):
        Image.new("RGB", (40 + len(row["patient_id"]), 40)).save(work.folder / row["image"])
    assert said(work, train, val) == []
