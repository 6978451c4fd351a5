"""Distance of images from the training images of a model, in the features of its backbone.

The training views are described by a Gaussian of their pooled features, in the form of probabilistic
principal components (Tipping and Bishop 1999): the variances of the first components, and one variance for
all others. The distance of a case is the largest Mahalanobis distance of its views (Lee et al. 2018). The
threshold is chosen on the validation cases, to which the Gaussian was not fitted, so that a new case like
these exceeds it with a probability of at most 5 %.

The reference is a file of the run, with the digest of the checkpoint that it belongs to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from safetensors import SafetensorError
from safetensors.numpy import load_file, save
from torch import nn

from medloom_trainer.contract.run_directory import RunDirectory
from medloom_trainer.data.types import Cases, ImageStore
from medloom_trainer.files import write_atomically
from medloom_trainer.inference.checkpoint import Checkpoint
from medloom_trainer.inference.predict import batch_on, forward_all
from medloom_trainer.model.backbones import Backbone

FALSE_ALARMS = 0.05
MOST_CASES = 512
"""Limit for the cases of each split that are read: evenly chosen."""
_FEWEST_TRAINING, _FEWEST_VALIDATION = 20, 20
_MOST_COMPONENTS = 64
_VIEWS_PER_COMPONENT = 4
_BATCH = 32

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class ImageReference:
    """The training images of a model. D features, C components."""

    mean: FloatArray
    """(D,)"""
    components: FloatArray
    """(C, D) orthonormal rows."""
    variances: FloatArray
    """(C,) of the components."""
    residual: float
    """Variance of each other direction."""
    threshold: float
    cases: int
    """Validation cases that determined the threshold."""

    @property
    def false_alarms(self) -> float:
        """Expected share of new cases like these beyond the threshold. It is larger than the share of the
        validation cases, which chose the threshold: of 20 cases none is beyond it."""
        return expected_beyond(self.cases, self.cases - rank_of_threshold(self.cases))

    def distances(self, features: FloatArray) -> FloatArray:
        """(N, D) → (N,)"""
        centered = features - self.mean
        along = centered @ self.components.T
        rest = np.maximum((centered**2).sum(axis=1) - (along**2).sum(axis=1), 0)
        found: FloatArray = np.sqrt((along**2 / self.variances).sum(axis=1) + rest / self.residual)
        return found

    def of_cases(self, features: FloatArray, slots: npt.NDArray[np.int64]) -> FloatArray:
        """(N,) largest distance of the views of each case, NaN without a view. features: of the existing
        views of the cases, in order; slots (N, V), -1 if missing."""
        found = np.full(slots.shape, -np.inf)
        found[slots >= 0] = self.distances(features)
        largest = found.max(axis=1)
        return np.where(np.isfinite(largest), largest, np.nan)

    def facts(self) -> dict[str, Any]:
        """Contract PredictionBasis.image_distance."""
        return {"threshold": self.threshold, "false_alarms": self.false_alarms, "cases": self.cases}


@contextmanager
def seen_features(network: nn.Module) -> Iterator[list[FloatArray]]:
    """Collect the pooled features that the backbone of a network returns in this context, by call, including
    those of views with which a batch is padded."""
    collected: list[FloatArray] = []
    backbone = backbone_of(network)
    if backbone is None:
        yield collected
        return

    def collect(_module: nn.Module, _inputs: Any, output: Any) -> None:
        collected.append(output[1].float().cpu().double().numpy())

    hook = backbone.register_forward_hook(collect)
    try:
        yield collected
    finally:
        hook.remove()


def backbone_of(network: nn.Module) -> Backbone | None:
    """The only backbone of a network; None without one, or if it has several."""
    found = [module for module in network.modules() if isinstance(module, Backbone)]
    return found[0] if len(found) == 1 else None


def of_existing_views(
    collected: list[FloatArray], slots: npt.NDArray[np.int64], batch_size: int
) -> FloatArray | None:
    """Features of the existing views, in the order of the cases; None if the calls do not match the batches
    of `forward_all`. A batch without views calls the backbone with one that does not exist."""
    counts = [
        int((slots[start : start + batch_size] >= 0).sum()) for start in range(0, len(slots), batch_size)
    ]
    if len(collected) != len(counts) or any(
        len(features) < count for features, count in zip(collected, counts, strict=True)
    ):
        return None
    parts = [features[:count] for features, count in zip(collected, counts, strict=True)]
    return np.concatenate(parts) if parts else None


def write_image_reference(
    run_dir: Path,
    checkpoint: Checkpoint,
    train: Cases,
    val: Cases,
    store: ImageStore | None,
    device: torch.device,
    after_batch: Callable[[], None],
) -> None:
    """Store the reference of a checkpoint in its run, or remove that of another one if it has none: the
    network reads no images, or the cases are too few."""
    file = RunDirectory(run_dir).image_reference
    reference = None
    if store is not None and train.slots is not None and val.slots is not None:
        network = checkpoint.build_network()
        if backbone_of(network) is not None:
            of_train, of_val = (
                _features(network, cases, store, checkpoint, device, after_batch) for cases in (train, val)
            )
            if of_train is not None and of_val is not None:
                reference = fit_reference(of_train[0], *of_val)
    if reference is None:
        file.unlink(missing_ok=True)
        return
    tensors = {name: np.asarray(value, dtype=np.float64) for name, value in vars(reference).items()}
    # Single precision is exact enough for the large ones.
    tensors |= {name: tensors[name].astype(np.float32) for name in ("mean", "components")}
    content = save(tensors, metadata={"checkpoint_digest": checkpoint.digest})
    write_atomically(file, lambda target: target.write(content))


def read_image_reference(checkpoint: Checkpoint) -> ImageReference | None:
    """The reference of this checkpoint; None if none exists or can be read."""
    from safetensors import safe_open

    file = RunDirectory(checkpoint.folder.parent.parent).image_reference
    try:
        with safe_open(file, framework="numpy") as opened:
            if (opened.metadata() or {}).get("checkpoint_digest") != checkpoint.digest:
                return None
        tensors = {name: tensor.astype(np.float64) for name, tensor in load_file(file).items()}
        return ImageReference(
            tensors["mean"],
            tensors["components"],
            tensors["variances"],
            residual=float(tensors["residual"]),
            threshold=float(tensors["threshold"]),
            cases=int(tensors["cases"]),
        )
    except (OSError, SafetensorError, KeyError, ValueError, TypeError):
        return None


def fit_reference(train: FloatArray, val: FloatArray, slots: npt.NDArray[np.int64]) -> ImageReference | None:
    """train (N, D): features of training views. val: features of the existing views of validation cases;
    slots: of these cases. None if there are too few."""
    cases = int((slots >= 0).any(axis=1).sum())
    rank = rank_of_threshold(cases)
    if len(train) < _FEWEST_TRAINING or cases < _FEWEST_VALIDATION or rank > cases:
        return None
    mean = train.mean(axis=0)
    count = min(_MOST_COMPONENTS, len(train) // _VIEWS_PER_COMPONENT, train.shape[1] - 1)
    _, values, rows = np.linalg.svd(train - mean, full_matrices=False)
    spectrum = values**2 / (len(train) - 1)
    residual = float(spectrum[count:].sum() / (train.shape[1] - count))
    if not residual > 0 or not np.isfinite(spectrum).all():
        return None
    variances = np.maximum(spectrum[:count], residual)
    fitted = ImageReference(mean, rows[:count], variances, residual, 0.0, cases)
    distances = fitted.of_cases(val, slots)
    distances = distances[~np.isnan(distances)]
    threshold = float(np.sort(distances)[rank - 1])
    return replace(fitted, threshold=threshold)


def rank_of_threshold(cases: int) -> int:
    """The rank of the distance, among those of the validation cases, that is the threshold."""
    return ceil((cases + 1) * (1 - FALSE_ALARMS))


def expected_beyond(cases: int, beyond: int) -> float:
    """Expected share of new cases beyond a threshold that is the distance of one of `cases` cases, of which
    `beyond` have a larger one: a new case takes each of the cases + 1 ranks with the same probability."""
    return (beyond + 1) / (cases + 1)


def _features(
    network: nn.Module,
    cases: Cases,
    store: ImageStore,
    checkpoint: Checkpoint,
    device: torch.device,
    after_batch: Callable[[], None],
) -> tuple[FloatArray, npt.NDArray[np.int64]] | None:
    """Features of the existing views of some cases, and the slots of these cases."""
    assert cases.slots is not None
    count = min(len(cases.rows), MOST_CASES)
    chosen = np.unique(np.linspace(0, len(cases.rows) - 1, count).astype(np.int64))
    network.to(device, memory_format=torch.channels_last)  # type: ignore[call-overload]
    with seen_features(network) as collected:
        forward_all(
            network,
            cases,
            store,
            image_normalization=checkpoint.state["image_normalization"],
            device=device,
            batch_size=_BATCH,
            indices=chosen,
            after_batch=after_batch,
        )
    slots = cases.slots[chosen]
    features = of_existing_views(collected, slots, batch_on(device, _BATCH))
    return None if features is None else (features, slots)
