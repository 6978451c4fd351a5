"""Write the event files of long trainings in the format of TensorBoard.

    python tensorboard.py FOLDER RUNS POINTS

Its own writer computes each checksum byte by byte in Python. All records here have the same length, so
numpy computes those of all records at once. Needs numpy.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
TAG = b"loss"
TIME = 1.7e9
STEP_BYTES = 4
"""A varint with 7 bits per byte, padded: sufficient for 268 million steps."""
POLYNOMIAL = 0x82F63B78
MASK = 0xA282EAD8


def main() -> None:
    folder, runs, points = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    name = "events.out.tfevents.1700000000.bench"
    for index in range(runs):
        (folder / f"run-{index}").mkdir(parents=True)
    first = folder / "run-0" / name
    first.write_bytes(framed(header()) + framed(scalars(points)))
    for index in range(1, runs):
        os.link(first, folder / f"run-{index}" / name)


def header() -> Bytes:
    """(1, L): the format version, which comes first."""
    version = b"brain.Event:2"
    record = b"\x09" + np.float64(TIME).tobytes() + b"\x1a" + bytes([len(version)]) + version
    return np.frombuffer(record, np.uint8)[None]


def scalars(points: int) -> Bytes:
    """(N, L): an event with one number at each step from 1 on."""
    steps = np.arange(1, points + 1)
    values = (1 / (1 + steps / 1000) + (steps % 17) / 100).astype("<f4")
    value = b"\x0a" + bytes([len(TAG)]) + TAG + b"\x15"
    inner = len(value) + 4
    constant = b"\x2a" + bytes([inner + 2]) + b"\x0a" + bytes([inner]) + value
    parts = [
        repeated(b"\x09", points),
        as_bytes(TIME + steps.astype("<f8")),
        repeated(b"\x10", points),
        varints(steps),
        repeated(constant, points),
        as_bytes(values),
    ]
    return np.concatenate(parts, axis=1)


def varints(numbers: npt.NDArray[np.int64]) -> Bytes:
    """(N, STEP_BYTES)"""
    groups = [(numbers >> (7 * index)) & 0x7F for index in range(STEP_BYTES)]
    flags = [0x80] * (STEP_BYTES - 1) + [0]
    return np.stack([group | flag for group, flag in zip(groups, flags, strict=True)], axis=1).astype(
        np.uint8
    )


def framed(records: Bytes) -> bytes:
    """Each record preceded by its length, with a checksum of both."""
    count, length = records.shape
    lengths = repeated(np.uint64(length).tobytes(), count)
    return np.concatenate([lengths, checksums(lengths), records, checksums(records)], axis=1).tobytes()


def checksums(records: Bytes) -> Bytes:
    """(N, 4): CRC-32C, rotated and shifted as the format requires."""
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, (table >> 1) ^ np.uint32(POLYNOMIAL), table >> 1).astype(np.uint32)
    crc = np.full(len(records), 0xFFFFFFFF, np.uint32)
    for column in records.T:
        crc = table[(crc ^ column) & 0xFF] ^ (crc >> 8)
    crc = ~crc
    rotated = (crc >> 15) | (crc << 17)
    return as_bytes((rotated + np.uint32(MASK)).astype("<u4"))


def repeated(content: bytes, count: int) -> Bytes:
    return np.tile(np.frombuffer(content, np.uint8), (count, 1))


def as_bytes(numbers: npt.NDArray[np.generic]) -> Bytes:
    return numbers.view(np.uint8).reshape(len(numbers), -1)


if __name__ == "__main__":
    main()
