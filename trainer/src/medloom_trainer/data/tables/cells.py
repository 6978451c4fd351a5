"""Texts of one column → values: rules for missing values, numbers, and names of image files.

`scan.nii.gz#slice=2of3` names one slice of a volume: the second of three that divide it evenly, from foot to
head. `#slice=2of3&axis=coronal&spread=content` divides it along another axis, or only the slices that have
content. Without `#slice`, the cell means the whole volume: a training reads several slices of it
(`Slicing`).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.tables.table import Table, name_rows
from medloom_trainer.errors import TrainerError
from medloom_trainer.warnings import Warnings, warning

_MISSING = frozenset({"", "na", "n/a", "#n/a", "<na>", "nan", "null", "none", "?"})
"""Markers of a missing value in a typed column, in any case. For ids and patients only an empty cell is
missing; UNK is a category.
"""

_POINT = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_COMMA = re.compile(r"[+-]?(?:\d+,\d*|,\d+)(?:[eE][+-]?\d+)?")
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+")
_CENSORED = re.compile(r"(?:[<>≤≥]=?\s*(?P<bound>[^<>=\s]+)|(?P<least>[^+]+)\+)")
_INFINITE = re.compile(r"[+-]?inf(?:inity)?", re.IGNORECASE)

IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".dcm", ".nii", ".nii.gz")
Axis = Literal["axial", "coronal", "sagittal"]
Spread = Literal["content", "volume"]
_SLICE_SUFFIX = re.compile(
    r"#slice=([1-9]\d{0,3})of([1-9]\d{0,3})(?:&axis=(axial|coronal|sagittal))?(?:&spread=(content|volume))?$"
)
_SERIES_SUFFIX = re.compile(r"#series=([0-9a-f]{8})$")


@dataclass(frozen=True)
class Numbers:
    """A column read as numbers. Positions count rows from 0."""

    values: npt.NDArray[np.float64]
    """(N,) NaN if missing; ±inf is kept."""
    texts: list[int]
    """Positions of cells that are neither a number nor missing (NaN in `values`)."""
    infinite: list[int]
    """Positions of ±inf or of a number beyond float64."""
    censored: list[int]
    """Positions of `89+`, `>89` or `<0.1`: read as the bound that they name."""


def is_missing(text: str) -> bool:
    return text.casefold() in _MISSING


def missing_mask(texts: Sequence[str]) -> npt.NDArray[np.bool_]:
    """(N,) True if a typed column has no value."""
    known: dict[str, bool] = {}
    return np.fromiter(
        (known[text] if text in known else known.setdefault(text, is_missing(text)) for text in texts),
        dtype=np.bool_,
        count=len(texts),
    )


def read_numbers(texts: Sequence[str], delimiter: str) -> Numbers:
    """Read a column as numbers. A decimal comma is recognized in a file with semicolons or tabs as
    delimiters, and in other files if a column uses the comma in a way that cannot mean thousands; a column
    that uses both marks contains texts, not numbers."""
    comma = _uses_decimal_comma(texts, delimiter)
    values = np.full(len(texts), np.nan)
    found: dict[str, list[int]] = {"text": [], "infinite": [], "censored": []}
    known: dict[str, tuple[float, str]] = {}
    for position, text in enumerate(texts):
        if text not in known:
            known[text] = _read_number(text, comma)
        value, kind = known[text]
        values[position] = value
        if kind in found:
            found[kind].append(position)
    return Numbers(values, found["text"], found["infinite"], found["censored"])


def _read_number(text: str, comma: bool) -> tuple[float, str]:
    """→ (value, "number" | "censored" | "infinite" | "missing" | "text"); NaN for the last two."""
    if is_missing(text):
        return math.nan, "missing"
    if _INFINITE.fullmatch(text):
        return (-math.inf if text.startswith("-") else math.inf), "infinite"
    kind = "number"
    if bound := _CENSORED.fullmatch(text):
        text, kind = bound["bound"] or bound["least"], "censored"
    if _POINT.fullmatch(text):
        value = float(text)
    elif comma and _COMMA.fullmatch(text):
        value = float(text.replace(",", "."))
    else:
        return math.nan, "text"
    return value, kind if math.isfinite(value) else "infinite"


def bounded(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Replace ±inf by the largest and the smallest of the finite values; 0 if there are none."""
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
    return np.where(np.isinf(values), np.where(values > 0, high, low), values)


def is_like_number(text: str) -> bool:
    """Return whether a person would read it as a number, whatever the decimal mark of its column."""
    bound = _CENSORED.fullmatch(text)
    number = (bound["bound"] or bound["least"]) if bound else text
    return any(known.fullmatch(number) for known in (_POINT, _COMMA, _THOUSANDS, _INFINITE))


def forms_of(texts: Sequence[str], at_most: int = 5) -> str:
    """The most frequent forms of texts, with 9 for digits and a for letters: examples that reveal no
    value."""
    forms = Counter(
        "".join("9" if sign.isdigit() else "a" if sign.isalpha() else sign for sign in text[:20])
        for text in texts
    )
    return ", ".join(f'"{form}"' for form, _ in forms.most_common(at_most))


