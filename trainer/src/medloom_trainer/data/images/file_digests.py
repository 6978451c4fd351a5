"""Which pictures belong to which case, for whoever looks for cases that belong together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from medloom_trainer.data.cache.views import ImageTable, locate_cells
from medloom_trainer.data.images.image_files import ImageFile, identify


@dataclass(frozen=True)
class Pictures:
    """The pictures of one split, by their content."""

    pixels: list[list[str]]
    """N lists: a digest of each picture that is there."""


def pictures_by_file(
    splits: Mapping[str, ImageTable],
    columns: Sequence[str],
    *,
    roots: Sequence[Path],
    cache_dir: Path,
    report: Callable[[int, int], None],
) -> tuple[dict[str, Pictures], int]:
    """For data whose images no model reads, so that nobody decodes them: digests of the bytes of the files,
    and how many cannot be read. A column that a split lacks is none of its images. `report(done, total)` may
    raise.
    """
    located = {
        split: locate_cells(part, [column for column in columns if column in part.table.cells], roots)
        for split, part in splits.items()
    }
    paths = {cell for cells in located.values() for row in cells for cell in row if isinstance(cell, Path)}
    files = identify(sorted(paths), cache_dir / "prepared" / "files.jsonl", report=report)
    pictures, lost = {}, 0
    for split, cells in located.items():
        pixels = []
        for row in cells:
            found = [files[cell] for cell in row if isinstance(cell, Path)]
            pixels.append([file.digest for file in found if isinstance(file, ImageFile)])
            lost += sum(1 for cell in row if cell is not None) - len(pixels[-1])
        pictures[split] = Pictures(pixels)
    return pictures, lost
