"""Texts of a column → numbers, in the notation that the column uses.

A column has one notation: one decimal mark, one mark of thousands, and one sign such as % or $ that all its
numbers have. What could be read in two ways remains text, so that nothing is off by a factor of a thousand.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import join, phrase
from medloom_trainer.data.tables.cells import PresentText, is_missing, missing_mask, present_texts
from medloom_trainer.data.tables.column_texts import coded, distinct_of, once
from medloom_trainer.data.tables.table import Table, name_rows
from medloom_trainer.data.tables.units import split_unit
from medloom_trainer.errors import TrainerError
from medloom_trainer.warnings import Warnings, warning

_POINT = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_COMMA = re.compile(r"[+-]?(?:\d+,\d*|,\d+)(?:[eE][+-]?\d+)?")
_GROUPED = {
    ",": re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?"),
    ".": re.compile(r"[+-]?\d{1,3}(?:\.\d{3})+(?:,\d+)?"),
}
"""Mark of thousands → numbers that use it."""
_SPACED = re.compile(r"[+-]?\d{1,3}(?:[ '\u2019]\d{3})+(?:[.,]\d+)?")
_SPACE = re.compile(r"[ '\u2019]")
_CENSORED = re.compile(r"(?:[<>≤≥]=?\s*(?P<bound>[^<>=]+)|(?P<least>[^+]+)\+)")
_INFINITE = re.compile(r"[+-]?inf(?:inity)?", re.IGNORECASE)
_MINUS = re.compile(r"^(?:[\u2010-\u2013\u2212\ufe63\uff0d]\s*|-\s+)(?=[\d.,])")
"""A minus, hyphen or dash of typography before a number, or a minus with a space."""
_SIGN_BEFORE = re.compile(r"^([$€£¥])\s*(?=[\d.,+-])")
_SIGN_AFTER = re.compile(r"(?<=[\d.,])\s*([%‰$€£¥]|[Yy]|yrs?|years?)$")
_EXPONENT = re.compile(r"\d+[eE]\d+")
_SIGNED_EXPONENT = re.compile(r"[eE][+-]")
_LONG_CODE = re.compile(r"[+-]?0*[1-9]\d{15,}(?:(?<=\d{17})\.0*)?")
"""An integer that float64 cannot distinguish from its neighbors: a code. With `.0` it has 17 digits, since a
float of 16 digits is written so."""
_EXACT_CODE = re.compile(r"[+-]?0\d+|[+-]?\d{16,}(?:\.0*)?|\d+(?:\.\d{1,2})?[eE][+-]\d+")
"""`007`, integers of 16 digits, and `1E+10`: a number in another notation would be another code."""
_PADDED = re.compile(r"0+\d+")
_AMBIGUOUS = re.compile(r"[+-]?[1-9]\d{0,2}[.,]\d{3}")
"""Numbers whose only mark groups thousands in one notation and is the decimal mark in another: `1.234`."""
_KINDS = ("text", "ambiguous", "infinite", "censored")
_PLAIN = re.compile(r"-?[0-9]{1,12}(?:\.[0-9]{1,12})?")
"""Texts that are numbers without a sign, a bound or groups of thousands."""


@dataclass(frozen=True)
class Numbers:
    """A column read as numbers. Positions count rows from 0."""

    values: npt.NDArray[np.float64]
    """(N,) NaN if missing; ±inf is kept."""
    texts: list[int]
    """Positions of cells that are neither a number nor missing (NaN in `values`)."""
    ambiguous: list[int]
    """Part of `texts`: numbers whose value depends on the notation."""
    infinite: list[int]
    """Positions of ±inf or of a number beyond float64."""
    censored: list[int]
    """Positions of `89+`, `>89` or `<0.1`: read as the bound that they name."""
    sign: str
    """"%", "$", … that all numbers have; empty if they have none."""


@dataclass(frozen=True)
class Notation:
    decimal: str
    """ "." or ","."""
    thousands: str
    """ ",", "." or empty; spaces and apostrophes are always possible."""
    sign: str = ""

    @classmethod
    def of_column(cls, column: Mapping[str, Any]) -> Notation | None:
        """The notation in which a training read the numbers of a column; None if no number had a mark, or if
        the model is of an older version. column: its fitted state (data/features/encoding.py)."""
        decimal = column.get("decimal")
        return None if decimal is None else cls(decimal, column["thousands"], column["sign"])


def read_numbers(texts: Sequence[str], delimiter: str, trained: Notation | None = None) -> Numbers:
    """Read a column as numbers. A decimal comma is recognized in a file with semicolons or tabs as
    delimiters, and in other files if a column uses the comma in a way that cannot mean thousands; a column
    that uses both marks as decimal marks contains texts, not numbers. Integers of 16 digits and more are
    codes, and so texts.

    trained: notation of the same column in a training. It decides what the column itself leaves open, so that
    one row is read as in a long table: `1.234` is 1234 for a model that was trained on `1.234,5`.
    """
    _, codes = coded(texts)
    values, kinds, sign = once(
        texts, ("numbers", delimiter, trained), lambda: _read_distinct(texts, delimiter, trained)
    )
    rows = {kind: np.flatnonzero(mask[codes]).tolist() if mask.any() else [] for kind, mask in kinds.items()}
    wrong = sorted([*rows["text"], *rows["ambiguous"]])
    return Numbers(values[codes], wrong, rows["ambiguous"], rows["infinite"], rows["censored"], sign)


def read_as_trained(table: Table, column: Mapping[str, Any]) -> Numbers:
    """A column read as numbers, in the notation of the training where it leaves this open. column: its fitted
    state."""
    return read_numbers(table.cells[column["name"]], table.delimiter, Notation.of_column(column))


@dataclass(frozen=True)
class Levels:
    """Numbers of N cases by their L different values: the values are sorted, not the cases."""

    ascending: npt.NDArray[np.float64]
    """(L,) the different values, without NaN."""
    codes: npt.NDArray[np.int32]
    """(N,) their positions; L if unknown."""

    @classmethod
    def of(cls, values: npt.NDArray[np.float64] | Levels) -> Levels:
        """values: (N,), NaN if unknown."""
        if isinstance(values, Levels):
            return values
        found, codes = np.unique(values, return_inverse=True)
        return cls(found[~np.isnan(found)], codes.astype(np.int32))

    @property
    def known(self) -> npt.NDArray[np.bool_]:
        """(N,)"""
        known: npt.NDArray[np.bool_] = self.codes < len(self.ascending)
        return known

    def values(self, rows: npt.NDArray[Any] | slice = slice(None)) -> npt.NDArray[np.float64]:
        """The numbers of these rows, NaN if unknown."""
        return np.append(self.ascending, math.nan)[self.codes[rows]]

    def counts(self, rows: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """(L,) how many of these rows, all of which are known, have each value."""
        return np.bincount(self.codes[rows], minlength=len(self.ascending))


def read_levels(texts: Sequence[str], delimiter: str) -> Levels:
    """The numbers of a column, as `read_numbers`, by their different values."""
    _, codes = coded(texts)
    values, _, _ = once(texts, ("numbers", delimiter), lambda: _read_distinct(texts, delimiter))
    of_distinct = once(texts, ("levels", delimiter), lambda: Levels.of(values))
    return Levels(of_distinct.ascending, of_distinct.codes[codes])


def _read_distinct(
    texts: Sequence[str], delimiter: str, trained: Notation | None = None
) -> tuple[npt.NDArray[np.float64], dict[str, npt.NDArray[np.bool_]], str]:
    """(values of the different texts, kind → mask of those of this kind, sign of the column)"""
    distinct, _ = coded(texts)
    if are_plain(texts) and (trained is None or trained.decimal == "."):
        plain = np.array(
            [math.nan if is_missing(text) else float(text) for text in distinct], dtype=np.float64
        )
        return plain, dict.fromkeys(_KINDS, np.zeros(len(distinct), dtype=np.bool_)), ""
    notation = _notation_of(texts, delimiter)
    if trained is not None and _proven_marks(texts, notation.sign) <= {trained.decimal}:
        alone = replace(trained, sign=notation.sign)
        read = [_read_alone(text, alone) for text in distinct]
    else:
        read = [_read_number(text, notation) for text in distinct]
    values = np.array([value for value, _ in read], dtype=np.float64)
    kinds = np.array([kind for _, kind in read], dtype=np.str_)
    return values, {kind: kinds == kind for kind in _KINDS}, notation.sign


def are_plain(texts: Sequence[str]) -> bool:
    """Return whether all texts that are not missing are plain numbers, so nothing else has to be tried."""
    return once(texts, "plain numbers", lambda: all(map(_PLAIN.fullmatch, present_texts(texts))))


def _notation_of(texts: Sequence[str], delimiter: str) -> Notation:
    """The notation of a column, from its distinct texts."""
    if are_plain(texts):
        return Notation(".", "", "")
    distinct = set(present_texts(texts))
    signs = {sign for text in distinct if (sign := _split_sign(_bare(text))[1]) is not None}
    sign = signs.pop() if len(signs) == 1 else ""
    bare = {_split_sign(_bare(text))[0] if sign else _bare(text) for text in distinct}
    comma = _uses_decimal_comma(bare, delimiter)
    thousands = _mark_of_thousands(bare, "." if comma else ",")
    return Notation("," if comma else ".", thousands, sign)


def _bare(text: str) -> str:
    """Without a bound (`<`, `+`), and with a plain minus."""
    found = _CENSORED.fullmatch(text)
    return _MINUS.sub("-", (found["bound"] or found["least"]).strip() if found else text)


def _split_sign(text: str) -> tuple[str, str | None]:
    """(number, symbol or unit): `12 %` → ("12", "%"); empty for a text that contains a digit but no sign."""
    number, symbol = _split_symbol(text)
    return (number, symbol) if symbol != "" else split_unit(text) or (number, symbol)


def _split_symbol(text: str) -> tuple[str, str | None]:
    """(number, symbol). Units are not among them: `2 weeks` may be a category."""
    if found := _SIGN_BEFORE.search(text):
        return text[found.end() :], found[1]
    if found := _SIGN_AFTER.search(text):
        return text[: found.start()], found[1]
    return text, "" if any(mark.isdigit() for mark in text) else None


def _uses_decimal_comma(texts: Iterable[str], delimiter: str) -> bool:
    texts = set(texts)
    if any(_GROUPED["."].fullmatch(text) and "," in text for text in texts):  # 1.234,5
        return not any("," in text and _GROUPED[","].fullmatch(text) and "." in text for text in texts)
    with_comma = {text for text in texts if "," in text and _COMMA.fullmatch(text)}
    if not with_comma or any("." in text and _POINT.fullmatch(text) for text in texts):
        return False
    return delimiter != "," or any(not _GROUPED[","].fullmatch(text) for text in with_comma)


def _mark_of_thousands(texts: set[str], mark: str) -> str:
    """The mark, if every number that contains it groups thousands, and one could not be read otherwise:
    `1,234.5` or `1,234,567`."""
    using = [text for text in texts if mark in text and is_like_number(text)]
    grouped = [text for text in using if _GROUPED[mark].fullmatch(text)]
    other = "." if mark == "," else ","
    certain = any(other in text or text.count(mark) > 1 for text in grouped)
    return mark if certain and len(grouped) == len(using) else ""


def _read_number(text: str, notation: Notation) -> tuple[float, str]:
    """→ (value, "number" | "censored" | "infinite" | "missing" | "text"); NaN for the last two."""
    if is_missing(text):
        return math.nan, "missing"
    plain = _canonical(text, notation)
    if plain is None:
        return math.nan, "text"
    if _INFINITE.fullmatch(plain):
        return (-math.inf if plain.startswith("-") else math.inf), "infinite"
    value = float(plain)
    kind = "censored" if _CENSORED.fullmatch(text) else "number"
    return value, kind if math.isfinite(value) else "infinite"


def _proven_marks(texts: Sequence[str], sign: str) -> set[str]:
    """Decimal marks that some number of the column certainly has."""
    numbers = (_split_sign(_bare(text))[0] if sign else _bare(text) for text in present_texts(texts))
    return {mark for number in numbers if (mark := _proven_mark(number)) is not None}


def _proven_mark(number: str) -> str | None:
    """The decimal mark that a number has in every notation, also by grouping its thousands with the other
    one; None without a mark, for `1.234`, and for texts."""
    if _SPACED.fullmatch(number):
        number = _SPACE.sub("", number)
    if _AMBIGUOUS.fullmatch(number):
        return None
    for mark, other in ((",", "."), (".", ",")):
        if _GROUPED[other].fullmatch(number) and (mark in number or number.count(other) > 1):
            return mark
    if "," in number and _COMMA.fullmatch(number):
        return ","
    return "." if "." in number and _POINT.fullmatch(number) else None


def _read_alone(text: str, trained: Notation) -> tuple[float, str]:
    """As `_read_number`, for a text whose own marks count first; "ambiguous" if neither they nor the notation
    of the training decide."""
    notation = _notation_alone(text, trained)
    return (math.nan, "ambiguous") if notation is None else _read_number(text, notation)


def _notation_alone(text: str, trained: Notation) -> Notation | None:
    number = _split_sign(_bare(text))[0] if trained.sign else _bare(text)
    mark = _proven_mark(number)
    if mark is not None:
        return replace(trained, decimal=mark, thousands="." if mark == "," else ",")
    if not _AMBIGUOUS.fullmatch(number):
        return trained
    return trained if {trained.decimal, trained.thousands} & {*number} else None


class AmbiguousNumberError(ValueError):
    """A number with two possible values."""


def unmistakable(text: str, trained: Notation) -> str:
    """A text of a single case with a decimal point, without marks of thousands and without the sign of the
    training; another one than a number is unchanged. `1.2340` for 1.234: three decimals could be thousands.
    AmbiguousNumberError."""
    if is_missing(text):
        return text
    sign = _split_sign(_bare(text))[1]
    own = replace(trained, sign=trained.sign if sign == trained.sign else "")
    notation = _notation_alone(text, own)
    if notation is None:
        raise AmbiguousNumberError
    plain = _canonical(text, notation)
    if plain is None:
        return text
    found = _CENSORED.fullmatch(text)
    certain = with_certain_point(plain)
    return certain if found is None else text.replace(found["bound"] or found["least"], certain)


def with_certain_point(number: str) -> str:
    """A number with a decimal point, in a form that has one value in every notation."""
    return f"{number}0" if _AMBIGUOUS.fullmatch(number) else number


def _canonical(text: str, notation: Notation) -> str | None:
    """The number with a decimal point, without its bound; None if it is not a number in this notation."""
    number = _bare(text)
    if notation.sign:
        number, sign = _split_sign(number)
        if sign != notation.sign:
            return None
    if _INFINITE.fullmatch(number):
        return number
    if _SPACED.fullmatch(number):
        number = _SPACE.sub("", number)
    if notation.thousands and _GROUPED[notation.thousands].fullmatch(number):
        number = number.replace(notation.thousands, "")
    if notation.decimal == "," and _COMMA.fullmatch(number):
        number = number.replace(",", ".")
    return number if _POINT.fullmatch(number) and not _LONG_CODE.fullmatch(number) else None


def are_codes(texts: Iterable[str]) -> bool:
    """Return whether texts such as `1E10` are codes (of ICD, for example), although they could be numbers: no
    text of the column has a decimal mark or a signed exponent."""
    distinct = set(texts)
    exact = any("." in text or "," in text or _SIGNED_EXPONENT.search(text) for text in distinct)
    return not exact and any(_EXPONENT.fullmatch(text) for text in distinct)


def has_unsigned_exponent(text: str) -> bool:
    """Return whether it may be a code such as `1E10`."""
    return _EXPONENT.fullmatch(text) is not None


def is_exact_code(text: str) -> bool:
    """Return whether a number is written as codes are, so that its notation matters."""
    return _EXACT_CODE.fullmatch(text) is not None


def is_padded(text: str) -> bool:
    """Return whether it is a whole number with leading zeros, as codes have."""
    return _PADDED.fullmatch(text) is not None


def is_like_number(text: str) -> bool:
    """Return whether a person would read it as a number, whatever the notation of its column."""
    number = _split_symbol(_bare(text))[0]
    if _LONG_CODE.fullmatch(number):
        return False
    patterns = (_POINT, _COMMA, *_GROUPED.values(), _SPACED, _INFINITE)
    return any(pattern.fullmatch(number) for pattern in patterns)


def in_plain_notation(texts: list[str], delimiter: str) -> list[str]:
    """The texts of a column of numbers with decimal points and without marks of thousands and signs; columns
    with other texts unchanged."""
    notation = _notation_of(texts, delimiter)
    if read_numbers(texts, delimiter).texts:
        return texts
    return [text if is_missing(text) else _plain(text, notation) for text in texts]


def _plain(text: str, notation: Notation) -> str:
    number = _canonical(text, notation) or ""
    found = _CENSORED.fullmatch(text)
    return number if found is None else text.replace(found["bound"] or found["least"], number)


_EXPONENT_OR_NONE = r"(?:[eE][+-]?\d+)?"
_WITH_COMMA = re.compile(r"[+-]?(?:(?:\d+|\d{1,3}(?:[. '\u2019]\d{3})+)(?:,\d*)?|,\d+)" + _EXPONENT_OR_NONE)
_WITH_POINT = re.compile(r"[+-]?(?:(?:\d+|\d{1,3}(?:[, '\u2019]\d{3})+)(?:\.\d*)?|\.\d+)" + _EXPONENT_OR_NONE)


def with_decimal_point(texts: list[str], decimal: str) -> list[str]:
    """The texts of a column with this decimal mark, "." or ",": numbers, also with a bound or a sign, have a
    decimal point and no marks of thousands; other texts are unchanged. A column with a number that cannot
    have this mark is unchanged."""
    marked = [text for text in distinct_of(texts) if "." in text or "," in text]
    plain = {text: _with_point(text, decimal) for text in marked}
    if any(changed is None and is_like_number(text) for text, changed in plain.items()):
        return texts
    return [plain.get(text) or text for text in texts]


def _with_point(text: str, decimal: str) -> str | None:
    """None if it is not a number with this decimal mark."""
    pattern, other = (_WITH_COMMA, ".") if decimal == "," else (_WITH_POINT, ",")
    found = _CENSORED.fullmatch(text)
    number = _split_symbol((found["bound"] or found["least"]).strip() if found else text)[0].strip()
    if not pattern.fullmatch(_MINUS.sub("-", number)):
        return None
    plain = re.sub(rf"[{other} '\u2019]", "", number).replace(decimal, ".")
    changed = text.replace(number, plain)
    return PresentText(changed) if isinstance(text, PresentText) else changed


def forms_of(texts: Sequence[str], at_most: int = 5) -> str:
    """The most frequent forms of texts, with 9 for digits and a for letters: examples that reveal no
    value."""
    forms = Counter(
        "".join("9" if sign.isdigit() else "a" if sign.isalpha() else sign for sign in text[:20])
        for text in texts
    )
    return ", ".join(f'"{form}"' for form, _ in forms.most_common(at_most))


def bounded(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Replace ±inf by the largest and the smallest of the finite values; 0 if there are none."""
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
    return np.where(np.isinf(values), np.where(values > 0, high, low), values)


