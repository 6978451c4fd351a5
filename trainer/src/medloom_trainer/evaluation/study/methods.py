"""Description of the statistics of a study, in numbers and sentences, for the methods section."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from medloom_trainer.evaluation.study.design import Design
from medloom_trainer.evaluation.study.training_rows import assumption
from medloom_trainer.metrics.pooled import SharedDraws
from medloom_trainer.outcomes import Survival

_LEVEL = 0.95


def methods_of(
    design: Design, metric: str, comparisons: Sequence[Mapping[str, Any]], draws: SharedDraws
) -> dict[str, Any]:
    """Contract StudyMethods."""
    primary = [one for one in comparisons if one["metric"] == metric]
    corrected = sum(one["p_corrected"] is not None for one in primary)
    used = [one["test"] for one in primary if one["test"] is not None]
    repeats = {unit.repeat for unit in design.units}
    folds = len(design.units) // len(repeats) if design.has_folds else None
    by_folds = [test for one in comparisons for test in one["tests"] if test["test_train_ratio"] is not None]
    ratios = [test["test_train_ratio"] for test in by_folds]
    facts = {
        "level": _LEVEL,
        "replicates": draws.replicates,
        "resampled": "patients" if design.knows_patients else "cases",
        "folds": folds,
        "repeats": len(repeats),
        "seeds": len(design.seeds),
        "test_train_ratio": max(ratios, default=None),
        "main_test": max(sorted(set(used)), key=used.count) if used else None,
        "corrected": corrected,
    }
    tests = {test["test"] for one in comparisons for test in one["tests"] if test["p"] is not None}
    return {**facts, "statements": _statements(facts, tests, design, ratios)}


def _statements(
    facts: Mapping[str, Any], tests: set[str], design: Design, ratios: Sequence[float]
) -> list[str]:
    unit = "patient" if design.knows_patients else "case"
    replicates = f"{facts['replicates']} replicates"
    several = facts["seeds"] * facts["repeats"] > 1
    added = ", plus the variance between seeds and repetitions" if several else ""
    statements = [
        _what_was_pooled(facts),
        "The 95% CIs of the pooled metrics are Student's t intervals on the scale of the metric, with "
        f"the standard error of a bootstrap over {unit}s ({replicates}, the same {unit}s for every "
        f"model){added}.",
    ]
    if isinstance(design.kind, Survival):
        statements.append(_shared_times(design.kind))
    if "corrected_resampled_t" in tests:
        statements.append(
            "Variants are compared by the corrected resampled t-test over the folds (Nadeau and Bengio "
            "2003), with each fold averaged over the seeds: because the trainings share cases, the "
            "variance of the mean difference is (1/J + r) times the variance between the J folds. Here r "
            f"is {_range(ratios)}: at least the ratio of held-out cases to training cases of the model "
            "with fewer training cases (validation cases do not count), and up to twice this ratio for "
            "repeated folds. The difference is the mean over the folds, which is a different quantity "
            "than the difference of the pooled metrics."
        )
        assumed = assumption(design.variants)
        if assumed is not None:
            statements.append(assumed)
    if "delong" in tests:
        statements.append(
            "On independent cases, the areas under the ROC curves of two models are also compared by the "
            "test of DeLong, DeLong and Clarke-Pearson (1988)."
        )
    if "patient_bootstrap" in tests:
        statements.append(
            f"The CIs of differences of pooled metrics come from a paired bootstrap over {unit}s "
            f"({replicates})."
        )
    if facts["corrected"] > 1:
        statements.append(
            f"P values of the primary metric are corrected for {facts['corrected']} comparisons by Holm's "
            "method (1979)."
        )
    statements.append(
        "Other metrics are secondary: their differences are estimated with intervals, but not tested."
    )
    return statements


def _range(ratios: Sequence[float]) -> str:
    low, high = f"{min(ratios):.3g}", f"{max(ratios):.3g}"
    return low if low == high else f"{low} to {high} (depending on the pair)"


def _shared_times(kind: Survival) -> str:
    grid = kind.grid
    return (
        f"All trainings were measured at the same {len(grid.edges)} times up to {grid.edges[-1]:.4g}, the "
        "last time that all of them predict, assuming a constant hazard within the time intervals of "
        f"each training; tau is {grid.tau:.4g}, and cases are weighted by the censoring of the measured "
        "cases."
    )


def _what_was_pooled(facts: Mapping[str, Any]) -> str:
    seeds = "one seed" if facts["seeds"] == 1 else f"{facts['seeds']} seeds"
    if facts["folds"] is None:
        averaged = "" if facts["seeds"] == 1 else "; metrics are averaged over them"
        return f"Each variant was trained with {seeds}{averaged}."
    again = "" if facts["repeats"] == 1 else f", repeated {facts['repeats']} times with different folds"
    averaged = "" if facts["seeds"] * facts["repeats"] == 1 else " averaged over seeds and repetitions"
    return (
        f"Each variant was trained with {seeds} on {facts['folds']} folds{again}; every case was "
        "predicted by models that were not trained or validated on it. Metrics are computed on these "
        f"predictions, pooled over the folds of a seed and repetition{',' if averaged else ''}{averaged}."
    )
