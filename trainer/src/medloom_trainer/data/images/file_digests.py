"""What the image files of cases contain, without decoding them: digests of their bytes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from medloom_trainer.data.images.image_files import ImageFile, identify
from medloom_trainer.data.images.locate import locate_cells, paths_of
from medloom_trainer.data.tables import ImageTable


def digest_files(
    splits: Mapping[str, ImageTable],
    columns: Sequence[str],
    *,
    roots: Sequence[Path],
    cache_dir: Path,
    report: Callable[[int, int], None],
) -> tuple[dict[str, list[list[str]]], int]:
    """(split → N lists: a digest of each image of a case that can be read, how many cannot).

    For data whose images no model reads: they are not decoded. A column that a split lacks is left out for
    that split. `report(done, total)` may raise.
    """
    located = {
        split: locate_cells(part, [column for column in columns if column in part.table.cells], roots)
        for split, part in splits.items()
    }
    paths = paths_of(row for cells in located.values() for row in cells)
    files = identify(paths, cache_dir, report=report)
    digests: dict[str, list[list[str]]] = {}
    unreadable = 0
    for split, cells in located.items():
        digests[split] = []
        for row in cells:
            found = [files[cell] for cell in row if isinstance(cell, Path)]
            digests[split].append([file.digest for file in found if isinstance(file, ImageFile)])
            unreadable += sum(cell is not None for cell in row) - len(digests[split][-1])
    return digests, unreadable
