"""Division of cases into training and validation: by patient and image, stratified, reproducible by the
seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.cache import Views
from medloom_trainer.data.splits.folds import held_out_rows
from medloom_trainer.data.splits.grouping import count_strata, group_cases, strata_of
from medloom_trainer.data.splits.leaks import check_leaks
from medloom_trainer.data.splits.likely_patients import LikelyPatients, find_likely_patients
from medloom_trainer.data.splits.seen_cases import check_seen, seen_before
from medloom_trainer.data.splits.split_cases import SeenCases, SplitCases
from medloom_trainer.data.tables import (
    LabelScheme,
    TrainingTables,
    count_step,
    refuse_constant_flags,
    refuse_no_events,
)
from medloom_trainer.data.types import HELD_OUT, Flow
from medloom_trainer.errors import TrainerError
from medloom_trainer.warnings import Warnings


def divide_cases(
    config: Mapping[str, Any],
    tables: TrainingTables,
    views: Mapping[str, Views],
    digests: Mapping[str, list[list[str]]],
    flow: Flow,
    warnings: Warnings,
    seen: SeenCases | None = None,
    files: Sequence[Sequence[str]] | None = None,
) -> dict[str, SplitCases]:
    """Remove the fold of a cross-validation from the training rows, choose a validation split if the tables
    name none, and refuse leaks. views and digests: the images of each split (`SplitCases`). seen: the cases
    seen by the trained model from which a training starts. files: see `held_out_rows`.
    """
    data, patient = config["data"], tables.roles.patient
    likely = find_likely_patients(tables.splits["train"].table, tables.roles)
    splits = {
        split: SplitCases(source, tables.labels.get(split), views.get(split), digests[split])
        for split, source in tables.splits.items()
    }
    if data["fold"] is not None:
        held, pool = held_out_rows(data["fold"], tables, files or []), splits["train"]
        splits["train"], splits[HELD_OUT] = pool.take(np.flatnonzero(~held)), pool.take(np.flatnonzero(held))
    if "val" not in splits:
        seed = config["training"]["seed"]
        splits["train"], splits["val"] = _take_validation(
            splits["train"], tables.scheme, patient, data["val_fraction"], seed, seen, likely
        )
    if data["fold"] is not None or "val" not in tables.splits:
        warnings += likely.describe()
    check_leaks(splits, patient, data["allow_leakage"], warnings)
    if seen is not None:
        check_seen(splits, patient, seen, data["allow_leakage"], warnings)
    _refuse_lost_class(splits["train"].labels, tables.scheme)
    batch_size, cases = config["training"]["batch_size"], len(splits["train"].table)
    if batch_size > cases:
        message = phrase("batch_above_cases", size=batch_size, cases=cases)
        raise TrainerError("BATCH_TOO_LARGE", message)
    used = [split for split in ("train", "val", HELD_OUT) if split in splits]
    flow += [count_step(f"{split} split", splits[split].table, patient) for split in used]
    return splits


def choose_validation(
    groups: npt.NDArray[np.int64], strata: npt.NDArray[np.int64], fraction: float, seed: int
) -> npt.NDArray[np.bool_]:
    """(N,) True for validation. Groups are not divided; each stratum (`strata_of`) is divided as close to
    `fraction` as the groups allow (Sechidis, Tsoumakas and Vlahavas 2011, with patients instead of cases).

    Groups with rare strata are placed first, each where its strata lack most. A stratum of only one group is
    in training.
    """
    names, group_of = np.unique(groups, return_inverse=True)
    counts = count_strata(group_of, strata).astype(np.float64)
    totals = counts.sum(axis=0)
    wanted = np.stack([(1 - fraction) * totals, fraction * totals])  # (train or val, strata)
    lacking = wanted.copy()
    shuffled = np.random.default_rng(seed).permutation(len(names))
    rarity = np.where(counts > 0, totals, np.inf).min(axis=1)
    order = sorted(shuffled.tolist(), key=lambda group: (rarity[group], -counts[group].sum()))
    side = np.zeros(len(names), dtype=np.int64)
    for group in order:
        need = (lacking / np.maximum(wanted, 1e-9)) @ counts[group]
        side[group] = int(need[1] > need[0])
        lacking[side[group]] -= counts[group]
    _keep_every_stratum(side, counts, order)
    return np.asarray(side[group_of] == 1)


def choose_folds(
    groups: npt.NDArray[np.int64],
    strata: npt.NDArray[np.int64],
    k: int,
    seed: int,
    *,
    strata_are_classes: bool,
) -> npt.NDArray[np.int64]:
    """(N,) the fold, 0 to k - 1, of each case. Groups are not divided; each stratum is divided as evenly as
    they allow.

    Groups with rare strata are placed first, each where its strata lack most. -1: in no fold, for a group
    that is the only one with a class: without it no case of the class would remain for training.
    """
    names, group_of = np.unique(groups, return_inverse=True)
    counts = count_strata(group_of, strata)
    totals, holders = counts.sum(axis=0), (counts > 0).sum(axis=0)
    lacking = np.tile(totals / k, (k, 1))  # (folds, strata)
    rarity = np.where(counts > 0, totals, np.inf).min(axis=1)
    shuffled = np.random.default_rng([seed, k]).permutation(len(names))
    fold = np.full(len(names), -1, dtype=np.int64)
    for group in sorted(shuffled.tolist(), key=lambda group: (rarity[group], -counts[group].sum())):
        if strata_are_classes and (holders[counts[group] > 0] == 1).any():
            continue
        need = (lacking / totals) @ counts[group]
        # Among equally suitable folds, use the one that lacks most cases.
        fold[group] = int(np.lexsort((-lacking.sum(axis=1), -np.round(need, 9)))[0])
        lacking[fold[group]] -= counts[group]
    return np.asarray(fold[group_of])


def _keep_every_stratum(side: npt.NDArray[np.int64], counts: npt.NDArray[Any], order: list[int]) -> None:
    """Ensure that training has every stratum, and validation every one that another group in training has."""
    for stratum in range(counts.shape[1]):
        holders = [group for group in order if counts[group, stratum] > 0]
        training = [group for group in holders if side[group] == 0]
        if not training:
            side[holders[0]] = 0
        elif len(training) == len(holders) and len(holders) > 1:
            candidate = min(training, key=lambda group: counts[group].sum())
            alone = (counts[side == 0] > 0).sum(axis=0) == 1
            if not np.any(alone & (counts[candidate] > 0)):
                side[candidate] = 1


def _take_validation(
    cases: SplitCases,
    scheme: LabelScheme,
    patient: str | None,
    fraction: float,
    seed: int,
    seen: SeenCases | None,
    likely: LikelyPatients,
) -> tuple[SplitCases, SplitCases]:
    """(training, validation), stratified by the label. DATASET_INVALID if one of them would be empty."""
    assert cases.labels is not None  # labels of the training split are always read
    keys = cases.keys(patient)
    groups, strata = group_cases(likely.connect(keys, cases.table)), strata_of(cases.labels, scheme)
    if seen is None:
        chosen = choose_validation(groups, strata, fraction, seed)
    else:
        chosen = _choose_unseen(groups, strata, fraction, seed, seen_before(keys, seen))
    if not chosen.any() or chosen.all():
        unit = phrase("unit_patients" if patient is not None else "unit_cases")
        message = phrase("too_few_to_validate", table=cases.table.name, unit=unit)
        raise TrainerError("DATASET_INVALID", message)
    return cases.take(np.flatnonzero(~chosen)), cases.take(np.flatnonzero(chosen))


def _choose_unseen(
    groups: npt.NDArray[np.int64],
    strata: npt.NDArray[np.int64],
    fraction: float,
    seed: int,
    seen: tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]],
) -> npt.NDArray[np.bool_]:
    """Like `choose_validation`, if a trained model has seen some of the cases: its training cases train, its
    validation cases validate, and of the others a `fraction` validates.
    """
    trained, known = (np.isin(groups, groups[cases]) for cases in seen)
    chosen = np.asarray(known & ~trained)
    fresh = np.flatnonzero(~known)
    if fresh.size:
        chosen[fresh] = choose_validation(groups[fresh], strata[fresh], fraction, seed)
    return chosen


def _refuse_lost_class(labels: npt.NDArray[Any] | None, scheme: LabelScheme) -> None:
    """Refuse a division that leaves no training case of a class."""
    if scheme.task == "survival" and labels is not None:
        refuse_no_events(labels, scheme.columns[1])
    if scheme.classes is None or labels is None:
        return
    if scheme.task == "multilabel":
        refuse_constant_flags(labels, scheme.columns)
        return
    lost = sorted(set(scheme.classes) - {scheme.classes[index] for index in np.unique(labels).tolist()})
    if lost:
        raise TrainerError("LABEL_INVALID", phrase("split_without_classes", classes=", ".join(lost)))
