"""The task `study_folds`: all folds of a study, only from the tables, before any of its trainings starts.
They are the folds that the trainings will use: both use the same functions.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.images import digest_files
from medloom_trainer.data.splits.divide import choose_validation
from medloom_trainer.data.splits.folds import groups_of_pool, number_folds, values_of_column
from medloom_trainer.data.splits.grouping import group_cases, strata_of
from medloom_trainer.data.splits.split_cases import keys_of_cases
from medloom_trainer.data.tables import TrainingTables, count_patients, read_training_tables
from medloom_trainer.errors import TrainerError

_MOST_VALUES = 100
"""A column with more values is not a column of sites."""
_MOST_DIVIDED = 2_000
"""Cases up to which validation cases are chosen, which takes long for many folds; few batches are
larger."""


def study_folds(params: Mapping[str, Any], progress: Callable[[str, float], None]) -> dict[str, Any]:
    """Return the result that contracts declare for `study_folds`. Errors as in a training that reads these
    tables; FOLDS_IMPOSSIBLE also if a fold would remove all cases of a class from its training.
    """
    wanted, roots = params["folds"], [Path(root) for root in params["roots"]]
    # The validation rows are pooled with the training rows, as for each of the folds.
    config = {**params["config"], "data": {**params["config"]["data"], "fold": wanted or {}}}
    progress(phrase("reading_tables"), 0.0)
    tables = read_training_tables(config, roots, [], [], Path(params["cache_dir"]))
    pool = tables.splits["train"].table
    found = list(_folds(tables, wanted, roots, Path(params["cache_dir"]), progress)) if wanted else []
    held = np.zeros(len(pool), dtype=bool)
    for _, _, rows in found:
        held |= rows
    everything = np.ones(len(pool), dtype=bool)
    learning = partial(_training_cases, tables, config)
    return {
        "digest": hashlib.sha256(pool.digest.encode()).hexdigest(),
        **_counts(tables, everything),
        "never_held_out": int((~held).sum()),
        "training_cases": None if wanted else _given_training_cases(params, roots) or learning(everything),
        "folds": [
            {"fold": fold, "name": name, **_counts(tables, rows), "training_cases": learning(~rows)}
            for fold, name, rows in found
        ],
    }


def _folds(
    tables: TrainingTables,
    wanted: Mapping[str, Any],
    roots: list[Path],
    cache_dir: Path,
    progress: Callable[[str, float], None],
) -> Iterator[tuple[dict[str, Any], str, npt.NDArray[np.bool_]]]:
    """(data.fold of the training, its name, (N,) rows that it holds out) of each fold."""
    if "column" in wanted:
        yield from _of_column(tables, wanted["column"])
        return
    digests, _ = digest_files(
        {"train": tables.splits["train"]},
        tables.roles.images,
        roots=roots,
        cache_dir=cache_dir,
        report=lambda done, total: progress(phrase("examining_images"), 0.1 + 0.8 * done / max(1, total)),
    )
    groups = groups_of_pool(tables, digests["train"])
    k, seed = wanted["k"], wanted["seed"]
    for repeat in range(wanted["repeats"]):
        progress(phrase("dividing_into_folds"), 0.9 + 0.1 * repeat / wanted["repeats"])
        numbers = number_folds(tables, groups, k, repeat, seed)
        again = f", repeat {repeat + 1}" if wanted["repeats"] > 1 else ""
        for index in range(k):
            fold = {"k": k, "index": index, "repeat": repeat, "seed": seed}
            yield fold, f"fold {index + 1} of {k}{again}", numbers == index


def _of_column(
    tables: TrainingTables, column: str
) -> Iterator[tuple[dict[str, Any], str, npt.NDArray[np.bool_]]]:
    table, labels = tables.splits["train"].table, tables.labels["train"]
    values = values_of_column(table, column, tables.roles.patient)
    if not 2 <= len(values) <= _MOST_VALUES:
        message = phrase("column_for_folds", column=column, count=len(values), limit=_MOST_VALUES)
        raise TrainerError("FOLDS_IMPOSSIBLE", message, phrase("choose_sites_or_k"))
    for value in values:
        rows = np.asarray([text == value for text in table.cells[column]])
        counts = tables.scheme.class_counts(labels[~rows]) or {}
        lost = [name for name, count in counts.items() if count == 0]
        if lost:
            message = phrase("fold_loses_class", column=column, value=value, classes=", ".join(lost))
            remedy = phrase("merge_class_or_k")
            raise TrainerError("FOLDS_IMPOSSIBLE", message, remedy)
        yield {"column": column, "value": value}, value, rows


def _counts(tables: TrainingTables, rows: npt.NDArray[np.bool_]) -> dict[str, Any]:
    table = tables.splits["train"].table.take(np.flatnonzero(rows))
    counts = tables.scheme.class_counts(tables.labels["train"][rows])
    patients = count_patients(table, tables.roles.patient)
    return {"cases": len(table), "patients": patients, "class_counts": counts}


def _training_cases(tables: TrainingTables, config: Mapping[str, Any], rows: npt.NDArray[np.bool_]) -> int:
    """Number of cases that train if these rows are divided into training and validation as in `divide_cases`.
    Images that patients share are not known here, and another seed may change the number by a few."""
    fraction, patient = config["data"]["val_fraction"], tables.roles.patient
    table, labels = tables.splits["train"].table.take(np.flatnonzero(rows)), tables.labels["train"][rows]
    if len(table) > _MOST_DIVIDED:
        return round(len(table) * (1 - float(fraction)))
    groups, strata = group_cases(keys_of_cases(table, None, patient)), strata_of(labels, tables.scheme)
    return int((~choose_validation(groups, strata, fraction, config["training"]["seed"])).sum())


def _given_training_cases(params: Mapping[str, Any], roots: list[Path]) -> int | None:
    """Number of training cases without folds; None if the tables name no validation cases."""
    tables = read_training_tables(params["config"], roots, [], [], Path(params["cache_dir"]))
    return len(tables.splits["train"].table) if "val" in tables.splits else None
