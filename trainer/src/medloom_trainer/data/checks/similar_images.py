"""Near-duplicate images with different pixels: copies in another format, quality or size, mirrored, rotated
or cropped.

All records that the model reads have one size, so copies only differ by noise. The comparison uses small gray
versions, and for those that agree also their gradients, in which different images of the same anatomy differ.
Images of one patient may be similar and are not compared, nor are images with one value everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image
from threadpoolctl import threadpool_limits

from medloom_trainer.contract.phrases import join, phrase
from medloom_trainer.data.checks.aligned_images import LEAST_IMAGES, Aligned, aligned_pairs
from medloom_trainer.data.checks.rotations import ROTATIONS, rotate
from medloom_trainer.data.images import Pixels
from medloom_trainer.data.splits import SplitCases
from medloom_trainer.data.tables import name_rows
from medloom_trainer.data.types import ImageStore, Report
from medloom_trainer.warnings import Warnings, warning

_SIDE = 32
_COARSE = 16
_COARSE_CORRELATION = 0.95
_GRADIENT_CORRELATION = 0.88
MOST_IMAGES = 10_000
"""Limit of images: comparing more takes too long."""
_BLOCK = 512

_Floats = npt.NDArray[np.float32]
_Owner = tuple[str, int, object]
"""(split, row, patient)."""


def find_similar_images(
    splits: Mapping[str, SplitCases], patient: str | None, store: ImageStore | None, report: Report
) -> Warnings:
    """Warnings about similar images of different patients within a split, and about a suspected leak between
    two splits. patient: the column; without one, each case counts as a patient. report: that of the
    preparation."""
    owners = _owners_of(splits, patient)
    if store is None or not owners:
        return []
    if len(owners) > MOST_IMAGES:
        message = phrase("copies_not_searched", images=len(owners))
        return [warning("LEAK_CHECK_INCOMPLETE", message)]
    slots = np.asarray(list(owners), dtype=np.int64)
    thumbs = _thumbnails(store, slots, report)
    found: dict[tuple[str, str], set[int]] = {}
    shown = slots[thumbs.shown].tolist()
    # Products of few images are so small that threads of BLAS only wait for each other.
    with threadpool_limits(limits=1, user_api="blas") if len(slots) <= _BLOCK else nullcontext():
        found_alike = alike(thumbs)
    pairs = [(shown[a], shown[b]) for a, b in found_alike.pairs]
    pairs += [(slot, slot) for slot in shown]
    for first, second in pairs:
        _note(owners[first], owners[second], first == second, list(splits), found)
    warnings = [_warning_of(pair, rows, splits) for pair, rows in found.items()]
    if found_alike.skipped is not None and len(shown) > 1:
        warnings.append(warning("LEAK_CHECK_INCOMPLETE", found_alike.skipped))
    return warnings


def _note(
    firsts: Sequence[_Owner],
    seconds: Sequence[_Owner],
    is_one: bool,
    order: Sequence[str],
    found: dict[tuple[str, str], set[int]],
) -> None:
    """found: (split, split) → rows of the second one."""
    pairs = combinations(firsts, 2) if is_one else product(firsts, seconds)
    for one, other in pairs:
        if one[2] != other[2]:
            early, late = sorted((one, other), key=lambda owner: (order.index(owner[0]), owner[1]))
            found.setdefault((early[0], late[0]), set()).add(late[1])


def _warning_of(pair: tuple[str, str], rows: set[int], splits: Mapping[str, SplitCases]) -> dict[str, Any]:
    first, second = pair
    table = splits[second].table
    where = join(table.name, name_rows(table, sorted(rows)))
    if first == second:
        message = phrase("alike_within", count=len(rows), split=second, rows=where)
    else:
        message = phrase("alike_between", count=len(rows), split=second, rows=where, other=first)
    return warning("IMAGES_ALIKE", message)


def _owners_of(splits: Mapping[str, SplitCases], patient: str | None) -> dict[int, list[_Owner]]:
    """Slot of the store → the cases that have this image."""
    owners: dict[int, list[_Owner]] = {}
    for split, part in splits.items():
        if part.views is None:
            continue
        names = part.table.cells.get(patient or "", [""] * len(part.table))
        for row, slots in enumerate(part.views.slots.tolist()):
            for slot in slots:
                if slot >= 0:
                    owners.setdefault(slot, []).append((split, row, names[row] or (split, row)))
    return owners


@dataclass(frozen=True)
class Thumbnails:
    """Gray thumbnails of M images for the search of near-duplicates."""

    gray: _Floats
    """(M, side, side)"""
    shown: npt.NDArray[np.int64]
    """(M,) positions of the images that are not blank."""

    @classmethod
    def from_images(cls, thumbs: Sequence[_Floats], shown: Sequence[int]) -> Thumbnails:
        side = thumbs[0].shape if thumbs else (0, 0)
        return cls(
            np.asarray(thumbs, dtype=np.float32).reshape(len(thumbs), *side), np.asarray(shown, np.int64)
        )


def _thumbnails(store: ImageStore, slots: npt.NDArray[np.int64], report: Report) -> Thumbnails:
    thumbs, shown = [], []
    for position, slot in enumerate(slots.tolist()):
        if position % 100 == 0:
            report(phrase("finding_copies"), 0.96)
        record = store.gather(np.asarray([[slot]]))[0, 0]
        if (thumb := thumbnail_of(record)) is not None:
            shown.append(position)
            thumbs.append(thumb)
    return Thumbnails.from_images(thumbs, shown)


def thumbnail_of(record: Pixels) -> _Floats | None:
    """(H, W, C) → the small gray version for the comparison; None for a blank image."""
    gray = _gray(record)
    return _shrunk(gray, _SIDE) if np.ptp(gray) > 0 else None


def _gray(record: Pixels) -> _Floats:
    """The mean of the channels, like `record.mean(axis=2, dtype=np.float32)` in a fifth of the time."""
    channels = record.shape[2]
    total = record[:, :, 0].astype(np.float32)
    for channel in range(1, channels):
        total += record[:, :, channel]
    return np.asarray(total / channels, dtype=np.float32)


def _shrunk(gray: _Floats, side: int) -> _Floats:
    size = (min(side, gray.shape[1]), min(side, gray.shape[0]))
    return np.asarray(Image.fromarray(gray).resize(size, Image.Resampling.BOX))


def alike(thumbs: Thumbnails) -> Aligned:
    """Pairs of positions (first < second) of thumbnails that are near-duplicates, and the reason why copies
    that are rotated by some degrees or cropped were not searched."""
    found = set(_turned(thumbs)) if len(thumbs.gray) else set()
    aligned = aligned_pairs(thumbs.gray)
    found |= {(min(pair), max(pair)) for pair in aligned.pairs}
    return Aligned(sorted(found), aligned.skipped)


def _turned(thumbs: Thumbnails) -> Iterator[tuple[int, int]]:
    """Pairs that agree, if the first one is rotated by quarter turns or mirrored."""
    is_square = thumbs.gray.shape[1] == thumbs.gray.shape[2]
    upright, many = _coarse(thumbs.gray), len(thumbs.gray) >= LEAST_IMAGES
    # The mean of many images is subtracted before both comparisons.
    shared = upright.mean(axis=0) if many else np.zeros(1, dtype=np.float32)
    shared_gradients = _gradients(thumbs.gray).mean(axis=0) if many else np.zeros(1, dtype=np.float32)
    coarse = _units(upright - shared)
    found: set[tuple[int, int]] = set()
    for turn in ROTATIONS if is_square else ROTATIONS[::2]:
        rotated = coarse if turn == (0, False) else _units(_coarse(rotate(thumbs.gray, *turn)) - shared)
        for first, second in _agreeing(rotated, coarse):
            if (first, second) in found:
                continue
            pair = np.stack([rotate(thumbs.gray[first : first + 1], *turn)[0], thumbs.gray[second]])
            one, other = _units(_gradients(pair) - shared_gradients)
            if float(one @ other) >= _GRADIENT_CORRELATION:
                found.add((first, second))
                yield first, second


def _agreeing(rotated: _Floats, coarse: _Floats) -> Iterator[tuple[int, int]]:
    """Pairs (first < second) whose small versions agree if the first is rotated."""
    for start in range(0, len(coarse), _BLOCK):
        block = rotated[start : start + _BLOCK] @ coarse[start:].T
        for first, second in np.argwhere(np.triu(block, 1) >= _COARSE_CORRELATION).tolist():
            yield start + first, start + second


def _coarse(gray: _Floats) -> _Floats:
    """(M, side, side) → (M, at most 16 · 16)"""
    if gray.shape[1:] == (2 * _COARSE, 2 * _COARSE):
        small = halved(gray)
    else:
        small = np.asarray([_shrunk(np.ascontiguousarray(thumb), _COARSE) for thumb in gray])
    return _units(small.reshape(len(gray), -1))


def halved(gray: _Floats) -> _Floats:
    """Equal to `_shrunk` at half the side, bit for bit, without a call for each image."""
    rows = (gray[:, :, ::2] + gray[:, :, 1::2]) / 2
    return np.asarray((rows[:, ::2] + rows[:, 1::2]) / 2, dtype=np.float32)


def _gradients(gray: _Floats) -> _Floats:
    rows, columns = (np.diff(gray, axis=axis).reshape(len(gray), -1) for axis in (1, 2))
    return _units(np.concatenate([rows, columns], axis=1))


def _units(vectors: npt.NDArray[Any]) -> _Floats:
    """Scale each to mean 0 and length 1; the zero vector is unchanged."""
    if not len(vectors):
        return vectors.reshape(0, 1)
    centered = vectors - vectors.mean(axis=1, keepdims=True)
    length = np.linalg.norm(centered, axis=1, keepdims=True)
    return np.asarray(centered / np.where(length > 0, length, 1), dtype=np.float32)
