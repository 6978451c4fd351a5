"""Coverage of the interval of the net benefit at a threshold, by the expected number of patients with the
event that the threshold calls positive.

Each study counts, whatever its data show: a rule that gives an interval to some studies selects those with
more true positives than expected. Below, the coverage of rules that do.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from math import sqrt

import numpy as np
from designs import Binary
from simulation import POPULATION, PROMISED, percent

from medloom_trainer.metrics.binary import BinaryOutcome
from medloom_trainer.metrics.decision_curve import decision_curve

EVENTS = (10, 15, 20, 30)
POPULATIONS = ((0.8, 100), (0.9, 100), (0.7, 100), (0.8, 400))
"""AUC, and number of cases without the event."""
SHOWN = (5, 10, 20, 30, 50)
"""Thresholds in per cent, counted from 1 in the curve."""
RULES = (5, 10, 15, 20, 30)
"""Minimum number of patients with the event that a threshold calls positive, for an interval."""
_GIVEN = 0.05
"""Share of the studies; a rule that gives fewer an interval is not assessed at a threshold."""


@dataclass
class Studied:
    """One threshold in one study."""

    true_positives: int
    held: bool | None
    """None: no interval, since no replicate differs."""


def report_net_benefit(studies: int, seed: int, pool: ProcessPoolExecutor) -> None:
    print(f"{studies} studies each; per cent of 95 % intervals that hold the truth, in brackets the expected")
    print("number of patients with the event called positive\n")
    heads = [f"threshold {percentage} %" for percentage in SHOWN]
    print(f"{'events/others, AUC':>20}{''.join(f'{head:>22}' for head in heads)}")
    found: list[list[Studied]] = []
    for design in _designs():
        of_design = _studied(design, studies, seed, pool)
        found += of_design.values()
        cells = [_unconditional(of_design[percentage]) for percentage in SHOWN]
        print(f"{design.name:>20}{''.join(f'{cell:>22}' for cell in cells)}", flush=True)
    print("\nintervals that a rule gives, by its minimum of patients with the event called positive: per")
    print("cent that hold the truth, lowest and highest of the designs and thresholds at which it gives one")
    print(f"to {100 * _GIVEN:.0f} % of the studies, and those below the target by two Monte Carlo errors\n")
    for fewest in RULES:
        print(f"{fewest:>8}  {_of_rule(found, fewest)}")


def _unconditional(studied: list[Studied]) -> str:
    held = [one.held for one in studied if one.held is not None]
    expected = np.mean([one.true_positives for one in studied])
    return f"{percent(sum(held), len(held))} ({expected:.1f})" if held else "none"


def _of_rule(found: Iterable[list[Studied]], fewest: int) -> str:
    """Coverage among the studies that the rule selects."""
    counts = []
    for studied in found:
        selected = [one.held for one in studied if one.held is not None and one.true_positives >= fewest]
        if len(selected) >= _GIVEN * len(studied):
            counts.append((sum(selected), len(selected)))
    counts.sort(key=lambda count: count[0] / count[1])
    missed = sum(held / given < PROMISED[0] - 2 * sqrt(0.05 * 0.95 / given) for held, given in counts)
    return f"{percent(*counts[0])} to {percent(*counts[-1])}; {missed} of {len(counts)} below the target"


def _designs() -> list[Binary]:
    return [
        Binary(f"{events}/{others}, {auc}", events + others, None, events / (events + others), auc)
        for auc, others in POPULATIONS
        for events in EVENTS
    ]


def _studied(design: Binary, studies: int, seed: int, pool: ProcessPoolExecutor) -> dict[int, list[Studied]]:
    """Threshold → every study."""
    truth = _true_benefits(design, seed)
    step = -(-studies // (os.cpu_count() or 1))
    parts = [range(seed + i, seed + min(i + step, studies)) for i in range(0, studies, step)]
    found: dict[int, list[Studied]] = defaultdict(list)
    for part in pool.map(_simulate, [design] * len(parts), [truth] * len(parts), parts):
        for percentage, of_studies in part.items():
            found[percentage] += of_studies
    return found


def _true_benefits(design: Binary, seed: int) -> dict[int, float]:
    outcome = design.draw(np.random.default_rng(10**9 + seed), POPULATION, None)
    assert isinstance(outcome, BinaryOutcome)
    benefits = {}
    for percentage in SHOWN:
        called, threshold = outcome.probability >= percentage / 100, percentage / 100
        worth = np.where(outcome.labels == 1, 1.0, -threshold / (1 - threshold))
        benefits[percentage] = float((worth * called).mean())
    return benefits


def _simulate(design: Binary, truth: dict[int, float], seeds: range) -> dict[int, list[Studied]]:
    found: dict[int, list[Studied]] = defaultdict(list)
    for seed in seeds:
        outcome = design.draw(np.random.default_rng(seed), design.cases, None)
        assert isinstance(outcome, BinaryOutcome)
        if np.ptp(outcome.labels) == 0:
            continue
        curve = decision_curve(outcome.labels, outcome.probability, seed=seed, fewest=0)
        for percentage in SHOWN:
            low, high = (curve[end][percentage - 1] for end in ("low", "high"))
            held = None if low is None or high is None else low <= truth[percentage] <= high
            called = outcome.probability >= percentage / 100
            found[percentage].append(Studied(int(((outcome.labels == 1) & called).sum()), held))
    return found
