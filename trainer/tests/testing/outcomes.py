"""Labels of simulated cases, as the checks of a table read them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.checks.association import Outcomes, outcomes_of
from medloom_trainer.data.tables import Target


def outcomes(
    labels: npt.NDArray[Any], classes: int | None, patients: npt.NDArray[Any] | None = None
) -> Outcomes:
    """classes: their number, None for a quantity. patients: one for each case by default."""
    names = None if classes is None else tuple("abcdef"[:classes])
    groups = np.arange(len(labels)) if patients is None else patients
    return outcomes_of(Target(np.arange(len(labels)), labels, names), groups, 10)
