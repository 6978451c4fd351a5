"""Batches made by threads, in reused memory, and transferred in few copies."""

from __future__ import annotations

import threading

import pytest
import torch

from medloom_trainer.inference.batches import gather
from medloom_trainer.inference.batches.ordered_map import map_in_order
from medloom_trainer.inference.batches.ring import Ring
from medloom_trainer.inference.batches.transfer import carry
from medloom_trainer.training.augmentation.standard import build_augmentation
from testing.eventually import eventually, limit
from testing.synthetic import prepared


def blocks(size: int) -> torch.Tensor:
    return torch.empty(size, dtype=torch.uint8)


def readers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "read-ahead"]


def test_results_come_in_order_whichever_is_made_first():
    """Each even number waits until the next odd one is made."""
    made = [threading.Event() for _ in range(20)]

    def make(number: int) -> int:
        if number % 2 == 0:
            assert made[number + 1].wait(limit())
        made[number].set()
        return number

    assert list(map_in_order(make, 20, threads=2, ahead=2)) == list(range(20))
    assert not readers()


@pytest.mark.parametrize("threads", [1, 3])
def test_no_more_are_made_than_asked_for_and_some_ahead(threads):
    asked, ahead = 0, []
    results = map_in_order(lambda number: ahead.append(number - asked), 50, threads=threads, ahead=4)
    for asked in range(10):  # noqa: B007
        next(results)
    eventually(lambda: len(ahead), lambda made: made >= 10 + 4)
    results.close()
    # `make` knows the next request before the threads do: fewer, but never more.
    assert len(ahead) == 10 + 4 and max(ahead) <= 4
    assert not readers()


def test_an_error_is_raised_in_its_place_and_ends_the_threads():
    def make(number: int) -> int:
        if number == 3:
            raise OSError("cut short")
        return number

    results = map_in_order(make, 10, threads=3, ahead=6)
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(OSError, match="cut short"):
        next(results)
    assert not readers()


def test_a_block_is_given_again_when_its_copy_has_ended():
    ring = Ring(2, blocks)
    first = ring.block(0, (2, 3), torch.uint16)
    ended = []
    ring.hold(0, lambda: ended.append(0))
    assert ring.block(1, (2, 3), torch.uint16).data_ptr() != first.data_ptr()
    assert not ended
    assert ring.block(2, (3, 2), torch.uint16).data_ptr() == first.data_ptr()
    assert ended == [0]
    assert ring.block(4, (40, 2), torch.uint8).shape == (40, 2)  # a larger batch


@pytest.mark.parametrize("gaps", [False, True])
def test_a_batch_travels_in_two_copies(gaps):
    """Its images, and one block of table, labels, mask and the random numbers for the augmentation."""
    data = prepared(num_views=2)
    if gaps:
        data.train.slots[1, 1] = -1
    augmentation = build_augmentation("strong", horizontal_flip=True, seed=1)
    batch = gather(
        data.train,
        data.store,
        torch.arange(5).numpy(),
        labels=data.train.labels,
        draw=lambda shape: augmentation.draw(shape, epoch=1, batch=0),
    )
    copied = []

    def copy(block: torch.Tensor) -> torch.Tensor:
        copied.append(block)
        return block.clone()

    there = carry(batch, blocks, copy)
    assert len(copied) == 2
    assert len(batch.tensors()) == 10 + gaps
    for one, other in zip(batch.tensors(), there.tensors(), strict=True):
        assert one.dtype == other.dtype and torch.equal(one, other)
    assert there.drawn.seed == batch.drawn.seed
