"""Equal-looking texts and file names are equal."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from medloom_trainer.data.tables import read_csv
from medloom_trainer.unicode_text import existing_path, plain_text
from testing.workspace import Workspace, codes

COMPOSED, DECOMPOSED = "b\u00e9nin", "be\u0301nin"


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (DECOMPOSED, COMPOSED),
        ("ben\u200b", "ben"),
        ("be\u00adn", "ben"),
        ("low\u00a0grade ", "low grade"),
        ("\ufeffben", "ben"),
        ("\u202aben\u202c", "ben"),
        ("\u2066ben\u2069", "ben"),
        ("b\u180een\ufe0f", "ben"),
        ("Li\u2010Fraumeni", "Li-Fraumeni"),
        ("T\u2011cell", "T-cell"),
        ("\uff22\uff25\uff2e\uff11", "BEN1"),
        ("\u03bcg", "\u00b5g"),
        (
            "\u03bc\u03b5\u03bb\u03ac\u03bd\u03c9\u03bc\u03b1",
            "\u03bc\u03b5\u03bb\u03ac\u03bd\u03c9\u03bc\u03b1",
        ),
        ("be\x1fn\x07", "ben"),
        ("be\x85n", "ben"),
        ("a\x0bb", "a b"),
        ("one\ntwo", "one\ntwo"),
        ("\u06a9\u062a\u0627\u0628\u200c\u0647\u0627", "\u06a9\u062a\u0627\u0628\u200c\u0647\u0627"),
    ],
)
def test_plain_text(text: str, plain: str) -> None:
    assert plain_text(text) == plain
    assert plain_text(plain) == plain


def test_a_table_contains_one_form_and_reports_what_was_changed(work: Workspace) -> None:
    path = work.folder / "t.csv"
    path.write_text(f"cafe\u0301,label\n1,{DECOMPOSED}\n2,{COMPOSED}\n3,b\u200b\n4,b\n", encoding="utf-8")
    table = read_csv(path)
    assert table.columns == ("caf\u00e9", "label")
    assert table.cells["label"] == [COMPOSED, COMPOSED, "b", "b"]
    (warning,) = table.warnings
    assert codes(table.warnings) == {"TEXT_NORMALIZED"}
    assert '"label" (2)' in warning["message"]


def test_look_alikes_are_one_class_and_column_names_are_kept(work: Workspace) -> None:
    path = work.folder / "t.csv"
    path.write_text("CRP \u03bcg,label\n1,\uff34\n2,T\n3,\u2067T\u2069\n4,T\x1f\n", encoding="utf-8")
    table = read_csv(path)
    assert table.columns == ("CRP \u03bcg", "label")
    assert table.cells["label"] == ["T"] * 4
    assert '"label" (' in table.warnings[0]["message"]


def test_a_file_with_a_look_alike_in_its_name_is_found(tmp_path: Path) -> None:
    file = tmp_path / "T\u2011cell.png"
    file.write_bytes(b"")
    assert existing_path(tmp_path / "T-cell.png") == file
    assert existing_path(tmp_path / "T-cell2.png") == tmp_path / "T-cell2.png"


def test_blanks_at_the_ends_are_no_change(work: Workspace) -> None:
    path = work.folder / "t.csv"
    path.write_text("a,b\n 1 ,x\n", encoding="utf-8")
    assert read_csv(path).warnings == []


@pytest.mark.parametrize("on_disk", ["NFC", "NFD"])
def test_a_file_is_found_in_either_form(tmp_path: Path, on_disk: str) -> None:
    folder = tmp_path / unicodedata.normalize(on_disk, "M\u00fcller")
    folder.mkdir()
    file = folder / unicodedata.normalize(on_disk, "Gr\u00f6\u00dfe\u00a01.png")
    file.write_bytes(b"")
    for named in ("NFC", "NFD"):
        path = tmp_path / unicodedata.normalize(named, "M\u00fcller/Gr\u00f6\u00dfe 1.png")
        assert existing_path(path) == file
    later = folder / "\u00e4.png"
    assert existing_path(tmp_path / "M\u00fcller/a\u0308.png") == tmp_path / "M\u00fcller/a\u0308.png"
    later.write_bytes(b"")
    assert existing_path(tmp_path / "M\u00fcller/a\u0308.png") == later


def test_a_path_of_windows_is_found(tmp_path: Path) -> None:
    file = tmp_path / "a" / "b.png"
    file.parent.mkdir()
    file.touch()
    assert existing_path(tmp_path / ".\\a\\b.png") == file
    missing = tmp_path / "a\\c.png"
    assert existing_path(missing) == missing
    missing.touch()
    assert existing_path(missing) == missing
