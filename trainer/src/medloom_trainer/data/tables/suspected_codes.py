"""Values of a column that may mean a missing or uncertain value: one list of texts (`missing_words`) and one
of numbers (`sentinels`) for classes, categories, numbers, and the questions of a proposed recipe."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

import numpy as np

from medloom_trainer.data.tables.cells import is_missing
from medloom_trainer.data.tables.column_texts import counted
from medloom_trainer.data.tables.identifiers import names_codes
from medloom_trainer.data.tables.missing_words import missing_words
from medloom_trainer.data.tables.numbers import read_numbers
from medloom_trainer.data.tables.sentinels import is_code, suspected_numbers

_NONE = "none"
_PLAIN = re.compile(r"-?\d+(?:\.\d+)?")
_FEWEST_VALUES = 2
"""Other values of a column with a code."""


def suspected_values(column: str, texts: Sequence[str], delimiter: str) -> dict[str, int]:
    """Text → its count, of the texts of a column that may mean a missing or uncertain value."""
    counts = {text: count for text, count in counted(texts).items() if not is_missing(text)}
    return suspected_classes(column, counts, delimiter)


def suspected_classes(column: str, counts: Mapping[str, int], delimiter: str = ",") -> dict[str, int]:
    """counts: text → cases, without missing values."""
    words = missing_words(counts)
    others = [text for text in counts if text not in words]
    numbers = [] if names_codes(column) else _numbers(others, counts, delimiter)
    if len(others) - len(numbers) < (1 if words and not numbers else _FEWEST_VALUES):
        return {}
    return {text: counts[text] for text in (*words, *numbers)}


def count_none(texts: Sequence[str]) -> int:
    """Number of rows with "None", which is read as a missing value, in a column of words."""
    counts = counted(texts)
    nones = [text for text in counts if text.casefold() == _NONE and is_missing(text)]
    words = [text for text in counts if not is_missing(text)]
    are_words = bool(words) and not any(character.isdigit() for text in words for character in text)
    return sum(counts[text] for text in nones) if are_words else 0


def _numbers(texts: Sequence[str], counts: Mapping[str, int], delimiter: str) -> list[str]:
    """The texts that are suspected numbers among numbers, or the only number among words."""
    read = read_numbers(texts, delimiter)
    numbers = [text for text, value in zip(texts, read.values.tolist(), strict=True) if math.isfinite(value)]
    if read.texts:
        alone = numbers[0] if len(numbers) == 1 and len(read.texts) >= _FEWEST_VALUES else ""
        return [alone] if _PLAIN.fullmatch(alone) and is_code(float(alone)) else []
    found = read.values[np.isfinite(read.values)]
    values, places = np.unique(found, return_inverse=True)
    cases = np.bincount(places, weights=[counts[text] for text in numbers], minlength=len(values))
    suspected = suspected_numbers(values, cases.astype(np.int64))
    return [text for text, value in zip(numbers, found.tolist(), strict=True) if value in suspected]
