"""The task `leaks`: pairs of cases that would be a leak between splits. A patient in two splits; the same
image file, or near-duplicate images, of different patients. Near-duplicates are defined as in a training.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from medloom_trainer.browse.cases import describe_case
from medloom_trainer.browse.index import CaseIndex, Progress, open_index
from medloom_trainer.browse.source import Source
from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.cache import ImageSettings
from medloom_trainer.data.checks import MOST_IMAGES, Thumbnails, alike, thumbnail_of
from medloom_trainer.data.images import (
    UnreadableImage,
    decode_parts,
    digest_content,
    locate_cells,
    open_image,
    to_record,
)
from medloom_trainer.data.tables import ImageTable, make_table, split_slice

_Place = tuple[int, int]
"""(row, number of the image column)."""


@dataclass(frozen=True)
class _Pair:
    kind: str
    """"patient", "same" or "alike"."""
    first: _Place
    second: _Place


def leaks(params: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """params: contract WORKER_TASKS.leaks → its result."""
    source = Source.from_dataset(params["dataset"])
    index = open_index(source, progress)
    places = _places(source, index)
    looks = _Looks.from_places(places, params["data"], progress)
    progress(phrase("comparing_images"), 0.97)
    pairs = [*_patients(index), *_same(index, places, looks), *_alike(index, places, looks)]
    # Pairs in two splits first: those are leaks now; the others become one when a training divides the cases.
    pairs.sort(key=lambda pair: _splits(index, pair)[0] == _splits(index, pair)[1])
    return {
        "pairs": [_describe(index, pair) for pair in pairs[: params["most_pairs"]]],
        "totals": {kind: sum(pair.kind == kind for pair in pairs) for kind in ("patient", "same", "alike")},
        "images": len(places),
        "unreadable": looks.unreadable,
        "compared": len(places) <= MOST_IMAGES,
        "digest": index.key,
    }


def _places(source: Source, index: CaseIndex) -> dict[Path, list[_Place]]:
    """Image file → its positions in the table."""
    columns = index.columns_of("image")
    if not columns:
        return {}
    texts = {column: [index.values(column).texts[code] for code in index.codes(column)] for column in columns}
    cells = locate_cells(ImageTable(make_table("", texts), source.image_root), columns, source.roots)
    places: dict[Path, list[_Place]] = {}
    for row, found in enumerate(cells):
        for image, path in enumerate(found):
            if isinstance(path, Path):
                places.setdefault(path, []).append((row, image))
    return places


@dataclass(frozen=True)
class _Looks:
    """Images that are readable and not blank, in the order of the table."""

    paths: list[Path]
    digests: list[str]
    thumbnails: Thumbnails
    unreadable: int

    @classmethod
    def from_places(
        cls, paths: Sequence[Path] | Mapping[Path, Any], data: Mapping[str, Any], progress: Progress
    ) -> _Looks:
        settings = ImageSettings.of_config(data)
        shown, digests, thumbs, unreadable = [], [], [], 0
        for done, path in enumerate(paths):
            progress(phrase("examining_images"), 0.95 * done / len(paths))
            try:
                content, _ = open_image(path)
                pixels = decode_parts(content, [split_slice(path)[1]])[0]
                if isinstance(pixels, UnreadableImage):
                    raise pixels
            except UnreadableImage:
                unreadable += 1
                continue
            thumb = thumbnail_of(to_record(pixels, settings.size, 8, settings.window, settings.fit))
            if thumb is not None:
                shown.append(path)
                digests.append(digest_content(content))
                thumbs.append(thumb)
        return cls(shown, digests, Thumbnails.from_images(thumbs, list(range(len(shown)))), unreadable)


def _patients(index: CaseIndex) -> Iterator[_Pair]:
    """For each patient, pairs of its first case and the first one in every other split."""
    for column in index.columns_of("patient"):
        first: dict[int, dict[int, int]] = {}
        for row in np.flatnonzero(~index.is_missing(column)).tolist():
            first.setdefault(int(index.codes(column)[row]), {}).setdefault(int(index.split[row]), row)
        for rows in first.values():
            one, *others = rows.values()
            yield from (_Pair("patient", (one, 0), (other, 0)) for other in others)


def _same(index: CaseIndex, places: Mapping[Path, Sequence[_Place]], looks: _Looks) -> Iterator[_Pair]:
    """For each content of several patients, pairs of the first case and the others."""
    by_content: dict[tuple[str, Any], list[_Place]] = {}
    for path, digest in zip(looks.paths, looks.digests, strict=True):
        by_content.setdefault((digest, split_slice(path)[1]), []).extend(places[path])
    for found in by_content.values():
        one, *others = sorted(found)
        yield from (_Pair("same", one, other) for other in others if _are_different(index, one, other))


def _alike(index: CaseIndex, places: Mapping[Path, Sequence[_Place]], looks: _Looks) -> Iterator[_Pair]:
    """Pairs of near-duplicate images in different files."""
    if len(places) > MOST_IMAGES:
        return
    for one, other in alike(looks.thumbnails).pairs:
        if looks.digests[one] == looks.digests[other]:
            continue
        first, second = sorted((places[looks.paths[one]][0], places[looks.paths[other]][0]))
        if _are_different(index, first, second):
            yield _Pair("alike", first, second)


def _are_different(index: CaseIndex, one: _Place, other: _Place) -> bool:
    """Return whether two images are of different patients; without a patient each case counts as one."""
    patients = index.columns_of("patient")
    known = [] if not patients else [row for row, _ in (one, other) if not index.is_missing(patients[0])[row]]
    if len(known) < 2:
        return one[0] != other[0]
    codes = index.codes(patients[0])
    return int(codes[one[0]]) != int(codes[other[0]])


def _splits(index: CaseIndex, pair: _Pair) -> tuple[int, int]:
    return int(index.split[pair.first[0]]), int(index.split[pair.second[0]])


def _describe(index: CaseIndex, pair: _Pair) -> dict[str, Any]:
    first, second = (
        {**describe_case(index, row), "image": image} for row, image in (pair.first, pair.second)
    )
    return {"kind": pair.kind, "first": first, "second": second}
