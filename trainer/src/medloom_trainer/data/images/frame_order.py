"""Frames of an enhanced DICOM file in the order of their positions: the stored order has no meaning."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from pydicom.dataset import Dataset

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.images.decoded import UnreadableImage
from medloom_trainer.data.images.slice_positions import count_repeated, places_along, refuse_gaps


def frame_order(data: Dataset, count: int) -> list[int]:
    """Indexes of the frames along the normal of their slices; in stored order if the file contains no
    positions, such as a film of an ultrasound.

    UnreadableImage if frames have one position (time points, echoes), several orientations, or gaps.
    """
    placed = frame_positions(data, count)
    if placed is None:
        return list(range(count))
    positions, orientation = placed
    if repeated := count_repeated(positions, orientation):
        raise UnreadableImage(phrase("image_repeated_frames", count=repeated))
    places = places_along(positions, orientation)
    order = np.argsort(places, kind="stable")
    refuse_gaps(places[order])
    return [int(index) for index in order]


def frame_positions(
    data: Dataset, count: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]] | None:
    """((N, 3) positions, (6,) orientation) of the frames; None if the file does not contain them."""
    frames = list(data.get("PerFrameFunctionalGroupsSequence") or [])
    if count < 2 or len(frames) != count:
        return None
    shared = list(data.get("SharedFunctionalGroupsSequence") or [])[:1]
    positions = [_value([frame], "PlanePositionSequence", "ImagePositionPatient", 3) for frame in frames]
    orientations = [
        _value([frame, *shared], "PlaneOrientationSequence", "ImageOrientationPatient", 6) for frame in frames
    ]
    if any(given is None for given in (*positions, *orientations)):
        return None
    directions = np.asarray(orientations, dtype=np.float64)
    if np.ptp(directions, axis=0).max() > 0.01:
        number = len(np.unique(np.round(directions, 2), axis=0))
        raise UnreadableImage(phrase("image_several_volumes", number=str(number)))
    return np.asarray(positions, dtype=np.float64), directions[0]


def orientation_of(data: Dataset, frame: int) -> npt.NDArray[np.float64] | None:
    """(6,) direction of the rows of a frame, then of its columns; None if the file does not contain it."""
    given = data.get("ImageOrientationPatient")
    if not given or len(given) != 6:
        frames = list(data.get("PerFrameFunctionalGroupsSequence") or [])
        shared = list(data.get("SharedFunctionalGroupsSequence") or [])[:1]
        own = frames[frame : frame + 1]
        given = _value([*own, *shared], "PlaneOrientationSequence", "ImageOrientationPatient", 6)
    return None if given is None else np.asarray([float(value) for value in given], dtype=np.float64)


def _value(groups: list[Any], sequence: str, name: str, size: int) -> list[float] | None:
    """The value of the first functional group that has it."""
    for group in groups:
        for item in list(group.get(sequence) or [])[:1]:
            given = item.get(name)
            if given and len(given) == size:
                return [float(value) for value in given]
    return None
