"""Rows and their images, in which nothing identifies a patient."""

from __future__ import annotations

from pathlib import Path

from medloom_trainer.data.checks.joined_pairs import joined_pairs
from medloom_trainer.data.tables import infer_roles, make_table, role_settings


def pairs_of(ids: list[str], files: list[str]) -> str:
    table = make_table("t.csv", {"patient_id": ids, "image": files, "age": [str(n) for n in range(len(ids))]})
    shown = joined_pairs(table, infer_roles(table, role_settings(), Path("/"), label_required=False))
    assert shown is not None
    return shown


def test_an_image_named_after_its_row_has_the_mask_of_the_row() -> None:
    ids = [f"Miller{number}" for number in range(40)]
    shown = pairs_of(ids, [f"scans/{one}_view1.png" for one in ids])
    assert shown.startswith('row 2: #1 \u2192 "#1_view1.png"; ') and shown.count("row ") == 10
    assert "Miller" not in shown


def test_an_image_of_another_row_shows_it() -> None:
    ids = [str(number) for number in range(1, 41)]
    shown = pairs_of(ids, [f"{number + 1}.png" for number in range(1, 41)])
    assert shown.startswith('row 2: #1 ("9") \u2192 "9.png"; ')


def test_rare_words_of_file_names_are_masked() -> None:
    shown = pairs_of(
        [str(number) for number in range(30)], [f"{'abc'[n % 3]}{n} Miller{n}.png" for n in range(30)]
    )
    assert "Miller" not in shown and '"a9 Aaaaaa9.png"' in shown


def test_two_spellings_of_an_identifier_are_shown_by_their_forms() -> None:
    ids = [f"P{number}" for number in range(1, 10)]
    shown = pairs_of(ids, [f"p000{number}.png" for number in range(1, 10)])
    assert shown.startswith('row 2: #1 ("A9") \u2192 "a0009.png"; ')
