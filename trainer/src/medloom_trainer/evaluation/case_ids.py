"""Columns with ids of the cases in a table of predictions, by which users join it with their own table."""

from __future__ import annotations

import re
from typing import Any

from medloom_trainer.data.types import Cases

_OF_PREDICTIONS = re.compile(
    r"(?:file|row|split|patient|correct|risk|loss|missing_views|prediction_set|interval_(?:low|high))"
    r"|(?:truth|predicted|probability|survival|member_sd|mutual_information|group|input)(?:_.*)?"
    r"|.*: .*",  # the columns of a model in a comparison
    re.DOTALL,
)
"""Names by which readers recognize the other columns, whatever the task and the classes. `group_…` is also
shown to people who may not read ids."""


def id_columns(cases: Cases) -> dict[str, list[Any]]:
    """Return column → N cells. A column with a name of predictions gets `input_` in front of it."""
    return {
        f"input_{name}" if _OF_PREDICTIONS.fullmatch(name) else name: list(texts)
        for name, texts in cases.other_ids.items()
    }
