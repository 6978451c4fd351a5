"""Encoded columns for readers: with names, and as texts. A model reads the same numbers from arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from medloom_trainer.data.features.encoding import encode_table, lay_out
from medloom_trainer.data.tables import Table, is_missing


def number_names(column: dict[str, Any]) -> list[str]:
    """Names of the numbers of a column of a fitted state, in their order: the name of the column if they are
    its values, scaled and filled. Categories have different names, since `sex` does not contain a number.
    """
    name, kind = column["name"], column["kind"]
    width = lay_out({"columns": [column]}).columns[0].width
    if kind == "embedding":
        return [f"{name} (code)"]
    indicator = [f"{name} (missing)"] if column.get("indicator") else []
    own = width - len(indicator)
    if kind == "onehot":
        names = [f"{name}={category}" for category in column["categories"]]
    elif kind == "numeric":
        names = [name, f"{name} (sign of infinity)"][:own]
    else:
        names = [f"{name} (target)"] if own == 1 else [f"{name} (target {k + 1})" for k in range(own)]
    return names + indicator


def column_texts(table: Table, state: dict[str, Any], column: dict[str, Any]) -> dict[str, list[str]]:
    """Name → (N,) texts of the numbers into which the state encodes one column, in the precision of the
    model; empty if the model reads the token of a missing value.
    """
    encoded = encode_table(table, {**state, "columns": [column]})
    numbers = encoded.codes if column["kind"] == "embedding" else encoded.values
    missing = np.flatnonzero(~encoded.present[:, 0]).tolist()
    found = {}
    for name, values in zip(number_names(column), numbers.T, strict=True):
        texts = [text.removesuffix(".0") for text in values.astype(np.str_).tolist()]
        for row in missing:
            texts[row] = ""
        found[name] = texts
    return found


def filled_texts(table: Table, column: dict[str, Any]) -> list[str]:
    """(N,) the categories of a column, with gaps filled if the state fills them."""
    texts, fill = table.cells[column["name"]], column["fill"]
    return texts if fill is None else [fill if is_missing(text) else text for text in texts]
