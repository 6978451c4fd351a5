"""Metrics of predicted survival curves: discrimination, and the accuracy of the probabilities, by the
definitions of scikit-survival. Weights for censoring use its distribution among the training cases.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.metrics.arrays import FloatArray
from medloom_trainer.metrics.outcome import Mean, Share, ratio
from medloom_trainer.metrics.statistics.clusters import Clusters
from medloom_trainer.metrics.statistics.kaplan_meier import StepCurve
from medloom_trainer.metrics.statistics.ranking import RankedScores
from medloom_trainer.metrics.statistics.ties import settled

_TIED = 1e-8
"""Difference of risks that counts as a tie, as in scikit-survival."""
_ROWS_AT_ONCE = 256
"""Cases with events whose pairs are in memory at once: memory grows with the cases, not with their square."""
QUARTERS = (25, 50, 75)
"""Horizons: the times by which this share of the training events had happened, in percent."""
_NO_CLASSES = ("accuracy", "auc", "f1_score")


@dataclass(frozen=True)
class TimeGrid:
    """Values fixed by the training cases: K intervals of time, horizons, and the distribution of
    censoring."""

    edges: FloatArray
    """(K,) ends of the intervals, ascending; the first begins at 0."""
    horizons: tuple[float, ...]
    tau: float
    censoring: StepCurve

    def equals(self, other: TimeGrid) -> bool:
        """Return whether metrics on both grids are the same quantities."""
        return (self.horizons, self.tau) == (other.horizons, other.tau) and all(
            np.array_equal(mine, others)
            for mine, others in (
                (self.edges, other.edges),
                (self.censoring.times, other.censoring.times),
                (self.censoring.values, other.censoring.values),
            )
        )

    def survival(self, predictions: FloatArray, times: FloatArray) -> FloatArray:
        """predictions (N, K) at the edges → (N, T) at these times. Within an interval the hazard is constant
        (Kvamme and Borgan 2021); beyond the last edge the survival stays constant."""
        knots = np.concatenate([[0.0], self.edges])
        logs = np.log(np.maximum(predictions, np.finfo(np.float64).tiny))
        logs = np.concatenate([np.zeros((len(logs), 1)), logs], axis=1)
        right = np.clip(np.searchsorted(knots, times, side="left"), 1, len(knots) - 1)
        width = knots[right] - knots[right - 1]
        share = np.clip((times - knots[right - 1]) / width, 0, 1)
        found: FloatArray = np.exp(logs[:, right - 1] * (1 - share) + logs[:, right] * share)
        return found

    def risk(self, predictions: FloatArray) -> FloatArray:
        """(N,) time lost up to the last edge: the area above the survival curve (Royston and Parmar 2013), a
        score of the whole curve in the unit of the time."""
        knots = np.concatenate([[0.0], self.edges])
        curve = np.concatenate([np.ones((len(predictions), 1)), predictions], axis=1)
        area = ((curve[:, 1:] + curve[:, :-1]) / 2) @ np.diff(knots)
        lost: FloatArray = knots[-1] - area
        return lost


class SurvivalOutcome:
    """time (N,) above 0, event (N,) of 0/1, predictions (N, K): survival at the edges of the grid.

    c_index: Harrell's C. uno_c: Uno's C (2011) up to tau, each case with an event weighted by 1 / G(time)².
    integrated_brier: Graf et al. (1999) over the grid between the first edge and tau. auc_25, auc_50, auc_75:
    cumulative/dynamic AUC (Uno et al. 2007) at the horizons.
    """

    def __init__(
        self, time: npt.ArrayLike, event: npt.ArrayLike, predictions: npt.ArrayLike, grid: TimeGrid
    ) -> None:
        self.time = np.asarray(time, dtype=np.float64)
        self.event = np.asarray(event, dtype=np.float64) > 0
        self.predictions = np.asarray(predictions, dtype=np.float64)
        self.grid = grid
        self.size = len(self.time)
        self.risk = grid.risk(self.predictions)
        self._tied_risk = settled(self.risk, within=_TIED)
        uncensored = grid.censoring.at(self.time)
        weight = np.divide(1.0, uncensored, out=np.zeros(self.size), where=self.event & (uncensored > 0))
        self._weight = weight
        self._uno = np.where(self.time < grid.tau, np.square(weight), 0.0)
        self.rows = np.flatnonzero(self.event)
        self.brier = self._integrated()
        self._ranked = [self._at_horizon(horizon) for horizon in grid.horizons]

    def measure(self, weights: FloatArray) -> dict[str, FloatArray]:
        harrell, uno = self._concordance(weights)
        undefined = np.full(len(weights), np.nan)
        total = weights.sum(axis=1)
        brier = undefined if self.brier is None else ratio(weights @ self.brier, total)
        areas = {
            f"auc_{quarter}": ranked.areas(weights * weight)[0]
            for quarter, (ranked, weight) in zip(QUARTERS, self._ranked, strict=True)
        }
        return {
            **dict.fromkeys(_NO_CLASSES, undefined),
            "c_index": harrell,
            "uno_c": uno,
            "integrated_brier": brier,
            **areas,
        }

    def _concordance(self, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(Harrell's C, Uno's C), (R,) each: among pairs in which one case had the event while the other was
        still followed, the share in which it had the higher risk; ties count half."""
        sums = np.zeros((4, len(weights)))
        for start in range(0, len(self.rows), _ROWS_AT_ONCE):
            first = self.rows[start : start + _ROWS_AT_ONCE]
            later = self.time[None, :] > self.time[first, None]
            later |= (self.time[None, :] == self.time[first, None]) & ~self.event[None, :]
            ahead = self._tied_risk[first, None] - self._tied_risk[None, :]
            won = np.where(ahead == 0, 0.5, (ahead > 0).astype(np.float64)) * later
            mine = weights[:, first]
            right, pairs = (weights @ won.T) * mine, (weights @ later.T.astype(np.float64)) * mine
            uno = self._uno[first]
            sums += [right.sum(axis=1), pairs.sum(axis=1), right @ uno, pairs @ uno]
        return ratio(sums[0], sums[1]), ratio(sums[2], sums[3])

    def _integrated(self) -> FloatArray | None:
        """(N,) values whose mean is the integrated Brier score; None if the grid has only one time before
        tau."""
        times = self.grid.edges[self.grid.edges <= self.grid.tau]
        if len(times) < 2:
            return None
        predicted = self.grid.survival(self.predictions, times)
        had_event = (self.time[:, None] <= times) & self.event[:, None]
        there = self.time[:, None] > times
        uncensored = self.grid.censoring.at(times)
        score = np.square(predicted) * had_event * self._weight[:, None]
        score += np.square(1 - predicted) * there / uncensored
        integrated: FloatArray = np.trapezoid(score, times, axis=1) / (times[-1] - times[0])
        return integrated

    def _at_horizon(self, horizon: float) -> tuple[RankedScores, FloatArray]:
        """Cases with the event by the horizon against those that outlived it, and the weight of each."""
        had_event = (self.time <= horizon) & self.event
        weight = np.where(had_event, self._weight, (self.time > horizon).astype(np.float64))
        return RankedScores.from_scores(had_event, self._tied_risk), weight

    def explain(self, name: str) -> str:
        if name in _NO_CLASSES:
            return phrase("note_survival_classes")
        if self.size == 0:
            return phrase("note_no_cases")
        if not self.event.any():
            return phrase("note_no_event")
        if name == "integrated_brier":
            return phrase("note_one_time")
        return phrase("note_no_pairs")

    def proportions(self) -> Mapping[str, Share]:
        return {}

    def overlaps(self) -> Mapping[str, Share]:
        return {}

    def averages(self) -> Mapping[str, Sequence[str]]:
        return {}

    def means(self) -> Mapping[str, Mean]:
        return {} if self.brier is None else {"integrated_brier": Mean(self.brier)}

    def rows_of(self, name: str) -> None:
        return None

    def rankings(self) -> Mapping[str, RankedScores]:
        return {}

    def standard_errors(self, clusters: Clusters) -> Mapping[str, float]:
        return {}

    def rarest(self, name: str, clusters: Clusters) -> int:
        """Patients with an event: for Uno's C before tau; for an area at a horizon until then, or those who
        outlived it if they are fewer."""
        if name == "uno_c":
            return clusters.having(self._uno > 0)
        for quarter, horizon in zip(QUARTERS, self.grid.horizons, strict=True):
            if name == f"auc_{quarter}":
                until = self.time <= horizon
                return min(clusters.having(until & self.event), clusters.having(~until))
        return clusters.having(self.event)
