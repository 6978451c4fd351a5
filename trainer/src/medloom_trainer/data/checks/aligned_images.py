"""Images that agree once one of them is rotated by some degrees, scaled and shifted: copies that were
straightened or cropped.

Each image is aligned with its nearest neighbors alone, so that the work grows with the number of images. The
similarity transform is found by least squares at half the side, then at the whole one (Baker and Matthews
2004, inverse compositional). Only a disc within the square is compared, since a rotation leaves the corners
empty.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import Phrased, phrase
from medloom_trainer.data.checks.rotations import ROTATIONS, rotate

LEAST_IMAGES = 30
"""With fewer images, their mean, which is subtracted, consists too much of each single image."""
NEIGHBORS = 3
"""Each image is aligned with so many others, whatever the number of images."""
_LEAST_CORRELATION = 0.5
"""Correlation of neighbors before the alignment."""
_GRADIENT_CORRELATION = 0.86
"""After the alignment. Of 746 photos of skin lesions the ten nearest of other patients reach 0.82."""
_DISTINCT = 0.25
"""A copy differs from its original at most this much as from the last of its neighbors."""
_MOST_ALIKE = 0.35
"""If the last neighbor of half of the images agrees more than this, the images are too simple, or show one
anatomy too uniformly, to distinguish a copy from another patient: 0.15 for photos of skin lesions, 0.47 for
slices of the hippocampus."""
_SIDE = 32
"""Smaller images do not show enough to be distinguished."""
_STEPS = ((2, 8), (1, 4))
"""(divisor of the side, steps) of each level."""
_MOST_SCALED, _MOST_SHIFTED = 0.25, 0.2
"""Largest change of scale and angle, and largest shift in halves of the side."""
_RADIUS = 0.94
"""Beyond it the pixels of a rotated image mix with its empty corners."""
_LEAST_OVERLAP = 0.6
"""Share of the disc that both images show after the alignment."""
_BLOCK = 512
_EDGE = 1e-9

_Floats = npt.NDArray[np.float32]
_Complex = npt.NDArray[np.complex64]
_Indices = npt.NDArray[np.int64]


class Aligned(NamedTuple):
    """Pairs of different positions, and the reason why none was searched; None if they were."""

    pairs: list[tuple[int, int]]
    skipped: Phrased | None = None


def aligned_pairs(gray: _Floats) -> Aligned:
    """gray: (M, side, side), none of them blank."""
    if len(gray) < LEAST_IMAGES:
        return Aligned([], phrase("aligned_too_few", needed=LEAST_IMAGES))
    if gray.shape[1:] != (_SIDE, _SIDE):
        return Aligned([], phrase("aligned_small", side=_SIDE))
    images = _standardized(gray)
    mean = images.mean(axis=0)
    others, turns, near = _neighbors(images - mean)
    agreement = np.zeros(others.shape, dtype=np.float32)
    firsts, places = np.nonzero(near)
    for start in range(0, len(firsts), _BLOCK):
        first, place = firsts[start : start + _BLOCK], places[start : start + _BLOCK]
        turn, second = turns[first, place], images[others[first, place]]
        agreement[first, place] = _agreement_of(images[first], second, mean, turn)
    last = agreement.min(axis=1, keepdims=True)
    if np.median(last) > _MOST_ALIKE:
        return Aligned([], phrase("aligned_uniform"))
    copies = (agreement >= _GRADIENT_CORRELATION) & (1 - agreement <= _DISTINCT * (1 - last))
    rows, columns = np.nonzero(copies)
    return Aligned(list(zip(rows.tolist(), others[rows, columns].tolist(), strict=True)))


def _agreement_of(first: _Floats, second: _Floats, mean: _Floats, turn: _Indices) -> _Floats:
    """The lower one of the correlations of the images and of their differences from the mean image: images
    of one anatomy share their outline, which is not evidence of a copy."""
    rotated = _turned_each(first, turn)
    rotated_mean = _turned_each(np.broadcast_to(mean, first.shape), turn)
    whole = aligned_correlation(rotated, second)
    return np.minimum(whole, aligned_correlation(rotated - rotated_mean, second - mean))


def aligned_correlation(first: _Floats, second: _Floats) -> _Floats:
    """(B, side, side) each → (B,) correlation of the gradients after the second image is aligned with the
    first; 0 where they overlap too little."""
    scale, shift = np.ones(len(first), dtype=np.complex64), np.zeros(len(first), dtype=np.complex64)
    for divisor, steps in _STEPS:
        scale, shift = _align(_reduced(first, divisor), _reduced(second, divisor), scale, shift, steps)
    places = scale[:, None, None] * _places(first.shape[1]) + shift[:, None, None]
    return _agreement(first, _sampled(second, places), np.abs(places) <= _RADIUS)


def _neighbors(images: _Floats) -> tuple[_Indices, _Indices, npt.NDArray[np.bool_]]:
    """(M, NEIGHBORS) each: the nearest neighbors over all turns, the turn of the image itself, and whether
    they correlate enough."""
    small = _disc_units(images)
    nearest = np.full((len(images), NEIGHBORS), -1.0, dtype=np.float32)
    others, turns = (np.zeros(nearest.shape, dtype=np.int64) for _ in range(2))
    for number, turn in enumerate(ROTATIONS):
        rotated = _disc_units(rotate(images, *turn))
        for start in range(0, len(images), _BLOCK):
            rows = slice(start, start + _BLOCK)
            correlation = rotated[rows] @ small.T
            correlation[np.arange(len(correlation)), np.arange(start, start + len(correlation))] = -1
            best = np.argpartition(-correlation, NEIGHBORS, axis=1)[:, :NEIGHBORS]
            found = np.concatenate([nearest[rows], np.take_along_axis(correlation, best, axis=1)], axis=1)
            nearest_first = np.argsort(-found, axis=1, kind="stable")[:, :NEIGHBORS]
            nearest[rows] = np.take_along_axis(found, nearest_first, axis=1)
            for known, new in ((others, best), (turns, np.full_like(best, number))):
                joined = np.concatenate([known[rows], new], axis=1)
                known[rows] = np.take_along_axis(joined, nearest_first, axis=1)
    return others, turns, nearest >= _LEAST_CORRELATION


def _turned_each(images: _Floats, turns: _Indices) -> _Floats:
    rotated = np.empty(images.shape, dtype=np.float32)
    for number, turn in enumerate(ROTATIONS):
        rotated[turns == number] = rotate(images[turns == number], *turn)
    return rotated


def _align(
    first: _Floats, second: _Floats, scale: _Complex, shift: _Complex, steps: int
) -> tuple[_Complex, _Complex]:
    """Better by some Gauss-Newton steps: `second` at scale · z + shift is `first` at z."""
    side, disc = first.shape[1], _disc(first.shape[1])
    places, wanted = _places(side)[disc], _units(first[:, disc])
    down, right = (np.gradient(first, axis=axis)[:, disc] * (side / 2) for axis in (1, 2))
    x, y = places.real, places.imag
    design = np.stack([right * x + down * y, down * x - right * y, right, down], axis=2)
    design /= _length(_centered(first[:, disc]))[..., None]
    normal = np.swapaxes(design, 1, 2) @ design + _EDGE * np.eye(4, dtype=np.float32)
    for _ in range(steps):
        values = _sampled(second, scale[:, None] * places + shift[:, None])
        gradient = np.einsum("bpi,bp->bi", design, _units(values) - wanted)
        step = np.linalg.solve(normal, gradient[..., None])[..., 0]
        factor = 1 + step[:, 0] + 1j * step[:, 1]
        moved = shift - scale * (step[:, 2] + 1j * step[:, 3]) / factor
        scale, shift = 1 + _limited(scale / factor - 1, _MOST_SCALED), _limited(moved, _MOST_SHIFTED)
    return scale, shift


def _agreement(first: _Floats, second: _Floats, inside: npt.NDArray[np.bool_]) -> _Floats:
    """inside: (B, side, side) where the second image shows something."""
    disc = _disc(first.shape[1])
    shown = inside & disc
    # A pixel counts with the one above and the one to the left of it.
    both = shown[:, 1:, 1:] & shown[:, :-1, 1:] & shown[:, 1:, :-1]
    weight = np.tile(both.reshape(len(first), (first.shape[1] - 1) ** 2), 2)
    correlation = (_units(_gradients(first), weight) * _units(_gradients(second), weight)).sum(axis=1)
    overlap = shown.sum(axis=(1, 2)) / disc.sum()
    return np.where(overlap >= _LEAST_OVERLAP, correlation, 0).astype(np.float32)


def _gradients(images: _Floats) -> _Floats:
    """(B, side, side) → (B, 2 P) differences from the pixel above and from the one to the left."""
    count, pixels = len(images), (images.shape[1] - 1) ** 2
    down, right = np.diff(images, axis=1)[:, :, 1:], np.diff(images, axis=2)[:, 1:, :]
    return np.concatenate([down.reshape(count, pixels), right.reshape(count, pixels)], axis=1)


def _sampled(images: _Floats, places: _Complex) -> _Floats:
    """images (B, side, side) at places (B, ...) by bilinear interpolation; the edge continues."""
    side = images.shape[1]
    row, column = (
        np.clip((part + 1) * (side / 2) - 0.5, 0, side - 1.001) for part in (places.imag, places.real)
    )
    top, left = row.astype(np.int64), column.astype(np.int64)
    low, far = row - top, column - left
    image = np.arange(len(images)).reshape(-1, *[1] * (places.ndim - 1))
    flat, corner = images.reshape(-1), (image * side + top) * side + left
    upper = flat[corner] * (1 - far) + flat[corner + 1] * far
    lower = flat[corner + side] * (1 - far) + flat[corner + side + 1] * far
    return np.asarray(upper * (1 - low) + lower * low, dtype=np.float32)


def _places(side: int) -> _Complex:
    """(side, side) x + iy of each pixel, from -1 to 1."""
    axis = (np.arange(side) + 0.5) * (2 / side) - 1
    return np.asarray(axis + 1j * axis[:, None], dtype=np.complex64)


def _disc(side: int) -> npt.NDArray[np.bool_]:
    return np.asarray(np.abs(_places(side)) <= _RADIUS)


def _reduced(images: _Floats, divisor: int) -> _Floats:
    side = images.shape[1] // divisor
    parts = images.reshape(len(images), side, divisor, side, divisor)
    return np.asarray(parts.mean(axis=(2, 4)), dtype=np.float32)


def _limited(values: npt.NDArray[Any], most: float) -> _Complex:
    return np.asarray(values * np.minimum(1, most / np.maximum(np.abs(values), _EDGE)), dtype=np.complex64)


def _standardized(gray: _Floats) -> _Floats:
    """Mean 0 and deviation 1 within the disc."""
    values = gray[:, _disc(gray.shape[1])]
    mean, deviation = values.mean(axis=1), np.maximum(values.std(axis=1), _EDGE)
    return np.asarray((gray - mean[:, None, None]) / deviation[:, None, None], dtype=np.float32)


def _disc_units(images: _Floats) -> _Floats:
    small = _reduced(np.ascontiguousarray(images), 2)
    return _units(small[:, _disc(small.shape[1])])


def _units(values: _Floats, weight: npt.NDArray[Any] | float = 1.0) -> _Floats:
    """(B, P) → each row with mean 0 and length 1 over the places that have a weight."""
    centered = _centered(values, weight)
    return np.asarray(centered / _length(centered), dtype=np.float32)


def _centered(values: _Floats, weight: npt.NDArray[Any] | float = 1.0) -> _Floats:
    weights = np.broadcast_to(np.asarray(weight, dtype=np.float32), values.shape)
    mean = (values * weights).sum(axis=1, keepdims=True) / np.maximum(weights.sum(axis=1, keepdims=True), 1)
    return np.asarray((values - mean) * weights, dtype=np.float32)


def _length(values: _Floats) -> _Floats:
    length = np.linalg.norm(values, axis=1, keepdims=True)
    return np.asarray(np.maximum(length, _EDGE), dtype=np.float32)
