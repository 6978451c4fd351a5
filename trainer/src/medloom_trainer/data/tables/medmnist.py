"""MedMNIST: a NumPy archive with the arrays train_images, train_labels, val_images, … → a table with a row
for each image. The cells of its images name the archive and the image in it (`name_npz_image`)."""

from __future__ import annotations

import hashlib
import io
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.tables.cells import name_series
from medloom_trainer.data.tables.table import Table, make_table
from medloom_trainer.errors import TrainerError

NPZ_SPLITS = ("train", "val", "test")
_INDEX_BITS = 28


def read_medmnist(content: bytes, name: str, cell: str) -> Table:
    """cell: path of the archive as the image cells name it. One column of labels is `label`; several are
    `label_0`, `label_1`, ….

    DATASET_INVALID for an archive with other arrays.
    """
    columns: dict[str, list[str]] = {"image": [], "split": []}
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            splits = [split for split in NPZ_SPLITS if f"{split}_labels" in arrays.files]
            labels = [_labels(arrays[f"{split}_labels"]) for split in splits]
    except (ValueError, OSError, EOFError, zipfile.BadZipFile) as error:
        message = f"{name} cannot be read as a NumPy archive ({type(error).__name__})"
        raise TrainerError("DATASET_INVALID", message) from None
    if not splits or len({array.shape[1] for array in labels}) > 1:
        message = f"{name} does not have the arrays of MedMNIST, such as train_images and train_labels"
        raise TrainerError("DATASET_INVALID", message, "Save the table as CSV and the images as files.")
    width = labels[0].shape[1]
    for split, array in zip(splits, labels, strict=True):
        columns["image"] += [name_npz_image(cell, split, index) for index in range(len(array))]
        columns["split"] += [split] * len(array)
        for place in range(width):
            texts = columns.setdefault("label" if width == 1 else f"label_{place}", [])
            texts += [str(value) for value in array[:, place].tolist()]
    return replace(make_table(name, columns), digest=hashlib.sha256(content).hexdigest())


def name_npz_image(path: str | Path, split: str, index: int) -> str:
    """The cell of one image of an archive; `npz_image` is its inverse."""
    return name_series(path, f"{NPZ_SPLITS.index(split) << _INDEX_BITS | index:08x}")


def npz_image(key: str) -> tuple[str, int] | None:
    """(name of the array, index in it) of the key of a cell; None if there is no such array."""
    number = int(key, 16)
    split = number >> _INDEX_BITS
    return (
        (f"{NPZ_SPLITS[split]}_images", number & (1 << _INDEX_BITS) - 1) if split < len(NPZ_SPLITS) else None
    )


def _labels(array: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    whole = array.astype(np.int64)
    return whole.reshape(len(whole), -1)
