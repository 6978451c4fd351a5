"""Patients and images that are in two splits: refused, or allowed by the configuration and then a warning."""

from __future__ import annotations

from collections.abc import Mapping

from medloom_trainer.data.splits.overlaps import find_overlaps
from medloom_trainer.data.splits.patient_ids import patients_alike
from medloom_trainer.data.splits.split_cases import SplitCases
from medloom_trainer.data.tables import name_rows
from medloom_trainer.data.types import Warnings
from medloom_trainer.errors import TrainerError
from medloom_trainer.warnings import warning


def check_leaks(
    splits: Mapping[str, SplitCases],
    patient: str | None,
    allowed: bool,
    warnings: Warnings,
) -> None:
    """DATASET_LEAK when a patient or an image is in two splits. A warning where that is allowed, and where
    patients may be the same although their ids are written differently. patient: the column.
    """
    found = []
    for what, kind in (("patients", "patient"), ("images", "pixels")):
        keys = {
            split: [[key for key in case if key[0] == kind] for case in part.keys(patient)]
            for split, part in splits.items()
        }
        for overlap in find_overlaps(what, keys):
            second = splits[overlap.second].table
            rows = f"{second.name}, {name_rows(second, overlap.cases)}"
            noun = what[:-1] if overlap.count == 1 else what
            found.append(f"{overlap.count} {noun} of {overlap.first} also in {overlap.second} ({rows})")
    if found and not allowed:
        raise TrainerError("DATASET_LEAK", "; ".join(found))
    warnings += [warning("DATASET_LEAK", message) for message in found]
    warnings += patients_alike({split: (part.table, patient) for split, part in splits.items()})
