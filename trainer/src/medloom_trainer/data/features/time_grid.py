"""Values that the training cases fix for survival: the intervals of time, and the distribution of
censoring."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.tables import censored_steps

_LEAST_OPEN = 0.1
"""Share of uncensored training cases down to which weights for censoring are used."""
_QUARTERS = (25, 50, 75)
"""Horizons, in percent of the training events."""


def fit_time_grid(
    labels: npt.NDArray[np.float64], intervals: int, end: float | None = None
) -> dict[str, Any]:
    """labels (N, 2): of the training rows, at least one with the event. JSON: edges, ends of the intervals at
    quantiles of the event times (Gensheimer and Narasimhan 2019), fewer if times repeat; horizons; tau; and
    the share of uncensored cases over time, as steps {"times", "values"}. end: of the last interval, if it is
    not the last event."""
    times, happened = labels[:, 0], labels[:, 1] == 1
    shares = np.linspace(0, 100, intervals + 1)[1:]
    edges = np.unique(np.percentile(times[happened], shares, method="inverted_cdf"))
    if end is not None:
        edges = np.append(edges[edges < end], end)
    horizons = np.percentile(times[happened], _QUARTERS)
    steps, values = censored_steps(times, happened)
    uncensored = np.concatenate([[1.0], values])[np.searchsorted(steps, edges, side="right")]
    open_edges = edges[uncensored >= _LEAST_OPEN]
    return {
        "edges": edges.tolist(),
        "horizons": horizons.tolist(),
        "tau": float(open_edges[-1] if open_edges.size else edges[0]),
        "censoring": {"times": steps.tolist(), "values": values.tolist()},
    }
