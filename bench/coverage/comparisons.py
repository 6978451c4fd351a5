"""How often two equally good models differ significantly, by the number of patients of the rarest class.

Both models see the truth equally well and err independently, so that every difference between them is
chance: 5 % of the comparisons should be significant.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from simulation import percent

from medloom_trainer.metrics.binary import BinaryOutcome
from medloom_trainer.metrics.differences import PairedDifferences
from medloom_trainer.metrics.multiclass import MulticlassOutcome
from medloom_trainer.metrics.multilabel import MultilabelOutcome
from medloom_trainer.metrics.outcome import Outcome

Floats = npt.NDArray[np.float64]
Models = tuple[Outcome, Outcome]

REST = 94
"""Patients of the other classes."""
FEW = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20)
REPLICATES = 500
SIGNAL = 1.2
"""Distance of a class from the rest, in standard deviations of a model's error."""


class Found(NamedTuple):
    """Comparisons by metric: those with a p value, and those below 0.05."""

    given: Counter[str]
    significant: Counter[str]


def _sigmoid(values: Floats) -> Floats:
    return 1 / (1 + np.exp(-values))


def binary(rng: np.random.Generator, few: int) -> Models:
    labels = np.repeat([0, 1], [REST, few])

    def model() -> Outcome:
        return BinaryOutcome(labels, _sigmoid(SIGNAL * (2 * labels - 1) + rng.normal(size=len(labels))), 0.5)

    return model(), model()


def four_classes(rng: np.random.Generator, few: int) -> Models:
    labels = np.repeat([0, 1, 2, 3], [REST - 60, 30, 30, few])

    def model() -> Outcome:
        scores = np.exp(SIGNAL * 2 * np.eye(4)[labels] + rng.normal(size=(len(labels), 4)))
        return MulticlassOutcome(labels, scores / scores.sum(axis=1, keepdims=True), tuple("abcd"))

    return model(), model()


def three_labels(rng: np.random.Generator, few: int) -> Models:
    labels = rng.integers(0, 2, size=(REST + few, 3))
    labels[:, 2] = 0
    labels[rng.permutation(REST + few)[:few], 2] = 1

    def model() -> Outcome:
        scores = _sigmoid(SIGNAL * (2 * labels - 1) + rng.normal(size=labels.shape))
        return MultilabelOutcome(labels, scores, [0.5] * 3, tuple("abc"))

    return model(), model()


DESIGNS: dict[str, Callable[[np.random.Generator, int], Models]] = {
    "two classes": binary,
    "four classes, macro": four_classes,
    "three labels, macro": three_labels,
}
SHOWN = ("auc", "auprc", "balanced_accuracy", "brier", "log_loss")


def compare(design: str, few: int, seeds: range) -> Found:
    found = Found(Counter(), Counter())
    for seed in seeds:
        rng = np.random.default_rng([seed, few])
        models = DESIGNS[design](rng, few)
        # Without the rule that does not compare by few patients: the table shows what it prevents.
        pair = PairedDifferences(models, None, seed=seed, replicates=REPLICATES, fewest=0)
        differences = pair.between(0, 1)
        for name in SHOWN:
            p = differences[name]["p"] if name in differences else None
            if p is not None:
                found.given[name] += 1
                found.significant[name] += p < 0.05
    return found


def report_comparisons(studies: int, seed: int, few_only: bool, pool: ProcessPoolExecutor) -> None:
    """Prints the share of each metric. few_only: up to five patients of the rarest class."""
    step = -(-studies // (os.cpu_count() or 1))
    parts = [range(seed + i, seed + min(i + step, studies)) for i in range(0, studies, step)]
    print(f"{studies} comparisons of two equal models; percent with a significant difference at 0.05\n")
    print(f"{'patients of the rarest class':32}{''.join(f'{name:>19}' for name in SHOWN)}")
    for design in DESIGNS:
        print(design)
        for few in (few for few in FEW if few <= 5 or not few_only):
            found = list(pool.map(compare, [design] * len(parts), [few] * len(parts), parts))
            given, significant = (
                sum((f.given for f in found), Counter()),
                sum((f.significant for f in found), Counter()),
            )
            cells = [percent(significant[n], given[n]) if given[n] else "none given" for n in SHOWN]
            print(f"{few:>32}{''.join(f'{cell:>19}' for cell in cells)}", flush=True)
