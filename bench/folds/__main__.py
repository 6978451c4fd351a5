"""npm run bench:folds: how often the tests of a study find a nonexistent difference, and how often intervals
cover the true performance. Exits with 1 if the main test finds one in more than 5 % of the studies.

Two linear discriminants read eight equally informative columns each; each training also has its own noise, as
another seed would produce. The true performance of a model is known: its area under the ROC curve on the
whole population.
"""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from medloom_trainer.metrics.binary import BinaryOutcome
from medloom_trainer.metrics.pooled import CaseSet, SharedDraws
from medloom_trainer.metrics.statistics.resampled_t import (
    corrected_resampled_t,
    overlap_correction,
)

Floats = npt.NDArray[np.float64]
_COLUMNS = 8
"""Columns of each of the two learners."""
_LEVEL = 0.05


@dataclass(frozen=True)
class Design:
    cases: int
    folds: int
    repeats: int
    seeds: int
    validates: bool = False
    """A fifth of the cases that are not held out is used for validation and not for training."""
    shift: float = 0.45
    """Distance between the classes in each column."""
    noise: float = 0.3
    """Norm of the noise that a seed adds to the weights, relative to theirs."""

    @property
    def name(self) -> str:
        own = ", a fifth validates" if self.validates else ""
        weak = "" if self.shift == Design.shift else ", stable learners, weak signal"
        return f"{self.cases} cases, {self.repeats} x {self.folds} folds, seeds {self.seeds}{own}{weak}"


DESIGNS = (
    Design(60, 5, 1, 1),
    Design(60, 5, 2, 2),
    Design(120, 5, 1, 1),
    Design(120, 5, 2, 3),
    Design(80, 5, 10, 1, validates=True, shift=0.1, noise=0.0),
    Design(80, 5, 10, 1, shift=0.0, noise=0.0),
)


class AreaAlone(BinaryOutcome):
    """Measures only the area under the ROC curve, to be fast."""

    def measure(self, weights: Floats) -> dict[str, Floats]:
        return {"auc": self.ranked.areas(weights)[0]}


class Found(NamedTuple):
    """Results of one study."""

    corrected: bool
    """The main test found a difference."""
    by_rest: bool
    """The same if all cases that are not held out count as training cases."""
    bootstrap: bool
    holds_models: bool
    """The interval of the first learner covers the mean true performance of the models of this study."""
    estimate: float
    low: float
    high: float
    worth: float


def main() -> int:
    parser = argparse.ArgumentParser(prog="npm run bench:folds --")
    parser.add_argument("--studies", type=int, default=400, help="simulated studies per design")
    parser.add_argument("--design", default="", help="only designs whose name contains this text")
    parser.add_argument("--quick", action="store_true", help="the two smallest designs alone")
    options = parser.parse_args()
    print(f"{options.studies} studies each, in per cent; tests at {_LEVEL:.0%}, intervals of 95 %\n")
    print(
        f"{'design':84}{'corrected t':>12}{'counting all':>14}{'bootstrap':>11}{'holds models':>14}"
        f"{'holds procedure':>17}"
    )
    failed = False
    with ProcessPoolExecutor() as pool:
        for design in DESIGNS[:2] if options.quick else DESIGNS:
            if options.design not in design.name:
                continue
            numbers = range(options.studies)
            found = list(pool.map(simulate, [design] * options.studies, numbers, chunksize=10))
            failed |= report(design, found)
    return 1 if failed else 0


def report(design: Design, found: list[Found]) -> bool:
    """Prints a line. → whether the main test found too many, with a tolerance of two Monte Carlo errors."""
    procedure = float(np.mean([one.worth for one in found]))
    shares = [
        np.mean([one.corrected for one in found]),
        np.mean([one.by_rest for one in found]),
        np.mean([one.bootstrap for one in found]),
        np.mean([one.holds_models for one in found]),
        np.mean([one.low <= procedure <= one.high for one in found]),
    ]
    widths = (12, 14, 11, 14, 17)
    texts = (f"{100 * share:.1f}".rjust(width) for share, width in zip(shares, widths, strict=True))
    print(f"{design.name:84}{''.join(texts)}")
    sys.stdout.flush()
    return bool(shares[0] > _LEVEL + 2 * sqrt(_LEVEL * (1 - _LEVEL) / len(found)))


