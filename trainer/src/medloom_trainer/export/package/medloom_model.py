# SPDX-License-Identifier: Apache-2.0
"""Predictions of the model in this folder, with NumPy, ONNX Runtime and Pillow only.

    from medloom_model import Model

    Model().predict([{"age": 63, "sex": "f", "image": "scan.png"}])

    python medloom_model.py --test      exit status 0 if the files and the predictions are those of the export

Values are encoded and images are decoded as Medloom does it for this model; nothing is fitted. Research use
only.
"""

from __future__ import annotations

import argparse
import base64
import binascii
import csv
import hashlib
import io
import json
import math
import re
import sys
import unicodedata
import warnings
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt
import onnxruntime
from PIL import Image, ImageOps

FOLDER = Path(__file__).resolve().parent
TOLERANCE = 1e-5
"""Largest difference of a probability or survival; of other numbers, as a share of the label's standard
deviation or of the longest time."""
BATCH = 32
"""Cases that are predicted together."""

Array = npt.NDArray[Any]
Columns = Mapping[str, Sequence[Any]]
"""Column → cells of N rows."""


class InputError(ValueError):
    """A value or a file that this model cannot read. Row 1 is the first case."""


# --- Texts ----------------------------------------------------------------------------------------------

_MISSING = frozenset({"", "na", "n/a", "#n/a", "<na>", "nan", "null", "none", "?"})
_TRUE, _FALSE = ("true", "t", "yes", "y", "1", "1.0"), ("false", "f", "no", "n", "0", "0.0")
_INVISIBLE = dict.fromkeys((0x200B, 0x2060, 0xFEFF, 0x00AD, 0x200E, 0x200F))
_SPACES = dict.fromkeys((0x00A0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000), " ")
_LARGEST_EXACT = 10**15


class _Present(str):
    """A value, whatever its text: the column has its own codes for missing values."""


def is_missing(text: str) -> bool:
    return text.casefold() in _MISSING and not (text and isinstance(text, _Present))


def plain_text(text: str) -> str:
    """In one Unicode form, without invisible characters and without blanks at its ends."""
    if text.isascii():
        return text.strip()
    plain = unicodedata.normalize("NFC", text.translate(_INVISIBLE | _SPACES))
    return plain.strip(" \t\r\n\v\f\u200c\u200d")


