"""What the table of predictions of an evaluation says of each case beside the prediction, to find it by."""

from __future__ import annotations

from typing import Any

import numpy as np

from medloom_trainer.data.types import Cases
from medloom_trainer.evaluation.metrics.arrays import FloatArray
from medloom_trainer.outcomes.kind import OutcomeKind


def case_columns(kind: OutcomeKind, cases: Cases, predictions: FloatArray) -> dict[str, list[Any]]:
    """predictions: as the result shows them. → column → N cells: loss, empty where unknown; missing_views,
    numbers from 1; and group_<column> for each column of the subgroups."""
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
"""The group of the cases whose group is not known, as subgroup metrics name it."""
