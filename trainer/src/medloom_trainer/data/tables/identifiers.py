"""Whether the values of a column identify rows or patients. A name only proposes it: `body_mass_index` is a
measurement, and `site_id` with four values is a category.
"""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Collection, Sequence

from medloom_trainer.data.tables.cells import is_missing

_FEWEST = 3
_SHARE = 0.1
"""Fewest different values of an id: three, and a tenth of the rows or 100."""
_MANY = 100
_WHOLE = re.compile(r"\d+(?:\.0)?")
_DECIMALS = re.compile(r"[+-]?\d*[.,]\d*[1-9]\d*")
_SAME_FORM = 0.9
_FEWEST_DIGITS = 3
_DIAGNOSIS = re.compile(r"[A-Za-z]\d[\dA-Za-z]\.[\dA-Za-z]{1,4}|\d{4}/\d|\d-\d{2}[\da-z]\.[\da-z]{1,2}")
"""Codes of ICD-10 and of topography (`C34.1`), of morphology (`8140/3`) and of procedures (`5-820.01`)."""
_CODED = re.compile(
    r"(?:.*[_\-. ])?(?:(?:icd[_\-. ]?(?:9|10|11|o)?(?:[_\-. ]?cm)?|snomed(?:[_\-. ]?ct)?|loinc|atc|cpt|hcpcs"
    r"|drg|ops)(?:[_\-. ]?codes?|[_\-. ]?\d)?|(?:diagnosis|dx|procedure|drug)[_\-. ]?codes?)",
    re.IGNORECASE,
)
_COMPACT_DATE = re.compile(r"(?:19|20)\d{6}")
_DATE_NAME = re.compile(
    r"date|datum|fecha|data_|dob|birth|geburt|geb_|visit|exam|scanned|admi|discharge|aufnahme|entlass|untersuch"
    r"|surgery|operation|follow|death|onset|diagnos|日期|日時|날짜",
    re.IGNORECASE,
)
_DAYS = re.compile(r"\d+(?:[.]\d+)?")
"""A day, or a day and its time."""
_SERIAL_DATES = (14_000, 60_000)
"""Days since 1899-12-30 of Excel, from 1938 to 2064."""
_RECENT_DATES = (32_874, 49_310)
"""From 1990 to 2034: in other columns only these days are taken for dates, if they are many."""
_FEWEST_DATES = 20


def may_identify(present: Sequence[str], distinct: Collection[str]) -> bool:
    """Return whether these values are whole numbers or texts, and too many for categories."""
    if has_decimals(distinct):
        return False
    return len(distinct) >= _FEWEST and (len(distinct) >= _SHARE * len(present) or len(distinct) >= _MANY)


def has_decimals(distinct: Collection[str]) -> bool:
    """Return whether these values are measurements: numbers, some of them with decimals."""
    return any(map(_DECIMALS.fullmatch, distinct))


def is_repeated_code(present: Sequence[str], distinct: Collection[str]) -> bool:
    """Return whether texts such as `042_S_0001` repeat although their number grows with the rows: ids of
    patients with several rows, whatever the name of their column."""
    if len(distinct) < max(20, _SHARE * len(present)) or len(distinct) == len(present):
        return False
    if sum(_DIAGNOSIS.fullmatch(text) is not None for text in distinct) >= _SAME_FORM * len(distinct):
        return False
    form, count = Counter(_form(text) for text in distinct).most_common(1)[0]
    return count >= _SAME_FORM * len(distinct) and form.count("9") >= _FEWEST_DIGITS


def names_codes(column: str) -> bool:
    """Return whether a column is named after a system of codes, such as `icd10` or `atc_code`: its values are
    categories, also if they are written as numbers or have one form."""
    return _CODED.fullmatch(column) is not None


def are_dates(column: str, distinct: Collection[str]) -> bool:
    """Return whether whole numbers are dates: 20240131, or days as Excel counts them in a column with such a
    name."""
    if not distinct:
        return False
    if all(_COMPACT_DATE.fullmatch(text) and _is_day(text) for text in distinct):
        return True
    first, last = _SERIAL_DATES
    serial = all(_DAYS.fullmatch(text) and first <= float(text) <= last for text in distinct)
    return serial and _DATE_NAME.search(column) is not None


def may_be_dates(distinct: Collection[str]) -> bool:
    """Return whether many whole numbers are days of the last decades as Excel counts them."""
    first, last = _RECENT_DATES
    return len(distinct) >= _FEWEST_DATES and all(
        is_missing(text) or (_WHOLE.fullmatch(text) and first <= float(text) <= last) for text in distinct
    )


def _form(text: str) -> str:
    return "".join("9" if sign.isdigit() else "a" if sign.isalpha() else sign for sign in text)


def _is_day(text: str) -> bool:
    try:
        datetime.date(int(text[:4]), int(text[4:6]), int(text[6:]))
    except ValueError:
        return False
    return True
