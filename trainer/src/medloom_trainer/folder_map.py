"""The map from the folders that configurations and tables name to the folders of this machine.

Reports and results of a training or a node always use the file names of the service: a path is translated
where a file is opened, and files found in a folder are named as the service does.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.errors import TrainerError


@dataclass(frozen=True)
class _MappedFolder:
    named: Path
    here: Path
    real: Path
    """`here` with links resolved, as in the paths of its files."""


_mapped: list[_MappedFolder] = []
"""The innermost first."""
_missing: list[Path] = []
"""Folders that may be named but do not exist on this machine."""
_is_file: Callable[[Path], bool] = os.path.isfile  # Path.is_file raises for a name that is too long


def map_folders(places: Sequence[Mapping[str, str]], named: Iterable[str] = ()) -> None:
    """Set the map of this process. places: contract TrainerSpec `places`. named: the folders that may be
    named; those missing in `places` do not exist on this machine.
    """
    found = [
        _MappedFolder(Path(place["named"]), Path(place["here"]), Path(os.path.realpath(place["here"])))
        for place in places
    ]
    _mapped[:] = sorted(found, key=lambda folder: -len(folder.named.parts))
    _missing[:] = [Path(folder) for folder in named if _mapped_folder(Path(folder)) is None]


def local(path: str | os.PathLike[str]) -> Path:
    """The path on this machine; unchanged if no folder that contains it has another path here.

    PATH_NOT_ON_NODES inside a folder that does not exist on this machine.
    """
    named = Path(path)
    if (_mapped or _missing) and named.is_absolute():
        plain = Path(os.path.normpath(named))
        mapped = _mapped_folder(plain)
        if mapped is not None:
            return mapped.here / plain.relative_to(mapped.named)
        for missing in _missing:
            if plain.is_relative_to(missing):
                message = phrase("folder_not_on_nodes", folder=missing.name)
                raise TrainerError("PATH_NOT_ON_NODES", message)
    return named


def service_path(path: Path) -> Path:
    """A path of this machine with the name that the service uses."""
    locations = [(location, mapped.named) for mapped in _mapped for location in (mapped.here, mapped.real)]
    containing = [(location, named) for location, named in locations if path.is_relative_to(location)]
    if not containing:
        return path
    location, named = max(containing, key=lambda pair: len(pair[0].parts))
    return named / path.relative_to(location)


def local_folders(folders: Iterable[str]) -> tuple[Path, ...]:
    """The folders that exist on this machine, with their paths here."""
    return tuple(local(folder) for folder in folders if Path(folder) not in _missing)


def is_file(path: Path) -> bool:
    """Return whether the file that a table may name exists."""
    return _is_file(path)


def check_files_by(check: Callable[[Path], bool]) -> None:
    """Set the function with which this process checks whether a file exists, for files that are fetched
    later."""
    global _is_file
    _is_file = check


def _mapped_folder(path: Path) -> _MappedFolder | None:
    return next((mapped for mapped in _mapped if path.is_relative_to(mapped.named)), None)
