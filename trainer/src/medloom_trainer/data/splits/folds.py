"""Folds of a cross-validation: groups of cases that are not divided, stratified by the label, reproducible by
the seed.

A fold must be the same for every training of a study, whatever its model reads, and for the check before any
of them starts. Therefore cases are grouped by what is known without decoding an image: the patient, and the
content of an image file. The same image saved as another file is found later, as a leak. The random order of
groups depends on their content, not on the order of the rows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import Phrased, join, phrase
from medloom_trainer.data.splits.grouping import count_strata, group_cases, names_of_strata, strata_of
from medloom_trainer.data.splits.likely_patients import find_likely_patients
from medloom_trainer.data.splits.split_cases import keys_of_cases
from medloom_trainer.data.tables import Table, TrainingTables, require_column
from medloom_trainer.errors import TrainerError

_MOST_NAMED = 20
"""A column with more values identifies patients rather than sites: its values are not shown."""


def held_out_rows(
    fold: Mapping[str, Any], tables: TrainingTables, files: Sequence[Sequence[str]]
) -> npt.NDArray[np.bool_]:
    """(N,) True for the training rows that are held out. fold: `data.fold` of the configuration. files: N
    lists from `digest_files`. FOLDS_IMPOSSIBLE, COLUMN_NOT_FOUND.
    """
    if "k" in fold:
        groups = groups_of_pool(tables, files)
        numbers = number_folds(tables, groups, fold["k"], fold["repeat"], fold["seed"])
        return np.asarray(numbers == fold["index"])
    return _rows_with(tables.splits["train"].table, fold["column"], fold["value"], tables.roles.patient)


def groups_of_pool(tables: TrainingTables, files: Sequence[Sequence[str]]) -> npt.NDArray[np.int64]:
    """(N,) one number for the training rows that share a patient or an image file, directly or through
    others, or may be of one patient. files: N lists from `digest_files`: blank images do not connect cases.
    """
    pool = tables.splits["train"].table
    likely = find_likely_patients(pool, tables.roles)
    return group_cases(likely.connect(keys_of_cases(pool, files, tables.roles.patient), pool))


def number_folds(
    tables: TrainingTables, groups: npt.NDArray[np.int64], k: int, repeat: int, seed: int
) -> npt.NDArray[np.int64]:
    """(N,) the fold, 0 to k - 1, of each training row. groups (N,): from `groups_of_pool`.

    Each class, or fifth of a quantity, is divided as evenly as the groups allow, and every fold has every
    class. FOLDS_IMPOSSIBLE with fewer groups than folds, in total or of a class.
    """
    pool, scheme = tables.splits["train"].table, tables.scheme
    strata = strata_of(tables.labels["train"], scheme)
    names, group_of = np.unique(groups, return_inverse=True)
    counts = count_strata(group_of, strata)
    unit = phrase("unit_cases" if tables.roles.patient is None else "unit_patients")
    _refuse_few(pool, unit, len(names), k)
    drawn = _draws(pool, tables.roles.patient, group_of, len(names), f"{seed} {repeat}")
    fold = _place(counts, drawn, k)
    classes = names_of_strata(strata, scheme)
    if classes is not None:
        _refuse_rare(classes, (counts > 0).sum(axis=0), unit, k)
        _give_every_class(fold, counts, classes, k)
    return fold[group_of]


def values_of_column(table: Table, column: str, patient: str | None) -> list[str]:
    """The sorted values of a column that are used as folds; rows without a value are never held out.
    COLUMN_NOT_FOUND; FOLDS_IMPOSSIBLE for the patient column, which would reveal who is held out.
    """
    require_column(table, column, "the column of the folds")
    if column == patient:
        message = phrase("fold_column_is_patient", column=column)
        raise TrainerError("FOLDS_IMPOSSIBLE", message, phrase("divide_patients"))
    return sorted({text for text in table.cells[column] if text})


def _rows_with(table: Table, column: str, value: str, patient: str | None) -> npt.NDArray[np.bool_]:
    values = values_of_column(table, column, patient)
    if value not in values:
        near = get_close_matches(value, values, n=1, cutoff=0.5) if len(values) <= _MOST_NAMED else []
        lowered = [known for known in values if known.casefold() == value.casefold()]
        message = phrase("value_absent", value=value[:64], column=column)
        if lowered or near:
            message = join(message, phrase("did_you_mean_value", near=(lowered or near)[0]), mark="semicolon")
        raise TrainerError("FOLDS_IMPOSSIBLE", message)
    held = np.asarray([text == value for text in table.cells[column]])
    if held.all():
        message = phrase("no_training_rows_left", value=value[:64], column=column)
        raise TrainerError("FOLDS_IMPOSSIBLE", message)
    return held


def _draws(
    table: Table, patient: str | None, group_of: npt.NDArray[np.intp], count: int, salt: str
) -> list[bytes]:
    """(count) a random number for each group, determined by its patients, or by the cells of rows without a
    patient.
    """
    identities: list[set[str]] = [set() for _ in range(count)]
    columns = sorted(table.columns)
    for row, group in enumerate(group_of.tolist()):
        named = table.cells[patient][row] if patient is not None else ""
        cells = "\x1f".join(table.cells[column][row] for column in columns)
        identities[group].add(f"patient {named}" if named else f"cells {cells}")
    texts = ("\x1e".join([salt, *sorted(identity)]) for identity in identities)
    return [hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for text in texts]


def _place(counts: npt.NDArray[np.int64], drawn: Sequence[bytes], k: int) -> npt.NDArray[np.int64]:
    """(G,) the fold of each group; counts (G, S): its cases in each stratum. Groups with rare strata are
    placed first, then large ones; each goes to the fold that has the fewest cases of its strata.
    """
    totals = counts.sum(axis=0)
    rarity = np.where(counts > 0, totals, np.iinfo(np.int64).max).min(axis=1)
    sizes = counts.sum(axis=1)
    order = sorted(range(len(counts)), key=lambda group: (rarity[group], -sizes[group], drawn[group]))
    held = np.zeros((k, counts.shape[1]), dtype=np.int64)
    fold = np.zeros(len(counts), dtype=np.int64)
    for group in order:
        burden = np.round(held @ (counts[group] / totals), 9)
        fold[group] = int(np.lexsort((held.sum(axis=1), burden))[0])
        held[fold[group]] += counts[group]
    return fold


def _give_every_class(
    fold: npt.NDArray[np.int64], counts: npt.NDArray[np.int64], classes: Sequence[str], k: int
) -> None:
    """If a fold lacks a class after groups with several classes were placed, move a small group that its fold
    does not need."""
    holds = counts > 0
    for stratum in np.argsort(holds.sum(axis=0), kind="stable").tolist():
        for lacking in sorted(set(range(k)) - set(fold[holds[:, stratum]].tolist())):
            spare = [
                group
                for group in np.flatnonzero(holds[:, stratum]).tolist()
                if (holds[fold == fold[group]].sum(axis=0)[holds[group]] > 1).all()
            ]
            if not spare:
                message = phrase("class_not_in_all_folds", k=k, class_name=classes[stratum])
                raise TrainerError("FOLDS_IMPOSSIBLE", message, phrase("fewer_folds"))
            fold[min(spare, key=lambda group: (counts[group].sum(), group))] = lacking


def _refuse_few(table: Table, unit: Phrased, groups: int, k: int) -> None:
    if groups < k:
        message = phrase("folds_need_groups", k=k, unit=unit, table=table.name, groups=groups)
        raise TrainerError("FOLDS_IMPOSSIBLE", message, _at_most(groups))


def _refuse_rare(classes: Sequence[str], groups: npt.NDArray[np.intp], unit: Phrased, k: int) -> None:
    rare = {name: count for name, count in zip(classes, groups.tolist(), strict=True) if count < k}
    if rare:
        shown = ", ".join(f'"{name}" has {count}' for name, count in sorted(rare.items(), key=lambda x: x[1]))
        message = phrase("folds_need_each_class", k=k, unit=unit, classes=shown)
        raise TrainerError("FOLDS_IMPOSSIBLE", message, _at_most(min(rare.values())))


def _at_most(most: int) -> Phrased:
    if most >= 2:
        return phrase("at_most_folds", most=most)
    return phrase("merge_rare_classes")
