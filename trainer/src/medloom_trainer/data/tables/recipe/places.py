"""Files and folders that a recipe names, inside the folders that may be read. What was read is recorded, so
that a compiled recipe is used again only while nothing of it has changed.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.tables.recipe.patterns import Pattern
from medloom_trainer.errors import TrainerError
from medloom_trainer.unicode_text import existing_path, plain_text


@dataclass(frozen=True)
class Stamp:
    """Attributes that change with the content of a file, or with the names in a folder."""

    marks: tuple[int, ...]
    changed: float
    """In seconds since 1970."""

    @classmethod
    def of(cls, path: Path) -> Stamp | None:
        """None without a file or folder."""
        try:
            found = os.stat(path)
        except OSError:
            return None
        size = 0 if stat.S_ISDIR(found.st_mode) else found.st_size
        return cls(
            (size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino), max(found.st_mtime, found.st_ctime)
        )


@dataclass(frozen=True)
class Found:
    """A file that matches a pattern."""

    path: Path
    name: str
    """Relative to the folder of the pattern, with plain text in every name."""
    values: dict[str, str]
    """Column → text."""


@dataclass
class Places:
    """The source of a recipe."""

    source: Path
    """A file or a folder."""
    image_root: Path
    """Folder of patterns and searches; image cells are relative to it."""
    roots: Sequence[Path] = ()
    """Other folders that may be read."""
    of_new_cases: bool = False
    """The cases are predicted: labels and splits are not read, and a malformed row is left empty."""
    read: dict[Path, Stamp] = field(default_factory=dict)
    """Files whose content and folders whose entries were read, as they were before."""
    left_out: dict[str, Mapping[str, int]] = field(default_factory=dict)
    """Table of DICOM images → files that are not rows of it, and divided series, by kind."""
    links: dict[str, str] = field(default_factory=dict)
    """Paths that lead through symbolic links → their real paths."""

    def __post_init__(self) -> None:
        self._roots = [os.path.realpath(folder) for folder in (self.folder, self.image_root, *self.roots)]

    @property
    def folder(self) -> Path:
        """Folder that the paths of tables are relative to."""
        return self.source if self.source.is_dir() else self.source.parent

    def file(self, relative: str) -> Path:
        """An existing file. PATH_NOT_ALLOWED, FILE_NOT_FOUND."""
        path = self.inside(existing_path(self.folder / relative), relative)
        if not os.path.isfile(path):
            message = phrase("recipe_file_absent", file=relative, folder=self.folder.name)
            raise TrainerError("FILE_NOT_FOUND", message, phrase("correct_recipe_path"))
        return self.note(path)

    def note(self, path: Path) -> Path:
        """Record that this file or folder is read next."""
        if path not in self.read and (stamp := Stamp.of(path)) is not None:
            self.read[path] = stamp
        return path

    def inside(self, path: Path, name: str) -> Path:
        """The real path. PATH_NOT_ALLOWED outside the folders, after links are resolved."""
        real = self.allowed(path)
        if real is None:
            message = phrase("recipe_leads_out", name=name)
            raise TrainerError("PATH_NOT_ALLOWED", message, phrase("files_inside_folder"))
        if real != path:
            self.links[str(path)] = str(real)
        return real

    def allowed(self, path: Path) -> Path | None:
        """The real path; None outside the folders, or if a file cannot have such a name."""
        try:
            real = Path(os.path.realpath(path))
        except (OSError, ValueError):
            return None
        return real if any(real.is_relative_to(folder) for folder in self._roots) else None

    def files(self, folder: Path, pattern: Pattern) -> list[Found]:
        """Files below a folder that match, in the order of their names."""
        steps = [Pattern(segment) for segment in pattern.text.split("/")]
        matching = [
            Found(path, name, values)
            for path, name in self._walk(self.inside(existing_path(folder), pattern.text), "", steps)
            if (values := pattern.parse(name)) is not None
        ]
        return sorted(matching, key=lambda found: found.name)

    def folders(self, folder: Path, pattern: str) -> list[tuple[Path, str]]:
        """(folder, name below `folder`) of the folders that match; `folder` itself, "", for "."."""
        start = self.inside(existing_path(folder), pattern)
        if pattern == ".":
            return [(start, "")]
        steps = [Pattern(segment) for segment in pattern.split("/")]
        return sorted(self._walk(start, "", steps, folders=True), key=lambda found: found[1])

    def _walk(
        self, folder: Path, above: str, steps: Sequence[Pattern], *, folders: bool = False
    ) -> Iterator[tuple[Path, str]]:
        """(path, name) of the files, or folders, that match one step each. A link is followed if it stays
        inside."""
        step, *rest = steps
        for entry, plain in self.entries(folder):
            if step.parse(plain) is None:
                continue
            name = f"{above}{plain}"
            is_folder = is_folder_entry(entry)
            path = self.inside(Path(entry.path), name) if entry.is_symlink() else Path(entry.path)
            if rest and is_folder:
                yield from self._walk(path, f"{name}/", rest, folders=folders)
            elif not rest and is_folder == folders:
                yield path, name

    def entries(self, folder: Path) -> list[tuple[os.DirEntry[str], str]]:
        """(entry, its name as plain text) of a folder, without hidden ones."""
        self.note(folder)
        try:
            with os.scandir(folder) as found:
                return [(entry, plain_text(entry.name)) for entry in found if not entry.name.startswith(".")]
        except (OSError, ValueError):  # also a name that is too long, or contains a NUL character
            return []


def is_folder_entry(entry: os.DirEntry[str]) -> bool:
    """False for a link that leads to itself."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def is_file_entry(entry: os.DirEntry[str]) -> bool:
    """False for a link that leads to itself."""
    try:
        return entry.is_file()
    except OSError:
        return False
