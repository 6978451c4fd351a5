"""Whether a column is named as a key. Whole numbers in other columns are quantities or row counters, which
name neither images nor rows of another table.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from medloom_trainer.data.tables.column_names import may_name_id

_WHOLE = re.compile(r"\d+(?:\.0+)?")
_PADDED = re.compile(r"0\d\d")
_IMAGE_NAME = re.compile(
    r"(?:x[_\-. ]?ray[_\-. ])?"
    r"(?:image|img|file|scan|slide|photo|picture|bild|exam|study|series|record|sample|specimen|lesion)"
    r"(?:[_\-. ]?(?:index|name))?|no|nr|nummer"
)
"""Names of columns whose whole numbers may name images, although nothing in them means an id."""
_COUNTER_NAME = re.compile(r"index|unnamed: \d+|row[_\-. ]?(?:id|key|index|no|nr|num|number)")
"""Names of the row numbers that pandas and spreadsheets write."""
_PLAIN_NUMBER_NAME = re.compile(r"no|nr|nummer|index")
"""Names that mean an id or the number of the row."""


def is_quantity(column: str, distinct: Collection[str]) -> bool:
    """Return whether these are whole numbers in a column that is not named as an id: 44 may be an age, not
    the image `44.png`."""
    return are_whole_amounts(distinct) and not is_named_as_key(column)


def are_whole_amounts(distinct: Collection[str]) -> bool:
    """Return whether all texts are whole numbers. Leading zeros do not occur in quantities."""
    return all(_WHOLE.fullmatch(text) for text in distinct) and not any(map(_PADDED.match, distinct))


def is_named_as_key(column: str) -> bool:
    """Return whether a column has the name of an id, such as `case_no`."""
    return may_name_id(column) or _IMAGE_NAME.fullmatch(column.casefold()) is not None


def is_row_counter(column: str, texts: Sequence[str]) -> bool:
    """Return whether whole numbers are named as row numbers, or count the rows in their order."""
    name = column.casefold()
    if _COUNTER_NAME.fullmatch(name):
        return True
    if not texts or texts[0] not in ("0", "1") or not _PLAIN_NUMBER_NAME.fullmatch(name):
        return False
    return all(text == str(number) for number, text in enumerate(texts, start=int(texts[0])))
