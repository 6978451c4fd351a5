"""PNG with 16 bits per colour, which Pillow reduces to 8: chunks, zlib and the five row filters (PNG 1.2,
chapters 5 and 6).
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

Predictor = Callable[[int, int, int], int]

CHANNELS = {2: 3, 4: 2, 6: 4}
"""Colour type → channels: RGB, grey with alpha, RGB with alpha."""


def is_deep_colour_png(content: bytes) -> bool:
    """Sixteen bits and more than one channel."""
    return (
        content[:4] == b"\x89PNG"
        and content[12:16] == b"IHDR"
        and content[24] == 16
        and content[25] in CHANNELS
    )


def decode_deep_png(content: bytes) -> npt.NDArray[np.uint16]:
    """(H, W, 1 or 3) uint16, transparent pixels over black. ValueError when damaged, cut short or
    interlaced.
    """
    width, height, _, colour, _, _, interlace = struct.unpack(">IIBBBBB", content[16:29])
    if interlace:
        raise ValueError("interlaced PNG of 16 bits per colour cannot be read")
    channels = CHANNELS[colour]
    stride = width * channels * 2
    inflated = inflate(
        b"".join(data for kind, data in chunks(content) if kind == b"IDAT"), height * (stride + 1)
    )
    samples = unfilter(inflated, height, stride, channels * 2).view(">u2").reshape(height, width, channels)
    if colour == 2:
        return samples.astype(np.uint16)
    alpha = samples[:, :, -1:].astype(np.uint64)
    return ((samples[:, :, :-1] * alpha + 32767) // 65535).astype(np.uint16)


def chunks(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    place = 8
    while place + 12 <= len(content):
        (length,) = struct.unpack(">I", content[place : place + 4])
        kind, data = content[place + 4 : place + 8], content[place + 8 : place + 8 + length]
        checksum = content[place + 8 + length : place + 12 + length]
        if len(checksum) < 4 or zlib.crc32(kind + data) != struct.unpack(">I", checksum)[0]:
            raise ValueError("damaged or cut short (PNG chunk)")
        yield kind, data
        if kind == b"IEND":
            return
        place += 12 + length
    raise ValueError("damaged or cut short (PNG end)")


def inflate(packed: bytes, expected: int) -> bytes:
    """At most what the header announced, so that a small file cannot fill the memory."""
    try:
        inflated = zlib.decompressobj().decompress(packed, expected)
    except zlib.error:
        raise ValueError("damaged or cut short (PNG data)") from None
    if len(inflated) != expected:
        raise ValueError("damaged or cut short (PNG data)")
    return inflated


def unfilter(inflated: bytes, height: int, stride: int, unit: int) -> npt.NDArray[np.uint8]:
    """Rows of (filter, bytes) → (height, stride) bytes; `unit` is the number of bytes of one pixel."""
    raw = np.frombuffer(inflated, dtype=np.uint8).reshape(height, stride + 1)
    rows = np.zeros((height + 1, stride), dtype=np.uint8)  # row 0 is the black row above the picture
    for y in range(height):
        kind, line, above = int(raw[y, 0]), raw[y, 1:], rows[y]
        if kind == 0:
            rows[y + 1] = line
        elif kind == 1:
            sums = np.cumsum(line.reshape(-1, unit), axis=0, dtype=np.uint64)
            rows[y + 1] = sums.astype(np.uint8).ravel()
        elif kind == 2:
            rows[y + 1] = line + above
        elif kind in (3, 4):
            predict = average if kind == 3 else paeth
            rows[y + 1] = predicted_row(line.tolist(), above.tolist(), unit, predict)
        else:
            raise ValueError("damaged or cut short (PNG filter)")
    return np.ascontiguousarray(rows[1:])


def predicted_row(line: list[int], above: list[int], unit: int, predict: Predictor) -> list[int]:
    row: list[int] = []
    for x, value in enumerate(line):
        left, corner = (row[x - unit], above[x - unit]) if x >= unit else (0, 0)
        row.append((value + predict(left, above[x], corner)) & 255)
    return row


def average(left: int, above: int, _: int) -> int:
    return (left + above) >> 1


def paeth(left: int, above: int, corner: int) -> int:
    guess = left + above - corner
    to_left, to_above, to_corner = abs(guess - left), abs(guess - above), abs(guess - corner)
    if to_left <= to_above and to_left <= to_corner:
        return left
    return above if to_above <= to_corner else corner
