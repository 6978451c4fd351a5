"""Additional columns in an evaluation's table of predictions, by which cases can be filtered."""

from __future__ import annotations

from typing import Any

import numpy as np

from medloom_trainer.data.types import Cases
from medloom_trainer.metrics.arrays import FloatArray
from medloom_trainer.outcomes.kind import OutcomeKind


def case_columns(kind: OutcomeKind, cases: Cases, predictions: FloatArray) -> dict[str, list[Any]]:
    """Return column → N cells: loss, empty if unknown; missing_views, numbers from 1; and group_<column> for
    each column of the subgroups. predictions: as the result shows them."""
    found: dict[str, list[Any]] = {}
    losses = None if cases.labels is None else kind.losses(cases.labels, predictions)
    if losses is not None:
        found["loss"] = ["" if np.isnan(loss) else loss for loss in losses.tolist()]
    if cases.slots is not None:
        missing = [(np.flatnonzero(slots < 0) + 1).tolist() for slots in cases.slots]
        found["missing_views"] = [" ".join(map(str, views)) for views in missing]
    for column, groups in cases.subgroups.items():
        found[f"group_{column}"] = [group or UNKNOWN_GROUP for group in groups.tolist()]
    return found


UNKNOWN_GROUP = "unknown"
"""Name of the group of cases whose group is unknown, as in the subgroup metrics."""
