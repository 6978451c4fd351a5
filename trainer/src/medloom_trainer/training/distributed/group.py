"""The processes that train together, on one machine or several. With one process every method works
locally.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import timedelta
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import torch
import torch.distributed as dist
from torch import Tensor, nn

from medloom_trainer.durations import GRADIENTS_TIMEOUT, GROUP_TIMEOUT
from medloom_trainer.inference.devices import DeviceRequest, is_member

_Result = TypeVar("_Result")

_WAIT_TIMEOUT = timedelta(seconds=GROUP_TIMEOUT)
_GRADIENT_TIMEOUT = timedelta(seconds=GRADIENTS_TIMEOUT)


def lost_peer(error: BaseException) -> bool:
    """Return whether the process failed because another one of its group has ended."""
    if isinstance(error, dist.DistBackendError | dist.DistNetworkError):
        return True
    texts = ("gloo", "by peer", "Broken pipe")
    return isinstance(error, RuntimeError) and any(text in str(error) for text in texts)


class Group:
    """The processes of one training. Only rank 0 writes files."""

    def __init__(self, rank: int, size: int, device: torch.device, control: dist.ProcessGroup | None) -> None:
        self.rank = rank
        self.size = size
        self.device = device
        self._control = control

    @classmethod
    def alone(cls, device: torch.device | str = "cpu") -> Group:
        return cls(0, 1, torch.device(device), None)

    @classmethod
    def join(cls, request: DeviceRequest) -> Group:
        """The group that the environment describes, and this process's device in it."""
        if not is_member():
            index = f":{request.processes[0]}" if request.kind == "cuda" else ""
            return cls.alone(request.kind + index)
        device = torch.device("cpu")
        if request.kind == "cuda":
            own = int(os.environ["LOCAL_RANK"]) if len(request.processes) > 1 else 0
            device = torch.device("cuda", request.processes[own])
            torch.cuda.set_device(device)
        if request.kind == "cuda":
            # NCCL would wait for a lost process forever. It is only used for gradients, in every batch.
            dist.init_process_group("nccl", timeout=_GRADIENT_TIMEOUT)
        else:
            dist.init_process_group("gloo", timeout=_WAIT_TIMEOUT)
        # Votes and sums are computed on the CPU, so that they never wait for a GPU.
        control = dist.new_group(backend="gloo", timeout=_WAIT_TIMEOUT)
        return cls(dist.get_rank(), dist.get_world_size(), device, control)

    @property
    def is_first(self) -> bool:
        return self.rank == 0

    def leave(self) -> None:
        if self.size > 1:
            dist.destroy_process_group()

    def wrap(self, network: nn.Module, *, some_unused: bool) -> nn.Module:
        """The network, with gradients averaged over the group. some_unused: a batch may leave parameters
        without gradient.
        """
        if self.size == 1:
            return network
        return nn.parallel.DistributedDataParallel(network, find_unused_parameters=some_unused)

    def backward_of(self, model: nn.Module, *, ends_step: bool) -> AbstractContextManager[Any]:
        """The context of a forward and backward pass of the result of `wrap`. Gradients are averaged once in
        an optimizer step, with its last batch.
        """
        if self.size == 1 or ends_step:
            return nullcontext()
        assert isinstance(model, nn.parallel.DistributedDataParallel)
        return model.no_sync()

    def mean(self, numbers: Tensor) -> Tensor:
        """Mean over the group, on the CPU."""
        if self.size == 1:
            return numbers.detach()
        return (self.sum(numbers) / self.size).to(numbers.dtype)

    def share_buffers(self, network: nn.Module) -> None:
        """Copy the buffers of rank 0, whose network is saved, to every process. Gradients are averaged after
        each batch, but the statistics of BatchNorm come from the images of their own process.
        """
        if self.size > 1:
            for buffer in network.buffers():
                dist.broadcast(buffer, src=0)

    def any(self, flag: bool) -> bool:
        """Return whether the flag is set in any process, so that all take the same branch."""
        if self.size == 1:
            return flag
        votes = torch.tensor([int(flag)])
        dist.all_reduce(votes, op=dist.ReduceOp.MAX, group=self._control)
        return bool(votes.item())

    def sum(self, numbers: Tensor) -> Tensor:
        """Sum over the group, on the CPU."""
        total = numbers.detach().to("cpu", torch.float64)
        if self.size > 1:
            dist.all_reduce(total, group=self._control)
        return total

    def shares(self, count: int, batch_size: int) -> list[npt.NDArray[np.int64]]:
        """For each rank, the cases of `count` that it predicts: every size-th batch, so that the batches are
        the same as with one process. A process may have none.
        """
        batch = np.arange(count) // batch_size
        return [np.flatnonzero(batch % self.size == rank) for rank in range(self.size)]

    def gather_rows(self, rows: Tensor, shares: Sequence[npt.NDArray[np.int64]], width: int) -> Tensor:
        """Each process has the rows that `shares` assigns to it; all receive all of them in order. rows (n,
        width) on the CPU.
        """
        if self.size == 1:
            return rows
        padded = torch.zeros(max(map(len, shares)), width, dtype=rows.dtype)
        if len(rows):
            padded[: len(rows)] = rows
        parts = [torch.empty_like(padded) for _ in range(self.size)]
        dist.all_gather(parts, padded, group=self._control)
        gathered = torch.empty(sum(map(len, shares)), width, dtype=rows.dtype)
        for part, share in zip(parts, shares, strict=True):
            gathered[torch.from_numpy(share)] = part[: len(share)]
        return gathered

    def gather_states(self, state: dict[str, Tensor]) -> list[dict[str, Tensor]]:
        """One state per process, by rank."""
        if self.size == 1:
            return [state]
        gathered: list[dict[str, Tensor]] = [{} for _ in range(self.size)]
        for name, tensor in state.items():
            parts = [torch.empty_like(tensor) for _ in range(self.size)]
            dist.all_gather(parts, tensor, group=self._control)
            for mine, part in zip(gathered, parts, strict=True):
                mine[name] = part
        return gathered

    def first_then_others(self, work: Callable[[], _Result]) -> _Result:
        """Rank 0 works first and fills the cache that the others read."""
        if self.is_first:
            result = work()
            self._wait_for_all()
            return result
        self._wait_for_all()
        return work()

    def _wait_for_all(self) -> None:
        if self.size > 1:
            dist.barrier(group=self._control)