def read_column(
    table: Table, name: str, warnings: Warnings, trained: Notation | None = None
) -> npt.NDArray[np.float64]:
    """(N,) numbers, NaN if missing; a warning about ±inf and `89+`. trained: see `read_numbers`.

    DATASET_INVALID if the column has other texts.
    """
    numbers = read_numbers(table.cells[name], table.delimiter, trained)
    if numbers.ambiguous:
        rows = name_rows(table, numbers.ambiguous)
        message = phrase("numbers_ambiguous", column=name, table=table.name, rows=rows)
        raise TrainerError("DATASET_INVALID", message, phrase("write_one_value"))
    if numbers.texts:
        rows = name_rows(table, numbers.texts)
        message = phrase("numeric_with_text", column=name, table=table.name, rows=rows)
        raise TrainerError("DATASET_INVALID", message)
    if numbers.infinite:
        rows = join(table.name, name_rows(table, numbers.infinite))
        message = phrase("infinite_values", column=name, rows=rows)
        warnings.append(warning("INFINITE_NUMBERS", message))
    if numbers.censored:
        rows = join(table.name, name_rows(table, numbers.censored))
        message = phrase("bounds_as_values", column=name, rows=rows)
        warnings.append(warning("CENSORED_NUMBERS", message))
    return numbers.values


