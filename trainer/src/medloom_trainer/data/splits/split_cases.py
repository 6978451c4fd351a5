"""The cases of one split: their rows, labels and images, before anything is fitted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.cache import Views
from medloom_trainer.data.splits.case_keys import keys_of_cases
from medloom_trainer.data.tables import ImageTable, Table


@dataclass(frozen=True)
class SplitCases:
    """N cases."""

    source: ImageTable
    labels: npt.NDArray[Any] | None
    """(N,) class indices or values; None where they are not read."""
    views: Views | None
    """None when no model reads the images."""
    images: list[list[str]] | None
    """N lists: a digest of each image that is there, of its pixels or else of its file; None without images.
    """

    @property
    def table(self) -> Table:
        return self.source.table

    def take(self, rows: npt.NDArray[np.int64]) -> SplitCases:
        """The cases at these positions, in this order."""
        return replace(
            self,
            source=self.source.take(rows),
            labels=None if self.labels is None else self.labels[rows],
            views=None if self.views is None else self.views.take(rows),
            images=None if self.images is None else [self.images[row] for row in rows.tolist()],
        )

    def keys(self, patient: str | None) -> list[list[tuple[str, str]]]:
        """What ties each case to others; `patient`: the column."""
        return keys_of_cases(self.table, self.images, patient)
