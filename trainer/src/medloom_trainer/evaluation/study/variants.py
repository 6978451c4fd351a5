"""Results of each variant of a study: every metric over the single trainings and of the pooled predictions,
the sources of variance between the trainings, and the figures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Any

import numpy as np

from medloom_trainer.contract.phrases import Phrased, metric_name, phrase, with_phrases
from medloom_trainer.evaluation.plausibility import rare_performance
from medloom_trainer.evaluation.study.cells import Cell, Place
from medloom_trainer.evaluation.study.design import Design, SetOf, Unit, Variant
from medloom_trainer.metrics.arrays import FloatArray
from medloom_trainer.metrics.intervals import intervals
from medloom_trainer.metrics.outcome import Metrics, Notes, estimate
from medloom_trainer.metrics.pooled import Resampled, SharedDraws
from medloom_trainer.metrics.statistics.clusters import Clusters
from medloom_trainer.metrics.statistics.components import variance_components
from medloom_trainer.outcomes.kind import DETAILS

Trainings = Mapping[Place, tuple[Metrics, Notes]]
"""For one variant: the metrics of each training on its held-out cases, and the reasons why some are None."""
_FEW = 50
"""In patients; those of the rarest class if there are classes."""
_NO_SET = phrase("note_no_full_seed")
_ONE_SET = phrase("note_one_set")


def headline(names: Sequence[str]) -> list[str]:
    """Metric names without those of single classes."""
    return [name for name in names if not name.endswith("]")]


def measure_trainings(variant: Variant) -> Trainings:
    """Return the metrics of each training of a variant on its cases."""
    return {place: estimate(cell.outcome) for place, cell in variant.cells.items()}


def describe_variant(
    variant: Variant,
    design: Design,
    metric: str,
    trainings: Trainings,
    resampled: Mapping[SetOf, Resampled],
    draws: SharedDraws,
) -> dict[str, Any]:
    """Contract StudyVariantStatistics."""
    names = headline(list(next(iter(trainings.values()))[0]))
    sets = list(resampled.values())
    first = next(iter(variant.sets.values()), None)
    rare = None if first is None else rare_performance(design.kind, first)
    notes = [
        *variant.notes,
        *([_ONE_SET] if len(sets) == 1 else []),
        *_cautions(variant),
        *([] if rare is None else [rare]),
    ]
    return {
        "name": variant.name,
        **with_phrases({"title": variant.title}),
        "kind": "trained" if variant.carried_by is None else "baseline",
        "carried_by": variant.carried_by,
        **({} if variant.carried_by is None else {"fitted_on": _fitted_on(variant)}),
        "num_trainings": len(variant.cells),
        "num_sets": len(sets),
        "num_cases": variant.num_cases,
        "num_patients": variant.num_patients,
        "metrics": {name: _figure(name, trainings, sets, draws) for name in names},
        "variance": _variance(metric, design, trainings),
        "figures": _figures(variant),
        "notes": notes,
        "notes_phrases": [list(note.phrases) for note in notes],
    }


def describe_training(cell: Cell, measured: tuple[Metrics, Notes]) -> dict[str, Any]:
    """One entry of `trainings` of the contract StudyResults."""
    values, notes = measured
    names = headline(list(values))
    people = {case[2] for case in cell.identity}
    return {
        "variant": cell.variant,
        **cell.place._asdict(),
        "num_cases": len(cell.identity),
        "num_patients": len(people) if people != {""} else None,
        "metrics": {name: values[name] for name in names},
        "notes": {name: notes[name] for name in names if name in notes},
    }


def _fitted_on(variant: Variant) -> dict[str, Any] | None:
    """Contract StudyFittedOn of a baseline."""
    fitted_on = [cell.fitted_on for cell in variant.cells.values()]
    first = fitted_on[0]
    if first is None:
        return None
    found = {key: first[key] for key in ("splits", "same_as_model")}
    same = all(one is not None and {**one, **found} == {**one} for one in fitted_on)
    return found if same else None


def _cautions(variant: Variant) -> list[Phrased]:
    """Cautions for sizes at which simulated intervals of pooled predictions had too low coverage
    (bench/folds)."""
    if not variant.sets:
        return []
    part = next(iter(variant.sets.values()))
    clusters = Clusters.from_patients(part.member.astype(np.int64), part.outcome.size)
    rarest = part.outcome.rarest("accuracy", clusters)
    count = clusters.count if rarest is None else rarest
    if count >= _FEW:
        return []
    kind = next(iter(variant.cells.values())).kind
    return [phrase("pooled_few" if rarest is None else kind.few_pooled, count=count)]


def _figure(name: str, trainings: Trainings, sets: Sequence[Resampled], draws: SharedDraws) -> dict[str, Any]:
    """Contract StudyFigure."""
    defined = [value for values, _ in trainings.values() if (value := values[name]) is not None]
    found = draws.mean(name, sets) if sets else None
    note = _NO_SET if found is None else found.note
    if not defined:
        note = note or next(notes[name] for _, notes in trainings.values())
    return with_phrases(
        {
            "mean": float(np.mean(defined)) if defined else None,
            "sd": float(np.std(defined, ddof=1)) if len(defined) > 1 else None,
            "trainings": len(defined),
            "estimate": None if found is None else found.estimate,
            "low": None if found is None else found.low,
            "high": None if found is None else found.high,
            "method": None if found is None or found.low is None else _method(draws, len(sets)),
            "note": note,
        }
    )


def _method(draws: SharedDraws, sets: int) -> str:
    bootstrap = phrase("bootstrap", replicates=draws.replicates)
    return bootstrap if sets < 2 else phrase("bootstrap_and_seeds", bootstrap=bootstrap, sets=sets)


def _variance(metric: str, design: Design, trainings: Trainings) -> dict[str, Any]:
    """Contract StudyVariance, from the seeds that have every fold."""
    table, note = _table(metric, design, trainings)
    rows, columns = table.shape
    if table.size < 2:
        parts: tuple[float | None, ...] = (None, None, None)
        note = note or phrase("note_one_training")
    else:
        parts = variance_components(table)
        if rows < 2:
            note = note or (phrase("note_one_seed"))
        elif columns < 2:
            note = note or (phrase("note_one_held_out"))
    total = sum(part for part in parts if part is not None)
    named = {
        name: None
        if part is None
        else {"variance": part, "sd": sqrt(part), "share": part / total if total > 0 else None}
        for name, part in zip(("seed", "fold", "rest"), parts, strict=True)
    }
    return with_phrases({"metric": metric, **named, "trainings": int(table.size), "note": note})


def _table(metric: str, design: Design, trainings: Trainings) -> tuple[FloatArray, str | None]:
    """(seeds, folds) the metric of each training, and a note about what was left out."""
    by_seed: dict[int, dict[Unit, float]] = {}
    for place, (values, _) in trainings.items():
        value = values[metric]
        if value is not None:
            by_seed.setdefault(place.seed, {})[Unit(place.repeat, place.fold)] = value
    units = [unit for unit in design.units if any(unit in row for row in by_seed.values())]
    complete = [row for _, row in sorted(by_seed.items()) if all(unit in row for unit in units)]
    table = np.asarray([[row[unit] for unit in units] for row in complete], dtype=np.float64)
    table = table.reshape(len(complete), len(units))
    left_out = len(trainings) - table.size
    if not left_out:
        return table, None
    return table, phrase("trainings_excluded", count=left_out, metric=metric_name(metric))


def _figures(variant: Variant) -> dict[str, Any] | None:
    """Figures of the first complete set."""
    if not variant.sets:
        return None
    key, part = next(iter(variant.sets.items()))
    kind = next(iter(variant.cells.values())).kind
    values, notes = estimate(part.outcome)
    of_classes = [name for name in values if name.endswith("]")]
    bounds = intervals(part.outcome, values, notes, part.member.astype(np.int64), names=of_classes)
    return {**key._asdict(), **dict.fromkeys(DETAILS), **kind.details(part.outcome, values, bounds)}
