"""Images that a case lacks, in the texts that an inspection and a training share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from medloom_trainer.contract.codes import PhraseCode
from medloom_trainer.contract.phrases import Phrased, listing, phrase
from medloom_trainer.data.images.sources import MISSING
from medloom_trainer.data.tables import Slicing, Table

_MAX_NAMED = 20
"""Limit of images or cases that a message lists."""


@dataclass(frozen=True)
class Unusable:
    """Problems of the images of a dataset: counts, the first 20, and their rows; None if there are none."""

    files: Phrased | None
    """Files that are missing or unreadable."""
    cases: Phrased | None
    """Cases without any image."""

    @property
    def messages(self) -> list[Phrased]:
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
    files = [
        phrase("image_in_row", file=file, row=str(line), column=column, reason=why)
        for (file, line), column, why in problems
    ]
    cases = [phrase("row_of_file", file=file, row=str(line)) for file, line in without]
    code: PhraseCode = "no_image_found" if _none_exists(parts) else "images_unusable"
    return Unusable(
        phrase(code, count=len(files), files=_listed(files)) if files else None,
        phrase("cases_without_image", count=len(cases), cases=_listed(cases)) if cases else None,
    )


def _none_exists(parts: Sequence[Gaps]) -> bool:
    """Return whether no case has a file: then the folder is wrong rather than the files."""
    if any(why != MISSING for part in parts for _, _, why in part.problems):
        return False
    without = [{row for row, _, _ in part.problems} | set(part.without) for part in parts]
    return all(len(rows) == len(part.table) for rows, part in zip(without, parts, strict=True))


def describe_blank(images: int) -> Phrased:
    """Return the text about blank images, for example "2 images are blank …"."""
    return phrase("blank_images", count=images)


_AXES: Mapping[str, PhraseCode] = {
    "axial": "axis_axial",
    "coronal": "axis_coronal",
    "sagittal": "axis_sagittal",
}


def describe_volumes(volumes: int, slicing: Slicing) -> Phrased:
    """Text for readers; `volumes_read` has the same content for programs."""
    extent = phrase("extent_content" if slicing.spread == "content" else "extent_whole")
    axis = phrase(_AXES[slicing.axis])
    if slicing.count == 1:
        return phrase("volumes_as_slice", count=volumes, axis=axis, extent=extent)
    return phrase("volumes_as_slices", count=volumes, slices=slicing.count, axis=axis, extent=extent)


def volumes_read(volumes: int, slicing: Slicing) -> dict[str, Any] | None:
    """Contract VolumesRead; None if there is no volume."""
    return {"count": volumes, "slices": asdict(slicing)} if volumes else None


def _listed(named: Sequence[Phrased]) -> Phrased:
    return listing(named, _MAX_NAMED, mark="semicolon")
