"""Cases of new data that were already seen by the trained model from which a training starts.

Its weights contain information about the cases that it was trained on: a validation split with such cases
would choose the epoch that remembers best, and a test split would measure this memory. Cases that only
validated it may validate again.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.codes import PhraseCode
from medloom_trainer.contract.phrases import Phrased, listing, phrase
from medloom_trainer.data.splits.split_cases import SeenCases, SplitCases, key_digest
from medloom_trainer.data.types import HELD_OUT, CaseKeys
from medloom_trainer.errors import TrainerError
from medloom_trainer.warnings import Warnings, warning

_REMEDY = phrase("validate_on_new_patients")
_KINDS: Sequence[tuple[str, PhraseCode]] = (("patient", "patients_of_split"), ("pixels", "images_of_split"))


def seen_before(
    keys_of_case: Sequence[Sequence[tuple[str, str]]], seen: SeenCases
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """(N,) cases that trained the model, and cases that trained or validated it. keys_of_case: see
    `keys_of_cases`."""
    return _among(keys_of_case, seen.trained), _among(keys_of_case, seen.known)


def check_seen(
    splits: Mapping[str, SplitCases],
    patient: str | None,
    seen: SeenCases,
    allowed: bool,
    warnings: Warnings,
) -> None:
    """DATASET_LEAK if the validation split has patients or images that the trained model has learned from, or
    if the test split or held-out fold has some with which it was trained or validated; a warning if that is
    allowed.
    """
    found = []
    for split, keys in (("val", seen.trained), (HELD_OUT, seen.known), ("test", seen.known)):
        if split in splits:
            found += _repeated(split, splits[split].keys(patient), keys)
    if not found:
        return
    message = phrase("fine_tuned_on", found=listing(found, len(found), mark="semicolon"))
    if not allowed:
        raise TrainerError("DATASET_LEAK", message, _REMEDY)
    warnings.append(warning("DATASET_LEAK", message))


def _repeated(split: str, keys_of_case: Sequence[Sequence[tuple[str, str]]], keys: CaseKeys) -> list[Phrased]:
    found = []
    for kind, counted in _KINDS:
        known = _as_sets(keys)[kind]
        texts: set[Hashable] = {key[1] for case in keys_of_case for key in case if key[0] == kind}
        count = sum(key_digest(str(text)) in known for text in texts)
        if count:
            found.append(phrase(counted, count=count, split=split))
    return found


def _among(keys_of_case: Sequence[Sequence[tuple[str, str]]], keys: CaseKeys) -> npt.NDArray[np.bool_]:
    known = _as_sets(keys)
    return np.asarray([any(key_digest(text) in known[kind] for kind, text in case) for case in keys_of_case])


def _as_sets(keys: CaseKeys) -> dict[str, set[int]]:
    return {"patient": set(keys.patients.tolist()), "pixels": set(keys.images.tolist())}
