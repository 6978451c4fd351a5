"""The cases of each batch of an epoch, and the optimizer steps of the batches."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

Indices = npt.NDArray[np.int64]


class Steps:
    """Division of the batches of an epoch into optimizer steps."""

    accumulation: int
    """Batches of one optimizer step."""

    @property
    def total_batches(self) -> int:
        """Number of batches of every epoch."""
        raise NotImplementedError

    @property
    def num_networks(self) -> int:
        """Number of networks that take every step."""
        return 1

    @property
    def image_batch_sizes(self) -> tuple[int, ...]:
        """Numbers of training cases whose images pass the backbone together, in nearly all batches."""
        raise NotImplementedError

    @property
    def steps_per_epoch(self) -> int:
        return -(-self.total_batches // self.accumulation)

    def step_of(self, batch: int) -> slice:
        """The batches of the optimizer step to which batch `batch` belongs; batches count from 0."""
        first = batch - batch % self.accumulation
        return slice(first, first + self.accumulation)

    def ends_step(self, batches_done: int) -> bool:
        return batches_done % self.accumulation == 0 or batches_done == self.total_batches


@dataclass(frozen=True)
class BatchPlan(Steps):
    """Division of the cases of an epoch into batches."""

    num_cases: int
    batch_size: int
    accumulation: int
    seed: int
    smallest: int
    """Number of cases of the smallest batch."""

    def batches(self, epoch: int) -> list[Indices]:
        return shuffled_batches(
            self.num_cases, self.batch_size, seed=self.seed, epoch=epoch, smallest=self.smallest
        )

    @property
    def total_batches(self) -> int:
        return self._total

    @property
    def image_batch_sizes(self) -> tuple[int, ...]:
        return (self.batch_size,)

    @cached_property
    def _total(self) -> int:
        return len(self.batches(1))


def shuffled_batches(
    num_cases: int, batch_size: int, *, seed: int, epoch: int, smallest: int = 2
) -> list[Indices]:
    """The training cases in the order of this epoch, a pure function of (seed, epoch); every case once.

    The last batch contains the remainder. A remainder smaller than `smallest` is added to the previous batch:
    no case is left out, and BatchNorm never sees a batch of one.
    """
    order = np.random.default_rng([seed, epoch]).permutation(num_cases)
    cuts = list(range(batch_size, num_cases, batch_size))
    if cuts and num_cases - cuts[-1] < min(smallest, batch_size):
        cuts.pop()
    return [part.astype(np.int64) for part in np.split(order, cuts)]
