"""Labels of cases: one label column, several, or a time and an event. The last two are settings of the cases,
with the names of a training configuration.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.tables import LabelScheme, Table, learn_flags, learn_labels, learn_survival
from medloom_trainer.errors import TrainerError

POSITIVE_CLASS = "data.positive_class"
"""A setting of the cases: the positive one of their two classes."""
NUMERIC, CATEGORICAL = "data.numeric_columns", "data.categorical_columns"
"""Settings of the cases if numeric and categorical columns were chosen."""
_SEVERAL, _TIME, _EVENT = LABEL_SETTINGS = ("data.label_columns", "data.time_column", "data.event_column")
"""Settings of the cases if they have no single label column."""


def label_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings that name labels."""
    return {key: settings[key] for key in LABEL_SETTINGS if settings.get(key) is not None}


def label_columns(label_column: str | None, settings: Mapping[str, Any]) -> tuple[str, ...]:
    """Every column from which the label is read."""
    if several := settings.get(_SEVERAL):
        return tuple(several)
    named = (settings.get(_TIME), settings.get(_EVENT), label_column)
    return tuple(column for column in named if column is not None)


def learn_scheme(table: Table, label_column: str | None, settings: Mapping[str, Any]) -> LabelScheme | None:
    """The label scheme; None if labels are absent, or cannot be learned from these cases."""
    columns = label_columns(label_column, settings)
    if not columns or not len(table) or any(column not in table.cells for column in columns):
        return None
    try:
        if settings.get(_SEVERAL):
            return learn_flags(table, columns)
        if settings.get(_TIME) is not None:
            return learn_survival(table, *columns)
        return learn_labels(table, columns[0], None)
    except TrainerError:
        return None


def judge_label(
    table: Table, label_column: str | None, settings: Mapping[str, Any]
) -> tuple[str | None, list[str] | None]:
    """(task, classes) of the label, with the positive one of two classes last; (None, None) if it is absent
    or cannot be learned. A part of the cases may lack the positive class, a label or the event.
    """
    if several := settings.get(_SEVERAL):
        return "multilabel", list(several)
    if settings.get(_TIME) is not None:
        return "survival", None
    scheme = learn_scheme(table, label_column, settings)
    if scheme is None:
        return None, None
    positive_class = settings.get(POSITIVE_CLASS)
    if positive_class in (scheme.classes or ()):
        scheme = learn_labels(table, scheme.column, None, positive_class)
    return scheme.task, None if scheme.classes is None else list(scheme.classes)


def refuse_contradictions(label_column: str | None, settings: Mapping[str, Any]) -> None:
    """INVALID_CONFIG if the label is named in two ways, or only half of a survival outcome."""
    several, time, event = (settings.get(key) for key in LABEL_SETTINGS)
    ways = [name for name, value in (("label_column", label_column), ("label_columns", several)) if value]
    if (time is None) != (event is None):
        lacking = "event_column" if event is None else "time_column"
        message = phrase("survival_key_missing", key=lacking)
        raise TrainerError("INVALID_CONFIG", message, phrase("set_both_columns"))
    ways += ["time_column"] if time is not None else []
    if len(ways) > 1:
        message = phrase("ways_define_label", ways=" and ".join(ways))
        raise TrainerError("INVALID_CONFIG", message, phrase("set_only_one"))
