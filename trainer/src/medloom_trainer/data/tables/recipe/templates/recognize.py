"""The template of a folder: by the names of its files and the column names of its tables.

Names are listed up to a limit in each folder, and only the start of a table is read.
"""

from __future__ import annotations

import csv
import gzip
import io
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from medloom_trainer.data.tables.recipe.patterns import Pattern
from medloom_trainer.data.tables.recipe.templates.template import FileMark, Layout, Template, read_templates
from medloom_trainer.regular_files import NotRegularError, open_regular
from medloom_trainer.unicode_text import existing_path, plain_text, visible_text

_MOST_ENTRIES = 2000
"""Entries of a folder that are compared with a pattern."""
_MOST_FOLDERS = 500
"""Folders whose entries are listed for a mark."""
_MOST_FILES = 20
"""Files that match a pattern whose column names are read."""
_HEAD_BYTES = 1_000_000
_DELIMITERS = ",\t;|"


def recognize(folder: Path) -> Template | None:
    """The template with the most specific layout that the folder has; None if it has none of them. Its recipe
    is that of the layout."""
    candidates = [(layout, template) for template in read_templates() for layout in template.layouts]
    look = _Look(Path(os.path.realpath(folder)))
    for layout, template in sorted(candidates, key=lambda found: -found[0].specificity):
        seen = [found for mark in layout.recognized_by if (found := look.find(mark)) is not None]
        if len(seen) == len(layout.recognized_by):
            return _fitted(template, layout, seen)
    return None


def _fitted(template: Template, layout: Layout, seen: Sequence[_Seen]) -> Template:
    """The template with the recipe of the layout, with the files that were found, and with what holds for the
    columns that exist."""
    columns = list(dict.fromkeys(column for found in seen for column in found.columns))
    recipe: dict[str, Any] = {**template.recipe, **layout.recipe}
    names = {
        mark.path: found.name
        for mark, found in zip(layout.recognized_by, seen, strict=True)
        if not Pattern(mark.path).names
    }
    recipe["files"] = [
        {**file, "path": names.get(file["path"], file["path"])} if "path" in file else file
        for file in recipe["files"]
    ]
    codes = {
        column: list(texts)
        for name, texts in template.missing_if_present.items()
        for column in columns
        if Pattern(name).parse(column) is not None
    }
    if codes:
        given = recipe.get("missing", {})
        recipe["missing"] = {**given, "columns": {**codes, **given.get("columns", {})}}
    patterns = [Pattern(name) for name in template.ignored_if_present]
    ignored = [column for column in columns if any(known.parse(column) is not None for known in patterns)]
    fitted = replace(template, recipe=recipe)
    if not ignored:
        return fitted
    always = template.settings.get("data", {}).get("ignore_columns", [])
    return fitted.with_settings({"data": {"ignore_columns": list(dict.fromkeys([*always, *ignored]))}})


@dataclass(frozen=True)
class _Seen:
    """A file that has a mark."""

    name: str
    """Relative to the folder."""
    columns: tuple[str, ...]
    """Names of all its columns, if the mark names some."""


@dataclass
class _Look:
    """A look at the files of a folder; each is read once."""

    folder: Path
    found: dict[FileMark, _Seen | None] = field(default_factory=dict)
    _listings: int = 0
    """Folders that were listed for the mark."""

    def find(self, mark: FileMark) -> _Seen | None:
        """The first file that has the mark; None if there is none."""
        if mark not in self.found:
            self.found[mark] = self._find(mark)
        return self.found[mark]

    def _find(self, mark: FileMark) -> _Seen | None:
        self._listings = 0
        for path in islice(self._walk(self.folder, mark.path.split("/")), _MOST_FILES):
            columns = _column_names(path, mark) if mark.columns else ()
            if columns is not None:
                return _Seen(plain_text(path.relative_to(self.folder).as_posix()), columns)
        return None

    def _walk(self, folder: Path, steps: Sequence[str]) -> Iterator[Path]:
        """Paths that match one step each, inside the folder after links are resolved."""
        step, *rest = steps
        pattern = Pattern(step)
        for path in self._matching(folder, pattern) if pattern.is_open else [existing_path(folder / step)]:
            real = Path(os.path.realpath(path))
            if not real.exists() or not real.is_relative_to(self.folder):
                continue
            if not rest:
                yield path
            elif path.is_dir():
                yield from self._walk(path, rest)

    def _matching(self, folder: Path, pattern: Pattern) -> list[Path]:
        """Entries of a folder that match, by name; none once enough folders were listed."""
        self._listings += 1
        if self._listings > _MOST_FOLDERS:
            return []
        try:
            with os.scandir(folder) as entries:
                names = [entry.name for entry in islice(entries, _MOST_ENTRIES)]
        except OSError:
            return []
        visible = [name for name in names if not name.startswith(".")]
        return [folder / name for name in sorted(visible) if pattern.parse(plain_text(name)) is not None]


def _column_names(path: Path, mark: FileMark) -> tuple[str, ...] | None:
    """The names in the first line that is not a comment; None if they lack one of the mark."""
    text = _head(path)
    lines = (line for line in text.splitlines() if line.strip())
    first = next((line for line in lines if not (mark.comment and line.startswith(mark.comment))), "")
    for delimiter in _DELIMITERS:
        try:
            names = tuple(
                visible_text(name) for name in next(csv.reader(io.StringIO(first), delimiter=delimiter))
            )
        except (csv.Error, StopIteration):
            continue
        if {*mark.columns} <= {*names}:
            return names
    return None


def _head(path: Path) -> str:
    """Start of a file of text, which may be compressed with gzip; empty if it cannot be read."""
    try:
        with open_regular(path) as file:
            if path.suffix.lower() != ".gz":
                content = file.read(_HEAD_BYTES)
            else:
                with gzip.open(file) as unpacked:
                    content = unpacked.read(_HEAD_BYTES)
    except (OSError, EOFError, NotRegularError):
        return ""
    return content.decode("utf-8-sig", "replace")
