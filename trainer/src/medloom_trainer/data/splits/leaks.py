"""Patients and images that are in two splits: refused, or allowed by the configuration with a warning.

A patient may also have ids that are written differently: `12`, `12.0` (as spreadsheets and pandas write a
column with a gap) and `00012`; `P 7`, `p7` and `P7`; `12L` and `12R`, which name eyes. Ids remain text,
because `012` and `12` may be two patients; a warning lets the user decide.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from medloom_trainer.contract.codes import PhraseCode
from medloom_trainer.contract.phrases import join, listing, phrase
from medloom_trainer.data.splits.split_cases import SplitCases
from medloom_trainer.data.tables import Table, distinct_of, name_rows
from medloom_trainer.errors import TrainerError
from medloom_trainer.warnings import Warnings, warning

_NUMBER = re.compile(r"\+?0*(\d+)(?:[.,]0*)?")

_SIDE = re.compile(r"(.*\d)[\s_.-]*(l|r|left|right|od|os)")
"""An id with a side of the body, without its case: eyes (OD, OS), breasts, knees."""
_MOSTLY = 0.5
"""Share of ids that end in a side below which the letter is part of the id."""


def check_leaks(
    splits: Mapping[str, SplitCases],
    patient: str | None,
    allowed: bool,
    warnings: Warnings,
) -> None:
    """DATASET_LEAK if a patient or an image is in two splits. A warning if that is allowed, and if patients
    may be the same although their ids are written differently. patient: the column.
    """
    found = []
    for what, kind in (("patients", "patient"), ("images", "pixels")):
        keys = {
            split: [[key for key in case if key[0] == kind] for case in part.keys(patient)]
            for split, part in splits.items()
        }
        for overlap in find_overlaps(what, keys):
            second = splits[overlap.second].table
            code: PhraseCode = "patients_repeated" if what == "patients" else "images_repeated"
            rows = join(second.name, name_rows(second, overlap.cases))
            found.append(
                phrase(code, count=overlap.count, first=overlap.first, second=overlap.second, rows=rows)
            )
    if found and not allowed:
        raise TrainerError("DATASET_LEAK", listing(found, len(found), mark="semicolon"))
    warnings += [warning("DATASET_LEAK", message) for message in found]
    warnings += patients_alike({split: (part.table, patient) for split, part in splits.items()})


_Spellings = Counter[str]
"""Comparable form of ids → number of ids in this form."""


@dataclass(frozen=True)
class Overlap:
    """Patients or images that are in two splits."""

    first: str
    second: str
    what: str
    """"patients" or "images"."""
    count: int
    cases: list[int]
    """Positions of the affected cases of `second`."""


def find_overlaps(what: str, keys_of_split: Mapping[str, Sequence[Sequence[Hashable]]]) -> list[Overlap]:
    """Split → keys of each of its cases; returns every pair of splits that shares a key."""
    names = list(keys_of_split)
    sets = {name: {key for keys in cases for key in keys} for name, cases in keys_of_split.items()}
    overlaps = []
    for position, first in enumerate(names):
        for second in names[position + 1 :]:
            shared = sets[first] & sets[second]
            if shared:
                cases = [
                    case for case, keys in enumerate(keys_of_split[second]) if not shared.isdisjoint(keys)
                ]
                overlaps.append(Overlap(first, second, what, len(shared), cases))
    return overlaps


def as_number(identity: str) -> str:
    """The shortest form of the same whole number; other text without surrounding spaces."""
    text = identity.strip()
    number = _NUMBER.fullmatch(text)
    return number.group(1) if number else text


def patients_alike(tables: Mapping[str, tuple[Table, str | None]]) -> Warnings:
    """Split → its table and patient column; warnings for each split and each pair, with counts only."""
    ids = {
        split: {text for text in distinct_of(table.cells[column]) if text}
        for split, (table, column) in tables.items()
        if column in table.cells
    }
    names = list(ids)
    comparable = {split: _Spellings(map(_comparable, of_split)) for split, of_split in ids.items()}
    warnings = [*_spelled_differently(comparable), *_sides(comparable)]
    for position, first in enumerate(names):
        for second in names[position + 1 :]:
            exact = ids[first] & ids[second]
            alike = comparable[first].keys() & comparable[second].keys()
            count = len(alike - {_comparable(identity) for identity in exact})
            if count:
                message = phrase("ids_differ_in_case", count=count, first=first, second=second)
                warnings.append(warning("PATIENTS_ALIKE", message))
            count = len(_numbers(ids[first] - ids[second]) & _numbers(ids[second] - ids[first]))
            if count:
                message = phrase("ids_same_number", count=count, first=first, second=second)
                warnings.append(warning("PATIENTS_ALIKE", message))
    return warnings


def _spelled_differently(comparable: Mapping[str, _Spellings]) -> Warnings:
    """Within one split: ids that only differ in case or white space."""
    warnings = []
    for split, of_split in comparable.items():
        count = sum(number > 1 for number in of_split.values())
        if count:
            message = phrase("ids_written_differently", count=count, split=split)
            warnings.append(warning("PATIENTS_ALIKE", message))
    return warnings


def _sides(comparable: Mapping[str, _Spellings]) -> Warnings:
    """Ids of all splits that name a side, if the id of the other side also occurs."""
    distinct = {identity for of_split in comparable.values() for identity in of_split}
    found = [match for identity in distinct if (match := _SIDE.fullmatch(identity))]
    paired = sum(number for number in Counter(match[1] for match in found).values() if number > 1)
    if not paired or len(found) < _MOSTLY * len(distinct):
        return []
    return [warning("PATIENTS_ALIKE", phrase("ids_of_sides", count=paired))]


def _comparable(identity: str) -> str:
    return "".join(identity.casefold().split())


def _numbers(ids: Iterable[str]) -> set[str]:
    """Only ids that are numbers: other spellings have a separate warning."""
    return {as_number(identity) for identity in ids if _NUMBER.fullmatch(identity.strip())}
