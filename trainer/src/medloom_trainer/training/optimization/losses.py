"""Losses, one number per case; the caller averages them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from medloom_trainer.data.types import Task
from medloom_trainer.errors import TrainerError

_FOCAL_EXPONENT = 2.0
"""Exponent of the focal loss (Lin et al. 2017)."""


class CaseLoss(nn.Module):
    """forward: outputs (B, K) logits with labels (B,) of int64, or (B, 1) with normalized labels (B,) → (B,)
    losses.

    Class weights are scaled so that they average 1 over the training cases: they shift attention between
    classes and leave the learning rate as it is.
    """

    def __init__(
        self, name: str, *, class_weights: Tensor | None = None, label_smoothing: float = 0.0
    ) -> None:
        super().__init__()
        self.compute = LOSSES[name]
        self.label_smoothing = label_smoothing
        self.class_weights: Tensor | None
        self.register_buffer("class_weights", class_weights, persistent=False)

    def forward(self, outputs: Tensor, labels: Tensor) -> Tensor:
        losses = self.compute(outputs, labels, self.label_smoothing)
        if self.class_weights is not None:
            losses = losses * self.class_weights[labels].to(losses.dtype)
        return losses


def build_loss(
    loop: Mapping[str, object],
    *,
    task: Task,
    classes: tuple[str, ...] | None,
    labels: npt.NDArray[np.generic],
) -> CaseLoss:
    """loop: the training part of the configuration. labels: of the training split.

    INVALID_CONFIG when the loss, the class weights or the smoothing do not fit the task, or name unknown
    classes.
    """
    name = str(loop["loss_function"])
    if name == "auto":
        name = "cross_entropy" if task == "classification" else "mse"
    smoothing = float(loop["label_smoothing"])  # type: ignore[arg-type]
    choice = loop["class_weights"]
    if name in _CLASS_LOSSES and task == "regression":
        raise TrainerError(
            "INVALID_CONFIG", f"training.loss_function {name} is for classes; the label is a number"
        )
    if name not in _CLASS_LOSSES and task == "classification":
        raise TrainerError(
            "INVALID_CONFIG", f"training.loss_function {name} is for numbers; the label is a class"
        )
    if task == "regression":
        if smoothing > 0:
            raise TrainerError(
                "INVALID_CONFIG", "training.label_smoothing is for classes; the label is a number"
            )
        if choice != "none":
            raise TrainerError(
                "INVALID_CONFIG", "training.class_weights are for classes; the label is a number"
            )
        return CaseLoss(name)
    assert classes is not None
    return CaseLoss(name, class_weights=_class_weights(choice, classes, labels), label_smoothing=smoothing)


def _class_weights(
    choice: object, classes: tuple[str, ...], labels: npt.NDArray[np.generic]
) -> Tensor | None:
    counts = np.bincount(labels.astype(np.int64), minlength=len(classes)).astype(np.float64)
    if choice == "none":
        return None
    if choice == "balanced":
        weights = np.where(counts > 0, counts.sum() / (len(classes) * np.maximum(counts, 1)), 0.0)
    else:
        assert isinstance(choice, Mapping)
        unknown, absent = sorted(set(choice) - set(classes)), sorted(set(classes) - set(choice))
        if unknown or absent:
            problem = (
                f"names unknown classes: {', '.join(unknown)}" if unknown else f"lacks: {', '.join(absent)}"
            )
            raise TrainerError(
                "INVALID_CONFIG",
                f"training.class_weights {problem}",
                f"The classes are: {', '.join(classes)}.",
            )
        weights = np.array([float(choice[name]) for name in classes])
    return torch.from_numpy(weights * counts.sum() / (weights * counts).sum()).float()


def _cross_entropy(outputs: Tensor, labels: Tensor, smoothing: float) -> Tensor:
    return F.cross_entropy(outputs, labels, reduction="none", label_smoothing=smoothing)


def _focal(outputs: Tensor, labels: Tensor, smoothing: float) -> Tensor:
    probability = (
        outputs.softmax(dim=1).gather(1, labels.unsqueeze(1)).squeeze(1)
    )  # (B,) probability of the true class
    return (1 - probability) ** _FOCAL_EXPONENT * _cross_entropy(outputs, labels, smoothing)


def _squared(outputs: Tensor, labels: Tensor, _: float) -> Tensor:
    return (outputs.squeeze(1) - labels) ** 2


def _absolute(outputs: Tensor, labels: Tensor, _: float) -> Tensor:
    return (outputs.squeeze(1) - labels).abs()


def _huber(outputs: Tensor, labels: Tensor, _: float) -> Tensor:
    return F.huber_loss(outputs.squeeze(1), labels, reduction="none")


_CLASS_LOSSES = ("cross_entropy", "focal")
LOSSES: dict[str, Callable[[Tensor, Tensor, float], Tensor]] = {
    "cross_entropy": _cross_entropy,
    "focal": _focal,
    "mse": _squared,
    "mae": _absolute,
    "huber": _huber,
}
"""Name in the configuration → losses of single cases."""
