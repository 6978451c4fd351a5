"""Targets of an image path: an image file, one slice of a file, or a folder with a series of DICOM files."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from medloom_trainer.contract.phrases import Phrased, phrase
from medloom_trainer.data.images.decoded import Content, ImageHeader, UnreadableImage
from medloom_trainer.data.images.decoders import read_header
from medloom_trainer.data.images.npz_images import read_npz_image
from medloom_trainer.data.images.series import read_series, series_files
from medloom_trainer.data.tables import split_series, split_slice
from medloom_trainer.regular_files import NotRegularError, read_regular, special_kind

MISSING = phrase("file_missing")
"""Reason for a file that does not exist."""


@dataclass(frozen=True)
class Stamp:
    """File attributes that change with the content, available without reading it."""

    size: int
    """In bytes."""
    marks: list[int]
    changed: float
    """In seconds since 1970."""


def whole_of(path: Path) -> Path:
    """The file, or series, without the slice that a path names."""
    whole, part = split_slice(path)
    return path if part is None else Path(whole)


def stat_image(path: Path) -> Stamp:
    """UnreadableImage if there is no file."""
    place = split_series(whole_of(path))[0]
    try:
        found = os.stat(place)
        if kind := special_kind(place):
            raise UnreadableImage(phrase("image_not_regular", kind=kind))
        if not stat.S_ISDIR(found.st_mode):
            return _stamp(found)
        stamps = [(file.name, _stamp(os.stat(file))) for file in series_files(Path(place))]
    except (OSError, ValueError) as error:
        raise UnreadableImage(_why_not_opened(error)) from None
    names = hashlib.sha256(repr([(name, stamp.marks) for name, stamp in stamps]).encode("utf-8", "replace"))
    return Stamp(
        sum(stamp.size for _, stamp in stamps),
        [len(stamps), int.from_bytes(names.digest()[:6], "big")],
        max([found.st_mtime, *(stamp.changed for _, stamp in stamps)]),
    )


def _stamp(found: os.stat_result) -> Stamp:
    marks = [found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino]
    return Stamp(found.st_size, marks, max(found.st_mtime, found.st_ctime))


def open_image(path: Path) -> tuple[Content, ImageHeader]:
    """Content and header of the target of a path. UnreadableImage gives the reason in the same words in every
    caller.
    """
    whole, part = split_slice(path)
    place, key = split_series(whole)
    try:
        if os.path.isdir(place):
            content: Content = read_series(Path(place), key)
        else:
            content = read_regular(place) if key is None else read_npz_image(place, key)
    except NotRegularError as error:
        raise UnreadableImage(error.reason) from None
    except (OSError, ValueError) as error:
        raise UnreadableImage(_why_not_opened(error)) from None
    return content, read_header(content, part)


def digest_content(content: Content) -> str:
    """sha256 of the bytes of a file, or over those of the files of a series."""
    if isinstance(content, bytes):
        return hashlib.sha256(content).hexdigest()
    return hashlib.sha256(b"".join(hashlib.sha256(file).digest() for file in content)).hexdigest()


def _why_not_opened(error: Exception) -> Phrased:
    missing = isinstance(error, FileNotFoundError | NotADirectoryError | ValueError)
    too_long = isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG
    return MISSING if missing or too_long else phrase("file_not_opened")
