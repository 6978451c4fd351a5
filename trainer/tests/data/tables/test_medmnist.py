"""MedMNIST archives: what is read, and what is refused without a crash."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from medloom_trainer.data.tables.table_files import read_table_file
from medloom_trainer.errors import TrainerError

IMAGES = np.zeros((3, 28, 28), dtype=np.uint8)


def archive(path: Path, **arrays: Any) -> Path:
    np.savez(path, **arrays)
    return path


def refused(path: Path) -> str:
    with pytest.raises(TrainerError) as caught:
        read_table_file(path, None, None)
    assert caught.value.code == "DATASET_INVALID"
    assert caught.value.details
    return caught.value.message


def header(shape: str, kind: str = "'|u1'") -> bytes:
    text = f"{{'descr': {kind}, 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


def test_whole_floats_and_flat_labels_are_read(tmp_path: Path) -> None:
    flat = np.array([1.0, 0.0, 2.0])
    made = read_table_file(archive(tmp_path / "a.npz", train_images=IMAGES, train_labels=flat), None, None)
    assert made.cells["label"] == ["1", "0", "2"]


@pytest.mark.parametrize(
    "labels",
    [
        np.array(1),
        np.zeros(3, dtype=[("a", "i4")]),
        np.zeros(3, dtype=np.complex64),
        np.array(["a", "b", "c"]),
        np.array([0.5, 1, 2]),
        np.array([np.nan, 1, 2]),
        np.array([np.inf, 1, 2]),
        np.zeros((3, 300, 300), dtype=np.uint8),
        np.zeros((4, 1), dtype=np.uint8),
        np.zeros((3, 0), dtype=np.uint8),
    ],
)
def test_other_labels_are_refused(tmp_path: Path, labels: Any) -> None:
    assert "train_labels" in refused(archive(tmp_path / "a.npz", train_images=IMAGES, train_labels=labels))


def test_labels_without_images_are_refused(tmp_path: Path) -> None:
    labels = np.zeros(3, dtype=np.uint8)
    assert "train_images" in refused(archive(tmp_path / "a.npz", train_labels=labels))
    refused(archive(tmp_path / "b.npz", train_images=IMAGES[:0], train_labels=labels[:0]))


@pytest.mark.parametrize(
    "content",
    [b"text", header("(1000000000000, 1)"), header("(-1, 1)"), header("(3"), header("(3,)", "'|O'"), b""],
)
def test_damaged_arrays_are_refused(tmp_path: Path, content: bytes) -> None:
    written = io.BytesIO()
    np.save(written, IMAGES)
    for damaged in ("train_labels", "train_images"):
        with zipfile.ZipFile(tmp_path / "a.npz", "w") as file:
            file.writestr("train_images.npy", content if damaged == "train_images" else written.getvalue())
            file.writestr(
                "train_labels.npy", content if damaged == "train_labels" else header("(3,)") + b"abc"
            )
        refused(tmp_path / "a.npz")


def test_images_that_do_not_fit_into_memory_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEDLOOM_WORKER_MEMORY", "20000")
    images = np.zeros((30, 28, 28), dtype=np.uint8)
    np.savez_compressed(tmp_path / "a.npz", train_images=images, train_labels=np.zeros(30, dtype=np.uint8))
    assert "memory" in refused(tmp_path / "a.npz")
