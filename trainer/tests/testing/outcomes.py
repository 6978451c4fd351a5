"""Labels of simulated cases, as the checks of a table read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.checks.association import Outcomes, outcomes_of
from medloom_trainer.data.checks.column_pairs import Combination, pairs_of_codes
from medloom_trainer.data.tables import Target, sorted_codes


def outcomes(
    labels: npt.NDArray[Any], classes: int | None, patients: npt.NDArray[Any] | None = None
) -> Outcomes:
    """classes: their number, None for a quantity. patients: one for each case by default."""
    names = None if classes is None else tuple("abcdef"[:classes])
    groups = np.arange(len(labels)) if patients is None else patients
    return outcomes_of(Target(np.arange(len(labels)), labels, names), groups, 10)


def pairs_of_texts(columns: Mapping[str, Sequence[str]], answers: Outcomes) -> list[Combination]:
    """The pairs that are found in columns of few values."""
    return pairs_of_codes({name: sorted_codes(cells) for name, cells in columns.items()}, answers)
