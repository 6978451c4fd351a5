"""The cases of one split before anything is fitted: rows, labels and images, and the keys that connect them
to others.

An 8-byte digest of each patient and image that trained or validated a model is stored with its checkpoints:
it allows them to be recognized, and contains no patient's name.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError
from safetensors.numpy import load_file, save

from medloom_trainer.contract.run_directory import RunDirectory
from medloom_trainer.data.cache import BLAKE2B_VERSION, NEWEST_VERSION, Views
from medloom_trainer.data.tables import ImageTable, Table, stack
from medloom_trainer.data.types import CaseKeys
from medloom_trainer.files import write_atomically


@dataclass(frozen=True)
class SplitCases:
    """N cases of one split."""

    source: ImageTable
    labels: npt.NDArray[Any] | None
    """(N,) class indices or values; None if they are not read."""
    views: Views | None
    """None if no model reads the images."""
    images: list[list[str]] | None
    """N lists: a digest of each existing image, of its pixels or else of its file; None without images."""

    @property
    def table(self) -> Table:
        return self.source.table

    def take(self, rows: npt.NDArray[np.int64]) -> SplitCases:
        """The cases at these positions, in this order."""
        return replace(
            self,
            source=self.source.take(rows),
            labels=None if self.labels is None else self.labels[rows],
            views=None if self.views is None else self.views.take(rows),
            images=None if self.images is None else [self.images[row] for row in rows.tolist()],
        )

    def followed_by(self, others: SplitCases) -> SplitCases:
        """These cases followed by others, for fitting a table: without the pixels of their images."""
        names = dict.fromkeys([self.table.name, others.table.name])
        table = stack([self.table, others.table], name=" and ".join(names))
        assert self.labels is not None and others.labels is not None
        return SplitCases(
            ImageTable(table, self.source.image_root),
            np.concatenate([self.labels, others.labels]),
            None,
            None if self.images is None or others.images is None else [*self.images, *others.images],
        )

    def keys(self, patient: str | None) -> list[list[tuple[str, str]]]:
        """Keys that connect each case to others; `patient`: the column."""
        return keys_of_cases(self.table, self.images, patient)


def keys_of_cases(
    table: Table, images: Sequence[Sequence[str]] | None, patient: str | None
) -> list[list[tuple[str, str]]]:
    """Keys that connect a case to others: its patient (an empty cell connects to nobody) and its images, by
    their digests.
    """
    keys: list[list[tuple[str, str]]] = [[] for _ in range(len(table))]
    if patient is not None:
        for row, text in enumerate(table.cells[patient]):
            if text:
                keys[row].append(("patient", text))
    for row, digests in enumerate(images or ()):
        keys[row] += [("pixels", digest) for digest in digests]
    return keys


def digest_keys(keys_of_case: Sequence[Sequence[tuple[str, str]]]) -> CaseKeys:
    """keys_of_case: from `keys_of_cases`."""
    texts = [key for keys in keys_of_case for key in keys]
    return CaseKeys(
        patients=_digests(text for kind, text in texts if kind == "patient"),
        images=_digests(text for kind, text in texts if kind == "pixels"),
    )


@dataclass(frozen=True)
class SeenCases:
    """Cases that a trained model has seen."""

    known: CaseKeys
    """In training and validation."""
    trained: CaseKeys
    """Only in training: validation chose an epoch, training changed weights. Equal to `known` if an older
    version did not separate them."""
    store_version: int = NEWEST_VERSION
    """Version of the image store that computed the digests of their images: only digests of the same version
    are comparable."""


def store_version_of(seen: SeenCases | None) -> int:
    """Version of the image store whose digests can be compared with those of the seen cases."""
    return NEWEST_VERSION if seen is None else seen.store_version


def write_known_cases(run_dir: Path, train: CaseKeys, val: CaseKeys, before: SeenCases | None = None) -> None:
    """before: cases seen by the model from which the training started. DISK_FULL if there is no room."""
    trained = [train] if before is None else [train, before.trained]
    known = [*trained, val] if before is None else [*trained, val, before.known]
    tensors = {
        **{name: _union(getattr(keys, name) for keys in known) for name in ("patients", "images")},
        **{
            f"trained_{name}": _union(getattr(keys, name) for keys in trained)
            for name in ("patients", "images")
        },
        "store_version": np.asarray([store_version_of(before)], dtype=np.uint64),
    }
    write_atomically(RunDirectory(run_dir).known_cases, lambda file: file.write(save(tensors)))


def read_known_cases(run_dir: Path) -> CaseKeys | None:
    """None if no readable file exists."""
    seen = read_seen_cases(run_dir)
    return None if seen is None else seen.known


def read_seen_cases(run_dir: Path) -> SeenCases | None:
    """None if no readable file exists."""
    try:
        tensors = load_file(RunDirectory(run_dir).known_cases)
        known = CaseKeys(patients=tensors["patients"], images=tensors["images"])
    except (OSError, SafetensorError, KeyError):
        return None
    trained = CaseKeys(
        patients=tensors.get("trained_patients", known.patients),
        images=tensors.get("trained_images", known.images),
    )
    version = tensors.get("store_version")
    return SeenCases(known, trained, BLAKE2B_VERSION if version is None else int(version[0]))


def key_digest(text: str) -> int:
    """Digest of one patient or image, as in `CaseKeys`."""
    return int.from_bytes(_digest(text), "little")


def _union(parts: Iterable[npt.NDArray[np.uint64]]) -> npt.NDArray[np.uint64]:
    return np.unique(np.concatenate(list(parts)))


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8]


def _digests(texts: Iterable[str]) -> npt.NDArray[np.uint64]:
    """Sorted, without duplicates."""
    digests = (_digest(text) for text in set(texts))
    return np.sort(np.frombuffer(b"".join(digests), dtype="<u8")).astype(np.uint64)
