"""Number of cases that the models of a study learned from, for the correction of the test over folds."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from medloom_trainer.evaluation.study.cells import Cell
from medloom_trainer.evaluation.study.design import Unit, Variant
from medloom_trainer.metrics.statistics.resampled_t import overlap_correction

_ASSUMED_SHARE = 0.8
"""Assumed share of training cases among those that are not held out, if no file contains their number: the
default of `data.val_fraction` is 0.2."""


def fold_correction(a: Variant, b: Variant, sizes: Mapping[Unit, int]) -> float | None:
    """`overlap_correction`, on average over the folds, for the variant that learned from fewer cases: cases
    that validate an epoch or a setting do not count as training cases. None if a fold leaves no case.

    sizes: number of cases that each unit of the study holds out.
    """
    fewest: dict[Unit, float] = {}
    for cell in (*a.cells.values(), *b.cells.values()):
        unit = Unit(cell.place.repeat, cell.place.fold)
        fewest[unit] = min(fewest.get(unit, np.inf), _trained(cell, unit, sizes))
    if not fewest or not all(fewest.values()):
        return None
    repeats = len({unit.repeat for unit in fewest})
    corrections = []
    for unit, trained in fewest.items():
        rest = max(trained, _rest(unit, sizes))
        corrections.append(overlap_correction(sizes[unit], trained, rest, repeats))
    return float(np.mean(corrections))


def assumption(variants: list[Variant]) -> str | None:
    """The sentence about trainings whose files do not contain the number of cases that they learned from."""
    older = [cell for variant in variants for cell in variant.cells.values() if cell.counts_assumed]
    if not older:
        return None
    known = any(cell.trained_from is not None for cell in older)
    instead = "those of the training split" if known else f"{_ASSUMED_SHARE:.0%} of the cases not held out"
    trainings = "training" if len(older) == 1 else "trainings"
    return (
        f"For {len(older)} {trainings} of an older version, whose files do not contain the number of "
        f"training cases, {instead} are assumed."
    )


def _trained(cell: Cell, unit: Unit, sizes: Mapping[Unit, int]) -> float:
    if cell.trained_from is not None:
        return cell.trained_from
    return _ASSUMED_SHARE * _rest(unit, sizes)


def _rest(unit: Unit, sizes: Mapping[Unit, int]) -> int:
    """Cases that a unit does not hold out."""
    return sum(size for other, size in sizes.items() if other.repeat == unit.repeat) - sizes[unit]
