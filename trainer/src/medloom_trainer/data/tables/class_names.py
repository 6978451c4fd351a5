"""Class names that may not be classes: codes for missing or uncertain values, and lists of findings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.tables.class_order import comparable_name
from medloom_trainer.data.tables.suspected_codes import suspected_classes
from medloom_trainer.warnings import Warnings, warning

_LIST = re.compile(r"\s*[|;]\s*")
_POSSIBLE_LISTS = tuple(
    re.compile(rf"\s*{mark}\s*") for mark in (",", "/", r"\+", "&", r"\^", r"(?<=\s)(?:and|und|et|y)(?=\s)")
)
"""Marks that also occur within names: they divide lists only if the parts of a list are classes."""
_PYTHON_LIST = re.compile(r"\[.*\]")
_FEWEST_LISTS = 2


def suspected_class_names(column: str, counts: Mapping[str, int]) -> Warnings:
    """counts: class → cases. Warnings with the number of cases of each name in question; the classes are
    unchanged."""
    found = []
    if codes := suspected_classes(column, counts):
        listed = ", ".join(f'"{name}" ({count})' for name, count in codes.items())
        message = phrase("classes_may_be_missing", column=column, classes=listed)
        found.append(warning("CLASS_MAY_BE_MISSING", message))
    if lists := _lists_in(counts):
        cases = sum(counts[name] for name in lists)
        message = phrase("classes_are_lists", column=column, count=cases, lists=len(lists))
        found.append(warning("CLASS_IS_A_LIST", message))
    return found


def _lists_in(counts: Mapping[str, int]) -> list[str]:
    """Names that consist of several findings, of which one occurs in another name as well."""
    findings = {name: _findings_of(name) for name in counts}
    seen = Counter(finding for parts in findings.values() for finding in parts)
    lists = [name for name, parts in findings.items() if _PYTHON_LIST.fullmatch(name) or len(parts) > 1]
    repeated = any(seen[finding] > 1 for name in lists for finding in findings[name])
    if repeated or (len(lists) >= _FEWEST_LISTS and len(lists) == len(counts)):
        return lists
    return next(filter(None, (_divided_by(mark, counts) for mark in _POSSIBLE_LISTS)), [])


def _divided_by(mark: re.Pattern[str], names: Collection[str]) -> list[str]:
    """The names that this mark divides, if all parts of one of them are other names."""
    known = {comparable_name(name) for name in names}
    parts = {name: [comparable_name(part) for part in mark.split(name)] for name in names}
    lists = [name for name, found in parts.items() if len(found) > 1 and all(found)]
    return lists if any(known.issuperset(parts[name]) for name in lists) else []


def _findings_of(name: str) -> Sequence[str]:
    if _PYTHON_LIST.fullmatch(name):
        return [part.strip(" '\"") for part in name[1:-1].split(",")]
    return _LIST.split(name)
