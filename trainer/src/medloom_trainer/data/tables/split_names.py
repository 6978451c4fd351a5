"""The column that says which split a row belongs to, and the words it may use."""

from __future__ import annotations

from medloom_trainer.data.tables.table import Table

SPLITS = ("train", "val", "test")
SPLIT_NAMES = ("split",)
"""Names of a split column, in any case."""
SPLIT_WORDS = {
    "train": "train", "training": "train",
    "val": "val", "valid": "val", "validation": "val", "dev": "val",
    "test": "test", "testing": "test", "holdout": "test",
}  # fmt: skip


def split_name(text: str) -> str:
    """`Training`, `valid`, `TEST` → train, val, test; any other word stays itself."""
    return SPLIT_WORDS.get(text.casefold(), text)


def split_words(table: Table, column: str | None) -> list[str] | None:
    """The split that each row names; None without such a column."""
    if column is None or column not in table.cells:
        return None
    return [split_name(text) for text in table.cells[column]]


def split_column(table: Table) -> str | None:
    """The first column with the name of a split column."""
    return next((column for column in table.columns if column.casefold() in SPLIT_NAMES), None)
