"""Where this machine has the folders that configurations and tables name.

What a training reports and saves names files as the service does, on whichever machine it runs: a path is
translated where a file is opened, and nowhere else.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

_folders: list[tuple[Path, Path]] = []
"""(as it is named, as this machine has it), the innermost first."""
_is_file: Callable[[Path], bool] = os.path.isfile  # not Path.is_file: it raises where a name is too long


def have_folders(places: Sequence[Mapping[str, str]]) -> None:
    """From now on in this process. places: contract TrainerSpec `places`."""
    found = [(Path(place["named"]), Path(place["here"])) for place in places]
    _folders[:] = sorted(found, key=lambda place: -len(place[0].parts))


def local(path: str | os.PathLike[str]) -> Path:
    """The path where this machine has it; as it is where no folder around it is known by another path."""
    named = Path(path)
    if _folders and named.is_absolute():
        plain = Path(os.path.normpath(named))
        for folder, here in _folders:
            if plain.is_relative_to(folder):
                return here / plain.relative_to(folder)
    return named


def is_file(path: Path) -> bool:
    """Whether the file that a table may name exists."""
    return _is_file(path)


def look_by(look: Callable[[Path], bool]) -> None:
    """From now on in this process, files exist where `look` says so: those that are yet to be fetched."""
    global _is_file
    _is_file = look
