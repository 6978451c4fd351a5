"""Variants of a study compared on the same cases: over the folds, over the patients, and where it applies by
DeLong's test.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from medloom_trainer.evaluation.metrics.binary import BinaryOutcome
from medloom_trainer.evaluation.metrics.pooled import NO_INTERVAL, Resampled, SameDraws
from medloom_trainer.evaluation.metrics.statistics.clusters import Clusters
from medloom_trainer.evaluation.metrics.statistics.holm import holm
from medloom_trainer.evaluation.metrics.statistics.resampled_t import corrected_resampled_t
from medloom_trainer.evaluation.metrics.statistics.roc_area import FEW, area_difference
from medloom_trainer.evaluation.study.design import Design, SetOf, Unit, Variant
from medloom_trainer.evaluation.study.variants import Trainings, headline

FEW_VARIANTS = 6
"""Without a reference each of them is compared with each."""
_SAME_FOR_EVERY_MODEL = ("prevalence",)
Statistics = Mapping[str, tuple[Variant, Trainings, Mapping[SetOf, Resampled]]]
"""Name of the variant → what was measured of it."""


def compared_pairs(names: Sequence[str], reference: str | None) -> list[tuple[str, str]]:
    """(a, b) for a - b: each with the reference, or each with each."""
    if reference is not None:
        return [(name, reference) for name in names if name != reference]
    return list(combinations(names, 2)) if len(names) <= FEW_VARIANTS else []


def compare_variants(
    pairs: Sequence[tuple[str, str]], found: Statistics, design: Design, metric: str, draws: SameDraws
) -> list[dict[str, Any]]:
    """Contract StudyComparisonStatistics: every metric of every pair; p of the primary `metric` is corrected
    for all pairs (Holm 1979)."""
    comparisons = []
    for a, b in pairs:
        names = headline(list(next(iter(found[a][1].values()))[0]))
        names = [name for name in names if name not in _SAME_FOR_EVERY_MODEL]
        comparisons += [_compare(a, b, name, found, design, draws) for name in names]
    primary = [one for one in comparisons if one["metric"] == metric]
    tested = [one for one in primary if one["p"] is not None]
    corrected = holm([one["p"] for one in tested])
    for one in primary:
        one["correction"] = "holm"
    for one, p in zip(tested, corrected, strict=True):
        one["p_corrected"] = p
    return comparisons


def _compare(
    a: str, b: str, metric: str, found: Statistics, design: Design, draws: SameDraws
) -> dict[str, Any]:
    tests = [
        *([_over_folds(a, b, metric, found, design)] if design.has_folds else []),
        *_delong(a, b, metric, found, design),
        _over_patients(a, b, metric, found, draws),
    ]
    made = next((test for test in tests if test["p"] is not None), None)
    shown = made or next((test for test in tests if test["estimate"] is not None), tests[0])
    places = found[a][1].keys() & found[b][1].keys()
    return {
        "a": a,
        "b": b,
        "metric": metric,
        "difference": {key: shown[key] for key in ("estimate", "low", "high")},
        "p": shown["p"],
        "test": None if made is None else made["test"],
        "correction": None,
        "p_corrected": None,
        "tests": tests,
        "num_pairs": len(
            {Unit(place.repeat, place.fold) for place in places} if design.has_folds else places
        ),
        "seeds": sorted({place.seed for place in places}),
        "note": _note(a, b, found, shown),
    }


def _over_folds(a: str, b: str, metric: str, found: Statistics, design: Design) -> dict[str, Any]:
    """The mean difference of the folds, each averaged over the seeds that both have."""
    by_unit: dict[Unit, list[float]] = {}
    for place, (values, _) in found[a][1].items():
        other = found[b][1].get(place)
        first, second = values[metric], None if other is None else other[0][metric]
        if first is not None and second is not None:
            by_unit.setdefault(Unit(place.repeat, place.fold), []).append(first - second)
    differences = np.asarray([np.mean(one) for one in by_unit.values()], dtype=np.float64)
    name = "corrected_resampled_t"
    if metric in NO_INTERVAL:
        return _without(name, float(differences.mean()) if differences.size else None, NO_INTERVAL[metric])
    if design.test_train_ratio is None or len(differences) < 2:
        center = float(differences.mean()) if differences.size else None
        return _without(name, center, f"{metric} is defined for both in fewer than two folds")
    result = corrected_resampled_t(differences, design.test_train_ratio)
    if result is None:
        return _without(name, float(differences.mean()), "no spread between the folds")
    return {"test": name, **result._asdict(), "note": None}


def _over_patients(a: str, b: str, metric: str, found: Statistics, draws: SameDraws) -> dict[str, Any]:
    common = [key for key in found[a][2] if key in found[b][2]]
    if not common:
        return _without("patient_bootstrap", None, "no seed has all of its folds in both")
    first, second = ([found[name][2][key] for key in common] for name in (a, b))
    return {"test": "patient_bootstrap", **draws.difference(metric, first, second)._asdict()}


def _delong(a: str, b: str, metric: str, found: Statistics, design: Design) -> list[dict[str, Any]]:
    """Of the areas of one model each, for two classes and independent rows; none elsewhere."""
    common = [key for key in found[a][0].sets if key in found[b][0].sets]
    if metric != "auc" or len(common) != 1 or not design.one_row_each:
        return []
    first, second = (found[name][0].sets[common[0]].outcome for name in (a, b))
    if not isinstance(first, BinaryOutcome) or not isinstance(second, BinaryOutcome):
        return []
    clusters = Clusters.of(None, first.size)
    if first.rarest("auc", clusters) < FEW:
        return [_without("delong", None, f"fewer than {FEW} patients of a class")]
    result = area_difference(first.ranked, second.ranked, clusters)
    if result is None:
        return []
    return [{"test": "delong", **result._asdict(), "note": None}]


def _without(test: str, estimate: float | None, note: str) -> dict[str, Any]:
    return {"test": test, "estimate": estimate, "low": None, "high": None, "p": None, "note": note}


def _note(a: str, b: str, found: Statistics, shown: Mapping[str, Any]) -> str | None:
    """What only one of them has is left out."""
    alone = len(found[a][1].keys() ^ found[b][1].keys())
    noun = "training" if alone == 1 else "trainings"
    left_out = f"{alone} {noun} that only one of the two has left out" if alone else None
    notes = [note for note in (shown["note"], left_out) if note]
    return "; ".join(notes) or None
