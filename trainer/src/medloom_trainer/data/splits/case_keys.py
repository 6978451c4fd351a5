"""What ties cases to others, and what is kept of it beside the checkpoints of a model: of each patient and
image that trained or validated it 8 bytes of a digest, enough to recognize it, and no patient's name.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError
from safetensors.numpy import load_file, save

from medloom_trainer.contract.run_directory import RunDirectory
from medloom_trainer.data.tables import Table
from medloom_trainer.data.types import CaseKeys
from medloom_trainer.files import write_atomically


def keys_of_cases(
    table: Table, images: Sequence[Sequence[str]] | None, patient: str | None
) -> list[list[tuple[str, str]]]:
    """What ties a case to others: its patient (an empty cell ties to nobody) and its images, by their
    digests.
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
    """keys_of_case: as `keys_of_cases` gives them."""
    texts = [key for keys in keys_of_case for key in keys]
    return CaseKeys(
        patients=_digests(text for kind, text in texts if kind == "patient"),
        images=_digests(text for kind, text in texts if kind == "pixels"),
    )


def write_known_cases(run_dir: Path, splits: Sequence[CaseKeys]) -> None:
    """DISK_FULL when there is no room."""
    tensors = {
        "patients": np.unique(np.concatenate([keys.patients for keys in splits])),
        "images": np.unique(np.concatenate([keys.images for keys in splits])),
    }
    write_atomically(RunDirectory(run_dir).known_cases, lambda file: file.write(save(tensors)))


def read_known_cases(run_dir: Path) -> CaseKeys | None:
    """None when nothing readable was kept."""
    try:
        tensors = load_file(RunDirectory(run_dir).known_cases)
        return CaseKeys(patients=tensors["patients"], images=tensors["images"])
    except (OSError, SafetensorError, KeyError):
        return None


def _digests(texts: Iterable[str]) -> npt.NDArray[np.uint64]:
    """Sorted, each once."""
    digests = (hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8] for text in set(texts))
    return np.sort(np.frombuffer(b"".join(digests), dtype="<u8")).astype(np.uint64)
