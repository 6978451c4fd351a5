"""Sources of variance in a two-way table: rows, columns and residual (random effects)."""

from __future__ import annotations

from typing import NamedTuple

from medloom_trainer.metrics.arrays import FloatArray


class Components(NamedTuple):
    """Variances; None if a table of this shape cannot separate them."""

    rows: float | None
    columns: float | None
    rest: float | None


def variance_components(table: FloatArray) -> Components:
    """table (R, C), one number in each cell. The method of moments of a two-way layout without replication:
    the variance of the rows is (their mean square - that of the residual) / C, and so on; negative results
    are set to zero (Searle, Casella and McCulloch 1992). With one row or one column the result is the plain
    variance, which includes the residual.
    """
    rows, columns = table.shape
    if rows < 2 or columns < 2:
        plain = float(table.var(ddof=1)) if table.size > 1 else None
        return Components(plain if columns < 2 else None, plain if rows < 2 else None, None)
    center, of_rows, of_columns = table.mean(), table.mean(axis=1), table.mean(axis=0)
    residual = table - of_rows[:, None] - of_columns[None, :] + center
    rest = float((residual**2).sum()) / ((rows - 1) * (columns - 1))
    between_rows = columns * float(of_rows.var(ddof=1))
    between_columns = rows * float(of_columns.var(ddof=1))
    return Components(
        max(0.0, (between_rows - rest) / columns), max(0.0, (between_columns - rest) / rows), rest
    )
