"""Quantities that are not plain numbers: ratios, times of day, approximate values, several units."""

from __future__ import annotations

import re
from collections.abc import Collection

from medloom_trainer.contract.codes import PhraseCode
from medloom_trainer.data.tables.units import split_unit

_NUMBER = r"(?:0|[1-9]\d*)(?:[.,]\d+)?"
_ANY_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?")
_RATIO = re.compile(r"[1-9]?\d?\d(?:[.,]\d+)?\s*[/:]\s*(?P<second>(?:0|[1-9]\d{0,4})(?:[.,]\d+)?)")
_YEAR = re.compile(r"(?:19|20)\d\d")
_KINDS: dict[PhraseCode, re.Pattern[str]] = {
    "quantity_times": re.compile(r"(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?: ?[AaPp][Mm])?"),
    "quantity_ratios": _RATIO,
    "quantity_powers": re.compile(rf"{_NUMBER} ?[x\u00d7*·] ?10 ?\^? ?[+-]?\d{{1,2}}.{{0,8}}"),
    "quantity_approximate": re.compile(rf"(?:[~\u2248±]|ca\.?|approx\.?|about) ?{_NUMBER}.{{0,8}}"),
    "quantity_parentheses": re.compile(rf"\({_NUMBER}\)"),
}
_SYMBOL = re.compile(r"[+-]?\d+(?:[.,]\d+)? ?(?:[%‰$€£¥]|[Yy]|yrs?|years?)")
_AGE = re.compile(r"\d{3}[DWMY]")
"""An age of DICOM: 058Y or 006M."""
_DECIMALS = re.compile(r"\d+[.,]\d+")
_MOST = 0.9


def quantity_kind(distinct: Collection[str]) -> PhraseCode | None:
    """The kind of the texts of a column, if nearly all are quantities of one kind, or all are numbers and
    quantities of one kind."""
    for kind, form in _KINDS.items():
        if not _are(distinct, sum(form.fullmatch(text) is not None for text in distinct)):
            continue
        if kind == "quantity_times" and len({text.split(":")[0] for text in distinct}) == 1:
            continue  # 1:10, 1:20 and 1:40 are dilutions
        return None if kind == "quantity_ratios" and _end_with_years(distinct) else kind
    has_units = _are(distinct, sum(map(_has_unit, distinct))) or _share_a_sign(distinct)
    return "quantity_units" if has_units else None


def _are(distinct: Collection[str], count: int) -> bool:
    numbers = sum(_ANY_NUMBER.fullmatch(text) is not None for text in distinct) if count else 0
    return count > 0 and (count >= _MOST * len(distinct) or count + numbers == len(distinct))


def _has_unit(text: str) -> bool:
    return (
        _SYMBOL.fullmatch(text) is not None
        or _AGE.fullmatch(text) is not None
        or ((found := split_unit(text)) is not None and _ANY_NUMBER.fullmatch(found[0]) is not None)
    )


def _share_a_sign(distinct: Collection[str]) -> bool:
    """Return whether these are numbers with decimals, all with the same other signs: `'1.96`."""
    signs = {_DECIMALS.sub("", text, count=1) for text in distinct if _DECIMALS.search(text)}
    return all(map(_DECIMALS.search, distinct)) and len(signs) == 1 and signs.isdisjoint({"", "+", "-"})


def _end_with_years(distinct: Collection[str]) -> bool:
    """Return whether these are numbers of cases with their years, such as 123/2019."""
    found = [match["second"] for text in distinct if (match := _RATIO.fullmatch(text))]
    return sum(_YEAR.fullmatch(text) is not None for text in found) >= _MOST * len(found)
