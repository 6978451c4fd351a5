"""Single columns, or the gaps of a column, that predict the label, that follow from it or were computed from
it, and columns that never vary within a class although they vary in others.

If several columns predict the label, or others nearly do, the classes are often easy to distinguish: then one
warning names all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import Phrased, listing, phrase, quoted
from medloom_trainer.data.checks.association import (
    FEW_VALUES,
    Outcomes,
    Tested,
    associate_categories,
    associate_numbers,
    associate_values,
    count_groups,
    rank_categories,
    rank_correlation,
)
from medloom_trainer.data.checks.label_means import is_mean_label
from medloom_trainer.data.checks.leave_one_out_means import MOST_GROUPINGS, means_of_other_cases
from medloom_trainer.data.tables import (
    Levels,
    Table,
    coded,
    distinct_of,
    missing_mask,
    present_texts,
    read_levels,
)
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
_MISSINGNESS_AUC = 0.7
_STRONG_CORRELATION = 0.7
_OTHERS = 2 / 3
"""Maximum share of the other cases that have the value of a column that is constant in a class."""
_CHANCE = 1e-6
"""Significance level for a column that is constant in a class, given its values in the other classes."""

_NAMED = 10

_Mask = npt.NDArray[np.bool_]
_Floats = npt.NDArray[np.float64]


def column_warnings(
    table: Table,
    outcomes: Outcomes,
    classes: tuple[str, ...] | None,
    numeric: Sequence[str],
    categorical: Sequence[str],
) -> Warnings:
    """Return warnings about single columns that predict the outcome. numeric, categorical: columns to test.
    classes: None for a quantity."""
    missing = {column: missing_mask(table.cells[column]) for column in (*numeric, *categorical)}
    numbers = {column: read_levels(table.cells[column], table.delimiter) for column in numeric}
    found: dict[str, Phrased] = {}
    predicted, strong, unchecked = set(), set(), []
    for column in (*numeric, *categorical):
        texts, known, values = table.cells[column], ~missing[column], numbers.get(column)
        tested, correlation = _association(texts, known, values, outcomes)
        is_flag = classes is not None and len(present_texts(texts)) == 2
        reason = _prediction(tested, correlation, outcomes.name, _FLAG_AUC if is_flag else _COLUMN_AUC)
        outcome = outcomes.name if outcomes.is_quantity else tested.name
        if reason:
            predicted.add(outcome)
        elif tested.auc > _STRONG_AUC or correlation > _STRONG_CORRELATION:
            strong.add(outcome)
        if not reason and classes and (values is None or len(distinct_of(texts)) <= FEW_VALUES):
            reason = _constant_in_class(texts, known, outcomes, classes)
        if not reason and values is not None:
            reason = _computed_from_labels(values, outcomes)
        if reason:
            found[column] = reason
        if not tested.tested and outcomes.events and known.any():
            unchecked.append(column)
    others = {column: levels for column, levels in numbers.items() if column not in found}
    means = means_of_other_cases(others, table.cells, outcomes)
    found |= {
        column: phrase("falls_within", outcome=outcomes.name, group=group)
        for column, group in means.found.items()
    }
    return [
        *predicting_columns(found, outcomes.name, is_easy=bool(predicted & strong)),
        *_missingness_warnings(missing, outcomes),
        *_not_checked(outcomes, unchecked),
        *([] if means.is_complete else [_groupings_not_checked(outcomes.name)]),
    ]


def predicting_columns(found: Mapping[str, Phrased], outcome: Phrased, *, is_easy: bool = False) -> Warnings:
    """found: column → description of its association. is_easy: other columns nearly predict the outcome,
    too."""
    if not found:
        return []
    if len(found) <= _STAND_OUT and not is_easy:
        messages = [
            phrase("derived_from", column=column, reason=reason, outcome=outcome)
            for column, reason in found.items()
        ]
        return [warning("LABEL_PREDICTED_BY_COLUMN", message) for message in messages]
    reasons = [phrase("column_predicts", column=column, reason=reason) for column, reason in found.items()]
    message = phrase("easy_to_predict", outcome=outcome, columns=listing(reasons, _NAMED, mark="semicolon"))
    return [warning("LABEL_PREDICTED_BY_MANY_COLUMNS", message)]


def _association(
    texts: Sequence[str], known: _Mask, values: Levels | None, outcomes: Outcomes
) -> tuple[Tested, float]:
    """The outcome that a column predicts best, and its rank correlation with a quantity, 0 for classes.
    values: None if the column is categorical."""
    if values is not None:
        tested = associate_numbers(values, outcomes, _STRONG_AUC)
    else:
        tested = associate_categories(texts, known, outcomes, _STRONG_AUC)
    if not outcomes.is_quantity:
        return tested, 0.0
    ranked = rank_categories(texts, known, outcomes) if values is None else values.values()
    return tested, abs(rank_correlation(ranked, outcomes))


def _computed_from_labels(values: Levels, outcomes: Outcomes) -> Phrased | None:
    if is_mean_label(values, outcomes):
        return phrase("agrees_with_mean", outcome=outcomes.name)
    by_value = associate_values(values, outcomes, _COLUMN_AUC)
    if by_value.auc:
        return phrase("values_predict", outcome=by_value.name, auc=f"{by_value.auc:.2f}")
    return None


def _prediction(tested: Tested, correlation: float, outcome: Phrased, least_auc: float) -> Phrased | None:
    if tested.auc > least_auc:
        return phrase("alone_predicts", outcome=tested.name, auc=f"{tested.auc:.2f}")
    if correlation > _COLUMN_CORRELATION:
        return phrase("alone_correlates", outcome=outcome, correlation=f"{correlation:.2f}")
    return None


def _constant_in_class(
    texts: Sequence[str], known: _Mask, outcomes: Outcomes, classes: Sequence[str]
) -> Phrased | None:
    """Classes in which the column never varies, if that is significant given the other classes."""
    values = coded(texts)[1]
    pure = []
    for index, name in enumerate(classes):
        mine, others = known & (outcomes.labels == index), known & (outcomes.labels != index)
        inside = values[mine]
        if len(inside) and (inside == inside[0]).all() and others.any():
            # Add one to the observed number, since the share is uncertain if there are few other cases.
            share = float((1 + np.sum(values[others] == inside[0])) / (1 + others.sum()))
            if share <= _OTHERS and share ** count_groups(outcomes.groups[mine]) < _CHANCE:
                pure.append(name)
    return phrase("constant_within", classes=", ".join(pure[:10])) if pure else None


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
            message = phrase(
                "missingness_predicts",
                columns=quoted(columns, len(columns)),
                outcome=tested.name,
                auc=f"{tested.auc:.2f}",
            )
            found.append(warning("LABEL_PREDICTED_BY_MISSINGNESS", message))
    return found


def _not_checked(outcomes: Outcomes, columns: Sequence[str]) -> Warnings:
    found = []
    if outcomes.unchecked:
        message = phrase("unchecked_patients", outcomes=listing(outcomes.unchecked, 20))
        found.append(warning("SHORTCUTS_NOT_CHECKED", message))
    if columns:
        message = phrase("unchecked_columns", columns=quoted(columns))
        found.append(warning("SHORTCUTS_NOT_CHECKED", message))
    return found


def _groupings_not_checked(outcome: Phrased) -> dict[str, Any]:
    message = phrase("unchecked_groupings", most=MOST_GROUPINGS, outcome=outcome)
    return warning("SHORTCUTS_NOT_CHECKED", message)
