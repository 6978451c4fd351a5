"""Images that a case lacks, in the texts that an inspection and a training share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from medloom_trainer.data.images.sources import MISSING
from medloom_trainer.data.tables import Slicing, Table

_MAX_NAMED = 20
"""Limit of images or cases that a message lists."""
_FOLDER = "no image was found; image paths are relative to the folder of the table unless image_root is set"


@dataclass(frozen=True)
class Unusable:
    """Problems of the images of a dataset: counts, the first 20, and their rows; None if there are none."""

    files: str | None
    """Files that are missing or unreadable."""
    cases: str | None
    """Cases without any image."""

    @property
    def messages(self) -> list[str]:
        return [message for message in (self.files, self.cases) if message is not None]


@dataclass(frozen=True)
class Gaps:
    """Cells of one table without a usable image. Rows count from 0."""

    table: Table
    problems: Sequence[tuple[int, str, str]]
    """(row, column, reason) of each cell whose file cannot be used."""
    without: Sequence[int]
    """Rows without a filled image cell."""


def describe_unusable(parts: Sequence[Gaps]) -> Unusable:
    """Describe several parts of the data together, in the order of their files and rows."""
    problems = sorted(
        (part.table.place(row), column, why) for part in parts for row, column, why in part.problems
    )
    without = sorted(part.table.place(row) for part in parts for row in part.without)
    files = [f"{file} row {line} ({column}): {why}" for (file, line), column, why in problems]
    cases = [f"{file} row {line}" for file, line in without]
    noun = "image file is" if len(files) == 1 else "image files are"
    verb = "case has" if len(cases) == 1 else "cases have"
    folder = f" ({_FOLDER})" if _none_exists(parts) else ""
    return Unusable(
        f"{len(files)} {noun} missing or unreadable{folder}: {_listed(files)}" if files else None,
        f"{len(cases)} {verb} no image: {_listed(cases)}" if cases else None,
    )


def _none_exists(parts: Sequence[Gaps]) -> bool:
    """Return whether no case has a file: then the folder is wrong rather than the files."""
    if any(why != MISSING for part in parts for _, _, why in part.problems):
        return False
    without = [{row for row, _, _ in part.problems} | set(part.without) for part in parts]
    return all(len(rows) == len(part.table) for rows, part in zip(without, parts, strict=True))


def describe_blank(images: int) -> str:
    """Return the text about blank images, for example "2 images are blank …"."""
    noun = "image is" if images == 1 else "images are"
    return f"{images} {noun} blank (all pixels have the same value)"


def describe_volumes(volumes: int, slicing: Slicing) -> str:
    """Text for readers; `volumes_read` has the same content for programs."""
    noun, whose = ("volume is", "its") if volumes == 1 else ("volumes are", "their")
    slices = "slice" if slicing.count == 1 else "slices"
    where = f"{whose} slices with content" if slicing.spread == "content" else f"{whose} whole extent"
    return (
        f"{volumes} {noun} read as {slicing.count} {slicing.axis} {slices}, evenly spaced over {where}; "
        "each slice is a view (data.slices). Frames and series are sliced as acquired"
    )


def volumes_read(volumes: int, slicing: Slicing) -> dict[str, Any] | None:
    """Contract VolumesRead; None if there is no volume."""
    return {"count": volumes, "slices": asdict(slicing)} if volumes else None


def _listed(named: Sequence[str]) -> str:
    more = f"; and {len(named) - _MAX_NAMED} more" if len(named) > _MAX_NAMED else ""
    return f"{'; '.join(named[:_MAX_NAMED])}{more}"