def simulate(design: Design, number: int) -> Found:
    """Simulates one study."""
    random = np.random.default_rng(number)
    labels = np.arange(design.cases) % 2
    columns = random.normal(size=(design.cases, 2 * _COLUMNS)) + design.shift * (labels[:, None] - 0.5)
    scores = np.zeros((2, design.repeats, design.seeds, design.cases))
    worth: list[float] = []
    differences: list[float] = []
    trained: list[int] = []
    for repeat in range(design.repeats):
        fold = _stratified(labels, design.folds, random)
        for held in (fold == index for index in range(design.folds)):
            learns = _learning(labels, ~held, random) if design.validates else ~held
            trained.append(int(learns.sum()))
            areas = np.zeros((2, design.seeds))
            for learner in range(2):
                mine = columns[:, learner * _COLUMNS : (learner + 1) * _COLUMNS]
                for seed in range(design.seeds):
                    weights, offset = _discriminant(mine[learns], labels[learns], design.noise, random)
                    scores[learner, repeat, seed, held] = mine[held] @ weights + offset
                    areas[learner, seed] = _area(labels[held], scores[learner, repeat, seed, held])
                    if learner == 0:
                        worth.append(_worth(weights, design.shift))
            differences.append(float((areas[0] - areas[1]).mean()))
    held_out = design.cases / design.folds
    test = corrected_resampled_t(
        np.asarray(differences),
        overlap_correction(held_out, float(np.mean(trained)), design.cases - held_out, design.repeats),
    )
    by_rest = corrected_resampled_t(np.asarray(differences), 1 / (design.folds - 1))
    draws = SharedDraws(design.cases, design.cases, seed=number)
    sets = [
        [
            draws.resample(CaseSet(AreaAlone(labels, _probability(one), 0.5), np.arange(design.cases)))
            for one in flat
        ]
        for flat in scores.reshape(2, -1, design.cases)
    ]
    mean, difference = draws.mean("auc", sets[0]), draws.difference("auc", sets[0], sets[1])
    assert mean.estimate is not None and mean.low is not None and mean.high is not None
    return Found(
        corrected=test is not None and test.p < _LEVEL,
        by_rest=by_rest is not None and by_rest.p < _LEVEL,
        bootstrap=difference.p is not None and difference.p < _LEVEL,
        holds_models=mean.low <= float(np.mean(worth)) <= mean.high,
        estimate=mean.estimate,
        low=mean.low,
        high=mean.high,
        worth=float(np.mean(worth)),
    )


def _stratified(
    labels: npt.NDArray[np.int64], folds: int, random: np.random.Generator
) -> npt.NDArray[np.int64]:
    fold = np.zeros(len(labels), dtype=np.int64)
    for label in (0, 1):
        rows = random.permutation(np.flatnonzero(labels == label))
        fold[rows] = np.arange(len(rows)) % folds
    return fold


def _learning(
    labels: npt.NDArray[np.int64], rest: npt.NDArray[np.bool_], random: np.random.Generator
) -> npt.NDArray[np.bool_]:
    """The remaining cases without the fifth used for validation."""
    rows = np.flatnonzero(rest)
    learns = rest.copy()
    learns[rows[_stratified(labels[rows], 5, random) == 0]] = False
    return learns


def _discriminant(
    x: Floats, labels: npt.NDArray[np.int64], noise: float, random: np.random.Generator
) -> tuple[Floats, float]:
    """Fisher's discriminant with a small ridge penalty, and the noise of the seed."""
    above, below = x[labels == 1].mean(axis=0), x[labels == 0].mean(axis=0)
    centered = np.where(labels[:, None] == 1, x - above, x - below)
    covariance = (centered.T @ centered + np.eye(x.shape[1])) / len(x)
    weights: Floats = np.linalg.solve(covariance, above - below)
    offset = -float(weights @ (above + below)) / 2
    added = random.normal(size=len(weights)) * np.linalg.norm(weights) / sqrt(len(weights))
    return weights + noise * added, offset


def _worth(weights: Floats, shift: float) -> float:
    """Area on the population: the scores of both classes are normal with the same variance."""
    return float(ndtr(shift * weights.sum() / sqrt(2 * float(weights @ weights))))


def _probability(scores: Floats) -> Floats:
    return 1 / (1 + np.exp(-scores))


def _area(labels: npt.NDArray[np.int64], scores: Floats) -> float:
    return float(AreaAlone(labels, _probability(scores), 0.5).measure(np.ones((1, len(labels))))["auc"][0])


if __name__ == "__main__":
    raise SystemExit(main())
