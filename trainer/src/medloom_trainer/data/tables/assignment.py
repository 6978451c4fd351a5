"""Roles of the columns of a table during their assignment."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from medloom_trainer.contract.codes import WarningCode
from medloom_trainer.contract.phrases import Phrased, phrase
from medloom_trainer.data.tables.row_groups import compared_columns
from medloom_trainer.data.tables.table import Table
from medloom_trainer.warnings import Warnings, warning


class Assignment:
    """One role per column; the first assignment counts."""

    def __init__(self, table: Table, data: dict[str, Any]) -> None:
        self.table = table
        self.data = data
        self.kinds: dict[str, str] = {}
        self.reasons: dict[str, str] = {}
        self.warnings: Warnings = []
        self.repeated: list[str] = []
        """Columns that may identify patients, because their values repeat like ids."""

    def free(self) -> list[str]:
        return [column for column in self.table.columns if column not in self.kinds]

    def first(self, kind: str) -> str | None:
        return next((column for column, given in self.kinds.items() if given == kind), None)

    def assign(self, column: str, kind: str, reason: Phrased) -> None:
        self.kinds[column] = kind
        self.reasons[column] = reason

    def assign_id(self, column: str, reason: Phrased, message: Phrased) -> None:
        self.assign(column, "id", reason)
        self.warn("ID_LIKE_COLUMN", message)

    def assign_input(self, column: str, kind: str, reason: Phrased) -> bool:
        """kind: numeric or categorical. Return whether the configuration leaves these columns open."""
        key = f"{kind}_columns"
        is_open = self.data[key] is None
        if is_open:
            self.assign(column, kind, reason)
        else:
            self.assign(column, "ignored", phrase("role_not_among", key=key))
        return is_open

    def warn(self, code: WarningCode, message: Phrased) -> None:
        self.warnings.append(warning(code, message))

    def warn_repeated(self, column: str, message: Phrased | None = None) -> None:
        """The values of a column repeat like ids. A warning without a patient column."""
        if self.first("patient") is None:
            self.repeated.append(column)
            self.warn("REPEATED_IDS", message or phrase("repeated_ids", column=column))

    @cached_property
    def compared(self) -> list[str]:
        """Columns that may describe the patient of a row."""
        return compared_columns(self.table)
