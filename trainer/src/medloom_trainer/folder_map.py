"""Location, on this machine, of the folders that configurations and tables name.

Reports and results of a training or a node always use the file names of the service: a path is translated
where a file is opened, and files found in a folder are named as the service does.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from medloom_trainer.errors import TrainerError


@dataclass(frozen=True)
class _Place:
    named: Path
    here: Path
    real: Path
    """`here` with links resolved, as in the paths of its files."""


_places: list[_Place] = []
"""Known folders, the innermost first."""
_missing: list[Path] = []
"""Folders that may be named but do not exist on this machine."""
_is_file: Callable[[Path], bool] = os.path.isfile  # Path.is_file raises for a name that is too long


def have_folders(places: Sequence[Mapping[str, str]], named: Iterable[str] = ()) -> None:
    """Set the folders of this process. places: contract TrainerSpec `places`. named: the folders that may be
    named; those missing in `places` do not exist on this machine.
    """
    found = [
        _Place(Path(place["named"]), Path(place["here"]), Path(os.path.realpath(place["here"])))
        for place in places
    ]
    _places[:] = sorted(found, key=lambda place: -len(place.named.parts))
    _missing[:] = [Path(folder) for folder in named if _place_of(Path(folder)) is None]


def local(path: str | os.PathLike[str]) -> Path:
    """The path on this machine; unchanged if no folder that contains it has another path here.

    PATH_NOT_ON_NODES inside a folder that does not exist on this machine.
    """
    named = Path(path)
    if (_places or _missing) and named.is_absolute():
        plain = Path(os.path.normpath(named))
        place = _place_of(plain)
        if place is not None:
            return place.here / plain.relative_to(place.named)
        for folder in _missing:
            if plain.is_relative_to(folder):
                message = (
                    f'the folder "{folder.name}" is not available on the nodes: no --site-root includes it'
                )
                raise TrainerError("PATH_NOT_ON_NODES", message)
    return named


def service_path(path: Path) -> Path:
    """A path of this machine with the name that the service uses."""
    around = [(folder, place.named) for place in _places for folder in (place.here, place.real)]
    inside = [(folder, name) for folder, name in around if path.is_relative_to(folder)]
    if not inside:
        return path
    folder, name = max(inside, key=lambda found: len(found[0].parts))
    return name / path.relative_to(folder)


def local_folders(folders: Iterable[str]) -> tuple[Path, ...]:
    """The folders that exist on this machine, with their paths here."""
    return tuple(local(folder) for folder in folders if Path(folder) not in _missing)


def is_file(path: Path) -> bool:
    """Return whether the file that a table may name exists."""
    return _is_file(path)


def look_by(look: Callable[[Path], bool]) -> None:
    """Set the function with which this process checks whether a file exists, for files that are fetched
    later."""
    global _is_file
    _is_file = look


def _place_of(path: Path) -> _Place | None:
    return next((place for place in _places if path.is_relative_to(place.named)), None)
