"""Whether the values of a column identify rows or patients. A name only proposes it: `body_mass_index` is a
measurement, and `site_id` with four values is a category.
"""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Collection, Sequence

_FEWEST = 3
_SHARE = 0.1
"""Fewest different values of an id: three, and a tenth of the rows or 100."""
_MANY = 100
_WHOLE = re.compile(r"\d+(?:\.0)?")
_DECIMALS = re.compile(r"[+-]?\d*[.,]\d*[1-9]\d*")
_SAME_FORM = 0.9
_FEWEST_DIGITS = 3
_COMPACT_DATE = re.compile(r"(?:19|20)\d{6}")
_DATE_NAME = re.compile(r"date|datum|fecha|data_|日期|日時|날짜", re.IGNORECASE)
_SERIAL_DATES = (14_000, 60_000)
"""Days since 1899-12-30 of Excel, from 1938 to 2064."""


def may_identify(present: Sequence[str], distinct: Collection[str]) -> bool:
    """Return whether these values are whole numbers or texts, and too many for categories."""
    if has_decimals(distinct):
        return False
    return len(distinct) >= _FEWEST and (len(distinct) >= _SHARE * len(present) or len(distinct) >= _MANY)


def has_decimals(distinct: Collection[str]) -> bool:
    """Return whether these values are measurements: numbers, some of them with decimals."""
    return any(_DECIMALS.fullmatch(text) for text in distinct)


def is_repeated_code(present: Sequence[str], distinct: Collection[str]) -> bool:
    """Return whether texts such as `042_S_0001` repeat although their number grows with the rows: ids of
    patients with several rows, whatever the name of their column."""
    if len(distinct) < max(20, _SHARE * len(present)) or len(distinct) == len(present):
        return False
    form, count = Counter(_form(text) for text in distinct).most_common(1)[0]
    return count >= _SAME_FORM * len(distinct) and form.count("9") >= _FEWEST_DIGITS


def are_dates(column: str, distinct: Collection[str]) -> bool:
    """Return whether whole numbers are dates: 20240131, or days as Excel counts them in a column with such a
    name."""
    if not distinct:
        return False
    if all(_COMPACT_DATE.fullmatch(text) and _is_day(text) for text in distinct):
        return True
    first, last = _SERIAL_DATES
    serial = all(_WHOLE.fullmatch(text) and first <= float(text) <= last for text in distinct)
    return serial and _DATE_NAME.search(column) is not None


def _form(text: str) -> str:
    return "".join("9" if sign.isdigit() else "a" if sign.isalpha() else sign for sign in text)


def _is_day(text: str) -> bool:
    try:
        datetime.date(int(text[:4]), int(text[4:6]), int(text[6:]))
    except ValueError:
        return False
    return True
