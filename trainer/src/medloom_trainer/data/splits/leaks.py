"""What ties cases together and stands in two splits."""

from __future__ import annotations

from collections.abc import Mapping

from medloom_trainer.data.assembly import Warnings
from medloom_trainer.data.cache.views import ImageTable
from medloom_trainer.data.images.file_digests import Pictures
from medloom_trainer.data.splits.case_keys import keys_of_cases
from medloom_trainer.data.splits.divide import find_overlaps
from medloom_trainer.data.splits.patient_ids import patients_alike
from medloom_trainer.data.tables.cells import name_rows
from medloom_trainer.errors import TrainerError


def check_leaks(
    splits: Mapping[str, ImageTable],
    pictures: Mapping[str, Pictures],
    patient: str | None,
    allowed: bool,
    warnings: Warnings,
) -> None:
    """DATASET_LEAK when a patient or the same picture stand in two splits. A warning where that is allowed,
    and where patients may be the same though their ids are written differently.
    """
    found = []
    for what, kind in (("patients", "patient"), ("images", "pixels")):
        keys = {
            split: [
                [key for key in case if key[0] == kind]
                for case in keys_of_cases(part.table, pictures.get(split), patient)
            ]
            for split, part in splits.items()
        }
        for overlap in find_overlaps(what, keys):
            second = splits[overlap.second].table
            rows = f"{second.name}, {name_rows(second, overlap.cases)}"
            noun = what[:-1] if overlap.count == 1 else what
            found.append(f"{overlap.count} {noun} of {overlap.first} also in {overlap.second} ({rows})")
    if found and not allowed:
        raise TrainerError("DATASET_LEAK", "; ".join(found))
    warnings += [{"code": "DATASET_LEAK", "message": message} for message in found]
    warnings += patients_alike({split: (part.table, patient) for split, part in splits.items()})
