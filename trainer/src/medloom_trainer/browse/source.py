"""A registered dataset as the service names it, and the current state of its table."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.tables import Table, read_source, read_source_table
from medloom_trainer.errors import TrainerError

_VERSION = 1
"""Increased whenever the same files would result in another index."""
_OF_CLASS_FOLDERS = {"image": "image", "label": "label", "split": "split"}
"""Roles of the columns that the reader creates for a folder with one folder for each class."""


@dataclass(frozen=True)
class Source:
    """contract WORKER_TASKS: the field `dataset`."""

    path: Path
    image_root: Path
    roles: Mapping[str, str]
    classes: tuple[str, ...]
    """Empty if the label is not categorical."""
    roots: tuple[Path, ...]
    cache_dir: Path
    recipe: Mapping[str, Any] | None = None
    """Makes the table from the files."""

    @classmethod
    def from_dataset(cls, given: Mapping[str, Any]) -> Source:
        """FILE_NOT_FOUND if its file or folder no longer exists."""
        path = Path(given["path"])
        if not path.exists():
            raise TrainerError("FILE_NOT_FOUND", phrase("dataset_source_absent"))
        folder = path if path.is_dir() else path.parent
        return cls(
            path,
            Path(given["image_root"]) if given["image_root"] else folder,
            given["roles"] or _OF_CLASS_FOLDERS,
            tuple(given["classes"] or ()),
            tuple(Path(root) for root in given["roots"]),
            Path(given["cache_dir"]),
            given.get("recipe"),
        )

    def read(self) -> Table:
        if self.recipe is None:
            return read_source(self.path, "all")
        return read_source_table(self.path, self.image_root, self.roots, self.recipe, self.cache_dir).table

    def role_of(self, column: str) -> str:
        """A column that was added later is treated like an identifier."""
        return self.roles.get(column, "ignored")

    @property
    def key(self) -> str:
        """Changes if a file of the table, or the role of a column, has changed."""
        identity = [_VERSION, sorted(self.roles.items()), self.classes, [*_marks(self.path)]]
        if self.recipe is not None:
            identity += [self.recipe, [*_marks(self.image_root)], self.read().digest]
        return hashlib.sha256(json.dumps(identity).encode()).hexdigest()


def _marks(path: Path) -> Iterator[list[int | str]]:
    """Attributes that change with the content of a file, or with the names in a folder and the folders in
    it."""
    yield _mark(path)
    if not path.is_dir():
        return
    for entry in sorted(os.scandir(path), key=lambda entry: entry.name):
        if entry.name.lower().endswith(".csv") or entry.is_dir():
            yield _mark(Path(entry.path))
        if entry.is_dir():
            inner = [Path(child.path) for child in os.scandir(entry.path) if child.is_dir()]
            yield from (_mark(child) for child in sorted(inner))


def _mark(path: Path) -> list[int | str]:
    found = os.stat(path)
    name = hashlib.sha256(os.fsencode(path)).hexdigest()
    return [name, found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino]