def declared_notation(recipe: Mapping[str, Any]) -> Notation | None:
    """The notation that all files of a recipe with a decimal mark have; None without one."""
    marks = {file["decimal"] for file in recipe.get("files", ()) if "decimal" in file}
    if len(marks) != 1:
        return None
    (mark,) = marks
    return Notation(mark, "." if mark == "," else ",")


def marks_of_column(table: Table, name: str) -> dict[str, str | None]:
    """decimal and thousands: the marks with which the numbers of a column are read. decimal is null if no
    number has a mark."""
    texts = table.cells[name]
    notation = _notation_of(texts, table.delimiter)
    marked = any("." in text or "," in text for text in present_texts(texts))
    return {"decimal": notation.decimal if marked else None, "thousands": notation.thousands}


def sign_of_column(table: Table, name: str) -> str:
    """The unit or symbol that all numbers of a column have; empty if they have none."""
    return read_numbers(table.cells[name], table.delimiter).sign


def complete_rows(table: Table, numeric: Sequence[str], categorical: Sequence[str]) -> npt.NDArray[np.int64]:
    """Positions of the rows that have a value in every one of these columns."""
    complete = np.ones(len(table), dtype=np.bool_)
    for name in numeric:
        complete &= ~np.isnan(read_column(table, name, []))
    for name in categorical:
        complete &= ~missing_mask(table.cells[name])
    return np.flatnonzero(complete)
