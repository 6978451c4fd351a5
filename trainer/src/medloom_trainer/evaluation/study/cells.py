"""The trainings of a study, read from their files: predictions and truth of the cases that each held out, for
the model and for its baselines.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import Phrased, join, phrase, stored_phrases
from medloom_trainer.csv_table import original_text
from medloom_trainer.errors import TrainerError
from medloom_trainer.metrics.arrays import FloatArray
from medloom_trainer.metrics.outcome import Outcome
from medloom_trainer.metrics.shared_times import shared_times
from medloom_trainer.outcomes import OutcomeKind, Survival, kind_of
from medloom_trainer.outcomes.kind import Labels, Threshold

_TRAINING_STEP = "train split"
"""Name of a step of the flow (data/splits/divide.py)."""
_IDENTITY = ("file", "row", "patient")


class Place(NamedTuple):
    """Position of a training in its variant."""

    seed: int
    repeat: int | None
    fold: int | str | None

    @property
    def order(self) -> tuple[int, int, str, int | str]:
        """Sort key of trainings, independent of when they ended."""
        return (self.repeat or 0, self.seed, type(self.fold).__name__, self.fold or 0)

    def in_words(self) -> Phrased:
        parts = [phrase("seed_of_training", seed=str(self.seed))]
        if self.repeat is not None:
            parts.append(phrase("repeat_number", number=self.repeat + 1))
        if isinstance(self.fold, int):
            parts.append(phrase("fold_number", number=self.fold + 1))
        elif self.fold is not None:
            parts.append(phrase("held_out_value", value=self.fold))
        return join(*parts)


@dataclass(frozen=True)
class Cell:
    """N cases of one training of one variant, in the order of their identity."""

    variant: str
    title: str
    carried_by: str | None
    """For a baseline: the variant with which it was fitted."""
    place: Place
    kind: OutcomeKind
    digest: str
    """Digest of the cases as the training read them."""
    identity: tuple[tuple[str, ...], ...]
    """N times file, line in it, patient, and truth."""
    labels: Labels
    predictions: FloatArray
    threshold: Threshold
    software: Mapping[str, str]
    trained_from: int | None = None
    """Number of cases that the model learned from. If its file is older and does not contain it: that of the
    training split; None if that is unknown too."""
    counts_assumed: bool = False
    """`trained_from` is assumed, not read from the file."""
    fitted_on: Mapping[str, Any] | None = None
    """Rows that a baseline was fitted on: contract FittedOn; None if its files do not contain them."""

    @property
    def outcome(self) -> Outcome:
        return self.kind.measured(self.labels, self.predictions, self.threshold)


def read_cells(given: Sequence[Mapping[str, Any]]) -> list[Cell]:
    """Read all trainings, then their baselines; variants in the given order, the trainings of each sorted.
    given: contract StudyCell. INVALID_REQUEST for a training that is given twice, or whose files cannot be
    read."""
    files: dict[str, dict[Place, Path]] = {}
    for one in given:
        place = Place(one["seed"], one["repeat"], one["fold"])
        of_variant = files.setdefault(one["variant"], {})
        if place in of_variant:
            message = phrase("study_repeats_training", variant=one["variant"], place=place.in_words())
            raise TrainerError("INVALID_REQUEST", message)
        of_variant[place] = Path(one["evaluation"])
    cells: list[Cell] = []
    baselines: list[Cell] = []
    for variant, places in files.items():
        for place in sorted(places, key=lambda one: one.order):
            own, *others = _read(variant, place, places[place])
            cells.append(own)
            baselines += others
    return _at_the_same_times([*cells, *_named_apart(baselines)])


def _read(variant: str, place: Place, file: Path) -> Iterator[Cell]:
    """Yield the model, then its baselines."""
    try:
        result = json.loads(file.read_text(encoding="utf-8"))
        yield _cell(variant, variant, None, place, result, result, file)
        for baseline in result.get("baselines") or ():
            title = stored_phrases(baseline, "title") or baseline["name"]
            yield _cell(baseline["name"], title, variant, place, result, baseline, file)
    except (OSError, ValueError, KeyError, IndexError) as error:
        message = phrase("study_file_unreadable", variant=variant, place=place.in_words(), file=file.name)
        raise TrainerError("INVALID_REQUEST", message, phrase("train_again")) from error


def _cell(
    variant: str,
    title: str,
    carried_by: str | None,
    place: Place,
    result: Mapping[str, Any],
    measured: Mapping[str, Any],
    file: Path,
) -> Cell:
    """measured: has `threshold` and `predictions`; the result itself or a baseline of it."""
    kind = _kind_of(result)
    with (file.parent / measured["predictions"]).open(encoding="utf-8", newline="") as text:
        header, *rows = csv.reader(text)
    table = {
        original_text(name): [original_text(row[index]) for row in rows] for index, name in enumerate(header)
    }
    truths = [name for name in table if name == "truth" or name.startswith("truth_")]
    identity = list(zip(*(table[name] for name in (*_IDENTITY, *truths)), strict=True))
    order = sorted(range(len(identity)), key=identity.__getitem__)
    labels, predictions = kind.read_columns(table)
    own_rows = measured.get("fitted_on") or measured.get("trained_from")
    learned = own_rows["cases"] if own_rows else _training_split(result)
    return Cell(
        variant, title, carried_by, place, kind, result["source"]["digest"],
        tuple(identity[row] for row in order), labels[order], predictions[order],
        kind.threshold_or_default(kind.threshold_of(measured)), result["software"], learned, own_rows is None,
        measured.get("fitted_on"),
    )  # fmt: skip


def _training_split(result: Mapping[str, Any]) -> int | None:
    """Number of its cases, from the flow of the cases through the training."""
    steps = (step["cases"] for step in result.get("flow", ()) if step["step"] == _TRAINING_STEP)
    return next(steps, None)


def _kind_of(result: Mapping[str, Any]) -> OutcomeKind:
    """Kind of outcome of an EvaluationResult. It does not contain the distribution of censoring of the
    training cases; cases of a study are weighted by their own censoring (`_at_the_same_times`)."""
    times = result["survival"] if result["task"] == "survival" else None
    grid = times and {key: times[key] for key in ("edges", "horizons", "tau")}
    return kind_of(
        {
            "task": result["task"],
            "classes": result["classes"],
            "label_normalization": {"mean": 0.0, "std": 1.0},
            "preprocessing": {"survival": grid and {**grid, "censoring": {"times": [], "values": []}}},
        }
    )


def _at_the_same_times(cells: list[Cell]) -> list[Cell]:
    """For survival: convert every curve to times that all trainings share, so that trainings with different
    intervals can be pooled and compared."""
    grids = [cell.kind.grid for cell in cells if isinstance(cell.kind, Survival)]
    if len(grids) < len(cells):
        return cells
    truth = {case: label for cell in cells for case, label in zip(cell.identity, cell.labels, strict=True)}
    grid = shared_times(grids, np.asarray(list(truth.values())))
    return [
        replace(cell, kind=Survival(grid), predictions=own.survival(cell.predictions, grid.edges))
        for cell, own in zip(cells, grids, strict=True)
    ]


def _named_apart(cells: Sequence[Cell]) -> list[Cell]:
    """Keep one baseline of each name if those of different variants predict the same; otherwise add the name
    of the variant to each."""
    named: list[Cell] = []
    for name in dict.fromkeys(cell.variant for cell in cells):
        mine = [cell for cell in cells if cell.variant == name]
        by_place: dict[Place, Cell] = {}
        for cell in mine:
            by_place.setdefault(cell.place, cell)
        if all(_predict_the_same(cell, by_place[cell.place]) for cell in mine):
            named += by_place.values()
        else:
            named += [
                replace(
                    cell,
                    variant=f"{name} ({cell.carried_by})",
                    title=phrase("trained_with", title=cell.title, variant=cell.carried_by or ""),
                )
                for cell in mine
            ]
    return named


def _predict_the_same(one: Cell, other: Cell) -> bool:
    return one.identity == other.identity and np.array_equal(one.predictions, other.predictions)


def pooled(cells: Sequence[Cell]) -> tuple[Outcome, tuple[tuple[str, ...], ...]]:
    """Return (the predictions of the models of several folds, each for the cases that it held out and with
    its own threshold; the identity of the cases), in the order of their identity."""
    identity = [case for cell in cells for case in cell.identity]
    order = sorted(range(len(identity)), key=identity.__getitem__)
    labels = np.concatenate([cell.labels for cell in cells])[order]
    predictions = np.concatenate([cell.predictions for cell in cells])[order]
    threshold = _thresholds(cells, np.asarray(order))
    outcome = cells[0].kind.measured(labels, predictions, threshold)
    return outcome, tuple(identity[row] for row in order)


def _thresholds(cells: Sequence[Cell], order: npt.NDArray[np.int64]) -> Threshold:
    """Threshold of the model of each case; None if there is not a decision."""
    if cells[0].threshold is None:
        return None
    each = [np.repeat([cell.threshold], len(cell.identity), axis=0) for cell in cells]
    return np.asarray(np.concatenate(each)[order], np.float64)
