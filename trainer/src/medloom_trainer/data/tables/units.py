"""Units after numbers: `1.96 mg/dL` → ("1.96", "mg/dl")."""

from __future__ import annotations

import re

_WORDS = re.compile(
    r"[kmcnpµμu]?g|mcg|lbs?|oz|[dmµμu]?l|fl|[kcmnµμu]?m|in|inch(?:es)?|ft|[cm]?m[23²³]|ccm|cc|mm ?hg|cm ?h2o"
    r"|bpm|h|hrs?|hours?|mins?|minutes?|s|ms|secs?|seconds?|d|days?|wks?|weeks?|mos?|months?|[mµμu]?iu|m?u"
    r"|[mnpµμu]?mol|meq|[kh]?pa|° ?[cf]|°|[km]?hz|db|m?v|kvp?|mas?|[cm]?gy|m?sv|mbq|mci|k?cal|kj|hu|cells?"
    r"|copies|cfu|hpf|tesla|years?[ -]?old|y/?o|pack[- ]?years?|usd|eur|gbp|chf|jpy|cny|inr",
    re.IGNORECASE,
)
"""The words of ages (y, yrs, years) and the signs % and $ are symbols of `numbers`."""
_LETTERS = "glLhdmsuU"
"""Units of one letter, in their own case: M and F are codes."""
_AFTER = re.compile(
    r"(?P<number>[^A-Za-z°µμ²³/\u00d7*]*\d[.,]?)\s*(?P<power>[x\u00d7*] ?10 ?\^? ?\d+ ?)?"
    r"(?P<unit>/?[A-Za-z°µμ][^<>=]{0,24})?"
)
_BEFORE = re.compile(r"(?P<unit>USD|EUR|GBP|CHF|JPY|CNY|INR)\s*(?P<number>[+-]?[\d.,].*)", re.IGNORECASE)
_AREA = re.compile(r"^1[.,]73 ?")
"""Square meters of body surface, to which a filtration rate refers."""


def split_unit(text: str) -> tuple[str, str] | None:
    """(number, unit in lower case and without spaces), or None without a known unit."""
    if found := _BEFORE.fullmatch(text):
        return found["number"], found["unit"].casefold()
    found = _AFTER.fullmatch(text)
    if found is None or not (found["unit"] or found["power"]):
        return None
    power, unit = found["power"] or "", (found["unit"] or "").strip()
    if (unit and not _is_unit(unit, found["number"])) or (power and not unit.startswith("/")):
        return None
    return found["number"].strip(), f"{power}{unit}".replace(" ", "").casefold()


def is_unit(sign: str) -> bool:
    """Return whether the sign of a column of numbers is a unit, not a symbol such as %."""
    return split_unit(f"1 {sign}") is not None


def _is_unit(unit: str, number: str) -> bool:
    if _WORDS.fullmatch(unit) and len(unit) > 1:
        return True
    parts = [_AREA.sub("", part.strip()) for part in unit.split("/")]
    if len(parts) > 3 or (len(parts) == 1 and (unit not in _LETTERS or re.match(r"0\d", number))):
        return False
    named = parts[1:] if parts[0] == "" else parts
    return all(_WORDS.fullmatch(part) is not None for part in named)
