"""Coverage of the intervals of a design, with the code that an evaluation uses."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from math import sqrt

import numpy as np
from designs import Design

from medloom_trainer.metrics.intervals import intervals
from medloom_trainer.metrics.outcome import Metrics, estimate

POPULATION = 400_000
"""Cases whose metrics are taken as the truth: their error is a hundredth of that of a study."""
PROMISED = (0.93, 0.97)


def percent(count: int, total: int) -> str:
    """The share, and its Monte Carlo error (one standard error)."""
    share = count / total
    return f"{100 * share:.1f} ± {100 * sqrt(share * (1 - share) / total):.1f}"


@dataclass
class Coverage:
    """One metric over the studies of a design: number of intervals, and of those that cover the truth."""

    given: int = 0
    held: int = 0
    cautions: int = 0
    reasons: set[str] = field(default_factory=set)

    @property
    def share(self) -> float:
        return self.held / self.given

    @property
    def text(self) -> str:
        return percent(self.held, self.given)

    @property
    def cautioned(self) -> bool:
        """Reports whether most such studies mark the interval as unreliable."""
        return 2 * self.cautions > self.given

    def kept(self) -> bool:
        """Within the target, with a tolerance of two Monte Carlo errors; a caution promises nothing."""
        error = 2 * sqrt(0.95 * 0.05 / self.given)
        low, high = PROMISED
        return self.cautioned or low - error <= self.share <= high + error


def truth_of(design: Design, seed: int) -> Metrics:
    """Metrics of a large sample. Shared patients only affect how far metrics vary."""
    values, _ = estimate(design.draw(np.random.default_rng(seed), POPULATION, None))
    return values


def simulate(design: Design, truth: Metrics, seeds: range) -> dict[str, Coverage]:
    """Metric → coverage over one study per seed."""
    found: dict[str, Coverage] = defaultdict(Coverage)
    patients = design.members()
    for seed in seeds:
        outcome = design.draw(np.random.default_rng(seed), design.cases, patients)
        values, notes = estimate(outcome)
        for name, interval in intervals(outcome, values, notes, patients, seed=seed).items():
            true, low, high = truth[name], interval["low"], interval["high"]
            if true is None or low is None or high is None:
                found[name].reasons.add(interval["reason"] or "undefined")
                continue
            found[name].given += 1
            found[name].held += low <= true <= high
            found[name].cautions += interval["caution"] is not None
    return dict(found)


def joined(parts: list[dict[str, Coverage]]) -> dict[str, Coverage]:
    total: dict[str, Coverage] = defaultdict(Coverage)
    for part in parts:
        for name, coverage in part.items():
            total[name].given += coverage.given
            total[name].held += coverage.held
            total[name].cautions += coverage.cautions
            total[name].reasons |= coverage.reasons
    return dict(total)
