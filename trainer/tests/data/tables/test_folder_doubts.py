"""Subfolders are not taken for classes if a table names their images, if they are parts of one dataset, or
if they are pairs of images and masks."""

from __future__ import annotations

from pathlib import Path

import polars
import pytest

from medloom_trainer.data.tables import class_files, doubts_about, read_source
from medloom_trainer.data.tables.proposals.images import pattern_of_paths
from medloom_trainer.errors import TrainerError


def files(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"")


def doubts(folder: Path) -> list[str]:
    return [message for message, _ in doubts_about(folder, class_files(folder))]


def named_rows(count: int) -> polars.DataFrame:
    rows = [f"img{row}" for row in range(count)]
    return polars.DataFrame({"image_id": rows, "age": list(range(count))})


@pytest.mark.parametrize("name", ["meta.tsv", "meta.xlsx", "meta.parquet", "more/meta.csv"])
def test_a_table_of_any_format_that_names_the_images(tmp_path: Path, name: str) -> None:
    files(tmp_path, *(f"{'ab'[row % 2]}/img{row}.png" for row in range(20)))
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    if name.endswith("xlsx"):
        openpyxl = pytest.importorskip("openpyxl")
        book = openpyxl.Workbook()
        for row in [("image_id", "age"), *named_rows(20).rows()]:
            book.active.append(row)
        book.save(path)
    elif name.endswith("parquet"):
        named_rows(20).write_parquet(path)
    else:
        path.write_text(named_rows(20).write_csv(separator="\t" if name.endswith("tsv") else ","))
    assert doubts(tmp_path) == [f"{name} names 20 of the 20 images, so the subfolders may not be the classes"]
    with pytest.raises(TrainerError, match="names 20 of the 20 images") as caught:
        read_source(tmp_path, "all")
    assert "medloom data adopt" in caught.value.details


@pytest.mark.parametrize(("count", "refused"), [(1, False), (2, True), (9, True)])
def test_a_table_that_names_a_tenth_of_the_images(tmp_path: Path, count: int, refused: bool) -> None:
    files(tmp_path, *(f"{'ab'[row % 2]}/img{row}.png" for row in range(20)))
    (tmp_path / "meta.csv").write_text(named_rows(count).write_csv())
    assert bool(doubts(tmp_path)) is refused


def test_a_table_that_names_images_by_their_last_number(tmp_path: Path) -> None:
    files(tmp_path, *(f"{'ab'[row % 2]}/ISIC_{row:05}.png" for row in range(20)))
    (tmp_path / "meta.csv").write_text("image,dx\n" + "".join(f"{row},x\n" for row in range(20)))
    assert "meta.csv names 20 of the 20 images" in doubts(tmp_path)[0]


def test_ages_do_not_name_images(tmp_path: Path) -> None:
    files(tmp_path, *(f"{'ab'[row % 2]}/{row}.png" for row in range(20)))
    (tmp_path / "ages.csv").write_text("name,age\n" + "".join(f"n{row},{row}\n" for row in range(20)))
    assert doubts(tmp_path) == []


@pytest.mark.parametrize(
    "names",
    [
        ("HAM10000_images_part_1", "HAM10000_images_part_2"),
        ("batch1", "batch2", "batch3"),
        ("train_images", "test_images"),
        ("images", "images2"),
        ("patient01", "patient02"),
    ],
)
def test_names_of_parts(tmp_path: Path, names: tuple[str, ...]) -> None:
    files(tmp_path, *(f"{name}/{name}_{row}.png" for name in names for row in range(3)))
    assert "parts of one dataset" in doubts(tmp_path)[0]


@pytest.mark.parametrize(
    "names",
    [("covid_images", "normal_images"), ("0", "1", "2"), ("grade1", "grade2"), ("NORMAL", "PNEUMONIA")],
)
def test_names_of_classes(tmp_path: Path, names: tuple[str, ...]) -> None:
    files(tmp_path, *(f"{name}/img ({row}).png" for name in names for row in range(1, 9)))
    assert doubts(tmp_path) == []


def test_files_of_the_same_names_may_be_masks(tmp_path: Path) -> None:
    cases = ("k17", "k20", "m3", "n45")
    files(tmp_path, *(f"{place}/{case}.png" for place in ("rgb", "coded") for case in cases))
    assert "same names" in doubts(tmp_path)[0]


def test_no_label_is_proposed_for_parts() -> None:
    parts = [f"scans_part_{row % 2}/img{row}.png" for row in range(6)]
    assert pattern_of_paths(parts) == ("{part}/{_}.png", 6)
    pairs = [f"{place}/{case}.png" for place in ("rgb", "coded") for case in ("k17", "k20", "m3", "n45")]
    assert pattern_of_paths(pairs) == ("{part}/{_}.png", 8)
    classes = [f"{place}/{row}.png" for place in ("benign", "malignant") for row in range(4)]
    assert pattern_of_paths(classes) == ("{label}/{_}.png", 8)
