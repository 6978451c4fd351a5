"""The program of a package prints a table that spreadsheets open without formulas."""

from __future__ import annotations

import csv
import io
import sys

from medloom_trainer.export.package import medloom_model

# The package imports its model as a module of its own folder.
sys.modules.setdefault("medloom_model", medloom_model)
from medloom_trainer.export.package import example  # noqa: E402


def test_no_text_of_the_printed_table_is_a_formula(monkeypatch, capsys):
    assert _printed(monkeypatch, capsys) == [
        ["row", "predicted", "'=probability"],
        ["1", "'=1+1", "-0.5"],
        ["2", "'@x", "1e-07"],
        ["3", "''-x", ""],
        ["4", "a=b", "0.25"],
    ]


def _printed(monkeypatch, capsys) -> list[list[str]]:
    texts, numbers = ("=1+1", "@x", "'-x", "a=b"), (-0.5, 1e-7, None, 0.25)
    found = [{"predicted": text, "=probability": number} for text, number in zip(texts, numbers, strict=True)]

    class Fitted:
        def predict_csv(self, cases: str, *, calibrated: bool):
            return found

    monkeypatch.setattr(example, "Model", Fitted)
    monkeypatch.setattr(sys, "argv", ["example.py", "cases.csv"])
    assert example.main() == 0
    return list(csv.reader(io.StringIO(capsys.readouterr().out)))
