"""The networks of an ensemble during their training: the cases from which each learns, and its best epoch."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy.typing as npt
from torch import Tensor, nn

from medloom_trainer.data.types import Cases
from medloom_trainer.model.ensemble import EnsembleNetwork
from medloom_trainer.training.early_stopping import Monitor
from medloom_trainer.training.members.packed import PackedMembers
from medloom_trainer.training.members.plan import EnsemblePlan, MemberRows
from medloom_trainer.training.optimization.optimizer import OF_IMAGE, OF_TABLE, weights_of

BEST_WEIGHTS, _CURRENT = "best.", "current."
"""Prefixes of weights in the part "optimizer" of a checkpoint that predicts with the other weights."""


@dataclass
class Learners:
    """The members, followed by the network that reads the images, if there is one."""

    network: EnsembleNetwork
    packed: PackedMembers
    rows: MemberRows
    plan: EnsemblePlan
    table: Cases
    """Training and validation cases in the form that the members read."""
    targets: npt.NDArray[Any]
    """Targets of `table` for the loss."""
    monitors: list[Monitor]
    """One for each network."""
    best: EnsembleNetwork
    """Each network at its best epoch."""
    best_outputs: dict[int, Tensor] = field(default_factory=dict)
    """Network → its outputs at that epoch for the cases on which it validates."""

    @classmethod
    def from_network(
        cls,
        network: EnsembleNetwork,
        plan: EnsemblePlan,
        rows: MemberRows,
        table: Cases,
        targets: npt.NDArray[Any],
        monitor: Monitor,
    ) -> Learners:
        """monitor: copied for each network. The network is already on its device."""
        best = copy.deepcopy(network).eval()
        monitors = [copy.copy(monitor) for _ in range(plan.num_networks)]
        return cls(network, PackedMembers(network.networks), rows, plan, table, targets, monitors, best)

    def parameters(self) -> dict[str, nn.Parameter]:
        """Name → trained parameter: "table.…" (M, …) of all members, "image.…" of the image network."""
        learning = {f"{OF_TABLE}{name}": packed for name, packed in self.packed.parameters.items()}
        if self.network.image is not None:
            learning |= {f"{OF_IMAGE}{name}": own for name, own in self.network.image.named_parameters()}
        return learning

    def decaying(self) -> set[str]:
        """Names of the `parameters` with weight decay."""
        names = {f"{OF_TABLE}{name}" for name in weights_of(self.network.networks[0])}
        if self.network.image is not None:
            names |= {f"{OF_IMAGE}{name}" for name in weights_of(self.network.image)}
        return names

    def parts(self) -> Iterator[tuple[nn.Module, nn.Module]]:
        """(in training, at its best epoch) of each network."""
        yield from zip(self.network.members, self.best.members, strict=True)
        if self.network.image is not None and self.best.image is not None:
            yield self.network.image, self.best.image

    def end_epoch(
        self, epoch: int, outputs: Sequence[Tensor], metrics: Sequence[Mapping[str, float | None]]
    ) -> bool:
        """Store each network that has improved. → True if there is one"""
        improved = False
        parts = zip(self.parts(), self.monitors, outputs, metrics, strict=True)
        for number, ((network, best), monitor, predicted, measured) in enumerate(parts):
            if monitor.end_epoch(epoch, measured):
                best.load_state_dict(network.state_dict())
                self.best_outputs[number] = predicted
                improved = True
        return improved

    @property
    def epochs_without_improvement(self) -> int:
        """Number for the network that improved last."""
        return min(monitor.epochs_without_improvement for monitor in self.monitors)

    @property
    def best_epochs(self) -> list[int | None]:
        return [None if monitor.best is None else int(monitor.best["epoch"]) for monitor in self.monitors]

    def weights(self, *, of_best: bool) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
        """→ the weights with which a checkpoint predicts, and the other weights that a continued training
        needs: in the checkpoint of the best epochs those in training, in the others those of the best
        epochs.
        """
        chosen, other = (self.best, self.network) if of_best else (self.network, self.best)
        prefix = _CURRENT if of_best else BEST_WEIGHTS
        others = {f"{prefix}{name}": tensor for name, tensor in other.state_dict().items()}
        return dict(chosen.state_dict()), others

    def restore_weights(self, model: dict[str, Tensor], others: Mapping[str, Tensor]) -> None:
        """Restore the result of `weights` from either checkpoint."""
        for network, prefix in ((self.network, _CURRENT), (self.best, BEST_WEIGHTS)):
            own = {
                name.removeprefix(prefix): tensor
                for name, tensor in others.items()
                if name.startswith(prefix)
            }
            network.load_state_dict(own or model)

    def state(self) -> list[dict[str, Any]]:
        """State as JSON."""
        return [monitor.state() for monitor in self.monitors]

    def restore(self, states: Sequence[Mapping[str, Any]]) -> None:
        for monitor, state in zip(self.monitors, states, strict=True):
            monitor.restore(state)
