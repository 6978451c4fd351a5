"""Labels of a table beyond one class a row: the time and event of an endpoint, and lists of findings."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import numpy as np

from medloom_trainer.data.tables.cells import is_missing
from medloom_trainer.data.tables.endpoint_names import endpoint_pairs
from medloom_trainer.data.tables.flag_labels import flag_of
from medloom_trainer.data.tables.numbers import read_numbers
from medloom_trainer.data.tables.recipe.label import names_no_finding
from medloom_trainer.data.tables.table import Table

_FEWEST_TIMES = 10
"""Different times of an endpoint. With fewer, the column is a visit or a grade."""
_DELIMITERS = ("|", ";")
_MOST_FINDINGS = 30


def find_endpoints(table: Table) -> list[tuple[str, str]]:
    """(time, event) of each endpoint: named as one, with numbers of at least 0 and with yes or no."""
    return [
        (time, event)
        for time, event in endpoint_pairs(table.columns)
        if _are_times(table, time) and {flag_of(text) for text in _texts(table, event)} == {True, False}
    ]


def is_complete(table: Table, time: str, event: str) -> bool:
    """Return whether each row has an event and a time above 0."""
    numbers = read_numbers(table.cells[time], table.delimiter).values
    return bool((numbers > 0).all()) and not any(map(is_missing, table.cells[event]))


def read_findings(table: Table, column: str) -> dict[str, Any] | None:
    """The label of a column with lists, such as `Mass|Nodule`: its findings, the most frequent first, and the
    texts that mean none of them. None: no text is a list, or its parts are not the texts of other rows."""
    texts = _texts(table, column)
    for delimiter in _DELIMITERS:
        lists = {text for text in texts if delimiter in text}
        counts = Counter(part for text in texts for part in _parts(text, delimiter))
        of_lists = {part for text in lists for part in _parts(text, delimiter)}
        alone = of_lists.intersection(texts)
        none = sorted(part for part in counts if names_no_finding(part))
        findings = [part for part, _ in counts.most_common() if part not in none]
        if lists and 2 * len(alone) >= len(of_lists) and 2 <= len(findings) <= _MOST_FINDINGS:
            label = {"column": column, "findings": findings, "delimiter": delimiter}
            return label | ({"none": none} if none else {})
    return None


def _parts(text: str, delimiter: str) -> list[str]:
    return [part.strip() for part in re.split(re.escape(delimiter), text) if part.strip()]


def _texts(table: Table, column: str) -> list[str]:
    return [text for text in table.cells[column] if not is_missing(text)]


def _are_times(table: Table, column: str) -> bool:
    numbers = read_numbers(table.cells[column], table.delimiter)
    values = numbers.values[~np.isnan(numbers.values)]
    return not numbers.texts and len(np.unique(values)) >= _FEWEST_TIMES and bool((values >= 0).all())
