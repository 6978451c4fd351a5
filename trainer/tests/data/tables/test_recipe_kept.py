"""Compiled recipes are kept while nothing that they were made from has changed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from medloom_trainer.data.cache import clear_cache
from medloom_trainer.data.tables import is_missing
from medloom_trainer.data.tables.recipe import kept
from medloom_trainer.data.tables.recipe.kept import kept_tables
from medloom_trainer.errors import TrainerError
from testing.recipes import compiled, write

RECIPE: dict[str, Any] = {
    "files": [{"name": "a", "path": "a.csv"}, {"name": "b", "path": "b.csv"}],
    "join": [{"table": "b", "on": ["id"]}],
    "images": [{"column": "image", "search": ["images"], "key": "id"}],
    "missing": {"columns": {"dx": ["-9"]}},
    "label": {"column": "dx"},
}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    data = write(tmp_path / "data", a="id,dx\n1,None\n2,mel\n", b="id,age\n1,50\n2,60\n")
    (data / "images").mkdir()
    for name in ("1.png", "2.png"):
        (data / "images" / name).touch()
    return data


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows with each recipe that is compiled."""
    done: list[int] = []
    original: Callable[..., Any] = kept.compile_recipe

    def counting(*given: Any) -> Any:
        done.append(1)
        return original(*given)

    monkeypatch.setattr(kept, "compile_recipe", counting)
    return done


@pytest.mark.parametrize("settled", [False, True])
def test_the_second_start_reads_the_kept_table(
    tmp_path: Path, source: Path, compilations: list[int], settled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files that have just been written are compared by their content, older ones by their attributes."""
    monkeypatch.setattr(kept, "UNSETTLED_FILE_AGE", -1.0 if settled else 3600.0)
    first = compiled(source, cache_dir=tmp_path / "cache", **RECIPE)
    again = compiled(source, cache_dir=tmp_path / "cache", **RECIPE)
    assert len(compilations) == 1
    assert again.table.cells == first.table.cells and again.table.columns == first.table.columns
    assert (again.table.digest, again.settings, again.steps) == (
        first.table.digest,
        first.settings,
        first.steps,
    )
    assert [again.table.place(row) for row in range(2)] == [("a.csv", 2), ("a.csv", 3)]
    assert not is_missing(again.table.cells["dx"][0])  # None is a class of this column
    (file,) = kept_tables(tmp_path / "cache").iterdir()
    assert file.stat().st_mode & 0o077 == 0  # it contains data of patients


def test_a_kept_table_has_the_same_missing_values(tmp_path: Path) -> None:
    """None is declared as a class, and NA in the same column remains missing."""
    (tmp_path / "t.csv").write_text("dx\nNone\nmild\nNA\n")
    label = {"column": "dx", "name": "stage", "classes": ["None"]}
    for _ in range(2):
        made = compiled(tmp_path / "t.csv", cache_dir=tmp_path / "cache", label=label)
        assert [is_missing(text) for text in made.table.cells["stage"]] == [False, False, True]
    assert len([*kept_tables(tmp_path / "cache").iterdir()]) == 1


@pytest.mark.parametrize("settled", [False, True])
@pytest.mark.parametrize("change", ["table", "joined", "image", "gone", "recipe"])
def test_a_change_compiles_again(
    tmp_path: Path,
    source: Path,
    compilations: list[int],
    change: str,
    settled: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(kept, "UNSETTLED_FILE_AGE", -1.0 if settled else 3600.0)
    compiled(source, cache_dir=tmp_path / "cache", **RECIPE)
    recipe = dict(RECIPE)
    if change == "table":
        write(source, a="id,dx\n1,None\n2,nv\n")
    elif change == "joined":
        write(source, b="id,age\n1,51\n2,60\n")
    elif change == "image":
        (source / "images" / "2.jpg").touch()
    elif change == "gone":
        os.remove(source / "b.csv")
    else:
        recipe["label"] = {"column": "dx", "name": "label"}
    if change in ("image", "gone"):
        with pytest.raises(TrainerError):
            compiled(source, cache_dir=tmp_path / "cache", **recipe)
    else:
        compiled(source, cache_dir=tmp_path / "cache", **recipe)
    assert len(compilations) == 2


@pytest.mark.parametrize("settled", [False, True])
@pytest.mark.parametrize("link", ["b.csv", "images"])
def test_a_link_that_leads_elsewhere_compiles_again(
    tmp_path: Path,
    source: Path,
    compilations: list[int],
    link: str,
    settled: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(kept, "UNSETTLED_FILE_AGE", -1.0 if settled else 3600.0)
    for version, suffix in (("v1", "png"), ("v2", "jpg")):
        folder = write(source / version, b=f"id,age\n1,{version}\n")
        (folder / "images").mkdir()
        (folder / "images" / f"1.{suffix}").touch()
    os.rename(source / link, source / "unused")
    tables = []
    for version in ("v1", "v2"):
        (source / link).unlink(missing_ok=True)
        (source / link).symlink_to(source / version / link)
        tables.append(compiled(source, cache_dir=tmp_path / "cache", **RECIPE).table.cells)
    assert len(compilations) == 2 and tables[0] != tables[1]


def test_a_damaged_file_is_made_again(tmp_path: Path, source: Path, compilations: list[int]) -> None:
    compiled(source, cache_dir=tmp_path / "cache", **RECIPE)
    (file,) = kept_tables(tmp_path / "cache").iterdir()
    for content in (b"", b"PK\x03\x04", file.read_bytes()[:200]):
        file.write_bytes(content)
        assert compiled(source, cache_dir=tmp_path / "cache", **RECIPE).table.cells["age"] == ["50", "60"]
    assert len(compilations) == 4


def test_only_the_latest_tables_are_kept(
    tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "_MOST_KEPT", 2)
    for name in ("x", "y", "z"):
        label = {"column": "dx", "name": name}
        compiled(source, cache_dir=tmp_path / "cache", **{**RECIPE, "label": label})
    assert len(list(kept_tables(tmp_path / "cache").iterdir())) == 2


def test_clearing_the_cache_removes_the_tables(tmp_path: Path, source: Path) -> None:
    compiled(source, cache_dir=tmp_path / "cache", **RECIPE)
    assert clear_cache(tmp_path / "cache")["freed_bytes"] > 0
    assert list(kept_tables(tmp_path / "cache").iterdir()) == []
