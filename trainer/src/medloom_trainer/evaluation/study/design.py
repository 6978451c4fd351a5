"""The cells of a study in order: its variants, folds and seeds, the complete sets, and a check that all
variants were measured on the same cases.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from medloom_trainer.contract.phrases import Phrased, join, phrase
from medloom_trainer.errors import TrainerError
from medloom_trainer.evaluation.study.cells import Cell, Place, pooled
from medloom_trainer.metrics.pooled import CaseSet
from medloom_trainer.outcomes import OutcomeKind

Fold = int | str | None
_PATIENT = 2
"""Index of the patient in the identity of a case."""


class SetOf(NamedTuple):
    """Predictions of all cases from one seed and one division into folds, each by the model that did not see
    the case."""

    seed: int
    repeat: int | None


class Unit(NamedTuple):
    """One part of the cases that is held out."""

    repeat: int | None
    fold: Fold


@dataclass(frozen=True)
class Variant:
    """One training method."""

    name: str
    title: str
    carried_by: str | None
    cells: dict[Place, Cell]
    sets: dict[SetOf, CaseSet]
    """The complete sets."""
    largest: CaseSet
    """The cases of the seed and repeat that has the most of them, also if trainings are missing."""
    num_cases: int | None
    num_patients: int | None
    notes: tuple[Phrased, ...]
    """Notes about missing trainings."""


@dataclass(frozen=True)
class Design:
    """The whole study."""

    kind: OutcomeKind
    variants: list[Variant]
    seeds: list[int]
    units: list[Unit]
    has_folds: bool
    patients: int
    """Number of patients of all cases together, or of cases if patients are unknown."""
    knows_patients: bool
    one_row_each: bool
    largest_set: int
    sizes: dict[Unit, int]
    """Number of cases that each unit holds out."""


def design_of(cells: Sequence[Cell]) -> Design:
    """STUDY_CASES_DIFFER if the trainings predict different outcomes, or different cases."""
    _refuse_other_outcomes(cells)
    has_folds = any(cell.place.fold is not None for cell in cells)
    _refuse_other_cases(cells, has_folds)
    units = {Unit(cell.place.repeat, cell.place.fold) for cell in cells}
    in_order = sorted(units, key=lambda unit: Place(0, *unit).order)
    numbers = _number_patients(cells)
    variants = [
        _variant([cell for cell in cells if cell.variant == name], in_order, numbers)
        for name in dict.fromkeys(cell.variant for cell in cells)
    ]
    return Design(
        cells[0].kind,
        variants,
        sorted({cell.place.seed for cell in cells}),
        in_order,
        has_folds,
        patients=len(set(numbers.values())),
        knows_patients=any(case[_PATIENT] for case in numbers),
        one_row_each=len(set(numbers.values())) == len(numbers),
        largest_set=max(
            [part.outcome.size for variant in variants for part in variant.sets.values()]
            + [len(cell.identity) for cell in cells]
        ),
        sizes={unit: _size(cells, unit) for unit in units},
    )


def _refuse_other_outcomes(cells: Sequence[Cell]) -> None:
    first = cells[0]
    for cell in cells[1:]:
        if (cell.kind.task, cell.kind.classes) != (first.kind.task, first.kind.classes):
            message = phrase("study_outcomes_differ", variant=cell.variant, other=first.variant)
            raise TrainerError("STUDY_CASES_DIFFER", message)


def _refuse_other_cases(cells: Sequence[Cell], has_folds: bool) -> None:
    """Folds are the same for every seed; without folds each seed may draw its own validation cases."""
    firsts: dict[tuple[object, ...], Cell] = {}
    digests: dict[tuple[object, ...], Cell] = {}
    for cell in cells:
        seed = None if has_folds else cell.place.seed
        where = (seed, cell.place.repeat, cell.place.fold)
        first = firsts.setdefault(where, cell)
        if cell.identity != first.identity:
            count = len(set(cell.identity) ^ set(first.identity))
            message = phrase(
                "study_cases_differ",
                variant=cell.variant,
                place=cell.place.in_words(),
                other=first.variant,
                other_place=first.place.in_words(),
                differences=phrase("differences_counted", count=count),
            )
            raise TrainerError("STUDY_CASES_DIFFER", message)
        before = digests.setdefault((cell.variant, cell.carried_by, *where), cell)
        if cell.digest != before.digest:
            message = phrase(
                "study_data_changed_between",
                variant=cell.variant,
                first=before.place.in_words(),
                second=cell.place.in_words(),
            )
            raise TrainerError("STUDY_CASES_DIFFER", message)


def _number_patients(cells: Sequence[Cell]) -> dict[tuple[str, ...], int]:
    """Case → number of its patient; a case without a patient counts as a separate patient."""
    patients: dict[object, int] = {}
    cases = sorted({case for cell in cells for case in cell.identity})
    return {case: patients.setdefault(case[_PATIENT] or case, len(patients)) for case in cases}


def _variant(cells: Sequence[Cell], units: Sequence[Unit], numbers: dict[tuple[str, ...], int]) -> Variant:
    sets: dict[SetOf, CaseSet] = {}
    notes = []
    largest: CaseSet | None = None
    found: dict[SetOf, dict[Fold, Cell]] = {}
    for cell in cells:
        found.setdefault(SetOf(cell.place.seed, cell.place.repeat), {})[cell.place.fold] = cell
    size = people = None
    for key in found:
        wanted = [unit.fold for unit in units if unit.repeat == key.repeat]
        lacking = [Place(key.seed, key.repeat, fold).in_words() for fold in wanted if fold not in found[key]]
        outcome, identity = pooled([found[key][fold] for fold in wanted if fold in found[key]])
        member = np.asarray([numbers[case] for case in identity])
        part = CaseSet(outcome, member)
        largest = part if largest is None or outcome.size > largest.outcome.size else largest
        if lacking:
            notes.append(phrase("not_pooled", trainings=join(*lacking, mark="semicolon")))
            continue
        sets[key] = part
        if size is None:
            size = len(identity)
            named = any(case[_PATIENT] for case in identity)
            people = len(set(member.tolist())) if named else None
    assert largest is not None  # a variant has at least one training
    first = cells[0]
    by_place = {cell.place: cell for cell in cells}
    return Variant(
        first.variant, first.title, first.carried_by, by_place, sets, largest, size, people, tuple(notes)
    )


def _size(cells: Sequence[Cell], unit: Unit) -> int:
    return next(len(cell.identity) for cell in cells if Unit(cell.place.repeat, cell.place.fold) == unit)
