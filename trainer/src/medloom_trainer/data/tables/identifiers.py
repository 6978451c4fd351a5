"""Whether the values of a column identify rows or patients. A name only proposes it: `body_mass_index` is a
measurement, and `site_id` with four values is a category.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence

_FEWEST = 3
_SHARE = 0.1
"""Fewest different values of an id: three, and a tenth of the rows or 100."""
_MANY = 100
_DECIMALS = re.compile(r"[+-]?\d*[.,]\d*[1-9]\d*")
_WHOLE = re.compile(r"\d{1,18}(?:\.0+)?")
_SAME_FORM = 0.9
_FEWEST_DIGITS = 3
_OPAQUE = re.compile(
    r"\{?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?|[0-9a-f]{8,128}|[012](?:\.\d+){4,}", re.IGNORECASE
)
"""UUIDs, hashes and UIDs, whose form depends on the letters that they contain."""
_DIAGNOSIS = re.compile(r"[A-Za-z]\d[\dA-Za-z]\.[\dA-Za-z]{1,4}|\d{4}/\d|\d-\d{2}[\da-z]\.[\da-z]{1,2}")
"""Codes of ICD-10 and of topography (`C34.1`), of morphology (`8140/3`) and of procedures (`5-820.01`)."""
_CODED = re.compile(
    r"(?:.*[_\-. ])?(?:(?:icd[_\-. ]?(?:9|10|11|o)?(?:[_\-. ]?cm)?|snomed(?:[_\-. ]?ct)?|loinc|atc|cpt|hcpcs"
    r"|drg|ops)(?:[_\-. ]?codes?|[_\-. ]?\d)?|(?:diagnosis|dx|procedure|drug)[_\-. ]?codes?)",
    re.IGNORECASE,
)


def may_identify(present: Sequence[str], distinct: Collection[str]) -> bool:
    """Return whether these values are whole numbers or texts, and too many for categories."""
    if has_decimals(distinct):
        return False
    return len(distinct) >= _FEWEST and (len(distinct) >= _SHARE * len(present) or len(distinct) >= _MANY)


def has_decimals(distinct: Collection[str]) -> bool:
    """Return whether these values are measurements: numbers, some of them with decimals."""
    return any(map(_DECIMALS.fullmatch, distinct))


def are_whole(distinct: Collection[str]) -> bool:
    """Return whether these values are whole numbers, also with the decimals that a column with gaps gets."""
    return all(map(_WHOLE.fullmatch, distinct))


def is_repeated_code(present: Sequence[str], distinct: Collection[str]) -> bool:
    """Return whether texts such as `042_S_0001`, UUIDs or hashes repeat although their number grows with the
    rows: ids of patients with several rows, whatever the name of their column. Numbers are not codes here."""
    if len(distinct) < max(20, _SHARE * len(present)) or len(distinct) == len(present):
        return False
    if sum(_OPAQUE.fullmatch(text) is not None for text in distinct) >= _SAME_FORM * len(distinct):
        return True
    if sum(_DIAGNOSIS.fullmatch(text) is not None for text in distinct) >= _SAME_FORM * len(distinct):
        return False
    form, count = Counter(_form(text) for text in distinct).most_common(1)[0]
    return count >= _SAME_FORM * len(distinct) and form.count("9") >= _FEWEST_DIGITS


def names_codes(column: str) -> bool:
    """Return whether a column is named after a system of codes, such as `icd10` or `atc_code`: its values are
    categories, also if they are written as numbers or have one form."""
    return _CODED.fullmatch(column) is not None


def _form(text: str) -> str:
    return "".join("9" if sign.isdigit() else "a" if sign.isalpha() else sign for sign in text)
