"""Links and names of files that recipes and proposals must not follow, or cannot read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from medloom_trainer.data.tables import read_csv
from medloom_trainer.data.tables.recipe.image_paths import _Search
from medloom_trainer.errors import TrainerError
from testing.medical_files import dicom_file
from testing.recipes import compiled, refused, write

SEARCH = [{"column": "image", "key": "id", "search": ["im"]}]


def files(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()


@pytest.mark.parametrize("cell", ["/Volumes/John Smith/1", "../../etc/x", "a" * 300, f"{'b' * 300}/1"])
def test_a_cell_that_leads_outside_or_cannot_be_a_name_is_not_found(tmp_path: Path, cell: str) -> None:
    write(tmp_path, t=f"id\n1\n{cell}\n")
    files(tmp_path, "im/1.png")
    for images in (SEARCH, [{"column": "id", "suffixes": [".png", ".jpg"]}]):
        made = compiled(tmp_path / "t.csv", images=images)
        (step,) = (step for step in made.steps if step.kind == "images")
        assert "John" not in step.message and step.counts["not_found"] >= 1


def test_a_link_to_itself_is_not_found(tmp_path: Path) -> None:
    write(tmp_path, t="id\n1\nl\n")
    files(tmp_path, "im/1.png")
    (tmp_path / "im" / "l.png").symlink_to("l.png")
    (step,) = (s for s in compiled(tmp_path / "t.csv", images=SEARCH).steps if s.kind == "images")
    assert step.counts == {"not_found": 1}
    listed = compiled(tmp_path, files=[{"name": "i", "pattern": "{label}/{_}.png"}])
    assert "im/1.png" in listed.table.cells["image"]


def test_a_folder_of_splits_may_contain_a_link_to_itself(tmp_path: Path) -> None:
    write(tmp_path, train="id,dx\n1,a\n2,b\n", test="id,dx\n3,a\n4,b\n")
    (tmp_path / "loop").symlink_to("loop")
    assert len(compiled(tmp_path).table) == 4


def test_links_to_folders_above_do_not_repeat_series(tmp_path: Path) -> None:
    series = tmp_path / "s"
    series.mkdir()
    dicom_file(
        series / "1.dcm", PatientID="A", StudyInstanceUID="1.2", SeriesInstanceUID="1.2.3", Modality="CT"
    )
    (series / "loop").symlink_to("loop")
    (series / "self").symlink_to(".")
    (series / "up").symlink_to("..")
    made = compiled(tmp_path, files=[{"name": "d", "dicom": True}])
    assert len(made.table) == 1


@pytest.mark.parametrize("name", ["a" * 300 + ".csv", "b" * 300 + "/t.csv"])
def test_a_name_that_is_too_long_does_not_exist(tmp_path: Path, name: str) -> None:
    refused(tmp_path, "FILE_NOT_FOUND", files=[{"name": "t", "path": name}])
    with pytest.raises(TrainerError, match="does not exist"):
        compiled(tmp_path / name)


def test_a_name_with_a_nul_character_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TrainerError, match="NUL"):
        read_csv(tmp_path / "a\0.csv")


def test_names_are_looked_up_in_one_index_of_all_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, t="id\n" + "\n".join(f"{i}" for i in range(60)) + "\n")
    files(tmp_path, *(f"p{i % 3}/{i}.png" for i in range(60)))
    calls: list[Any] = []
    whole = _Search._index
    monkeypatch.setattr(_Search, "_index", lambda *given: (calls.append(given), whole(*given))[1])
    made = compiled(tmp_path / "t.csv", images=[{"column": "image", "key": "id", "search": ["p{_}"]}])
    assert made.table.cells["image"] == [f"p{i % 3}/{i}.png" for i in range(60)]
    assert len(calls) == 3
