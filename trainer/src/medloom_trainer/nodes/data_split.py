"""DataSplit: training, validation and test parts; all cases of a patient are in the same part."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from medloom_trainer.cases.case_set import CASE_ID, CaseSet, describe_cases, table_bytes, write_cases
from medloom_trainer.cases.join import cases_at
from medloom_trainer.cases.node_task import NodeTask, Outputs
from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.splits import (
    LikelyPatients,
    choose_validation,
    find_likely_patients,
    group_cases,
    strata_of,
)
from medloom_trainer.data.tables import (
    SPLITS,
    Roles,
    infer_roles,
    read_labels,
    role_settings,
    split_column,
    with_columns,
)
from medloom_trainer.errors import TrainerError


def run(task: NodeTask) -> Outputs:
    """A share of 0 gives a part without cases; a node that reads it reports that its input has no cases."""
    cases = _without_split_column(cases_at(task, "dataset"))
    shares = {part: float(task.config[f"{part}_ratio"]) for part in SPLITS}
    likely = find_likely_patients(cases.table, _roles_of(cases))
    part_of = _divide(cases, likely, shares, stratify=task.config["stratify"], seed=task.config["seed"])
    whole = hashlib.sha256(table_bytes(cases.table)).hexdigest()
    outputs: Outputs = {}
    for number, part in enumerate(SPLITS):
        rows = np.flatnonzero(part_of == number)
        if not rows.size and shares[part] > 0:
            raise TrainerError("DATASET_INVALID", phrase("too_few_for_split", split=part))
        cases_of_part = (
            replace(cases.take(rows), split=part, split_of=whole) if rows.size else _empty(cases, part, whole)
        )
        content = write_cases(task, cases_of_part, allow_empty=not rows.size)
        outputs[f"{part}_dataset"] = (content, describe_cases(content))
    if cases.patient_column is None:
        task.warn("NO_PATIENT_COLUMN", phrase("split_by_case"))
        task.warnings.extend(likely.describe())
    return outputs


def _roles_of(cases: CaseSet) -> Roles:
    """Roles of the columns as a training infers them, except for the label."""
    settings = role_settings(
        patient_column=cases.patient_column, ignore_columns=[CASE_ID, *cases.label_columns]
    )
    return infer_roles(cases.table, settings, Path("/"), label_required=False)


def _divide(
    cases: CaseSet, likely: LikelyPatients, shares: dict[str, float], *, stratify: bool, seed: int
) -> npt.NDArray[np.int64]:
    """(N,) 0 train, 1 val, 2 test; patients, likely ones, and groups of cases that share an image file, are
    not divided."""
    table = cases.table
    keys: list[list[tuple[str, str]]] = [[] for _ in range(len(table))]
    for column in (cases.patient_column, *cases.image_columns):
        if column is not None:
            for row, text in enumerate(table.cells[column]):
                if text:
                    keys[row].append(("patient" if column == cases.patient_column else "image", text))
    groups = group_cases(likely.connect(keys, table))
    strata = _strata(cases) if stratify else np.zeros(len(table), dtype=np.int64)
    part_of = np.zeros(len(table), dtype=np.int64)
    rest = np.arange(len(table))
    remaining = sum(shares.values())
    for number, part in ((2, "test"), (1, "val")):
        if shares[part] <= 0:
            continue
        # choose_validation keeps a group of every class for training; with a share of 1 none remains.
        chosen = choose_validation(groups[rest], strata[rest], shares[part] / remaining, seed + number)
        part_of[rest[chosen]] = number
        rest = rest[~chosen]
        remaining -= shares[part]
    return part_of


def _strata(cases: CaseSet) -> npt.NDArray[np.int64]:
    """Strata as in a training (`strata_of`); one stratum if there is no usable label."""
    nothing = np.zeros(len(cases.table), dtype=np.int64)
    scheme = cases.scheme
    if scheme is None:
        return nothing
    try:
        labels = read_labels(cases.table, scheme, "all")
    except TrainerError:
        return nothing
    return strata_of(labels, scheme)


def _without_split_column(cases: CaseSet) -> CaseSet:
    """Remove the split column: another split must not affect a training on these parts."""
    column = split_column(cases.table)
    if column is None:
        return cases
    columns = {name: texts for name, texts in cases.table.cells.items() if name != column}
    return replace(cases, table=with_columns(cases.table, columns))


def _empty(cases: CaseSet, part: str, whole: str) -> CaseSet:
    return replace(cases.take([]), split=part, split_of=whole)
