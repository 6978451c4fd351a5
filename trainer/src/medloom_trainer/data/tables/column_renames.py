"""Proposed names for the columns of a table that lacks columns of a model: a proposal for the user, which is
never applied by itself."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

import numpy as np

from medloom_trainer.data.tables.cells import is_missing
from medloom_trainer.data.tables.column_texts import coded
from medloom_trainer.data.tables.labels import LabelScheme
from medloom_trainer.data.tables.numbers import read_as_trained
from medloom_trainer.data.tables.table import Table

_NEAR = 0.6
"""Smallest similarity of two names."""
_WITHIN = 0.9
_WORD = re.compile(r"[^\W_]+")
_MOSTLY = 0.5
"""Smallest share of the values that fit those of the training."""


def proposed_names(table: Table, preprocessing: Mapping[str, Any], absent: Sequence[str]) -> dict[str, str]:
    """Column of the table → column of the model that it may be: of a similar name, with values of the same
    type and range, or with the same categories. Each column occurs once; the most similar names first.
    preprocessing: of the training. absent: columns of the model that the table lacks."""
    states = {column["name"]: column for column in reversed(preprocessing["table"]["columns"])}
    used = {*states, *preprocessing["image_columns"], *LabelScheme.of_preprocessing(preprocessing).columns}
    used |= {preprocessing["patient_column"], preprocessing["split_column"]}
    free = [name for name in table.columns if name not in used]
    pairs = [
        (similarity, own, name)
        for name in absent
        if name in states
        for own in free
        if (similarity := _similarity(own, name)) >= _NEAR and _fits(table, own, states[name])
    ]
    found: dict[str, str] = {}
    for _, own, name in sorted(pairs, key=lambda pair: -pair[0]):
        if own not in found and name not in found.values():
            found[own] = name
    return found


def _similarity(first: str, second: str) -> float:
    """Between 0 and 1; large if one name is a word of the other, such as `age` and `Age at visit`."""
    one, other = first.casefold(), second.casefold()
    within = _WITHIN if one in _WORD.findall(other) or other in _WORD.findall(one) else 0.0
    return max(within, SequenceMatcher(None, one, other).ratio())


def _fits(table: Table, own: str, column: Mapping[str, Any]) -> bool:
    if column["kind"] != "numeric":
        distinct, _ = coded(table.cells[own])
        present = [text for text in distinct if not is_missing(text)]
        known = {*column["categories"]}
        return sum(text in known for text in present) >= max(1, _MOSTLY * len(present))
    numbers = read_as_trained(table, {**column, "name": own})
    values = numbers.values[np.isfinite(numbers.values)]
    if numbers.texts or not values.size:
        return False
    low, high = column.get("bounds") or (-np.inf, np.inf)
    return bool(((values >= low) & (values <= high)).mean() >= _MOSTLY)
