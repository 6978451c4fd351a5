"""MedMNIST: a NumPy archive with the arrays train_images, train_labels, val_images, … → a table with a row
for each image. The cells of its images name the archive and the image in it (`name_npz_image`)."""

from __future__ import annotations

import hashlib
import io
import math
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import Phrased, join, phrase
from medloom_trainer.data.tables.cells import name_series
from medloom_trainer.data.tables.table import Table, make_table
from medloom_trainer.data.tables.table_width import refuse_wide
from medloom_trainer.errors import TrainerError
from medloom_trainer.memory_limit import limit_bytes

NPZ_SPLITS = ("train", "val", "test")
_INDEX_BITS = 28


def read_medmnist(content: bytes, name: str, cell: str) -> Table:
    """cell: path of the archive as the image cells name it. One column of labels is `label`; several are
    `label_0`, `label_1`, ….

    DATASET_INVALID for an archive with other arrays, TABLE_TOO_LARGE for too many labels of an image.
    """
    try:
        labels = _read_labels(content, name)
    except TrainerError:
        raise
    except Exception as error:  # a damaged archive raises any error of zipfile and NumPy
        problem = phrase("not_a_numpy_archive", error=type(error).__name__)
        raise _invalid(name, problem, phrase("download_again")) from None
    if not labels:
        raise _invalid(name, phrase("lacks_medmnist_arrays"))
    width = next(iter(labels.values())).shape[1]
    if any(array.shape[1] != width for array in labels.values()):
        raise _invalid(name, phrase("splits_differ_in_labels"))
    columns: dict[str, list[str]] = {"image": [], "split": []}
    for split, array in labels.items():
        columns["image"] += [name_npz_image(cell, split, index) for index in range(len(array))]
        columns["split"] += [split] * len(array)
        for place in range(width):
            texts = columns.setdefault("label" if width == 1 else f"label_{place}", [])
            texts += [str(int(value)) for value in array[:, place].tolist()]
    if not columns["image"]:
        raise _invalid(name, phrase("contains_no_image"))
    return replace(make_table(name, columns), digest=hashlib.sha256(content).hexdigest())


def _invalid(name: str, problem: Phrased, remedy: Phrased | None = None) -> TrainerError:
    message = join(name, problem, mark="space")
    return TrainerError("DATASET_INVALID", message, remedy or phrase("table_and_images_as_files"))


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


@dataclass(frozen=True)
class _Header:
    """Shape and type of an array, which are read before the array itself is unpacked."""

    shape: tuple[int, ...]
    kind: np.dtype[Any]

    @property
    def size(self) -> int:
        """In bytes."""
        return math.prod(self.shape) * self.kind.itemsize


def _read_labels(content: bytes, name: str) -> dict[str, npt.NDArray[Any]]:
    """Split → (N, labels of each image)."""
    labels: dict[str, npt.NDArray[Any]] = {}
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = set(archive.namelist())
        for split in NPZ_SPLITS:
            member = f"{split}_labels.npy"
            if member not in members:
                continue
            images = f"{split}_images.npy"
            if images not in members:
                raise _invalid(name, phrase("labels_without_images", split=split))
            shown, given = _header(archive, images, name), _header(archive, member, name)
            _refuse_other_labels(split, shown, given, name)
            with archive.open(member) as file:
                array = np.lib.format.read_array(file, allow_pickle=False)
            if array.dtype.kind == "f" and not np.all(np.isfinite(array) & (array == np.floor(array))):
                raise _invalid(name, phrase("labels_not_whole", split=split))
            labels[split] = array[:, None] if array.ndim == 1 else array
    return labels


def _refuse_other_labels(split: str, images: _Header, labels: _Header, name: str) -> None:
    flat = len(labels.shape) == 1 or (len(labels.shape) == 2 and labels.shape[1] > 0)
    if labels.kind.kind not in "biuf" or not flat:
        facts = {"shape": _short(labels.shape), "type": _short(labels.kind)}
        raise _invalid(name, phrase("labels_of_shape", split=split, **facts))
    if len(images.shape) < 3 or images.shape[0] != labels.shape[0]:
        shape = _short(images.shape)
        raise _invalid(name, phrase("labels_unlike_images", number=labels.shape[0], split=split, shape=shape))
    if labels.shape[0] >= 1 << _INDEX_BITS:
        raise _invalid(name, phrase("too_many_images_of_split", split=split))
    refuse_wide(labels.shape[-1] if len(labels.shape) > 1 else 1, f"{name}, {split}_labels")


def _short(value: object) -> str:
    return str(value)[:60]


def _header(archive: zipfile.ZipFile, member: str, name: str) -> _Header:
    """DATASET_INVALID if the array does not fit into memory, or is longer than its file."""
    with archive.open(member) as file:
        version = np.lib.format.read_magic(file)
        if version == (1, 0):
            shape, _, kind = np.lib.format.read_array_header_1_0(file)
        else:
            shape, _, kind = np.lib.format.read_array_header_2_0(file)
    found, length = _Header(shape, kind), archive.getinfo(member).file_size
    if min(shape, default=0) < 0 or found.size > length:
        raise _invalid(name, phrase("array_damaged", array=member), phrase("download_again"))
    limit = limit_bytes()
    if length > limit:
        problem = phrase("array_above_memory", array=member, size=length, limit=limit)
        raise _invalid(name, problem)
    return found
