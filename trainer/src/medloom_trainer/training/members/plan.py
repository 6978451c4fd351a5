"""The cases from which each network of an ensemble learns and on which it validates, and its batches."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.types import Cases, PreparedData
from medloom_trainer.inference.batches import Indices, Steps


@dataclass(frozen=True)
class MemberRows:
    """Cases are numbered through training and validation, in this order."""

    training: tuple[Indices, ...]
    """Training cases of each member."""
    validation: tuple[Indices, ...]
    num_train: int
    folds: bool
    """Each member leaves out its own fold, so that no two validate on the same case."""

    @classmethod
    def from_data(cls, data: PreparedData, count: int) -> MemberRows:
        num_train, num_val = len(data.train.values), len(data.val.values)
        if data.member_folds is None:
            train, val = np.arange(num_train), np.arange(num_train, num_train + num_val)
            return cls((train,) * count, (val,) * count, num_train, folds=False)
        fold = data.member_folds
        training = tuple(np.flatnonzero(fold != member) for member in range(count))
        validation = tuple(np.flatnonzero(fold == member) for member in range(count))
        return cls(training, validation, num_train, folds=True)


def table_of_both(data: PreparedData) -> Cases:
    """Training cases followed by validation cases, in the form that the members read: the table and the
    labels. Other fields are those of the training split.
    """
    train, val = data.train, data.val
    assert train.labels is not None and val.labels is not None
    return replace(
        train,
        slots=None,
        values=np.concatenate([train.values, val.values]),
        codes=np.concatenate([train.codes, val.codes]),
        present=np.concatenate([train.present, val.present]),
        labels=np.concatenate([train.labels, val.labels]),
    )


@dataclass(frozen=True)
class EnsembleBatch:
    """The cases that every network trains in one step."""

    rows: Indices
    """(M, B) of each member; a member with fewer cases repeats its last one."""
    sizes: npt.NDArray[np.int64]
    """(M,) number of cases of each member that count."""
    images: Indices
    """Cases of the image network, among the training cases; empty without one."""

    @property
    def passes(self) -> int:
        """Number of cases of all networks together."""
        return int(self.sizes.sum()) + len(self.images)


@dataclass(frozen=True)
class EnsemblePlan(Steps):
    """Every network takes every step: its cases, in its own order, are divided evenly among the steps."""

    rows: tuple[Indices, ...]
    """The training cases of each member."""
    num_images: int
    """Number of training cases of the image network; 0 without one."""
    batch_size: int
    accumulation: int
    seed: int

    @property
    def total_batches(self) -> int:
        """The number that the network with most cases needs; no batch has fewer than two cases."""
        counts = [len(rows) for rows in self.rows] + ([self.num_images] if self.num_images else [])
        return max(1, min(-(-max(counts) // self.batch_size), min(counts) // 2))

    @property
    def num_cases(self) -> int:
        """Number of cases that pass through all networks together in an epoch."""
        return sum(map(len, self.rows)) + self.num_images

    @property
    def num_networks(self) -> int:
        return len(self.rows) + (self.num_images > 0)

    @property
    def image_batch_sizes(self) -> tuple[int, ...]:
        smallest, larger = divmod(self.num_images, self.total_batches)
        return (smallest, smallest + 1) if larger else (smallest,)

    def batches(self, epoch: int) -> list[EnsembleBatch]:
        """Batches as a pure function of (seed, epoch)."""
        shuffled = [
            rows[self._order(len(rows), epoch, member)] for member, rows in enumerate(self.rows, start=1)
        ]
        parts = [np.array_split(rows, self.total_batches) for rows in shuffled]
        images = np.array_split(self._order(self.num_images, epoch, 0), self.total_batches)
        made = []
        for step, image_cases in enumerate(images):
            mine = [part[step] for part in parts]
            width = max(map(len, mine))
            padded = np.stack([np.pad(rows, (0, width - len(rows)), mode="edge") for rows in mine])
            made.append(EnsembleBatch(padded, np.asarray([len(rows) for rows in mine]), image_cases))
        return made

    def _order(self, count: int, epoch: int, network: int) -> Indices:
        return np.random.default_rng([self.seed, epoch, network]).permutation(count).astype(np.int64)
