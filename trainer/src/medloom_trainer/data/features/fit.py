"""What is fitted on the rows of a table: which columns are read, how they are scaled and encoded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.features.encoding import fit_table, lay_out
from medloom_trainer.data.features.selection import Selection, select_columns
from medloom_trainer.data.features.target_statistics import TargetCodes, code_targets
from medloom_trainer.data.tables import Table
from medloom_trainer.data.types import TableLayout


@dataclass(frozen=True)
class TableFit:
    """What was fitted, and what it takes to encode the same rows out of fold."""

    state: dict[str, Any]
    """JSON: the state of every column (encoding.py)."""
    layout: TableLayout
    """Where each of them lives in the encoded arrays."""
    targets: TargetCodes
    selection: Selection


def fit_features(
    table: Table,
    columns: tuple[Sequence[str], Sequence[str]],
    labels: npt.NDArray[Any],
    num_classes: int | None,
    *,
    groups: npt.NDArray[np.int64],
    seed: int,
    settings: Mapping[str, Any],
) -> TableFit:
    """columns: (numeric, categorical). labels (N,): class indices, or numbers when num_classes is None.
    groups (N,): rows that must not inform each other's target statistics. settings: missing_strategy,
    scaling, categorical_encoding and feature_selection of the `data` configuration.
    """
    targets = code_targets(labels, num_classes, groups, seed)
    selection = select_columns(table, *columns, labels, num_classes, settings["feature_selection"])
    state = fit_table(
        table,
        selection.numeric,
        selection.categorical,
        missing_strategy=settings["missing_strategy"],
        scaling=settings["scaling"],
        categorical_encoding=settings["categorical_encoding"],
        target=targets,
    )
    return TableFit(state, lay_out(state), targets, selection)
