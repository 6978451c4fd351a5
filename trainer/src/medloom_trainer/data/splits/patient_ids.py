"""Patients who may be one although their ids are written differently: `12`, `12.0` (what spreadsheets and
pandas make of a column with a gap) and `00012`. Ids stay text, because `012` and `12` may be two people; a
warning asks whoever knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from medloom_trainer.data.tables import Table
from medloom_trainer.warnings import warning

_NUMBER = re.compile(r"\+?0*(\d+)(?:[.,]0*)?")


def as_number(identity: str) -> str:
    """The shortest way to write the same whole number; other text as it is, without spaces around it."""
    text = identity.strip()
    number = _NUMBER.fullmatch(text)
    return number.group(1) if number else text


def patients_alike(tables: Mapping[str, tuple[Table, str | None]]) -> list[dict[str, str]]:
    """Split → its table and patient column; a warning for each two splits, with counts only."""
    ids = {
        split: {text for text in table.cells[column] if text}
        for split, (table, column) in tables.items()
        if column in table.cells
    }
    names = list(ids)
    warnings = []
    for position, first in enumerate(names):
        for second in names[position + 1 :]:
            count = len(_numbers(ids[first] - ids[second]) & _numbers(ids[second] - ids[first]))
            if count:
                noun = "patient id" if count == 1 else "patient ids"
                message = (
                    f"{count} {noun} of {first} and {second} are the same number written differently "
                    "(12, 12.0, 00012); if they are the same patients, write them alike: it is an unseen leak"
                )
                warnings.append(warning("PATIENTS_ALIKE", message))
    return warnings


def _numbers(ids: Iterable[str]) -> set[str]:
    return {as_number(identity) for identity in ids}
