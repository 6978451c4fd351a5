"""Images in a NumPy archive (MedMNIST), each of which is read like a PNG file."""

from __future__ import annotations

import io
import os
import threading
import zipfile
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.images.decoded import UnreadableImage
from medloom_trainer.data.tables import npz_image
from medloom_trainer.regular_files import open_regular

_one_reader = threading.Lock()
"""Several threads must not unpack the same array."""


def read_npz_image(path: str, key: str) -> bytes:
    """One image as PNG. key: as the cell names it. UnreadableImage if the archive does not have it; OSError
    as in `open_regular`."""
    named = npz_image(key)
    found = os.stat(path)
    if named is None:
        raise UnreadableImage(phrase("image_not_in_archive"))
    with _one_reader:
        images = _array(path, found.st_mtime_ns, found.st_size, named[0])
    if images is None or named[1] >= len(images):
        raise UnreadableImage(phrase("image_not_in_archive"))
    try:
        image = Image.fromarray(images[named[1]])
    except TypeError:
        raise UnreadableImage(phrase("image_not_eight_bits")) from None
    written = io.BytesIO()
    image.save(written, "PNG", compress_level=0)
    return written.getvalue()


@lru_cache(maxsize=3)
def _array(path: str, changed: int, size: int, name: str) -> npt.NDArray[Any] | None:
    """changed, size: of the file, so that another content is read again."""
    try:
        with open_regular(path) as file, np.load(file, allow_pickle=False) as arrays:
            return np.asarray(arrays[name])
    except (ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
