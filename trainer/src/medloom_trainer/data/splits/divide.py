"""Which case trains and which validates: by patient and image, stratified, the same for the same seed."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.cache import Views
from medloom_trainer.data.splits.leaks import check_leaks
from medloom_trainer.data.splits.seen_cases import check_seen, seen_before
from medloom_trainer.data.splits.split_cases import SeenCases, SplitCases
from medloom_trainer.data.tables import LabelScheme, TrainingTables, count_step
from medloom_trainer.data.types import Flow
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
) -> dict[str, SplitCases]:
    """Take a validation split out of the training rows where the tables name none, and refuse leaks. views
    and digests: the images of each split (`SplitCases`). seen: by the trained model that a training starts
    from.
    """
    data, patient = config["data"], tables.roles.patient
    splits = {
        split: SplitCases(source, tables.labels.get(split), views.get(split), digests[split])
        for split, source in tables.splits.items()
    }
    if "val" not in splits:
        seed = config["training"]["seed"]
        splits["train"], splits["val"] = _take_validation(
            splits["train"], tables.scheme, patient, data["val_fraction"], seed, seen
        )
    check_leaks(splits, patient, data["allow_leakage"], warnings)
    if seen is not None:
        check_seen(splits, patient, seen, data["allow_leakage"], warnings)
    _refuse_lost_class(splits["train"].labels, tables.scheme)
    batch_size, cases = config["training"]["batch_size"], len(splits["train"].table)
    if batch_size > cases:
        message = f"batch_size {batch_size} is larger than the {cases} training cases"
        raise TrainerError("BATCH_TOO_LARGE", message)
    flow += [count_step(f"{split} split", splits[split].table, patient) for split in ("train", "val")]
    return splits


def group_cases(keys_of_case: Sequence[Sequence[Hashable]]) -> npt.NDArray[np.int64]:
    """Cases that share a key (the patient, the pixels of an image), directly or through others, get one
    group number.
    """
    parent = list(range(len(keys_of_case)))

    def root(case: int) -> int:
        while parent[case] != case:
            parent[case] = parent[parent[case]]
            case = parent[case]
        return case

    first: dict[Hashable, int] = {}
    for case, keys in enumerate(keys_of_case):
        for key in keys:
            parent[root(case)] = root(first.setdefault(key, case))
    return np.asarray([root(case) for case in range(len(parent))], dtype=np.int64)


def choose_validation(
    groups: npt.NDArray[np.int64], strata: npt.NDArray[np.int64], fraction: float, seed: int
) -> npt.NDArray[np.bool_]:
    """(N,) True for validation. Whole groups; each stratum is divided as near to `fraction` as whole groups
    allow.

    Groups with rare strata are placed first, each where its strata lack most. A stratum of one group trains.
    """
    names, group_of = np.unique(groups, return_inverse=True)
    strata_names, stratum_of = np.unique(strata, return_inverse=True)
    counts = np.zeros((len(names), len(strata_names)))
    np.add.at(counts, (group_of, stratum_of), 1)
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


def _keep_every_stratum(side: npt.NDArray[np.int64], counts: npt.NDArray[Any], order: list[int]) -> None:
    """Training has every stratum, and validation every one of which training has another group."""
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


def strata_of(labels: npt.NDArray[Any], scheme: LabelScheme) -> npt.NDArray[np.int64]:
    """(N,) the classes, or fifths of a quantity."""
    if scheme.classes is not None:
        return labels
    edges = np.unique(np.percentile(labels, [20, 40, 60, 80]))
    return np.searchsorted(edges, labels, side="right").astype(np.int64)


def _take_validation(
    cases: SplitCases,
    scheme: LabelScheme,
    patient: str | None,
    fraction: float,
    seed: int,
    seen: SeenCases | None,
) -> tuple[SplitCases, SplitCases]:
    """(training, validation), stratified by the label. DATASET_INVALID when one of them would be empty."""
    assert cases.labels is not None  # those of the training split are always read
    keys = cases.keys(patient)
    groups, strata = group_cases(keys), strata_of(cases.labels, scheme)
    if seen is None:
        chosen = choose_validation(groups, strata, fraction, seed)
    else:
        chosen = _choose_unseen(groups, strata, fraction, seed, seen_before(keys, seen))
    if not chosen.any() or chosen.all():
        unit = "patients" if patient is not None else "cases"
        message = f"{cases.table.name} has too few {unit} to take a validation split from; give data.val_csv"
        raise TrainerError("DATASET_INVALID", message)
    return cases.take(np.flatnonzero(~chosen)), cases.take(np.flatnonzero(chosen))


def _choose_unseen(
    groups: npt.NDArray[np.int64],
    strata: npt.NDArray[np.int64],
    fraction: float,
    seed: int,
    seen: tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]],
) -> npt.NDArray[np.bool_]:
    """As `choose_validation`, where a trained model has seen some of the cases: what trained it trains, what
    validated it validates, and of the others a `fraction` validates.
    """
    trained, known = (np.isin(groups, groups[cases]) for cases in seen)
    chosen = np.asarray(known & ~trained)
    fresh = np.flatnonzero(~known)
    if fresh.size:
        chosen[fresh] = choose_validation(groups[fresh], strata[fresh], fraction, seed)
    return chosen


def _refuse_lost_class(labels: npt.NDArray[Any] | None, scheme: LabelScheme) -> None:
    """Dividing may leave no training case of a class."""
    if scheme.classes is None or labels is None:
        return
    lost = sorted(set(scheme.classes) - {scheme.classes[index] for index in np.unique(labels).tolist()})
    if lost:
        raise TrainerError("LABEL_INVALID", f"the training split has no case of {', '.join(lost)}")
