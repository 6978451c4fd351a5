"""Cases that test a package. They are made from the description of the model, and belong to no patient:
typical values, the middle of each range, missing values, and categories that training has not seen."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import Any

import numpy as np
from PIL import Image

TABLE = "cases.csv"
_UNSEEN = "not seen in training"
_NEAR_THE_MIDDLE = 0.41421
_WIDTH, _HEIGHT = 96, 64


def case_files(document: Mapping[str, Any]) -> dict[str, bytes]:
    """Name → content of the table of the cases and of their images."""
    prepared = document["preprocessing"]
    images = [] if prepared["images"] is None else prepared["image_columns"]
    names = {column: f"image-{number}.png" for number, column in enumerate(images, start=1)}
    rows = _rows(document, names)
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]), quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    files = {TABLE: text.getvalue().encode()}
    for number, name in enumerate(names.values(), start=1):
        files[name] = _image(number, prepared["images"]["depth"])
    return files


def _rows(document: Mapping[str, Any], images: Mapping[str, str]) -> list[dict[str, str]]:
    prepared = document["preprocessing"]
    table = prepared["table"]
    columns: dict[str, Mapping[str, Any]] = {}
    for column in table["columns"]:  # members of an ensemble share columns
        columns.setdefault(column["name"], column)
    rows = [
        {**{name: _typical(column) for name, column in columns.items()}, **images},
        {**{name: _middle(column) for name, column in columns.items()}, **images},
    ]
    if columns and table["missing_strategy"] != "drop":
        shown = images if prepared["unreadable_images"] == "refuse" else dict.fromkeys(images, "")
        rows.append({**dict.fromkeys(columns, ""), **shown})
    categorical = [name for name, column in columns.items() if column["kind"] != "numeric"]
    if categorical:
        rows.append({**rows[0], **dict.fromkeys(categorical, _UNSEEN)})
    return rows


def _typical(column: Mapping[str, Any]) -> str:
    """The median, or the most frequent category."""
    if column["kind"] == "numeric":
        return repr(float(column.get("median") or 0.0))
    shares = column.get("shares") or [0.0] * len(column["categories"])
    most = max(range(len(shares)), key=lambda place: shares[place], default=None)
    return _UNSEEN if most is None else str(column["categories"][most])


def _middle(column: Mapping[str, Any]) -> str:
    """Near the middle of the range, but no round number, which may be a code; or the last category."""
    if column["kind"] != "numeric":
        return str(column["categories"][-1]) if column["categories"] else _UNSEEN
    low, high = column.get("bounds") or (0.0, 0.0)
    return repr(float(low + (high - low) * _NEAR_THE_MIDDLE))


def _image(number: int, depth: int) -> bytes:
    """A pattern of waves: PNG in color with 8 bits, or gray with 16 bits."""
    across, down = np.meshgrid(np.linspace(0, 1, _WIDTH), np.linspace(0, 1, _HEIGHT))
    waves = [0.5 + 0.5 * np.sin(6 * (number + tone) * across + 4 * down + tone) for tone in range(3)]
    if depth == 16:
        image = Image.fromarray(np.rint(waves[0] * 65535).astype(np.uint16))
    else:
        image = Image.fromarray(np.rint(np.stack(waves, axis=2) * 255).astype(np.uint8))
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()
