"""Small files for miniatures."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from testing.medical_files import dicom_file


def picture(path: Path, seed: int, *, gray: bool = False, size: int = 16) -> None:
    """An image of noise that differs for each seed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    shape = (size, size) if gray else (size, size, 3)
    pixels = np.random.default_rng(seed).integers(0, 256, shape, dtype=np.uint8)
    Image.fromarray(pixels).save(path)


def dicom_picture(path: Path, seed: int, **tags: Any) -> None:
    pixels = np.random.default_rng(seed).integers(0, 4096, (16, 16), dtype=np.uint16)
    dicom_file(path, pixels, **tags)


def table(
    path: Path, rows: Sequence[Mapping[str, Any]], *, delimiter: str = ",", above: Sequence[str] = ()
) -> Path:
    """A CSV, compressed if its name ends with .gz. above: lines above the column names."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), delimiter=delimiter, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    content = ("".join(f"{line}\n" for line in above) + text.getvalue()).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)
    return path


def lines(path: Path, texts: Sequence[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")


def age(case: int, *, step: int = 1) -> int:
    """An age that no other column determines."""
    return int(np.random.default_rng(1000 + case).integers(20 // step, 90 // step)) * step
