"""How often two equally good models differ significantly, by the number of patients: 5 % of the comparisons
should be significant. Each is made twice, without a minimum of patients and as an evaluation or a study makes
it, so that the table shows what the minimum prevents.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import sqrt
from typing import Any

import numpy as np
from equal_models import (
    Models,
    binary,
    four_classes,
    halves,
    regression,
    rows_of_patients,
    skewed_regression,
    survival,
    three_labels,
)
from fold_learners import P, classes_over_folds, quantities_over_folds
from simulation import percent

from medloom_trainer.metrics.differences import PairedDifferences
from medloom_trainer.metrics.pooled import CaseSet, SharedDraws
from medloom_trainer.metrics.statistics.clusters import Clusters
from medloom_trainer.metrics.statistics.minimum_patients import NO_MINIMUM

LEVEL = 0.05
REPLICATES = 300
SEEDS = 3
"""Trainings of each method whose predictions are pooled."""
RAREST = (1, 2, 3, 4, 5, 6, 8, 10, 20)
ALL = (10, 14, 20, 50, 100)
_OF_CLASSES = ("auc", "auprc", "balanced_accuracy", "brier", "log_loss")
_OF_TIMES = ("uno_c", "c_index", "auc_50", "integrated_brier")
_OF_QUANTITIES = ("rmse", "mae", "r2", "spearman")


@dataclass(frozen=True)
class Design:
    """compare: (random numbers, number of patients, seed) → p values of one comparison."""

    name: str
    sizes: tuple[int, ...]
    metrics: tuple[str, ...]
    compare: Callable[[np.random.Generator, int, int], P]


@dataclass
class Found:
    """Comparisons by metric: those with a p value, and those below LEVEL; without the minimum and with it."""

    given: tuple[Counter[str], Counter[str]] = field(default_factory=lambda: (Counter(), Counter()))
    significant: tuple[Counter[str], Counter[str]] = field(default_factory=lambda: (Counter(), Counter()))

    def add(self, values: P) -> None:
        for name, both in values.items():
            for place, p in enumerate(both):
                if p is not None:
                    self.given[place][name] += 1
                    self.significant[place][name] += p < LEVEL

    def add_all(self, other: Found) -> None:
        for mine, others in ((self.given, other.given), (self.significant, other.significant)):
            for place in range(2):
                mine[place].update(others[place])


def paired(models: Callable[..., Models], rng: np.random.Generator, size: int, seed: int) -> P:
    """Two models on one set of cases."""
    model, patients = models(rng, size)
    pair = PairedDifferences((model(), model()), patients, seed=seed, replicates=REPLICATES)
    free, shipped = pair.between(0, 1, NO_MINIMUM), pair.between(0, 1)
    return {name: (free[name]["p"], shipped[name]["p"]) for name in free}


def pooled(models: Callable[..., Models], rng: np.random.Generator, size: int, seed: int) -> P:
    """Two methods, each trained with several seeds, on pooled cases of a study."""
    model, patients = models(rng, size)
    outcomes = [[model() for _ in range(SEEDS)] for _ in range(2)]
    cases = outcomes[0][0].size
    clusters = Clusters.from_patients(patients, cases)
    draws = SharedDraws(clusters.count, cases, seed=seed, replicates=REPLICATES)
    sets = [[draws.resample(CaseSet(one, clusters.member)) for one in method] for method in outcomes]
    free = [[one._replace(too_few={}) for one in method] for method in sets]
    return {
        name: (draws.difference(name, *free).p, draws.difference(name, *sets).p) for name in sets[0][0].values
    }


DESIGNS = (
    Design("two classes", RAREST, _OF_CLASSES, partial(paired, binary)),
    Design("two classes, 4 rows a patient", RAREST, _OF_CLASSES, partial(paired, rows_of_patients)),
    Design("two classes, all patients, half each", ALL, _OF_CLASSES, partial(paired, halves)),
    Design("four classes, macro", RAREST, _OF_CLASSES, partial(paired, four_classes)),
    Design("three labels, macro", RAREST, _OF_CLASSES, partial(paired, three_labels)),
    Design("survival, patients with an event", RAREST, _OF_TIMES, partial(paired, survival)),
    Design("regression, all patients", ALL, _OF_QUANTITIES, partial(paired, regression)),
    Design("skewed regression, all patients", ALL, _OF_QUANTITIES, partial(paired, skewed_regression)),
    Design("pooled, 3 seeds: two classes", RAREST, _OF_CLASSES, partial(pooled, binary)),
    Design("pooled, 3 seeds: regression", ALL, _OF_QUANTITIES, partial(pooled, regression)),
    Design("2 x 5 folds: two classes", RAREST, ("auc", "balanced_accuracy"), classes_over_folds),
    Design("2 x 5 folds: regression", ALL, ("rmse", "mae"), quantities_over_folds),
)


def compare_equal_models(
    designs: Iterable[Design],
    studies: int,
    seed: int,
    few_only: bool,
    each: Callable[..., Iterable[Found]] = map,
) -> int:
    """Print a table; return the exit status, 1 if a reported p is significant too often. few_only: up to five
    patients of the rarest class. each: `map`, or that of a pool of processes."""
    print(f"{studies} comparisons of two equal models; percent significant at {LEVEL}: without a minimum of")
    print("patients | as reported\n")
    missed: list[str] = []
    for design in designs:
        print(f"{design.name:40}{''.join(f'{name:>32}' for name in design.metrics)}")
        for size in design.sizes:
            if few_only and design.sizes is RAREST and size > 5:
                continue
            found = Found()
            for part in each(_compare, *_parts(design, size, studies, seed)):
                found.add_all(part)
            missed += _report(design, size, found)
    print(f"\nsignificant too often: {'; '.join(missed)}" if missed else "\nnone is significant too often")
    return 1 if missed else 0


def _parts(design: Design, size: int, studies: int, seed: int) -> tuple[list[Any], ...]:
    """Arguments of `_compare`, divided into as many parts as there are processes."""
    step = -(-studies // (os.cpu_count() or 1))
    parts = [range(seed + i, seed + min(i + step, studies)) for i in range(0, studies, step)]
    return [design] * len(parts), [size] * len(parts), parts


def _compare(design: Design, size: int, seeds: Sequence[int]) -> Found:
    found = Found()
    for seed in seeds:
        found.add(design.compare(np.random.default_rng([seed, size]), size, seed))
    return found


def _report(design: Design, size: int, found: Found) -> list[str]:
    """Print a line; return the metrics that are significant too often as they are reported."""
    missed = []
    cells = []
    for name in design.metrics:
        free, shipped = (_cell(found, place, name) for place in range(2))
        too_often = is_too_often(found.significant[1][name], found.given[1][name])
        missed += [f"{design.name}, {size}: {name}"] if too_often else []
        cells.append(f"{free} | {shipped}{' !' if too_often else ''}")
    print(f"{size:>40}{''.join(f'{cell:>32}' for cell in cells)}")
    sys.stdout.flush()
    return missed


def _cell(found: Found, place: int, name: str) -> str:
    given = found.given[place][name]
    return percent(found.significant[place][name], given) if given else "none"


def is_too_often(significant: int, given: int) -> bool:
    """Above the level by more than three Monte Carlo errors."""
    return given > 0 and significant / given > LEVEL + 3 * sqrt(LEVEL * (1 - LEVEL) / given)
