"""The source text of the trainer as syntax trees, which tests of its structure share: parsing and walking all
files takes a second.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import medloom_trainer

ROOT = Path(medloom_trainer.__file__).parent


@cache
def source_files() -> tuple[Path, ...]:
    return tuple(sorted(ROOT.rglob("*.py")))


@cache
def parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


@cache
def nodes_of(file: Path) -> tuple[ast.AST, ...]:
    """Every node of its tree."""
    return tuple(ast.walk(parsed(file)))
