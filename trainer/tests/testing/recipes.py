"""Compiled recipes in tests, checked by the contract first."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from medloom_trainer.contract.schemas import contract
from medloom_trainer.data.tables.recipe.source import SourceTable, read_source_table
from medloom_trainer.errors import TrainerError


def compiled(
    source: Path, *, roots: tuple[Path, ...] = (), cache_dir: Path | None = None, **recipe: Any
) -> SourceTable:
    """The table of a recipe; the contract fills in its only default, that of joins."""
    joins = [{"keep": "all", **join} for join in recipe.pop("join", [])]
    whole = {"version": 1, **recipe, **({"join": joins} if joins else {})}
    _contract().validate(whole)
    return read_source_table(source, None, roots, whole, cache_dir)


def refused(source: Path, code: str, **recipe: Any) -> str:
    """The message and the remedy of a recipe that is refused with this code."""
    with pytest.raises(TrainerError) as caught:
        compiled(source, **recipe)
    assert caught.value.code == code, caught.value.message
    assert caught.value.details
    return f"{caught.value.message} {caught.value.details}"


def write(folder: Path, **files: str) -> Path:
    """Files by name without suffix: CSVs with this text."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    return folder


@cache
def _contract() -> Draft202012Validator:
    return Draft202012Validator({"$ref": "#/$defs/Recipe", "$defs": contract("spec")["$defs"]})
