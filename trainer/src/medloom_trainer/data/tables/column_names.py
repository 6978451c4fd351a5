"""Meaning of names: of column names for their content, and of words for a split. Also the check that a named
column exists.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import Any

from medloom_trainer.data.tables.table import Table
from medloom_trainer.errors import TrainerError

LABEL_NAMES = (
    "label", "labels", "target", "class", "diagnosis", "diagnostic", "dx", "outcome", "ground_truth", "y",
)  # fmt: skip
"""In order of preference."""
PATIENT_NAMES = (
    "patient_id",
    "patientid",
    "patient",
    "subject_id",
    "subjectid",
    "subject",
    "participant_id",
    "pid",
)
ID_NAME = re.compile(
    r"(?:.*[_\-. ])?(?:id|ids|uid|uuid|guid|key|mrn|accession|barcode|filename|index)|.*[a-z]I[Dd]|unnamed: 0"
)
PERSON_NAME = re.compile(
    r"(?:(?:patient|first|last|full|family|given|sur)[_ ]?name|name|initials"
    r"|(?:date[_ ]?of[_ ]?)?birth(?:[_ ]?date|day)?|dob|ssn|phone|email|e-mail|address|street|zip|postcode)"
)

SPLITS = ("train", "val", "test")
SPLIT_NAMES = ("split",)
"""Names of a split column, in any case."""
SPLIT_WORDS = {
    "train": "train", "training": "train",
    "val": "val", "valid": "val", "validation": "val", "dev": "val",
    "test": "test", "testing": "test", "holdout": "test",
}  # fmt: skip

_ONE_COLUMN_KEYS = ("label_column", "time_column", "event_column", "patient_column", "split_column")
_ROLE_KEYS = (
    *_ONE_COLUMN_KEYS,
    "label_columns",
    "image_columns",
    "numeric_columns",
    "categorical_columns",
    "ignore_columns",
)
"""Keys of the `data` configuration that give a column its role."""


def check_names(table: Table, data: dict[str, Any]) -> None:
    """Check that every column named in the `data` configuration exists and has one role."""
    taken: dict[str, str] = {}
    for key in (*_ROLE_KEYS, "subgroup_columns"):
        for column in _named(data[key]):
            require_column(table, column, f"data.{key}")
    for key in _ROLE_KEYS:
        for column in _named(data[key]):
            if column in taken:
                both = f"data.{taken[column]} and data.{key}"
                raise TrainerError("INVALID_CONFIG", f'{both} refer to the same column "{column}"')
            taken[column] = key


def require_column(table: Table, column: str, place: str) -> None:
    """COLUMN_NOT_FOUND with the nearest name; `place` is the key that names the column."""
    if column in table.cells:
        return
    near = _nearest(table, column)
    hint = f'; did you mean "{near}"?' if near else ""
    raise TrainerError("COLUMN_NOT_FOUND", f'{table.name} has no column "{column[:80]}" ({place}){hint}')


def nearest_hint(table: Table, column: str) -> str:
    """For a column that the table lacks, which may be misspelled: ' (did you mean "age"?)'."""
    near = _nearest(table, column)
    return f' (did you mean "{near}"?)' if near else ""


def _nearest(table: Table, column: str) -> str | None:
    near = get_close_matches(column, table.columns, n=1)
    lowered = [name for name in table.columns if name.casefold() == column.casefold()]
    return next(iter([*lowered, *near]), None)


def _named(value: str | list[str] | None) -> list[str]:
    return [value] if isinstance(value, str) else value or []


def split_name(text: str) -> str:
    """`Training`, `valid`, `TEST` → train, val, test; any other word unchanged."""
    return SPLIT_WORDS.get(text.casefold(), text)


def split_words(table: Table, column: str | None) -> list[str] | None:
    """The split that each row names; None without such a column."""
    if column is None or column not in table.cells:
        return None
    return [split_name(text) for text in table.cells[column]]


def split_column(table: Table) -> str | None:
    """The first column with the name of a split column."""
    return next((column for column in table.columns if column.casefold() in SPLIT_NAMES), None)
