"""Dates: texts in the usual notations, and numbers that encode dates.

`20240131` is a date in any column. Other numbers, such as 310124 or seconds since 1970, are dates only in a
column that is named as one; elsewhere many of them are suspected.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Collection, Mapping

from medloom_trainer.contract.codes import PhraseCode

_NAME = re.compile(
    r"date|datum|fecha|data_|dob|birth|geburt|geb_|visit|exam|scanned|admi|discharge|aufnahme|entlass|untersuch"
    r"|surgery|operation|follow|death|onset|diagnos|日期|日時|날짜",
    re.IGNORECASE,
)
_DATE_WORD = re.compile(r"date|datum|fecha|dob|geburt|日期|日時|날짜", re.IGNORECASE)
_TIME_WORD = re.compile(r"time_?stamp|date_?time|zeitstempel|epoch", re.IGNORECASE)
_GAP = re.compile(r"[0/.\-: ]*0[0/.\-: ]*")
"""A placeholder for a missing date, such as 00000000 or 0000-00-00."""
_MOST_GAPS = 0.2
_MOST_OTHERS = 0.1
"""Largest share of the texts of a column of dates that are something else, such as "unknown"."""
_FEWEST_DATES = 20
"""Fewest different numbers of a suspected column."""
_SECONDS_OF_A_DAY = 86_400

_PLAIN = re.compile(r"[+-]?\d*\.?\d*")
_ZEROS = re.compile(r"\.0+$")

_MONTH = (
    r"(?:jan|feb|fév|mar|mär|apr|avr|abr|may|mai|mag|maj|jun|jui|giu|jul|lug|aug|aoû|ago|sep|set|oct|okt|ott|out"
    r"|nov|dec|dez|déc|dic|ene|gen)[^\W\d_]{0,7}\.?"
)
_YEAR = r"(?P<year>(?:1[89]|2[01])\d\d)"
_ANY_YEAR = r"(?:(?:1[89]|2[01])\d\d|\d\d)"
_TIME = r"(?:[T ,:].*)?"
_TEXTS = tuple(
    re.compile(pattern + _TIME, re.IGNORECASE)
    for pattern in (
        _YEAR + r"(?P<mark>[-/.])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})",
        _YEAR + r"[年년] ?(?P<month>\d{1,2})[月월] ?(?:(?P<day>\d{1,2})[日일]?)?",
        r"(?P<day>\d{1,2})(?P<mark>[-/.])(?P<month>\d{1,2})(?P=mark)" + _ANY_YEAR,
        r"(?P<day>\d{1,2})(?:st|nd|rd|th)?[-./ ]*" + _MONTH + r"[-./ ,]*" + _ANY_YEAR,
        _MONTH + r"[-./ ]*(?P<day>\d{1,2})(?:st|nd|rd|th)?[, ]+" + _YEAR,
        _MONTH + r"[-./ ,]*" + _YEAR,
        _YEAR + r"[-./ ]*" + _MONTH + r"(?:[-./ ]*(?P<day>\d{1,2}))?",
    )
)
_COMPACT = re.compile(r"\d{8}(?:(?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d)?)?")
_NAMED_TEXTS = tuple(
    re.compile(pattern) for pattern in (_YEAR + r"[-/](?P<month>\d{1,2})", r"(?P<month>\d{1,2})[-/]" + _YEAR)
)
"""Dates only in a column that is named as one: elsewhere 2019-11 may be the number of a case."""


def are_dates(column: str, counts: Mapping[str, int]) -> bool:
    """Return whether the values of a column are dates. counts: its texts and how many rows have each."""
    dates = {text: count for text, count in counts.items() if not _GAP.fullmatch(text)}
    rows = sum(counts.values())
    if not dates or rows - sum(dates.values()) > _MOST_GAPS * rows:
        return False
    if _are_text_dates(column, dates):
        return True
    numbers = _without_zeros(dates)
    named = [form for form in _FORMS if form.name is None or form.name.search(column)]
    return any(all(map(form.fits, numbers)) for form in named)


def suspected_form(counts: Mapping[str, int]) -> PhraseCode | None:
    """The form in which many numbers of a column may encode dates of the last decades."""
    rows = sum(counts.values())
    dates = {text: count for text, count in counts.items() if not _GAP.fullmatch(text)}
    if len(dates) < _FEWEST_DATES or rows - sum(dates.values()) > _MOST_GAPS * rows:
        return None
    numbers = _without_zeros(dates)
    return next((form for form, fits in _SUSPECTED.items() if all(map(fits, numbers))), None)


def _are_text_dates(column: str, texts: Collection[str]) -> bool:
    patterns = (*_TEXTS, *(_NAMED_TEXTS if _NAME.search(column) else ()))
    others = 0
    for text in texts:
        if _PLAIN.fullmatch(text) or not any(_matches(pattern, text) for pattern in patterns):
            others += 1
            if others > _MOST_OTHERS * len(texts):
                return False
    return True


def _matches(pattern: re.Pattern[str], text: str) -> bool:
    """Return whether a text has this form and its parts are a month and a day, in any order."""
    found = pattern.fullmatch(text)
    if found is None:
        return False
    parts = found.groupdict()
    day, month = int(parts.get("day") or 1), int(parts.get("month") or 1)
    return 1 <= min(day, month) <= 12 and max(day, month) <= 31


def _without_zeros(texts: Collection[str]) -> list[str]:
    """Without the decimals that a program adds to whole numbers of a column with gaps: `20110211.0`."""
    return [_ZEROS.sub("", text) if "." in text else text for text in texts]


def _is_day(year: str, month: str, day: str) -> bool:
    try:
        datetime.date(int(year), int(month), int(day))
    except ValueError:
        return False
    return 1900 <= int(year) < 2100


def _is_compact(text: str) -> bool:
    """20240131, also with a time: 20240131235959."""
    return _COMPACT.fullmatch(text) is not None and _is_day(text[:4], text[4:6], text[6:8])


def _is_reversed(text: str) -> bool:
    """31012024 or 01312024; a number has lost its leading zero."""
    if not re.fullmatch(r"\d{7,8}", text):
        return False
    first, second, year = (padded := text.zfill(8))[:2], padded[2:4], padded[4:]
    return _is_day(year, second, first) or _is_day(year, first, second)


def _is_short(text: str) -> bool:
    """240131, 310124 or 013124; a number has lost its leading zero."""
    if not re.fullmatch(r"\d{5,6}", text):
        return False
    a, b, c = (padded := text.zfill(6))[:2], padded[2:4], padded[4:]
    return _is_day(f"20{a}", b, c) or _is_day(f"20{c}", b, a) or _is_day(f"20{c}", a, b)


def _is_month(text: str) -> bool:
    """202401."""
    return re.fullmatch(r"(?:19|20)\d\d(?:0[1-9]|1[0-2])", text) is not None


def _between(first: float, last: float) -> Callable[[str], bool]:
    number = re.compile(r"\d+(?:\.\d+)?")
    return lambda text: number.fullmatch(text) is not None and first <= float(text) <= last


def _is_unix(first: str, last: str) -> Callable[[str], bool]:
    """Seconds or milliseconds since 1970, from the first day to the last."""
    low, high = ((datetime.date.fromisoformat(day) - datetime.date(1970, 1, 1)).days for day in (first, last))
    seconds = _between(low * _SECONDS_OF_A_DAY, high * _SECONDS_OF_A_DAY)
    thousands = _between(low * _SECONDS_OF_A_DAY * 1000, high * _SECONDS_OF_A_DAY * 1000)
    return lambda text: seconds(text) or thousands(text)


class _Form:
    """Numbers that encode dates in a column with such a name; None: in any column."""

    def __init__(self, name: re.Pattern[str] | None, fits: Callable[[str], bool]) -> None:
        self.name = name
        self.fits = fits


_FORMS = (
    _Form(None, _is_compact),
    _Form(_NAME, _between(14_000, 60_000)),  # days since 1899-12-30 of Excel, from 1938 to 2064
    _Form(_DATE_WORD, _between(3_654, 60_000)),  # from 1910
    _Form(_NAME, _is_reversed),
    _Form(_NAME, _is_short),
    _Form(_NAME, _is_month),
    _Form(_NAME, _is_unix("1973-01-01", "2100-01-01")),
    _Form(_TIME_WORD, _is_unix("1973-01-01", "2100-01-01")),
)
_SUSPECTED: Mapping[PhraseCode, Callable[[str], bool]] = {
    "date_form_serial": lambda text: text.isdecimal() and 32_874 <= int(text) <= 49_310,
    "date_form_unix": _is_unix("1990-01-01", "2034-12-31"),
    "date_form_month": lambda text: _is_month(text) and text < "2035",
    "date_form_day": lambda text: _is_reversed(text) or _is_short(text),
}
"""Serial numbers and seconds from 1990 to 2034: fewer other numbers lie in these ranges."""
