"""The task `study_results`: the finished trainings of a study → its statistics (contract StudyResults)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.errors import TrainerError
from medloom_trainer.evaluation.study.cells import read_cells
from medloom_trainer.evaluation.study.comparisons import Statistics, compare_variants, compared_pairs
from medloom_trainer.evaluation.study.design import Design, design_of
from medloom_trainer.evaluation.study.methods import methods_of
from medloom_trainer.evaluation.study.variants import (
    describe_training,
    describe_variant,
    headline,
    measure_trainings,
)
from medloom_trainer.files import write_json
from medloom_trainer.metrics.pooled import SharedDraws

_SCHEMA_VERSION = 1
Progress = Callable[[str, float], None]


def study_results(params: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """Return the result that contracts declare for `study_results`; the caller has checked params.

    STUDY_CASES_DIFFER if the variants were not measured on the same cases; INVALID_REQUEST for a metric, a
    reference or files that do not exist.
    """
    progress(phrase("reading_predictions"), 0.0)
    cells = read_cells(params["cells"])
    design = design_of(cells)
    metric, reference = params["metric"], params["reference"]
    draws = SharedDraws(design.patients, design.largest_set)
    found = _measure(design, draws, progress)
    _refuse_unknown(metric, reference, found)
    progress(phrase("comparing_variants"), 0.9)
    pairs = compared_pairs(list(found), reference)
    comparisons = compare_variants(pairs, found, design, metric, draws)
    first = cells[0]
    result = {
        "schema_version": _SCHEMA_VERSION,
        "metric": metric,
        "reference": reference,
        "task": first.kind.task,
        "classes": None if first.kind.classes is None else list(first.kind.classes),
        "positive_class": first.kind.positive_class,
        "seeds": design.seeds,
        "variants": [
            describe_variant(variant, design, metric, trainings, resampled, draws)
            for variant, trainings, resampled in found.values()
        ],
        "comparisons": comparisons,
        "trainings": [
            describe_training(variant.cells[place], measured)
            for variant, trainings, _ in found.values()
            for place, measured in trainings.items()
        ],
        "methods": methods_of(design, metric, comparisons, draws),
        "software": dict(first.software),
    }
    write_json(Path(params["out_file"]), result)
    return result


def _measure(design: Design, draws: SharedDraws, progress: Progress) -> Statistics:
    found = {}
    done, total = 0, sum(len(variant.sets) for variant in design.variants)
    for variant in design.variants:
        resampled = {}
        for key, part in variant.sets.items():
            progress(phrase("resampling", name=variant.name), 0.1 + 0.8 * done / total)
            resampled[key] = draws.resample(part)
            done += 1
        found[variant.name] = (variant, measure_trainings(variant), resampled)
    return found


def _refuse_unknown(metric: str, reference: str | None, found: Statistics) -> None:
    if reference is not None and reference not in found:
        message = phrase("reference_incomplete", variant=reference)
        raise TrainerError("INVALID_REQUEST", message, phrase("choose_variant", variants=", ".join(found)))
    known = headline(list(next(iter(next(iter(found.values()))[1].values()))[0]))
    if metric not in known:
        message = phrase("metric_unknown", metric=metric)
        raise TrainerError("INVALID_REQUEST", message, phrase("choose_metric", metrics=", ".join(known)))
