"""Outputs of the network for prepared cases."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil

import numpy as np
import torch

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.each_case import EachCase
from medloom_trainer.inference.image_reference import of_existing_views, seen_features
from medloom_trainer.inference.predict import batch_on, predict_with_members
from medloom_trainer.metrics.arrays import FloatArray
from medloom_trainer.outcomes import kind_of
from medloom_trainer.prediction.resident import Model


@dataclass(frozen=True)
class Outputs:
    """M cases."""

    predictions: FloatArray
    """(M, …) in the form of the kind of outcome."""
    members: FloatArray | None
    """(…, M, …) of the members of an ensemble."""
    distances: FloatArray | None
    """(M,) distance of the images of each case from the training images, NaN without an image; None if the
    model has no reference."""


def outputs_of(
    model: Model, prepared: EachCase, device: str, progress: Callable[[str, float], None]
) -> Outputs:
    """Predict in the batches of an evaluation. progress: from .5 to .85."""
    state, slots = model.checkpoint.state, prepared.cases.slots
    if not len(prepared.rows):
        return Outputs(kind_of(state).guesses(0), None, None)
    size = batch_on(torch.device(device), state["config"]["training"]["batch_size"])
    batches, done = ceil(len(prepared.rows) / size), 0

    def after_batch() -> None:
        nonlocal done
        done += 1
        progress(phrase("predicting"), 0.5 + 0.35 * done / batches)

    progress(phrase("predicting"), 0.5)
    with seen_features(model.network) as collected:
        predictions, members = predict_with_members(
            model.network,
            prepared.cases,
            prepared.store,
            checkpoint_state=state,
            device=device,
            batch_size=state["config"]["training"]["batch_size"],
            after_batch=after_batch,
        )
    distances = None
    if model.image_reference is not None and slots is not None:
        features = of_existing_views(collected, slots, size)
        if features is not None:
            distances = model.image_reference.of_cases(features, slots)
    return Outputs(np.asarray(predictions), members, distances)
