"""Copies of images that no digest detects: a warning within a split, a suspected leak across splits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PIL import Image

from medloom_trainer.data.checks import Thumbnails, aligned_images, alike, thumbnail_of
from medloom_trainer.data.checks.aligned_images import aligned_pairs
from medloom_trainer.data.checks.rotations import ROTATIONS, rotate
from medloom_trainer.data.checks.similar_images import halved
from testing.workspace import Workspace


def picture(number: int, size: int = 96) -> Image.Image:
    """A smooth image, with the same bright center in all images, as in images of one anatomy."""
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


def said(
    work: Workspace,
    train: list[dict[str, Any]],
    val: list[dict[str, Any]],
    code: str = "IMAGES_ALIKE",
    size: tuple[int, int] = (64, 64),
) -> list[str]:
    work.table("train.csv", train)
    prepared = work.prepare(
        val_csv=str(work.table("val.csv", val)), image_size=list(size), model={"fusion_type": "none"}
    )
    return [found["message"] for found in prepared.summary["warnings"] if found["code"] == code]


def test_different_images_of_one_anatomy_are_no_copies(work: Workspace) -> None:
    assert said(work, rows_of(work, 40), rows_of(work, 10, 100)) == []


def test_copies_in_another_format_and_size_are_found_in_and_across_splits(work: Workspace) -> None:
    train, val = rows_of(work, 40), rows_of(work, 10, 100)
    picture(3).save(work.folder / "images/104.jpg", quality=50)
    picture(7).resize((61, 61), Image.Resampling.LANCZOS).save(work.folder / "images/11.jpg", quality=80)
    val[4]["image"], train[11]["image"] = "images/104.jpg", "images/11.jpg"
    across, within = sorted(said(work, train, val), key=lambda text: "leak" not in text)
    assert across.startswith("1 case of val (val.csv, row 6)") and "undetected leak" in across
    assert within.startswith("1 case of train (train.csv, row 13)")


def test_copies_that_are_mirrored_or_turned_are_found(work: Workspace) -> None:
    train, val = rows_of(work, 40), rows_of(work, 10, 100)
    for place, turn in enumerate(Image.Transpose):
        picture(3 * place).transpose(turn).save(work.folder / f"images/{100 + place}.jpg", quality=70)
        val[place]["image"] = f"images/{100 + place}.jpg"
    [message] = said(work, train, val)
    assert message.startswith("7 cases of val (val.csv, rows 2, 3, 4, 5, 6, 7, 8)") and "mirrored" in message


def straightened(image: Image.Image) -> Image.Image:
    return image.rotate(7, Image.Resampling.BICUBIC)


def cropped(image: Image.Image) -> Image.Image:
    return image.crop((4, 2, 94, 92)).resize(image.size, Image.Resampling.BICUBIC)


def cropped_mirror_image(image: Image.Image) -> Image.Image:
    return cropped(image.transpose(Image.Transpose.FLIP_LEFT_RIGHT))


def test_copies_that_are_straightened_or_cropped_are_found(work: Workspace) -> None:
    train, val = rows_of(work, 40), rows_of(work, 10, 100)
    for place, change in enumerate((straightened, cropped, cropped_mirror_image)):
        for number, copy in ((3 + place, 102 + place), (25 + place, 107 + place)):
            change(picture(number)).save(work.folder / f"images/{copy}.jpg", quality=85)
            val[copy - 100]["image"] = f"images/{copy}.jpg"
    [message] = said(work, train, val)
    assert message.startswith("6 cases of val (val.csv, rows 4, 5, 6, 9, 10, 11)") and "cropped" in message


def test_a_search_that_was_not_possible_is_reported(work: Workspace) -> None:
    """By few images, by their size, or since all of them show the same."""
    train, val = rows_of(work, 40), rows_of(work, 10, 100)
    incomplete = "LEAK_CHECK_INCOMPLETE"
    assert said(work, train, val, incomplete) == []
    [few] = said(work, train[:15], val[:5], incomplete)
    assert few.endswith("were not searched, because there are fewer than 30 images")
    for size in ((28, 28), (24, 64)):
        [small] = said(work, train, val, incomplete, size)
        assert small.endswith("because the images have fewer than 32 pixels a side")
    first, second = (np.asarray(picture(number)).astype(float) for number in (500, 501))
    for number, row in enumerate((*train, *val)):
        one_anatomy = 0.6 * first + 0.4 * second * number / 50
        Image.fromarray(one_anatomy.astype(np.uint8)).save(work.folder / row["image"])
    [uniform] = said(work, train, val, incomplete)
    assert uniform.endswith("because the images are too similar to distinguish a copy from another patient")


def test_simple_shapes_that_agree_once_they_are_aligned_are_not_copies() -> None:
    """A dark spot of any size and place on plain skin."""
    random = np.random.default_rng(0)
    rows, columns = np.mgrid[-1:1:32j, -1:1:32j]
    spots = [
        200 - 100 / (1 + np.exp((np.hypot((rows - top), (columns - left) * wide) - radius) / 0.1))
        for top, left, wide, radius in zip(
            *random.uniform(-0.2, 0.2, (2, 60)),
            *random.uniform((0.8, 0.4), (1.2, 0.6), (60, 2)).T,
            strict=True,
        )
    ]
    thumbs = np.asarray(spots, dtype=np.float32) + random.normal(0, 1, (60, 32, 32)).astype(np.float32)
    assert aligned_pairs(thumbs).pairs == []


def test_each_image_is_aligned_with_a_few_others_however_many_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    aligned = 0

    def counted(first: Any, second: Any) -> Any:
        nonlocal aligned
        aligned += len(first)
        return correlation(first, second)

    correlation = aligned_images.aligned_correlation
    monkeypatch.setattr(aligned_images, "aligned_correlation", counted)
    thumbs = [thumbnail_of(np.asarray(picture(number))) for number in range(60)]
    assert aligned_pairs(np.asarray(thumbs)).skipped is None
    # The images themselves, and their differences from the mean image.
    assert aligned <= 2 * 60 * aligned_images.NEIGHBORS


def test_lesions_with_the_same_outline_are_not_copies() -> None:
    """Gradients that all images share, here those of the edge of a dark disc, are not compared."""
    rows, columns = np.mgrid[-1:1:32j, -1:1:32j]
    disc = 200 - 120 / (1 + np.exp((np.hypot(rows, columns) - 0.5) / 0.03))
    skins = np.random.default_rng(0).normal(0, 6, (60, 32, 32))
    slopes = np.random.default_rng(1).normal(0, 10, (60, 2, 1, 1))
    thumbs = (disc + skins + slopes[:, 0] * rows + slopes[:, 1] * columns).astype(np.float32)
    assert alike(Thumbnails.from_images(list(thumbs), range(60))).pairs == []


def test_images_of_one_patient_and_blank_ones_are_not_compared(work: Workspace) -> None:
    train, val = rows_of(work, 40), rows_of(work, 10, 100)
    picture(3).save(work.folder / "images/4.jpg", quality=70)
    train[4].update(image="images/4.jpg", patient_id="P3")
    for row in (train[10], train[12], val[2]):
        Image.new("RGB", (40 + len(row["patient_id"]), 40)).save(work.folder / row["image"])
    assert said(work, train, val) == []


@pytest.mark.parametrize("largest", [255, 65535])
def test_gray_versions_are_the_exact_means_of_the_channels(largest: int) -> None:
    sums = np.arange(0, 3 * largest + 1, max(1, largest // 20_000))
    channels = [np.clip(sums - largest * number, 0, largest) for number in range(3)]
    records = np.stack(channels, axis=1)[: len(sums) // 32 * 32].reshape(-1, 32, 3).astype(np.uint16)
    for start in range(0, len(records) - 32, 32):
        record = records[start : start + 32]
        thumb = thumbnail_of(record)
        if thumb is not None:
            assert np.array_equal(thumb, record.mean(axis=2, dtype=np.float32))


@pytest.mark.parametrize("turn", ROTATIONS)
def test_coarse_versions_are_those_that_pillow_makes(turn: tuple[int, bool]) -> None:
    thumbs = np.random.default_rng(0).uniform(0, 255, (50, 32, 32)).astype(np.float32)
    rotated = rotate(thumbs, *turn)
    box = Image.Resampling.BOX
    images = [Image.fromarray(np.ascontiguousarray(one)) for one in rotated]
    expected = [np.asarray(image.resize((16, 16), box)) for image in images]
    assert np.array_equal(halved(rotated), np.asarray(expected))
