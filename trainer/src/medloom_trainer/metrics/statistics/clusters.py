"""Rows that belong to patients, and Student's quantile for estimates from few patients."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from medloom_trainer.metrics.arrays import FloatArray


@dataclass(frozen=True)
class Clusters:
    """Patient of each of N rows."""

    member: npt.NDArray[np.intp]
    """(N,) number of the patient, 0 to count - 1."""
    count: int
    """Number of patients."""

    @staticmethod
    def from_patients(patients: npt.NDArray[np.int64] | None, size: int) -> Clusters:
        """Without patients every row is a separate patient."""
        if patients is None:
            return Clusters(np.arange(size), size)
        distinct, member = np.unique(patients, return_inverse=True)
        return Clusters(member, len(distinct))

    @property
    def one_row_each(self) -> bool:
        return self.count == len(self.member)

    def take(self, rows: npt.NDArray[np.intp]) -> Clusters:
        """The clusters of the rows at these positions."""
        return Clusters.from_patients(self.member[rows], len(rows))

    def sums(self, values: npt.NDArray[np.generic]) -> FloatArray:
        """(N,) values of the rows → (count,) sums of the patients."""
        summed: FloatArray = np.bincount(
            self.member, np.asarray(values, dtype=np.float64), minlength=self.count
        ).astype(np.float64)
        return summed

    def having(self, rows: npt.NDArray[np.bool_]) -> int:
        """Number of patients that have at least one of these rows."""
        return len(np.unique(self.member[rows]))


def t_quantile(degrees: float) -> float:
    """97.5 % of Student's t distribution; degrees of freedom > 0, not necessarily whole."""
    return float(stdtrit(degrees, 0.975))
