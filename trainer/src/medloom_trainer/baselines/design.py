"""The matrix that a baseline reads: exactly what the network reads of the table."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.types import Cases, TableLayout

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Design:
    """Encoded numbers, one column for each code of an embedded column, and indicators of missing values."""

    column_of_value: tuple[int, ...]
    """(P,) table column of each encoded number."""
    cardinalities: tuple[int, ...]
    """(E,) number of codes of each embedded column."""
    num_columns: int
    """C, table columns."""
    indicators: tuple[int, ...]
    """Table columns with an indicator of whether the case has a value: those with gaps in training. The
    indicators of the others would be constant there."""
    blanks: bool
    """Missing numbers are NaN, which histogram trees accept; there are no indicators then."""

    @classmethod
    def from_layout(cls, layout: TableLayout, train: Cases, *, blanks: bool) -> Design:
        owners = [0] * layout.num_values
        cardinalities = [0] * layout.num_codes
        for index, column in enumerate(layout.columns):
            if column.kind == "embedding":
                cardinalities[column.start] = column.cardinality
            else:
                owners[column.start : column.start + column.width] = [index] * column.width
        gaps = () if blanks else np.flatnonzero(~train.present.all(axis=0) & train.present.any(axis=0))
        return cls(tuple(owners), tuple(cardinalities), len(layout.columns), tuple(map(int, gaps)), blanks)

    @property
    def width(self) -> int:
        return len(self.column_of_value) + sum(self.cardinalities) + len(self.indicators)

    def fits(self, cases: Cases) -> bool:
        """Return whether these cases were encoded like those of the training."""
        widths = (cases.values.shape[1], cases.codes.shape[1], cases.present.shape[1])
        return widths == (len(self.column_of_value), len(self.cardinalities), self.num_columns)

    def matrix(self, cases: Cases) -> FloatArray:
        """(N, width) numbers, each of which float32 represents exactly."""
        values = cases.values.astype(np.float64)
        if self.blanks and self.column_of_value:
            values[~cases.present[:, list(self.column_of_value)]] = np.nan
        codes = [
            (cases.codes[:, [place]] == np.arange(size)).astype(np.float64)
            for place, size in enumerate(self.cardinalities)
        ]
        present = cases.present[:, list(self.indicators)].astype(np.float64)
        return np.hstack([values, *codes, present])

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def of_json(cls, stored: dict[str, Any]) -> Design:
        return cls(
            column_of_value=tuple(map(int, stored["column_of_value"])),
            cardinalities=tuple(map(int, stored["cardinalities"])),
            num_columns=int(stored["num_columns"]),
            indicators=tuple(map(int, stored["indicators"])),
            blanks=bool(stored["blanks"]),
        )
