"""Values fitted for an ensemble of trainings: on validation cases that all of its members share, from the
predictions stored in their runs. Without such cases nothing can be fitted, since a case that one member left
out has trained another.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from medloom_trainer.contract.phrases import Phrased, phrase
from medloom_trainer.contract.run_directory import RunDirectory
from medloom_trainer.inference.checkpoint import Checkpoint
from medloom_trainer.metrics.arrays import FloatArray
from medloom_trainer.outcomes import kind_of
from medloom_trainer.outcomes.kind import Labels, OutcomeKind, Threshold
from medloom_trainer.regular_files import read_regular
from medloom_trainer.training.validation_fit import fit_on_validation

_IDENTITY = ("file", "row", "patient")


class Fitted(NamedTuple):
    """Values for the mean of the members."""

    threshold: Threshold
    on_validation: dict[str, Any]
    """See `fit_on_validation`."""


class _Predicted(NamedTuple):
    identity: list[tuple[str, ...]]
    """N times file, line in it, patient, and truth; ascending."""
    labels: Labels
    predictions: FloatArray


def fit_on_shared_validation(checkpoints: Sequence[Checkpoint], allowed: Sequence[Path]) -> Fitted | Phrased:
    """checkpoints: of the same question; allowed: folders that must contain their files. → the fitted values,
    or the reason why there are none"""
    if len({json.dumps(one.state["config"]["data"].get("fold")) for one in checkpoints}) > 1:
        return phrase("members_of_other_folds")
    kind = kind_of(checkpoints[0].state)
    found = []
    for number, checkpoint in enumerate(checkpoints, start=1):
        own = _read(checkpoint, kind, allowed)
        if own is None:
            return phrase("member_without_predictions", number=number)
        found.append(own)
    if any(own.identity != found[0].identity for own in found):
        return phrase("members_of_other_cases")
    mean = np.mean([own.predictions for own in found], axis=0)
    labels, people = found[0].labels, [identity[2] for identity in found[0].identity]
    patients = np.unique(people, return_inverse=True)[1] if any(people) else None
    loop = checkpoints[0].state["config"]["training"]
    return Fitted(kind.choose_threshold(labels, mean), fit_on_validation(kind, labels, patients, mean, loop))


def _read(checkpoint: Checkpoint, kind: OutcomeKind, allowed: Sequence[Path]) -> _Predicted | None:
    """Validation results stored in the run of a checkpoint; None if they are of another checkpoint, cannot be
    read, or are in another folder."""
    file = RunDirectory(checkpoint.folder.parent.parent).validation
    try:
        result = json.loads(_inside(file, allowed))
        if result["source"]["checkpoint_digest"] != checkpoint.digest:
            return None
        content = _inside(file.parent / Path(result["predictions"]).name, allowed)
        header, *rows = csv.reader(StringIO(content, newline=""))
        table = {name: [row[index] for row in rows] for index, name in enumerate(header)}
        truths = [name for name in header if name == "truth" or name.startswith("truth_")]
        identity = list(zip(*(table[name] for name in (*_IDENTITY, *truths)), strict=True))
        labels, predictions = kind.read_columns(table)
    except (OSError, ValueError, KeyError, IndexError, TypeError):
        return None
    order = sorted(range(len(identity)), key=identity.__getitem__)
    return _Predicted([identity[row] for row in order], labels[order], predictions[order])


def _inside(file: Path, allowed: Sequence[Path]) -> str:
    """The text of a file; ValueError if it is a link that leads outside the folders."""
    real = file.resolve()
    if not any(real.is_relative_to(folder.resolve()) for folder in allowed):
        raise ValueError("outside")
    return read_regular(real).decode("utf-8")
