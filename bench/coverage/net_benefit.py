"""Coverage of the interval of the net benefit at a threshold, by the expected number of events."""

from __future__ import annotations

import os
from collections import Counter
from concurrent.futures import ProcessPoolExecutor

import numpy as np
from designs import Binary
from simulation import POPULATION, percent

from medloom_trainer.metrics.binary import BinaryOutcome
from medloom_trainer.metrics.decision_curve import decision_curve

EVENTS = (3, 5, 8, 10, 15, 20, 30, 50)
OTHERS = 100
AUC = 0.8
SHOWN = (5, 10, 20, 30, 50)
"""Thresholds in per cent, counted from 1 in the curve."""


def tell_net_benefit(studies: int, seed: int, fewest: int, pool: ProcessPoolExecutor) -> None:
    """fewest: patients with the event that a threshold must call positive for an interval."""
    print(f"{studies} studies each, {OTHERS} cases without the event, AUC {AUC}; per cent of 95 % intervals")
    print("that hold the truth, of those that are given\n")
    heads = [f"threshold {percentage} %" for percentage in SHOWN]
    print(f"{'events':>8}{''.join(f'{head:>22}' for head in heads)}")
    step = -(-studies // (os.cpu_count() or 1))
    parts = [range(seed + i, seed + min(i + step, studies)) for i in range(0, studies, step)]
    for events in EVENTS:
        truth = _true_benefits(events, seed)
        given: Counter[int] = Counter()
        held: Counter[int] = Counter()
        arguments = ([events] * len(parts), [truth] * len(parts), [fewest] * len(parts), parts)
        for part_given, part_held in pool.map(_simulate, *arguments):
            given += part_given
            held += part_held
        cells = [f"{percent(held[t], given[t])} of {given[t]}" if given[t] else "none given" for t in SHOWN]
        print(f"{events:>8}{''.join(f'{cell:>22}' for cell in cells)}", flush=True)


def _design(events: int) -> Binary:
    cases = events + OTHERS
    return Binary(f"{events}/{OTHERS}", cases, None, events / cases, AUC)


def _true_benefits(events: int, seed: int) -> dict[int, float]:
    outcome = _design(events).draw(np.random.default_rng(10**9 + seed), POPULATION, None)
    assert isinstance(outcome, BinaryOutcome)
    benefits = {}
    for percentage in SHOWN:
        called, threshold = outcome.probability >= percentage / 100, percentage / 100
        worth = np.where(outcome.labels == 1, 1.0, -threshold / (1 - threshold))
        benefits[percentage] = float((worth * called).mean())
    return benefits


def _simulate(
    events: int, truth: dict[int, float], fewest: int, seeds: range
) -> tuple[Counter[int], Counter[int]]:
    """Intervals by threshold: all, and those that hold the truth."""
    given: Counter[int] = Counter()
    held: Counter[int] = Counter()
    design = _design(events)
    for seed in seeds:
        outcome = design.draw(np.random.default_rng(seed), design.cases, None)
        assert isinstance(outcome, BinaryOutcome)
        if np.ptp(outcome.labels) == 0:
            continue
        curve = decision_curve(outcome.labels, outcome.probability, seed=seed, fewest=fewest)
        for percentage in SHOWN:
            low, high = (curve.get(end, {percentage - 1: None})[percentage - 1] for end in ("low", "high"))
            if low is not None and high is not None:
                given[percentage] += 1
                held[percentage] += low <= truth[percentage] <= high
    return given, held
