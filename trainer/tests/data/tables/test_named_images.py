"""The images that tables name: every one that a training or a node may read, in every format of a table."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from medloom_trainer.data.images import locate_cells, paths_of
from medloom_trainer.data.tables import (
    ImageTable,
    infer_roles,
    named_images,
    read_csv,
    role_settings,
    stack,
)


def ask(
    *tables: Path, images: tuple[str, ...] = (), encoding: str | None = None, root: Path | None = None
) -> dict[str, Any]:
    return named_images(
        {
            "tables": [
                {
                    "path": str(table),
                    "image_root": str(root or table.parent),
                    "format": None,
                    "encoding": encoding,
                }
                for table in tables
            ],
            "image_columns": list(images),
        }
    )


def paths(answer: dict[str, Any], root: Path) -> list[str]:
    """Files that the first table names, relative to `root`."""
    return [
        os.path.relpath(os.path.join(root, part["folder"], name), root)
        for part in answer["tables"][0]
        for name in part["names"]
    ]


def named(folder: Path, content: str | bytes, name: str = "t.csv", **asked: Any) -> list[str]:
    (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
    return paths(ask(folder / name, **asked), folder)


@pytest.mark.parametrize(
    "cell",
    [
        "images/a.png",
        " images/a.png ",
        "./images/a.png",
        "other/../images/a.png",
        "images/a.png#slice=2of3",
        "images/a.png#slice=1of3&axis=coronal&spread=content",
    ],
)
def test_a_cell_names_a_file_in_each_notation(tmp_path: Path, cell: str) -> None:
    assert named(tmp_path, f"image,label\n{cell},1\n{cell},0\n") == ["images/a.png"]
    assert named(tmp_path, f"image,label\n{tmp_path}/{cell.strip()},1\n") == ["images/a.png"]


@pytest.mark.parametrize("cell", ["scans/s1", "scans/s1/", "scans/s1#series=1a2b3c4d", "scans/s2/../s1"])
def test_a_cell_names_the_folder_of_a_series(tmp_path: Path, cell: str) -> None:
    assert named(tmp_path, f"scan,label\n{cell},1\n", images=("scan",)) == ["scans/s1"]


def test_a_path_is_named_whether_it_exists_or_not_and_links_stay(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real/a.png").touch()
    (tmp_path / "linked").symlink_to(tmp_path / "real")
    assert named(tmp_path, "image\nlinked/a.png\nnone/b.png\n") == ["linked/a.png", "none/b.png"]


def test_empty_cells_and_those_that_no_file_can_have_are_left_out(tmp_path: Path) -> None:
    rows = [{"image": "a.png"}, {"image": ""}, {"image": "NA"}, {"image": None}]
    assert named(tmp_path, json.dumps(rows), "t.json", encoding="auto") == ["a.png"]


def test_folders_below_the_image_folder_are_relative_and_sorted(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text(f"image\nb/2.png\nb/1.png\nc.png\n{tmp_path}-other/d.png\n")
    assert ask(table)["tables"] == [
        [
            {"folder": f"{tmp_path}-other", "names": ["d.png"]},
            {"folder": "b", "names": ["1.png", "2.png"]},
            {"folder": "", "names": ["c.png"]},
        ]
    ]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", "image;label\nä/表.png;1\n".encode()),
        ("t.csv", "\ufeffimage,label\nä/表.png,1\n".encode()),
        ("t.csv", "image\tlabel\nä/表.png\t1\n".encode("utf-16")),
        ("t.json", json.dumps([{"image": "ä/表.png"}]).encode()),
        ("t.json", json.dumps({"image": ["ä/表.png"]}, ensure_ascii=False).encode()),
    ],
)
def test_every_format_of_a_node_is_read(tmp_path: Path, name: str, content: bytes) -> None:
    assert named(tmp_path, content, name, encoding="auto") == ["ä/表.png"]


@pytest.mark.parametrize(
    ("encoding", "image"),
    [("cp1252", "ä/€.png"), ("gb18030", "丂/中.png"), ("shift_jis", "表/〜.png"), ("euc-kr", "가/한.png")],
)
def test_a_csv_is_read_in_the_chosen_encoding(tmp_path: Path, encoding: str, image: str) -> None:
    content = f"image\n{image}\n".encode(encoding)
    assert named(tmp_path, content, encoding=encoding) == [image]


def test_without_an_encoding_a_csv_is_read_as_in_a_training(tmp_path: Path) -> None:
    assert named(tmp_path, "image\nä/€.png\n".encode("cp1252")) == ["ä/€.png"]
    assert named(tmp_path, "image\na.png\n".encode("utf-16")) == []


def test_only_the_table_of_a_workbook_is_read(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in (("image", "label"), ("images/a.png", 1), ("images/ä.png", 0)):
        book.active.append(row)
    book.create_sheet("notes").append(["images/old.png"])
    book.save(tmp_path / "t.xlsx")
    assert paths(ask(tmp_path / "t.xlsx", encoding="auto"), tmp_path) == ["images/a.png", "images/ä.png"]


@pytest.mark.parametrize("content", ["", "image\n", 'image\n"a.png', "image,label\na.png\n"])
def test_a_table_that_cannot_be_read_names_nothing(tmp_path: Path, content: str) -> None:
    assert named(tmp_path, content) == []
    assert ask(tmp_path / "none.csv") == {"tables": [[]], "undecided": []}
    assert ask(tmp_path) == {"tables": [[]], "undecided": []}


def test_a_damaged_table_does_not_hide_what_another_names(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("image,label\na.png,1\n")
    (tmp_path / "b.csv").write_text("image,label\na.png\n")
    assert ask(tmp_path / "b.csv", tmp_path / "a.csv")["tables"] == [[], [{"folder": "", "names": ["a.png"]}]]


def test_other_columns_name_nothing(tmp_path: Path) -> None:
    (tmp_path / "1").touch()
    assert named(tmp_path, "image,note,age\na.png,see b,2\nb.png,,1\n") == ["a.png", "b.png"]


def test_files_without_a_suffix_are_found_once_they_exist_and_their_folder_is_named_until_then(
    tmp_path: Path,
) -> None:
    table = tmp_path / "t.csv"
    table.write_text("scan,label\nscans/0001,1\nscans/0002,0\n")
    assert ask(table) == {"tables": [[]], "undecided": [str(tmp_path), str(tmp_path / "scans")]}
    (tmp_path / "scans").mkdir()
    (tmp_path / "scans/0001").touch()
    assert ask(table) == {
        "tables": [[{"folder": "scans", "names": ["0001", "0002"]}]],
        "undecided": [str(tmp_path)],
    }


def test_a_column_that_is_an_image_column_in_one_table_is_one_in_every_table(tmp_path: Path) -> None:
    (tmp_path / "train.csv").write_text("scan\na.png\n")
    (tmp_path / "val.csv").write_text("scan\n0001\n")
    answer = ask(tmp_path / "train.csv", tmp_path / "val.csv")
    assert answer["tables"][1] == [{"folder": "", "names": ["0001"]}]


@given(
    parts=st.lists(
        st.lists(st.sampled_from(["a.png", "b.PNG#slice=1of2", "0001", "0002", "none", ""]), min_size=1),
        min_size=1,
        max_size=3,
    )
)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_every_image_that_a_node_or_a_training_locates_is_named(
    tmp_path: Path, parts: list[list[str]]
) -> None:
    for name in ("0001", "0002"):
        (tmp_path / name).touch()
    files = []
    for number, cells in enumerate(parts):
        files.append(tmp_path / f"{number}.csv")
        files[-1].write_text("scan,label\n" + "".join(f"{cell},1\n" for cell in cells))
    whole = stack([read_csv(file) for file in files], name="all")
    roles = infer_roles(whole, role_settings(), tmp_path)
    located = locate_cells(ImageTable(whole, tmp_path), roles.images, [tmp_path])
    wanted = {str(path).split("#")[0] for path in paths_of(located)}
    answer = ask(*files)
    found = {
        os.path.join(tmp_path, part["folder"], name)
        for table in answer["tables"]
        for part in table
        for name in part["names"]
    }
    assert wanted <= found
