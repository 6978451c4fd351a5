"""Merge of several sets of cases.

Columns that one source lacks are missing there. A case id that occurs in several sources with the same cells
is one case; with other cells it is another case, and gets a number. A patient id is the same patient in all
of them, so that a later split keeps the patient together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.cases.case_set import CASE_ID, CaseSet
from medloom_trainer.cases.labels import label_settings
from medloom_trainer.cases.merge_labels import refuse_other_labels
from medloom_trainer.cases.node_task import NodeTask
from medloom_trainer.contract.codes import PhraseCode
from medloom_trainer.contract.phrases import Phrased, join, phrase
from medloom_trainer.data.tables import Table, is_missing, read_numbers, stack, with_columns
from medloom_trainer.errors import TrainerError


def merge(task: NodeTask, sources: Sequence[CaseSet], *, interleave: bool) -> CaseSet:
    """One set, with its columns in the order of the sources. DATASET_INVALID if the sources differ in label,
    patient, or the kind of content of a column; warnings go to the task.
    """
    label = _agree(sources, "label_column", phrase("outcome_label"))
    _refuse_other_outcomes(sources)
    patient = _agree(sources, "patient_column", phrase("the_patient"))
    if any(source.patient_column is None for source in sources) and patient is not None:
        task.warn(
            "PATIENTS_UNKNOWN",
            phrase("source_without_patients"),
        )
    _refuse_conflicts(sources)
    refuse_other_labels(sources)
    _warn_shared_patients(task, sources)
    table = stack([source.table for source in sources], name="the merged table")
    if interleave:
        table = table.take(_positions(interleaved([len(source.table) for source in sources])))
    first = sources[0]
    splits = {source.split for source in sources}
    return replace(
        first,
        table=_without_duplicates(task, table),
        label_column=label,
        patient_column=patient,
        image_columns=_union(source.image_columns for source in sources),
        feature_columns=_union(source.feature_columns for source in sources),
        masked_columns=_union(source.masked_columns for source in sources),
        split=first.split if len(splits) == 1 else "all",
        settings=_merge_settings(task, sources),
        lineage=_merge_lineage(sources),
        split_of=first.split_of if len({source.split_of for source in sources}) == 1 else None,
    )


def _without_duplicates(task: NodeTask, table: Table) -> Table:
    """Each case once, each with a unique id."""
    rows = list(zip(*table.cells.values(), strict=True))
    ids, keep, renamed = settle_ids(rows, table.columns.index(CASE_ID))
    if duplicates := len(table) - len(keep):
        task.warn("DUPLICATE_CASES", phrase("duplicate_cases", count=duplicates))
    if renamed:
        task.warn("CASE_IDS_RENAMED", phrase("case_ids_renamed", count=renamed))
    table = table.take(_positions(keep))
    return with_columns(table, {**table.cells, CASE_ID: ids})


def _merge_settings(task: NodeTask, sources: Sequence[CaseSet]) -> dict[str, Any]:
    settings = dict(sources[0].settings)
    for source in sources[1:]:
        for key, value in source.settings.items():
            if key in settings and settings[key] != value:
                task.warn("SETTING_REPLACED", phrase("setting_differs", key=key))
            settings.setdefault(key, value)
    return settings


def _merge_lineage(sources: Sequence[CaseSet]) -> tuple[Mapping[str, str], ...]:
    steps = (tuple(sorted(step.items())) for source in sources for step in source.lineage)
    return tuple(dict(step) for step in dict.fromkeys(steps))


def _agree(sources: Sequence[CaseSet], field: str, what: Phrased) -> str | None:
    names = list(dict.fromkeys(name for source in sources if (name := getattr(source, field)) is not None))
    if len(names) > 1:
        listed = " and ".join(f'"{name}"' for name in names)
        raise TrainerError(
            "DATASET_INVALID",
            phrase("columns_differ_for", what=what, columns=listed),
        )
    return names[0] if names else None


def _refuse_other_outcomes(sources: Sequence[CaseSet]) -> None:
    """For several labels, or a time and an event: DATASET_INVALID unless all sources name the same columns. A
    source without labels is not compared."""
    named = [(source.label_columns, label_settings(source.settings)) for source in sources]
    differ = {columns for columns, _ in named if columns}
    if len(differ) > 1 and any(settings for _, settings in named):
        listed = " and ".join(", ".join(f'"{name}"' for name in columns) for columns in sorted(differ))
        message = phrase("label_columns_differ", columns=listed)
        raise TrainerError("DATASET_INVALID", message, phrase("same_columns_each"))


def _refuse_conflicts(sources: Sequence[CaseSet]) -> None:
    """Check that a feature has numbers in all sources or texts in all, and that an image column has images in
    all."""
    for column in _union(source.feature_columns for source in sources):
        kinds: dict[int, PhraseCode] = {
            number: "texts_in_dataset"
            if read_numbers(source.table.cells[column], source.table.delimiter).texts
            else "numbers_in_dataset"
            for number, source in enumerate(sources, start=1)
            if column in source.feature_columns
            and not all(is_missing(text) for text in source.table.cells[column])
        }
        if len(set(kinds.values())) > 1:
            parts = [phrase(kind, number=number) for number, kind in kinds.items()]
            listed = join(*parts)
            raise TrainerError("DATASET_INVALID", phrase("column_of_kinds", column=column, kinds=listed))
    for column in _union(source.image_columns for source in sources):
        for number, source in enumerate(sources, start=1):
            if column in source.table.cells and column not in source.image_columns:
                message = phrase("images_in_one_only", column=column, number=number)
                raise TrainerError("DATASET_INVALID", message)


def _warn_shared_patients(task: NodeTask, sources: Sequence[CaseSet]) -> None:
    named = [
        {text for text in source.table.cells[source.patient_column] if text}
        if source.patient_column
        else set()
        for source in sources
    ]
    everyone: set[str] = set()
    shared: set[str] = set()
    for patients in named:
        shared |= everyone & patients
        everyone |= patients
    if shared:
        task.warn("SHARED_PATIENTS", phrase("shared_patients", count=len(shared)))


def settle_ids(rows: Sequence[tuple[str, ...]], id_place: int) -> tuple[list[str], list[int], int]:
    """(ids of the kept rows, their positions, number of renamed ones)."""
    seen: set[tuple[str, ...]] = set()
    taken = {row[id_place] for row in rows}
    used: set[str] = set()
    ids: list[str] = []
    keep: list[int] = []
    renamed = 0
    for position, row in enumerate(rows):
        if row in seen:
            continue
        seen.add(row)
        name, number = row[id_place], 1
        while name in used or (number > 1 and name in taken):
            number += 1
            name = f"{row[id_place]}#{number}"
        renamed += number > 1
        used.add(name)
        ids.append(name)
        keep.append(position)
    return ids, keep, renamed


def interleaved(counts: Sequence[int]) -> list[int]:
    """One row of each source in turn, until the longest ends; positions in the stacked table."""
    starts = [sum(counts[:source]) for source in range(len(counts))]
    turns = range(max(counts, default=0))
    return [starts[source] + turn for turn in turns for source in range(len(counts)) if turn < counts[source]]


def _union(names: Iterable[Sequence[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for several in names for name in several))


def _positions(order: Sequence[int]) -> npt.NDArray[np.int64]:
    return np.asarray(order, dtype=np.int64)