def text_of(value: Any, categories: Sequence[str] | None) -> str:
    """The text of a value in a table. categories: of its column; None for a column of numbers."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):  # of pandas
        return ""
    if isinstance(value, str):
        return plain_text(value)
    value = value.item() if isinstance(value, np.generic) else value
    if not isinstance(value, bool | int | float):
        raise InputError(f"A cell is a {type(value).__name__}, not a number or text.")
    if isinstance(value, float) and math.isnan(value):
        return ""
    if categories is not None:
        return _category_of(value, categories)
    if isinstance(value, bool):
        return str(int(value))
    whole = float(value).is_integer() and abs(value) < _LARGEST_EXACT
    return str(int(value)) if whole else _with_certain_point(repr(float(value)))


def _category_of(value: float, categories: Sequence[str]) -> str:
    """The spelling of a number or truth value among the categories."""
    if isinstance(value, bool):
        forms = list(_TRUE if value else _FALSE)
    else:
        whole = float(value).is_integer()
        forms = [*([str(int(value))] if whole else []), repr(float(value))]
    known = {category.casefold(): category for category in reversed(categories)}
    return next((known[form] for form in forms if form in known), forms[0])


_CODE = re.compile(r"([+\-\u2212]?)(0|[1-9]\d*)(?:[.,](\d+))?")


def without_codes(texts: Sequence[str], recipe: Mapping[str, Any], column: str) -> list[str]:
    """Empty texts instead of the codes for missing values that the recipe of the training lists."""
    missing = recipe.get("missing") or {}
    own = missing.get("columns", {})
    joined = (f"{join['table']}." for join in recipe.get("join", ()))
    prefix = next((name for name in joined if column.startswith(name)), "")
    name = column if column in own else column[len(prefix) :]
    codes = own.get(name, missing.get("everywhere", ()))
    values = {value for code in codes if (value := _value_of(code)) is not None}
    kept = ["" if text in codes or _value_of(text) in values else text for text in texts]
    return [text and _Present(text) for text in kept] if name in own else kept


def _value_of(code: str) -> str | None:
    """The number in one notation; None for other texts, for `007`, and for `9,000`, which may be grouped."""
    found = _CODE.fullmatch(code)
    if found is None or (len(found[3] or "") == 3 and found[2] != "0"):
        return None
    sign = "-" if found[1] in ("-", "\u2212") else ""
    return f"{sign}{found[2]}.{(found[3] or '').rstrip('0')}"


def read_table(file: str | Path) -> tuple[dict[str, list[str]], str]:
    """(columns, delimiter) of a CSV in UTF-8, with a header and with commas, semicolons or tabs."""
    name = Path(file).name
    try:
        text = Path(file).read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{name} is not in UTF-8. Save it as CSV in UTF-8.") from None
    delimiter = _delimiter_of(text, name)
    header, *records = _records(text, delimiter, name)
    columns = [plain_text(cell) for cell in header]
    columns[0] = columns[0] or "Unnamed: 0"
    repeated = [column for column, count in Counter(columns).items() if count > 1 or not column]
    if repeated:
        raise InputError(f'{name}: the column name "{repeated[0]}" is empty or repeated.')
    for row, record in enumerate(records, start=1):
        if len(record) != len(columns):
            raise InputError(
                f"{name}, row {row}: the number of fields is {len(record)}, "
                f"but the header has {len(columns)}."
            )
    cells = [[plain_text(record[place]) for record in records] for place in range(len(columns))]
    return dict(zip(columns, cells, strict=True)), delimiter


def _delimiter_of(text: str, name: str) -> str:
    """The delimiter that gives every row the width of the header."""
    widths = {mark: _widths_of(text, mark) for mark in ",;\t"}
    even = [mark for mark, found in widths.items() if len(set(found)) == 1 and found[0] > 1]
    widest = max((widths[mark][0] for mark in even), default=0)
    best = [mark for mark in even if widths[mark][0] == widest]
    if len(best) > 1:
        raise InputError(f"{name}: the delimiter is ambiguous. Quote the cells that contain another one.")
    return best[0] if best else max(widths, key=lambda mark: max(widths[mark][:1], default=0))


def _widths_of(text: str, delimiter: str) -> list[int]:
    """Number of fields of each row; none if its quotes are wrong with this delimiter."""
    try:
        return [len(record) for record in _records(text, delimiter, "")]
    except InputError:
        return []


def _records(text: str, delimiter: str, name: str) -> list[list[str]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        found = [record for record in reader if record]
    except csv.Error as error:
        raise InputError(f"{name} is not a CSV: {error}.") from None
    if not found:
        raise InputError(f"{name} is empty.")
    return found


# --- Numbers --------------------------------------------------------------------------------------------

_POINT = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_COMMA = re.compile(r"[+-]?(?:\d+,\d*|,\d+)(?:[eE][+-]?\d+)?")
_GROUPED = {
    ",": re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?"),
    ".": re.compile(r"[+-]?\d{1,3}(?:\.\d{3})+(?:,\d+)?"),
}
_AMBIGUOUS = re.compile(r"[+-]?[1-9]\d{0,2}[.,]\d{3}")
_SPACED = re.compile(r"[+-]?\d{1,3}(?:[ '\u2019]\d{3})+(?:[.,]\d+)?")
_CENSORED = re.compile(r"(?:[<>≤≥]=?\s*(?P<bound>[^<>=]+)|(?P<least>[^+]+)\+)")
_INFINITE = re.compile(r"[+-]?inf(?:inity)?", re.IGNORECASE)
_MINUS = re.compile(r"^[\u2212\u2012\u2013](?=[\d.,])")
_SIGN_BEFORE = re.compile(r"^([$€£¥])\s*(?=[\d.,+-])")
_SIGN_AFTER = re.compile(r"(?<=[\d.,])\s*([%‰$€£¥]|[Yy]|yrs?|years?)$")
_LONG_CODE = re.compile(r"0*[1-9]\d{15,}")


Marks = tuple[str, str]
"""(decimal mark, mark of thousands or "")"""


def declared_marks(recipe: Mapping[str, Any]) -> Marks | None:
    """The marks that the recipe of the training declares for its files; None without any."""
    declared = {file["decimal"] for file in recipe.get("files", ()) if "decimal" in file}
    if len(declared) != 1:
        return None
    (mark,) = declared
    return mark, "." if mark == "," else ","


def trained_marks(column: Mapping[str, Any]) -> Marks | None:
    """The marks with which the training read a column; None if they are unknown."""
    return None if column.get("decimal") is None else (column["decimal"], column["thousands"])


def unmistakable(text: str, marks: Marks, sign: str) -> str | None:
    """The text of a number of one case with a decimal point, without marks of thousands and the sign of the
    training; another text unchanged; None if the number has two possible values."""
    if is_missing(text):
        return text
    number, own = _split_sign(_bare(text))
    found = _marks_alone(number if own == sign else _bare(text), marks)
    if found is None:
        return None
    plain = _canonical(text, *found, sign if own == sign else "")
    if plain is None:
        return text
    bound = _CENSORED.fullmatch(text)
    certain = _with_certain_point(plain)
    return certain if bound is None else text.replace(bound["bound"] or bound["least"], certain)


def _with_certain_point(number: str) -> str:
    """`1.2340` for `1.234`, whose point could group thousands."""
    return f"{number}0" if _AMBIGUOUS.fullmatch(number) else number


def _proven_mark(number: str) -> str | None:
    """The decimal mark that a number has in every notation; None without a mark, and for `1.234`."""
    if _SPACED.fullmatch(number):
        number = re.sub(r"[ '\u2019]", "", number)
    if _AMBIGUOUS.fullmatch(number):
        return None
    for mark, other in ((",", "."), (".", ",")):
        if _GROUPED[other].fullmatch(number) and (mark in number or number.count(other) > 1):
            return mark
    if "," in number and _COMMA.fullmatch(number):
        return ","
    return "." if "." in number and _POINT.fullmatch(number) else None


def _marks_alone(number: str, marks: Marks) -> Marks | None:
    """The marks of a number, by itself or else as in the training; None if both are possible."""
    mark = _proven_mark(number)
    if mark is not None:
        return mark, "." if mark == "," else ","
    return marks if not _AMBIGUOUS.fullmatch(number) or {*marks} & {*number} else None


def read_numbers(texts: Sequence[str], delimiter: str, column: str, trained: Marks | None = None) -> Array:
    """(N,) numbers, NaN if missing. All cells of a column have one notation: decimal mark, mark of thousands,
    and sign such as %; `89+` and `<0.1` are read as the bound. trained: marks of the training, which decide
    what the cells leave open."""
    present = {text for text in texts if not is_missing(text)}
    signs = {sign for text in present if (sign := _split_sign(_bare(text))[1]) is not None}
    sign = signs.pop() if len(signs) == 1 else ""
    bare = {_split_sign(_bare(text))[0] if sign else _bare(text) for text in present}
    comma = _uses_decimal_comma(bare, delimiter)
    own: Marks = ("," if comma else ".", _mark_of_thousands(bare, "." if comma else ","))
    as_trained = trained is not None and {_proven_mark(number) for number in bare} <= {None, trained[0]}
    found = np.full(len(texts), np.nan)
    for row, text in enumerate(texts):
        if is_missing(text):
            continue
        plain = _split_sign(_bare(text))[0] if sign else _bare(text)
        marks = _marks_alone(plain, trained) if as_trained and trained is not None else own
        number = None if marks is None else _canonical(text, *marks, sign)
        if number is None:
            raise InputError(f'Row {row + 1}: column "{column}" contains a text that is not a number.')
        found[row] = float(number)
    return found


def _bare(text: str) -> str:
    """Without a bound (`<`, `+`), and with a plain minus."""
    found = _CENSORED.fullmatch(text)
    return _MINUS.sub("-", (found["bound"] or found["least"]).strip() if found else text)


def _split_sign(text: str) -> tuple[str, str | None]:
    """(number, sign); the sign is None for a text without digits."""
    if found := _SIGN_BEFORE.search(text):
        return text[found.end() :], found[1]
    if found := _SIGN_AFTER.search(text):
        return text[: found.start()], found[1]
    return text, "" if any(mark.isdigit() for mark in text) else None


def _uses_decimal_comma(texts: set[str], delimiter: str) -> bool:
    if any(_GROUPED["."].fullmatch(text) and "," in text for text in texts):  # 1.234,5
        return not any("," in text and _GROUPED[","].fullmatch(text) and "." in text for text in texts)
    with_comma = {text for text in texts if "," in text and _COMMA.fullmatch(text)}
    if not with_comma or any("." in text and _POINT.fullmatch(text) for text in texts):
        return False
    return delimiter != "," or any(not _GROUPED[","].fullmatch(text) for text in with_comma)


def _mark_of_thousands(texts: set[str], mark: str) -> str:
    """The mark, if every number that contains it groups thousands, and one cannot be read otherwise."""
    using = [text for text in texts if mark in text and _is_like_number(text)]
    grouped = [text for text in using if _GROUPED[mark].fullmatch(text)]
    other = "." if mark == "," else ","
    certain = any(other in text or text.count(mark) > 1 for text in grouped)
    return mark if certain and len(grouped) == len(using) else ""


def _is_like_number(text: str) -> bool:
    number = _split_sign(_bare(text))[0]
    if _LONG_CODE.fullmatch(number):
        return False
    return any(form.fullmatch(number) for form in (_POINT, _COMMA, *_GROUPED.values(), _SPACED, _INFINITE))


def _canonical(text: str, decimal: str, thousands: str, column_sign: str) -> str | None:
    """The number with a decimal point; None if it is not a number in this notation."""
    number = _bare(text)
    if column_sign:
        number, sign = _split_sign(number)
        if sign != column_sign:
            return None
    if _INFINITE.fullmatch(number):
        return number
    if _SPACED.fullmatch(number):
        number = re.sub(r"[ '\u2019]", "", number)
    if thousands and _GROUPED[thousands].fullmatch(number):
        number = number.replace(thousands, "")
    if decimal == "," and _COMMA.fullmatch(number):
        number = number.replace(",", ".")
    return number if _POINT.fullmatch(number) and not _LONG_CODE.fullmatch(number) else None


# --- Columns of the table -------------------------------------------------------------------------------

_MAX_SCALED = 1e6
_LARGEST_SCORE = 3.0


def encode(state: Mapping[str, Any], cells: Columns, delimiter: str = ",") -> dict[str, Array]:
    """state: preprocessing.table of the document. → values, codes and present of N rows."""
    rows = len(next(iter(cells.values()), ()))
    values: list[Array] = []
    codes: list[Array] = []
    present: list[Array] = []
    for column in state["columns"]:
        texts = cells[column["name"]]
        if column["kind"] == "numeric":
            numbers, there = _encode_numbers(column, texts, delimiter)
        else:
            numbers, there = _encode_categories(column, texts)
        if state["missing_strategy"] == "drop" and not there.all():
            row = int(np.argmin(there)) + 1
            raise InputError(f'Row {row}: column "{column["name"]}" has no value, which this model needs.')
        (codes if column["kind"] == "embedding" else values).append(numbers)
        present.append(there if column["fill"] is None else np.ones_like(there))
    return {
        "values": np.concatenate([np.zeros((rows, 0)), *values], axis=1).astype(np.float32),
        "codes": np.concatenate([np.zeros((rows, 0)), *codes], axis=1).astype(np.int64),
        "present": np.stack(present, axis=1) if present else np.zeros((rows, 0), np.bool_),
    }


def _encode_numbers(column: Mapping[str, Any], texts: Sequence[str], delimiter: str) -> tuple[Array, Array]:
    """(N, W) numbers, and (N,) True if the value exists."""
    numbers = read_numbers(texts, delimiter, column["name"], trained_marks(column))
    extra: list[Array] = []
    if column.get("bounds") is None:
        there = np.isfinite(numbers)
    else:
        there, infinite = ~np.isnan(numbers), np.isinf(numbers)
        if column["has_infinite"]:
            extra.append(np.where(infinite, np.sign(numbers), 0))
        low, high = column["bounds"]
        numbers = np.where(infinite, np.where(numbers > 0, high, low), numbers)
    scaled = _scaled(column, np.where(there, numbers, column["fill"] or 0.0))
    known = there if column["fill"] is None else np.ones_like(there)
    if column.get("indicator", False):
        extra.append(~there)
    return np.stack([np.where(known, scaled, 0), *extra], axis=1), there


def _scaled(column: Mapping[str, Any], numbers: Array) -> Array:
    quantiles = column.get("quantiles")
    scores = numbers if quantiles is None else _normal_scores(numbers, np.asarray(quantiles))
    scaled: Array = np.clip((scores - column["center"]) / column["scale"], -_MAX_SCALED, _MAX_SCALED)
    return scaled


def _normal_scores(numbers: Array, points: Array) -> Array:
    """Share of the training values below each number, as a quantile of the normal distribution."""
    shares = np.linspace(0, 1, len(points))
    from_above = np.interp(-numbers, -points[::-1], -shares[::-1])
    share = 0.5 * (np.interp(numbers, points, shares) - from_above)
    share[numbers + 1e-7 > points[-1]] = 1
    share[numbers - 1e-7 < points[0]] = 0
    inner = (share > 0) & (share < 1)
    scores = np.where(share >= 1, np.inf, -np.inf)
    scores[inner] = [NormalDist().inv_cdf(one) for one in share[inner].tolist()]
    clipped: Array = np.clip(scores, -_LARGEST_SCORE, _LARGEST_SCORE)
    return clipped


def _encode_categories(column: Mapping[str, Any], texts: Sequence[str]) -> tuple[Array, Array]:
    """(N, W) numbers or (N, 1) codes, and (N,) True if the value exists."""
    categories, kind = column["categories"], column["kind"]
    place = {category: number for number, category in enumerate(categories, start=1)}
    # A text such as "none" is a category if the training declared it as one.
    there = np.array([text in place or not is_missing(text) for text in texts], dtype=np.bool_)
    filled = [
        text if known or column["fill"] is None else column["fill"]
        for text, known in zip(texts, there.tolist(), strict=True)
    ]
    index = np.array([place.get(text, 0) for text in filled], dtype=np.int64)
    has_indicator = column.get("indicator", False)
    if kind == "embedding":
        if has_indicator:
            index = np.where(there, index, len(categories) + 1)
        return index[:, None], there
    if kind == "onehot":
        shares = column.get("shares")
        unseen = np.zeros(len(categories)) if shares is None else np.asarray(shares)
        numbers = np.concatenate([np.zeros((1, len(categories))), np.eye(len(categories))])[index]
        numbers[(index == 0) & there] = unseen
    else:
        width = len(column["means"][0]) if column["means"] else 1
        numbers = np.asarray([[0.0] * width, *column["means"]])[index]
    return (np.concatenate([numbers, ~there[:, None]], axis=1) if has_indicator else numbers), there


# --- Images ---------------------------------------------------------------------------------------------

_MAX_PIXELS = 100_000_000
_CHANNELS = {2: 3, 4: 2, 6: 4}
"""Color type of a PNG → channels."""


def image_record(content: bytes, settings: Mapping[str, Any]) -> Array:
    """Bytes of a PNG or JPEG → (height, width, 3) of 8 or 16 bits. settings: preprocessing.images of the
    document. InputError if the image cannot be read."""
    pixels = _decoded(content)
    size = (settings["size"][0], settings["size"][1])
    height, width = pixels.shape[:2]
    inner = size
    if settings.get("fit", "stretch") != "stretch":
        scale = min(size[0] / width, size[1] / height)
        inner = (
            min(size[0], max(1, round(width * scale))),
            min(size[1], max(1, round(height * scale))),
        )
    record = _resized(pixels, inner, settings["depth"], settings["window"])
    whole = np.zeros((size[1], size[0], 3), dtype=record.dtype)
    top, left = (size[1] - inner[1]) // 2, (size[0] - inner[0]) // 2
    whole[top : top + inner[1], left : left + inner[0]] = record
    return whole


def _decoded(content: bytes) -> Array:
    """(H, W, 1 or 3) uint8 or uint16: upright, transparent pixels over black."""
    _refuse_other_kinds(content)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            image = Image.open(io.BytesIO(content), formats=("PNG", "JPEG"))
        if image.width * image.height > _MAX_PIXELS:
            raise InputError(f"it has more than {_MAX_PIXELS:,} pixels")
        if content[:4] == b"\x89PNG" and content[24] == 16 and content[25] in _CHANNELS:
            return _deep_color(content, image.width, image.height)
        image.load()
        ImageOps.exif_transpose(image, in_place=True)
    except InputError:
        raise
    except Exception as error:  # Pillow raises many kinds for damaged files
        raise InputError(f"it is damaged ({type(error).__name__})") from None
    if image.mode.startswith("I"):
        return np.asarray(image).astype(np.uint16)[:, :, None]
    if image.mode in ("LA", "La", "PA", "RGBA", "RGBa") or "transparency" in image.info:
        rgba = np.asarray(image.convert("RGBA"), dtype=np.uint16)
        over_black: Array = ((rgba[:, :, :3] * rgba[:, :, 3:] + 127) // 255).astype(np.uint8)
        return over_black[:, :, :1] if image.mode in ("1", "L", "LA", "La") else over_black
    if image.mode in ("1", "L"):
        return np.asarray(image.convert("L"))[:, :, None]
    return np.asarray(image.convert("RGB"))


def _refuse_other_kinds(content: bytes) -> None:
    if content.startswith((b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff")):
        return
    name = "of an unknown kind"
    if content[128:132] == b"DICM":
        name = "a DICOM file"
    elif content[344:347] in (b"n+1", b"ni1") or content[4:7] == b"n+2":
        name = "a NIfTI file"
    elif content[:2] == b"\x1f\x8b":
        name = "a compressed file, such as NIfTI"
    elif content[:4] in (b"II*\0", b"MM\0*"):
        name = "a TIFF file"
    raise InputError(f"it is {name}; this package reads PNG and JPEG. Predict with Medloom instead")


def _deep_color(content: bytes, width: int, height: int) -> Array:
    """A PNG of 16 bits and several channels, which Pillow would reduce to 8 bits."""
    channels = _CHANNELS[content[25]]
    if content[28]:
        raise InputError("it is an interlaced PNG of 16 bits per color. Save it without interlacing")
    data, place = b"", 8
    while place + 8 <= len(content):
        length = int.from_bytes(content[place : place + 4], "big")
        if content[place + 4 : place + 8] == b"IDAT":
            data += content[place + 8 : place + 8 + length]
        place += length + 12
    step = 2 * channels
    stride = width * step
    unpacked = zlib.decompressobj().decompress(data, height * (stride + 1))
    lines = np.frombuffer(unpacked, dtype=np.uint8).reshape(height, stride + 1)
    above = np.zeros(stride, dtype=np.uint8)
    rows = []
    for line in lines:
        above = _unfiltered(int(line[0]), line[1:], above, step)
        rows.append(above)
    samples = np.stack(rows).view(">u2").reshape(height, width, channels).astype(np.uint16)
    if channels == 3:
        return samples
    alpha = samples[:, :, -1:].astype(np.uint64)
    over_black: Array = ((samples[:, :, :-1] * alpha + 32767) // 65535).astype(np.uint16)
    return over_black


def _unfiltered(method: int, line: Array, above: Array, step: int) -> Array:
    """A line of a PNG without its filter. step: bytes of a pixel."""
    if method == 0:
        return line
    if method == 1:
        return np.cumsum(line.reshape(-1, step), axis=0, dtype=np.uint8).reshape(-1)
    if method == 2:
        return line + above
    if method not in (3, 4):
        raise InputError("it is damaged (PNG)")
    up = [0] * step + above.tolist()
    made = [0] * step
    for place, byte in enumerate(line.tolist()):
        left, over, corner = made[place], up[place + step], up[place]
        if method == 3:
            guess = (left + over) // 2
        else:
            sides = ((abs(over - corner), left), (abs(left - corner), over))
            nearest = sides[0] if sides[0][0] <= sides[1][0] else sides[1]
            guess = nearest[1] if nearest[0] <= abs(left + over - 2 * corner) else corner
        made.append((byte + guess) & 255)
    return np.array(made[step:], dtype=np.uint8)


def _resized(pixels: Array, size: tuple[int, int], depth: int, window: Sequence[float] | None) -> Array:
    """(height, width, 3) of `depth` bits."""
    if window is not None and pixels.shape[2] == 1:
        center, width = window
        unit = np.clip((pixels.astype(np.float32) - (center - width / 2)) / width, 0, 1)
    elif pixels.dtype == np.uint8:
        image = Image.fromarray(pixels[:, :, 0] if pixels.shape[2] == 1 else pixels)
        if image.size != size:
            image = image.resize(size, Image.Resampling.BICUBIC)
        record = np.asarray(image).reshape(size[1], size[0], -1)
        record = np.broadcast_to(record, (size[1], size[0], 3))
        return record if depth == 8 else record.astype(np.uint16) * 257
    else:
        unit = pixels.astype(np.float32) / np.float32(65535)
    planes = [Image.fromarray(np.ascontiguousarray(unit[:, :, place])) for place in range(unit.shape[2])]
    if planes[0].size != size:
        planes = [plane.resize(size, Image.Resampling.BICUBIC) for plane in planes]
    stacked = np.clip(np.stack([np.asarray(plane) for plane in planes], axis=2), 0, 1)
    record = np.rint(stacked * (255 if depth == 8 else 65535)).astype(np.uint8 if depth == 8 else np.uint16)
    return np.broadcast_to(record, (size[1], size[0], 3))


# --- Predictions ----------------------------------------------------------------------------------------


class Model:
    """The model of a package."""

    def __init__(self, folder: str | Path = FOLDER) -> None:
        self.folder = Path(folder)
        self.document: dict[str, Any] = json.loads((self.folder / "description.json").read_text("utf-8"))
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(
            str(self.folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
        )
        self._prepared = self.document["preprocessing"]

    @property
    def columns(self) -> list[str]:
        """Columns that the model reads; those of images are last."""
        return [*self._categories(), *self._image_columns()]

    def predict(
        self, rows: Iterable[Mapping[str, Any]], *, image_root: str | Path = ".", calibrated: bool = False
    ) -> list[dict[str, Any]]:
        """rows: column → value, one mapping for each case; None or an empty text if it is missing. An image
        is a path, relative to `image_root`, or a URL of the form data:image/png;base64,… calibrated: apply
        the temperature of the training.

        InputError for values and images that cannot be read."""
        listed = list(rows)
        names = {name for row in listed for name in row}
        cells = {name: [row.get(name) for row in listed] for name in names}
        return self.predict_columns(cells, image_root=image_root, calibrated=calibrated, single=True)

    def predict_csv(
        self, file: str | Path, *, image_root: str | Path | None = None, calibrated: bool = False
    ) -> list[dict[str, Any]]:
        """A prediction for each row of a CSV. image_root: default, the folder of the file."""
        cells, delimiter = read_table(file)
        root = Path(file).parent if image_root is None else image_root
        return self.predict_columns(cells, image_root=root, calibrated=calibrated, delimiter=delimiter)

    def predict_columns(
        self,
        cells: Columns,
        *,
        image_root: str | Path = ".",
        calibrated: bool = False,
        delimiter: str = ",",
        single: bool = False,
    ) -> list[dict[str, Any]]:
        """As `predict`, for columns of N cells. single: each number is read by itself, not by the notation of
        its column."""
        absent = [name for name in self.columns if name not in cells]
        if absent and len(next(iter(cells.values()), ())):
            listed = ", ".join(f'"{name}"' for name in absent[:20])
            raise InputError(f"The columns {listed} are absent. Leave the cells of unknown values empty.")
        count = len(cells[self.columns[0]]) if not absent else 0
        if not count:
            return []
        texts = self._texts(cells, single=single)
        table = encode(self._prepared["table"], texts, delimiter) if texts else {}
        outputs = []
        for start in range(0, count, BATCH):
            rows = range(start, min(start + BATCH, count))
            given = {name: array[rows.start : rows.stop] for name, array in table.items()}
            given |= self._images(cells, rows, Path(image_root))
            names = [facts["name"] for facts in self.document["inputs"]]
            outputs.append(self._session.run(None, {name: given[name] for name in names})[0])
        return stated(self.document, np.concatenate(outputs).astype(np.float64), calibrated=calibrated)

    def _texts(self, cells: Columns, *, single: bool) -> dict[str, list[str]]:
        """The texts of the columns of the table."""
        recipe = self._prepared.get("recipe") or {}
        found = {
            name: without_codes([text_of(value, categories) for value in cells[name]], recipe, name)
            for name, categories in self._categories().items()
        }
        declared = declared_marks(recipe)
        for column in self._prepared["table"]["columns"] if found else ():
            name, marks = column["name"], declared or (trained_marks(column) if single else None)
            if column["kind"] != "numeric" or marks is None:
                continue
            if not single and not {_proven_mark(_bare(text)) for text in found[name]} <= {None, marks[0]}:
                continue
            plain = [unmistakable(text, marks, column.get("sign", "")) for text in found[name]]
            if None in plain:
                row = plain.index(None) + 1
                raise InputError(f'Row {row}: the number in column "{name}" has two possible values.')
            found[name] = [text for text in plain if text is not None]
        return found

    def _categories(self) -> dict[str, Sequence[str] | None]:
        """Column of the table → its categories, None for numbers. Members of an ensemble share columns."""
        reads_table = any(facts["name"] == "present" for facts in self.document["inputs"])
        columns = self._prepared["table"]["columns"] if reads_table else []
        found: dict[str, Sequence[str] | None] = {}
        for column in columns:
            found.setdefault(column["name"], None if column["kind"] == "numeric" else column["categories"])
        return found

    def _image_columns(self) -> list[str]:
        return [] if self._prepared["images"] is None else list(self._prepared["image_columns"])

    def _images(self, cells: Columns, rows: range, root: Path) -> dict[str, Array]:
        """The inputs `images` and `view_mask`; a view without an image is black and masked."""
        if not self._image_columns():
            return {}
        settings = self._prepared["images"]
        widths = settings.get("views", {})
        width, height = settings["size"]
        shown = [(column, view) for column in self._image_columns() for view in range(widths.get(column, 1))]
        images = np.zeros((len(rows), len(shown), 3, height, width), dtype=np.float32)
        mask = np.zeros((len(rows), len(shown)), dtype=np.bool_)
        full = np.float32(65535 if settings["depth"] == 16 else 255)
        for place, row in enumerate(rows):
            for number, (column, view) in enumerate(shown):
                content = None if view else _content_of(cells[column][row], root, row, column)
                if content is None:
                    continue
                try:
                    record = image_record(content, settings)
                except InputError as error:
                    message = f'Row {row + 1}: the image of column "{column}" cannot be read: {error}.'
                    raise InputError(message) from None
                images[place, number] = np.moveaxis(record, -1, 0).astype(np.float32) / full
                mask[place, number] = True
            needs_image = self._prepared["unreadable_images"] == "refuse" or not self._categories()
            if needs_image and not mask[place].any():
                raise InputError(f"Row {row + 1}: there is no image.")
        return {"images": images, "view_mask": mask}


def _content_of(value: Any, root: Path, row: int, column: str) -> bytes | None:
    """The bytes of an image, None for an empty cell."""
    if isinstance(value, bytes):
        return value
    text = value.strip() if isinstance(value, str) else text_of(value, ())
    if is_missing(text):
        return None
    try:
        if text.startswith("data:image/"):
            return base64.b64decode(text.partition("base64,")[2], validate=True)
        return (root / text).read_bytes()
    except (OSError, ValueError, binascii.Error) as error:
        message = f'Row {row + 1}: the image of column "{column}" cannot be opened: {type(error).__name__}.'
        raise InputError(message) from None


def stated(document: Mapping[str, Any], outputs: Array, *, calibrated: bool) -> list[dict[str, Any]]:
    """outputs: of the network, N rows → N predictions, with the columns of Medloom's tables."""
    if not np.isfinite(outputs).all():
        raise InputError("The prediction of a case is not a number.")
    temperature = document["temperature"]["value"]
    if calibrated and temperature is None:
        raise InputError("This model has no temperature.")
    task, classes, threshold = document["task"], document["classes"], document["threshold"]
    if task == "regression":
        columns: dict[str, list[Any]] = {"predicted": outputs.tolist()}
    elif task == "survival":
        columns = _survival(document["preprocessing"]["survival"]["edges"], outputs)
    elif task == "multilabel":
        limits = np.asarray([0.5] * len(classes) if threshold is None else threshold)
        called = _reaches(outputs, limits)
        columns = {}
        for place, name in enumerate(classes):
            columns[f"predicted_{name}"] = ["1" if yes else "0" for yes in called[:, place].tolist()]
            columns[f"probability_{name}"] = outputs[:, place].tolist()
    else:
        columns = _classes(classes, threshold, outputs, temperature if calibrated else None)
    names = list(columns)
    return [dict(zip(names, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _classes(
    classes: Sequence[str], threshold: float | None, outputs: Array, temperature: float | None
) -> dict[str, list[Any]]:
    """With two classes, the second one from the threshold on; otherwise the most probable one."""
    limit = 0.5 if threshold is None else threshold
    if temperature is not None:
        outputs = _with_temperature(outputs, temperature)
        limit = float(_with_temperature(np.array([[1 - limit, limit]]), temperature)[0, 1])
    if len(classes) == 2:
        called = _reaches(outputs[:, 1], np.asarray(limit)).astype(np.int64)
    else:
        called = _reaches(outputs, outputs.max(axis=1, keepdims=True)).argmax(axis=1)
    return {
        "predicted": [classes[place] for place in called.tolist()],
        **{f"probability_{name}": outputs[:, place].tolist() for place, name in enumerate(classes)},
    }


def _survival(edges: Sequence[float], outputs: Array) -> dict[str, list[Any]]:
    """risk: time lost up to the last edge; survival at each edge."""
    knots = np.concatenate([[0.0], edges])
    curve = np.concatenate([np.ones((len(outputs), 1)), outputs], axis=1)
    lost = knots[-1] - ((curve[:, 1:] + curve[:, :-1]) / 2) @ np.diff(knots)
    survival = {f"survival_{edge:.9g}": outputs[:, place].tolist() for place, edge in enumerate(edges)}
    return {"risk": lost.tolist(), **survival}


def _reaches(scores: Array, threshold: Array) -> Array:
    """Return whether each score is at or above the threshold, except for rounding."""
    reached: Array = scores >= threshold - 1e-12 * np.abs(threshold)
    return reached


def _with_temperature(probabilities: Array, temperature: float) -> Array:
    logs = np.log(np.maximum(probabilities, np.finfo(np.float64).tiny)) / temperature
    powers = np.exp(logs - logs.max(axis=1, keepdims=True))
    shares: Array = powers / powers.sum(axis=1, keepdims=True)
    return shares


# --- MLflow ---------------------------------------------------------------------------------------------


class PythonFunction:
    """The model for `mlflow.pyfunc.load_model`."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def predict(self, model_input: Any, params: Mapping[str, Any] | None = None) -> Any:
        """model_input: a data frame. → a data frame with one row for each case."""
        cells = {str(name): model_input[name].tolist() for name in model_input.columns}
        calibrated = bool((params or {}).get("calibrated", False))
        return type(model_input)(self._model.predict_columns(cells, calibrated=calibrated))


def _load_pyfunc(path: str) -> PythonFunction:
    return PythonFunction(Model(path))


# --- Test -----------------------------------------------------------------------------------------------


def problems_of(folder: str | Path = FOLDER) -> list[str]:
    """Reasons why the package does not predict as it did when it was written; empty if it does."""
    place = Path(folder)
    changed = []
    for line in (place / "SHA256SUMS").read_text("utf-8").splitlines():
        digest, name = line.split("  ", 1)
        file = place / name
        if not file.is_file() or hashlib.sha256(file.read_bytes()).hexdigest() != digest:
            changed.append(f"{name} is absent or differs from the exported file")
    return changed or prediction_problems(place)


def prediction_problems(folder: Path) -> list[str]:
    """Differences of the predictions for the test case from those of the trained network."""
    expected = json.loads((folder / "test_case" / "expected.json").read_text("utf-8"))["predictions"]
    model = Model(folder)
    found = model.predict_csv(folder / "test_case" / "cases.csv")
    if len(found) != len(expected):
        return [f"{len(found)} predictions instead of {len(expected)}"]
    problems = []
    for row, (one, other) in enumerate(zip(found, expected, strict=True), start=1):
        for name in one.keys() | other.keys():
            if not _agree(one.get(name), other.get(name), TOLERANCE * _unit(model.document, name)):
                problems.append(f"test_case/cases.csv, row {row}: {name} differs from the trained model")
    return sorted(problems)


def _unit(document: Mapping[str, Any], name: str) -> float:
    if document["task"] == "regression":
        return float(document["label_normalization"]["std"])
    return float(document["preprocessing"]["survival"]["edges"][-1]) if name == "risk" else 1.0


def _agree(one: Any, other: Any, tolerance: float) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= tolerance
    return bool(one == other)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Checks the model package. example.py predicts a table.")
    parser.add_argument("--test", action="store_true", required=True, help="compare with the trained model")
    parser.parse_args(arguments)
    try:
        problems = problems_of()
    except Exception as error:
        problems = [f"{type(error).__name__}: {error}"]
    for problem in problems:
        print(problem, file=sys.stderr)
    print("failed" if problems else "ok: the predictions are those of the trained model")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