def with_decimal_points(texts: list[str], delimiter: str) -> list[str]:
    """The texts of a column of numbers with points instead of decimal commas; other columns unchanged."""
    if not _uses_decimal_comma(texts, delimiter) or read_numbers(texts, delimiter).texts:
        return texts
    return [text.replace(",", ".") if _COMMA.search(text) else text for text in texts]


def _uses_decimal_comma(texts: Sequence[str], delimiter: str) -> bool:
    with_comma = {text for text in texts if "," in text and _COMMA.fullmatch(text)}
    if not with_comma or any("." in text and _POINT.fullmatch(text) for text in texts):
        return False
    return delimiter != "," or any(not _THOUSANDS.fullmatch(text) for text in with_comma)


def read_column(table: Table, name: str, warnings: Warnings) -> npt.NDArray[np.float64]:
    """(N,) numbers, NaN if missing; a warning about ±inf and `89+`.

    DATASET_INVALID if the column has other texts.
    """
    numbers = read_numbers(table.cells[name], table.delimiter)
    if numbers.texts:
        message = f'numeric column "{name}" contains text: {table.name}, {name_rows(table, numbers.texts)}'
        raise TrainerError("DATASET_INVALID", message)
    if numbers.infinite:
        rows = name_rows(table, numbers.infinite)
        message = (
            f'column "{name}" contains infinite values, which are replaced by the largest or smallest '
            f"training value: {table.name}, {rows}"
        )
        warnings.append(warning("INFINITE_NUMBERS", message))
    if numbers.censored:
        rows = name_rows(table, numbers.censored)
        message = (
            f'column "{name}" contains bounds such as "89+", which are read as the bound itself: '
            f"{table.name}, {rows}"
        )
        warnings.append(warning("CENSORED_NUMBERS", message))
    return numbers.values


def complete_rows(table: Table, numeric: Sequence[str], categorical: Sequence[str]) -> npt.NDArray[np.int64]:
    """Positions of the rows that have a value in every one of these columns."""
    complete = np.ones(len(table), dtype=np.bool_)
    for name in numeric:
        complete &= ~np.isnan(read_column(table, name, []))
    for name in categorical:
        complete &= ~missing_mask(table.cells[name])
    return np.flatnonzero(complete)


@dataclass(frozen=True)
class Slice:
    """The `number`-th of `count` evenly spaced slices, from 1."""

    number: int
    count: int
    axis: Axis = "axial"
    """For volumes with known axes (NIfTI); frames and series are divided as they were acquired."""
    spread: Spread = "volume"
    """Over the slices that have content, or over all."""

    def index(self, depth: int) -> int:
        """Position among `depth` slices: the middle of the number-th of `count` equal parts."""
        return min(depth - 1, (2 * self.number - 1) * depth // (2 * self.count))


MIDDLE = Slice(1, 1)


@dataclass(frozen=True)
class Slicing:
    """Rule by which a volume becomes views (data.slices)."""

    count: int
    axis: Axis
    spread: Spread

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> Slicing:
        return cls(settings["count"], settings["axis"], settings["spread"])

    def parts(self, most: int) -> list[Slice]:
        """The slices that represent a volume, at most `most`."""
        count = min(self.count, most)
        return [Slice(number, count, self.axis, self.spread) for number in range(1, count + 1)]


def split_slice(cell: str | Path) -> tuple[str, Slice | None]:
    """(path of the file, the slice that it names)."""
    text = str(cell)
    found = _SLICE_SUFFIX.search(text)
    if found is None or int(found[1]) > int(found[2]):
        return text, None
    axis, spread = cast(Axis, found[3] or "axial"), cast(Spread, found[4] or "volume")
    return text[: found.start()], Slice(int(found[1]), int(found[2]), axis, spread)


def split_series(path: str | Path) -> tuple[str, str | None]:
    """`folder#series=1a2b3c4d` → (folder, key of one of the series in it)."""
    text = str(path)
    found = _SERIES_SUFFIX.search(text)
    return (text, None) if found is None else (text[: found.start()], found[1])


def name_series(folder: str | Path, key: str) -> str:
    return f"{folder}#series={key}"


def name_slice(path: str | Path, part: Slice) -> str:
    """Inverse of `split_slice`."""
    axis = "" if part.axis == "axial" else f"&axis={part.axis}"
    spread = "" if part.spread == "volume" else f"&spread={part.spread}"
    return f"{path}#slice={part.number}of{part.count}{axis}{spread}"


def image_stem(path: str) -> str:
    """`a/b/scan.nii.gz` → `scan`; suffixes of other files are kept."""
    name = path.replace("\\", "/").rsplit("/", 1)[-1]
    for suffix in sorted(IMAGE_SUFFIXES, key=len, reverse=True):
        if name.lower().endswith(suffix):
            return name[: -len(suffix)]
    return name
