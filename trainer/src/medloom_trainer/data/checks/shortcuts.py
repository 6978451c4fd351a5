"""Shortcuts: ways to predict the label without medical information. Warnings about the training split name
columns, never values.

A column, or the gaps of a column, that predict the label individually; a column that follows from the label
or was computed from it; a column that never varies within a class although it varies in others; two columns
that predict the label together. If several columns do so, or others nearly, the classes are often easy to
distinguish: then one warning names all of them. acquisition.py checks the acquisition of the images. Checks
that are not possible are reported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.checks.acquisition import search_acquisition
from medloom_trainer.data.checks.association import (
    FEW_VALUES,
    Outcomes,
    Tested,
    associate_categories,
    associate_numbers,
    count_groups,
    outcomes_of,
    rank_categories,
    rank_correlation,
)
from medloom_trainer.data.checks.column_pairs import MOST_COLUMNS, pairs_of_categories, pairs_of_numbers
from medloom_trainer.data.checks.label_means import is_mean_label
from medloom_trainer.data.tables import Question, Roles, Table, missing_mask, read_numbers
from medloom_trainer.warnings import Warnings, warning

_COLUMN_AUC = 0.95
_FLAG_AUC = 0.9
"""Minimum AUC for a flag, a column of two values: it agrees with the label in nine of ten cases."""
_STRONG_AUC = 0.85
"""AUC of another column for the same class above which a column that predicts it does not stand out."""
_STAND_OUT = 2
"""If more columns than this predict the label, that is a property of the task rather than leaks."""
_COLUMN_CORRELATION = 0.9
"""Minimum rank correlation, since a quantity has no AUC."""
_FOLLOW_UP_CORRELATION = 0.85
"""Minimum rank correlation with the follow-up time; a genuine marker rarely reaches it, since censoring hides
most times."""
_MISSINGNESS_AUC = 0.7
_STRONG_CORRELATION = 0.7
_OTHERS = 2 / 3
"""Maximum share of the other cases that have the value of a column that is constant in a class."""
_CHANCE = 1e-6
"""Significance level for a column that is constant in a class, given its values in the other classes."""

_NAMED = 10

_Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Shortcuts:
    """The shortcuts found."""

    warnings: Warnings
    acquisition_columns: list[str]
    """Acquisition columns that predict the label."""
    acquisition_properties: dict[str, Sequence[str]]
    """Properties of the images that predict the label → (N,) texts."""


def search_all_shortcuts(
    table: Table,
    roles: Roles,
    columns: tuple[Sequence[str], Sequence[str]],
    properties: Mapping[str, Sequence[str]],
    questions: Sequence[Question],
    groups: npt.NDArray[np.int64],
) -> Shortcuts:
    """Search shortcuts to each answer of the label (`search_shortcuts`), and report each one once."""
    found = []
    inclusion = {name for question in questions for name in _inclusion_columns(table, columns[0], question)}
    others = ([name for name in columns[0] if name not in inclusion], columns[1])
    for question in questions:
        # The day of inclusion and that of the last visit are a pair.
        searched = others if question.censored is None else columns
        found.append(search_shortcuts(table, roles, searched, properties, question, groups))
    warnings = {(one["code"], one["message"]): one for shortcuts in found for one in shortcuts.warnings}
    acquisition = [name for shortcuts in found for name in shortcuts.acquisition_columns]
    telling = [name for shortcuts in found for name in shortcuts.acquisition_properties]
    return Shortcuts(
        list(warnings.values()),
        list(dict.fromkeys(acquisition)),
        {name: properties[name] for name in dict.fromkeys(telling)},
    )


def search_shortcuts(
    table: Table,
    roles: Roles,
    columns: tuple[Sequence[str], Sequence[str]],
    properties: Mapping[str, Sequence[str]],
    question: Question,
    groups: npt.NDArray[np.int64],
) -> Shortcuts:
    """table, groups: N training cases; those of one patient have the same group. columns: (numeric,
    categorical) that the model reads. properties: of the images of each case (`image_properties`)."""
    rows = question.rows
    whole = len(rows) == len(table)
    table = table.take(rows)
    properties = {name: [texts[row] for row in rows.tolist()] for name, texts in properties.items()}
    _, groups = np.unique(groups[rows], return_inverse=True)
    outcomes = outcomes_of(question, groups, len(columns[0]) + len(columns[1]) + len(properties))
    if question.censored is not None:
        found = _rising_warnings(table, outcomes, columns[0])
        return Shortcuts([*found, *_pair_warnings(table, outcomes, *columns, whole=whole)], [], {})
    acquisition = search_acquisition(table, roles, properties, outcomes)
    # Leaving these columns out is not a remedy: they have a separate warning.
    numeric, categorical = (
        [name for name in of_kind if name not in acquisition.columns] for of_kind in columns
    )
    columns_found = [
        *_column_warnings(table, outcomes, question.classes, numeric, categorical),
        *_pair_warnings(table, outcomes, numeric, categorical, whole=whole),
    ]
    return Shortcuts(
        [*columns_found, *acquisition.warnings],
        acquisition.columns,
        {name: properties[name] for name in acquisition.properties},
    )


def _column_warnings(
    table: Table,
    outcomes: Outcomes,
    classes: tuple[str, ...] | None,
    numeric: Sequence[str],
    categorical: Sequence[str],
) -> Warnings:
    missing = {column: missing_mask(table.cells[column]) for column in (*numeric, *categorical)}
    found: dict[str, str] = {}
    predicted, strong, unchecked = set(), set(), []
    for column in (*numeric, *categorical):
        texts, known = table.cells[column], ~missing[column]
        if column in numeric:
            values = read_numbers(texts, table.delimiter).values
            tested = associate_numbers(values, outcomes, _STRONG_AUC)
            by_class = len(set(texts)) <= FEW_VALUES
        else:
            tested = associate_categories(texts, known, outcomes, _STRONG_AUC)
            values = rank_categories(texts, known, outcomes) if outcomes.is_quantity else np.empty(0)
            by_class = True
        correlation = abs(rank_correlation(values, outcomes)) if outcomes.is_quantity else 0.0
        is_flag = classes is not None and len({texts[row] for row in np.flatnonzero(known)}) == 2
        said = _prediction(tested, correlation, outcomes.name, _FLAG_AUC if is_flag else _COLUMN_AUC)
        outcome = outcomes.name if outcomes.is_quantity else tested.name
        if said:
            predicted.add(outcome)
        elif tested.auc > _STRONG_AUC or correlation > _STRONG_CORRELATION:
            strong.add(outcome)
        if not said and by_class and classes:
            said = _constant_in_class(texts, known, outcomes, classes)
        if not said and column in numeric and is_mean_label(values, outcomes):
            said = (
                f"has values that agree with the mean of {outcomes.name} of their cases more closely "
                "than by chance"
            )
        if said:
            found[column] = said
        if not tested.tested and outcomes.events and known.any():
            unchecked.append(column)
    return [
        *_predicting_columns(
            found, outcomes.name, stand_out=len(found) <= _STAND_OUT and not predicted & strong
        ),
        *_missingness_warnings(missing, outcomes),
        *_not_checked(outcomes, unchecked),
    ]


def _inclusion_columns(table: Table, numeric: Sequence[str], question: Question) -> list[str]:
    """Return columns with the day or year of inclusion, if follow-up ends on one day for all: with a later
    inclusion the follow-up and the times of events are shorter, and events are fewer. It is known at
    inclusion."""
    if question.censored is None or question.censored.sum() < FEW_VALUES:
        return []
    rows = question.rows[question.censored]
    censored = Question(rows, question.labels[question.censored], None)
    outcomes = outcomes_of(censored, np.arange(len(rows)), len(numeric))
    values = {name: read_numbers(table.cells[name], table.delimiter).values[rows] for name in numeric}
    return [
        name
        for name, of_column in values.items()
        if rank_correlation(of_column, outcomes) < -_COLUMN_CORRELATION
    ]


def _rising_warnings(table: Table, outcomes: Outcomes, numeric: Sequence[str]) -> Warnings:
    """A number that falls with the follow-up time may be a risk factor or the day of inclusion; one that
    rises as steeply is unlikely to be known at inclusion."""
    found = {}
    for column in numeric:
        values = read_numbers(table.cells[column], table.delimiter).values
        correlation = rank_correlation(values, outcomes)
        if correlation > _FOLLOW_UP_CORRELATION:
            found[column] = f"increases with {outcomes.name} (rank correlation {correlation:.2f})"
    return _predicting_columns(found, outcomes.name, stand_out=len(found) <= _STAND_OUT)


def _pair_warnings(
    table: Table, outcomes: Outcomes, numeric: Sequence[str], categorical: Sequence[str], *, whole: bool
) -> Warnings:
    """whole: all cases answer; a quantity that only some of them have is not searched for pairs a second
    time."""
    if outcomes.is_quantity and not whole:
        return []
    if outcomes.is_quantity:
        numbers = {name: read_numbers(table.cells[name], table.delimiter).values for name in numeric}
        searched, pairs = list(numbers), pairs_of_numbers(numbers, outcomes)
    else:
        texts = {name: table.cells[name] for name in (*numeric, *categorical)}
        texts = {name: cells for name, cells in texts.items() if 2 <= len(set(cells)) <= FEW_VALUES}
        searched, pairs = list(texts), pairs_of_categories(texts, outcomes)
    warnings = []
    if pairs:
        named = "; ".join(f'"{pair.first}" and "{pair.second}" ({pair.strength})' for pair in pairs[:_NAMED])
        more = f"; and {len(pairs) - _NAMED} more pairs" if len(pairs) > _NAMED else ""
        message = (
            f"two columns together predict {outcomes.name}, although neither does alone: {named}{more}. "
            f"Is each of these columns known before {outcomes.name}?"
        )
        warnings.append(warning("LABEL_PREDICTED_BY_MANY_COLUMNS", message))
    if len(searched) > MOST_COLUMNS:
        message = (
            f"only the first {MOST_COLUMNS} of {len(searched)} columns were checked for pairs that "
            f"predict {outcomes.name}"
        )
        warnings.append(warning("SHORTCUTS_NOT_CHECKED", message))
    return warnings


def _predicting_columns(found: Mapping[str, str], outcome: str, *, stand_out: bool) -> Warnings:
    """found: column → description of its association."""
    if not found:
        return []
    if stand_out:
        return [
            warning("LABEL_PREDICTED_BY_COLUMN", f'"{column}" {said}; is it derived from {outcome}?')
            for column, said in found.items()
        ]
    named = "; ".join(f'"{column}" {said}' for column, said in list(found.items())[:_NAMED])
    more = f"; and {len(found) - _NAMED} more columns" if len(found) > _NAMED else ""
    question = f"Is each of these columns known before {outcome}?"
    message = f"{outcome} may be easy to predict: {named}{more}. {question}"
    return [warning("LABEL_PREDICTED_BY_MANY_COLUMNS", message)]


def _prediction(tested: Tested, correlation: float, outcome: str, least_auc: float) -> str:
    if tested.auc > least_auc:
        return f"alone predicts {tested.name} (AUROC {tested.auc:.2f})"
    if correlation > _COLUMN_CORRELATION:
        return f"alone predicts {outcome} (rank correlation {correlation:.2f})"
    return ""


def _constant_in_class(texts: Sequence[str], known: _Mask, outcomes: Outcomes, classes: Sequence[str]) -> str:
    """Classes in which the column never varies, if that is significant given the other classes."""
    values = np.asarray(texts)
    pure = []
    for index, name in enumerate(classes):
        mine, others = known & (outcomes.labels == index), known & (outcomes.labels != index)
        inside = np.unique(values[mine])
        if len(inside) == 1 and others.any():
            # Add one to the observed number, since the share is uncertain if there are few other cases.
            share = float((1 + np.sum(values[others] == inside[0])) / (1 + others.sum()))
            if share <= _OTHERS and share ** count_groups(outcomes.groups[mine]) < _CHANCE:
                pure.append(name)
    return f"is constant within {', '.join(pure[:10])}, but not elsewhere" if pure else ""


def _missingness_warnings(missing: Mapping[str, _Mask], outcomes: Outcomes) -> Warnings:
    """One warning for all columns with the same gaps."""
    columns_of: dict[bytes, list[str]] = {}
    for column, gaps in missing.items():
        if gaps.any() and not gaps.all():
            columns_of.setdefault(gaps.tobytes(), []).append(column)
    found = []
    for columns in columns_of.values():
        is_gap = np.where(missing[columns[0]], 1.0, 0.0)
        tested = associate_numbers(is_gap, outcomes, _MISSINGNESS_AUC)
        if tested.auc > _MISSINGNESS_AUC:
            named = ", ".join(f'"{column}"' for column in columns)
            message = f"missingness of {named} predicts {tested.name} (AUROC {tested.auc:.2f})"
            found.append(warning("LABEL_PREDICTED_BY_MISSINGNESS", message))
    return found


def _not_checked(outcomes: Outcomes, columns: Sequence[str]) -> Warnings:
    found = []
    if outcomes.unchecked:
        listed = ", ".join(outcomes.unchecked[:20])
        message = f"not checked for shortcuts because there are too few patients: {listed}"
        found.append(warning("SHORTCUTS_NOT_CHECKED", message))
    if columns:
        listed = ", ".join(f'"{column}"' for column in columns[:20])
        others = f" and {len(columns) - 20} more" if len(columns) > 20 else ""
        message = f"not checked for shortcuts because too few patients have a value: {listed}{others}"
        found.append(warning("SHORTCUTS_NOT_CHECKED", message))
    return found
