"""Variants of a study compared on the same cases.

Two quantities are compared, and never mixed: the mean of a metric over the folds, by a test over the folds,
and the metric of the pooled predictions, by a bootstrap over the patients and, if it applies, by DeLong's
test. If folds are few or small, the two may differ in size and in sign.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from medloom_trainer.contract.phrases import (
    Phrased,
    join,
    metric_name,
    phrase,
    stored_phrases,
    with_phrases,
)
from medloom_trainer.evaluation.study.design import Design, SetOf, Unit, Variant
from medloom_trainer.evaluation.study.training_rows import fold_correction
from medloom_trainer.evaluation.study.variants import Trainings, headline
from medloom_trainer.metrics.arrays import FloatArray
from medloom_trainer.metrics.binary import BinaryOutcome
from medloom_trainer.metrics.pooled import NO_INTERVAL, Resampled, SharedDraws
from medloom_trainer.metrics.statistics.clusters import Clusters
from medloom_trainer.metrics.statistics.holm import holm
from medloom_trainer.metrics.statistics.minimum_patients import FOLDS, too_few_to_compare
from medloom_trainer.metrics.statistics.resampled_t import corrected_resampled_t
from medloom_trainer.metrics.statistics.roc_area import FEW, area_difference

FEW_VARIANTS = 6
"""Largest number of variants that are all compared with each other if there is no reference."""
_SAME_FOR_EVERY_MODEL = ("prevalence",)
FOLD_MEAN, POOLED = "fold_mean", "pooled"
ESTIMANDS = {"corrected_resampled_t": FOLD_MEAN, "delong": POOLED, "patient_bootstrap": POOLED}
"""Test → the quantity whose difference it tests."""
_Column = Sequence[float | None] | FloatArray
Values = dict[str, float | None]
"""The values of the first and the second variant: "a" and "b"."""
Statistics = Mapping[str, tuple[Variant, Trainings, Mapping[SetOf, Resampled]]]
"""Name of the variant → its measurements."""


def compared_pairs(names: Sequence[str], reference: str | None) -> list[tuple[str, str]]:
    """(a, b) for a - b: each variant with the reference, or every pair."""
    if reference is not None:
        return [(name, reference) for name in names if name != reference]
    return list(combinations(names, 2)) if len(names) <= FEW_VARIANTS else []


def compare_variants(
    pairs: Sequence[tuple[str, str]], found: Statistics, design: Design, metric: str, draws: SharedDraws
) -> list[dict[str, Any]]:
    """Contract StudyComparisonStatistics: every metric of every pair; p of the primary `metric` is corrected
    for all pairs (Holm 1979)."""
    tests = {
        (a, b, name): _tests(a, b, name, found, design, draws)
        for a, b in pairs
        for name in headline(list(next(iter(found[a][1].values()))[0]))
        if name not in _SAME_FOR_EVERY_MODEL
    }
    estimands = {
        name: _estimand([made for (_, _, metric), made in tests.items() if metric == name])
        for _, _, name in tests
    }
    comparisons = [
        _comparison(a, b, name, made, estimands[name], found, design) for (a, b, name), made in tests.items()
    ]
    primary = [one for one in comparisons if one["metric"] == metric]
    tested = [one for one in primary if one["p"] is not None]
    corrected = holm([one["p"] for one in tested])
    for one in primary:
        one["correction"] = "holm"
    for one, p in zip(tested, corrected, strict=True):
        one["p_corrected"] = p
    return comparisons


def _tests(
    a: str, b: str, metric: str, found: Statistics, design: Design, draws: SharedDraws
) -> list[dict[str, Any]]:
    """Tests of both quantities, with the main test of each first."""
    return [
        *([_over_folds(a, b, metric, found, design)] if design.has_folds else []),
        *_delong(a, b, metric, found, design),
        _over_patients(a, b, metric, found, draws),
    ]


def _estimand(of_pairs: Sequence[Sequence[Mapping[str, Any]]]) -> str:
    """The common quantity of all pairs, so that a table of a metric contains only one: the first that can be
    tested for some pair."""
    tests = [test for tests in of_pairs for test in tests]
    tested = [test for test in tests if test["p"] is not None]
    known = [test for test in tests if test["estimate"] is not None]
    names = [test["estimand"] for test in tested or known or tests]
    return FOLD_MEAN if FOLD_MEAN in names else POOLED


def _comparison(
    a: str,
    b: str,
    metric: str,
    tests: Sequence[Mapping[str, Any]],
    estimand: str,
    found: Statistics,
    design: Design,
) -> dict[str, Any]:
    own = [test for test in tests if test["estimand"] == estimand]
    made = next((test for test in own if test["p"] is not None), None)
    shown = made or next((test for test in own if test["estimate"] is not None), own[0])
    places = found[a][1].keys() & found[b][1].keys()
    fields = {
        "a": a,
        "b": b,
        "metric": metric,
        "estimand": estimand,
        "values": shown["values"],
        "difference": {key: shown[key] for key in ("estimate", "low", "high")},
        "p": shown["p"],
        "test": None if made is None else made["test"],
        "correction": None,
        "p_corrected": None,
        "tests": list(tests),
        "num_pairs": len(
            {Unit(place.repeat, place.fold) for place in places} if design.has_folds else places
        ),
        "seeds": sorted({place.seed for place in places}),
        "note": _note(a, b, found, shown),
    }
    return with_phrases(fields)


def _over_folds(a: str, b: str, metric: str, found: Statistics, design: Design) -> dict[str, Any]:
    """The mean difference over the folds, each averaged over the seeds that both have."""
    by_unit: dict[Unit, list[tuple[float, float]]] = {}
    for place, (values, _) in found[a][1].items():
        other = found[b][1].get(place)
        first, second = values[metric], None if other is None else other[0][metric]
        if first is not None and second is not None:
            by_unit.setdefault(Unit(place.repeat, place.fold), []).append((first, second))
    means = np.asarray([np.mean(one, axis=0) for one in by_unit.values()], dtype=np.float64).reshape(-1, 2)
    differences, name = means[:, 0] - means[:, 1], "corrected_resampled_t"
    both = _values(means[:, 0], means[:, 1])
    center = float(differences.mean()) if differences.size else None
    if metric in NO_INTERVAL:
        return _test(name, both, _without(center, NO_INTERVAL[metric]))
    few = _too_few_in_folds(metric, found[a][0], found[b][0])
    if few is not None:
        return _test(name, both, _without(center, few))
    ratio = fold_correction(found[a][0], found[b][0], design.sizes)
    if ratio is None or len(differences) < 2:
        return _test(name, both, _without(center, phrase("fewer_than_two_folds", metric=metric_name(metric))))
    result = corrected_resampled_t(differences, ratio)
    if result is None:
        return _test(name, both, _without(center, phrase("note_no_fold_spread")))
    return _test(name, both, {**result._asdict(), "note": None, "test_train_ratio": ratio})


def _too_few_in_folds(metric: str, *variants: Variant) -> Phrased | None:
    """Reason why the test over the folds is not made: it depends on the patients of all folds together."""
    for variant in variants:
        outcome, member = variant.largest
        few = too_few_to_compare(outcome, metric, Clusters.from_patients(member, outcome.size), FOLDS)
        if few is not None:
            return few
    return None


def _over_patients(a: str, b: str, metric: str, found: Statistics, draws: SharedDraws) -> dict[str, Any]:
    common = [key for key in found[a][2] if key in found[b][2]]
    if not common:
        missing = _without(None, phrase("note_no_shared_seed"))
        return _test("patient_bootstrap", _values([], []), missing)
    first, second = ([found[name][2][key] for key in common] for name in (a, b))
    both = _values([one.values[metric] for one in first], [one.values[metric] for one in second])
    return _test("patient_bootstrap", both, draws.difference(metric, first, second)._asdict())


def _delong(a: str, b: str, metric: str, found: Statistics, design: Design) -> list[dict[str, Any]]:
    """DeLong's test of the areas of one model of each variant, for two classes and independent rows;
    otherwise none."""
    common = [key for key in found[a][0].sets if key in found[b][0].sets]
    if metric != "auc" or len(common) != 1 or not design.one_row_each:
        return []
    first, second = (found[name][0].sets[common[0]].outcome for name in (a, b))
    if not isinstance(first, BinaryOutcome) or not isinstance(second, BinaryOutcome):
        return []
    both = _values(*([found[name][2][common[0]].values[metric]] for name in (a, b)))
    clusters = Clusters.from_patients(None, first.size)
    if first.rarest("auc", clusters) < FEW:
        return [_test("delong", both, _without(None, phrase("too_few_to_compare", needed=FEW)))]
    result = area_difference(first.ranked, second.ranked, clusters)
    return [] if result is None else [_test("delong", both, {**result._asdict(), "note": None})]


def _values(first: _Column, second: _Column) -> Values:
    """The means whose difference is reported; None if one is undefined."""
    if len(first) == 0 or any(value is None for value in (*first, *second)):
        return {"a": None, "b": None}
    means = [float(np.mean(np.asarray(column, np.float64))) for column in (first, second)]
    return {"a": means[0], "b": means[1]}


def _test(test: str, values: Values, found: Mapping[str, Any]) -> dict[str, Any]:
    """Contract StudyTest."""
    known = {"test": test, "estimand": ESTIMANDS[test], "values": values, "test_train_ratio": None}
    return with_phrases({**known, **found})


def _without(estimate: float | None, note: str) -> dict[str, Any]:
    return {"estimate": estimate, "low": None, "high": None, "p": None, "note": note}


def _note(a: str, b: str, found: Statistics, shown: Mapping[str, Any]) -> str | None:
    """Add a note about trainings that only one of the two has, which are left out."""
    alone = len(found[a][1].keys() ^ found[b][1].keys())
    left_out = phrase("trainings_without_counterpart", count=alone) if alone else None
    notes = [note for note in (stored_phrases(shown, "note"), left_out) if note]
    return join(*notes, mark="semicolon") if notes else None
