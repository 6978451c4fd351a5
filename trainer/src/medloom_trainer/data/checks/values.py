"""Values that may have another meaning: codes such as -999 and texts such as "Unknown" for missing values,
dates, and "None" as a category."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.tables import (
    Table,
    count_none,
    counted,
    present_texts,
    read_levels,
    suspected_form,
    suspected_numbers,
    suspected_values,
)
from medloom_trainer.warnings import Warnings, warning


def suspected_meanings(table: Table, numeric: Sequence[str], categorical: Sequence[str]) -> Warnings:
    """Warnings about values of these columns that may have another meaning."""
    return [
        *suspected_sentinels(table, numeric),
        *suspected_dates(table, numeric),
        *suspected_categories(table, categorical),
        *suspected_gaps(table, categorical),
    ]


def suspected_dates(table: Table, columns: Sequence[str]) -> Warnings:
    """A warning for each column whose numbers may be dates."""
    found = []
    for column in columns:
        counts = counted(table.cells[column])
        present = present_texts(table.cells[column])
        form = suspected_form({text: counts[text] for text in present})
        if form is not None:
            message = phrase("dates_suspected", column=column, count=len(present), form=phrase(form))
            found.append(warning("DATES_SUSPECTED", message))
    return found


def suspected_sentinels(table: Table, columns: Sequence[str]) -> Warnings:
    """A warning for each column with numbers that may be codes for missing values."""
    found = []
    for column in columns:
        levels = read_levels(table.cells[column], table.delimiter)
        finite = np.isfinite(levels.ascending)
        values, counts = levels.ascending[finite], levels.counts(levels.known)[finite]
        count_of = dict(zip(values.tolist(), counts.tolist(), strict=True))
        if suspected := suspected_numbers(values, counts):
            listed = ", ".join(f"{value:.10g} ({count_of[value]})" for value in suspected)
            message = phrase("sentinel_suspected", column=column, values=listed)
            found.append(warning("SENTINEL_SUSPECTED", message))
    return found


def suspected_categories(table: Table, columns: Sequence[str]) -> Warnings:
    """A warning for each column with categories that may mean a missing value."""
    found = []
    for column in columns:
        if suspected := suspected_values(column, table.cells[column], table.delimiter):
            listed = ", ".join(f'"{text[:40]}" ({count})' for text, count in suspected.items())
            message = phrase("categories_may_be_missing", column=column, values=listed)
            found.append(warning("CATEGORY_MAY_BE_MISSING", message))
    return found


def suspected_gaps(table: Table, columns: Sequence[str]) -> Warnings:
    """A warning for each column with "None", which is read as a missing value although it may be one of the
    categories."""
    found = []
    for column in columns:
        if count := count_none(table.cells[column]):
            message = phrase("none_is_missing", column=column, count=count)
            found.append(warning("NONE_READ_AS_MISSING", message))
    return found
