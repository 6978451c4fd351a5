"""The cases of a batch, and their transfer to the device."""

from __future__ import annotations

import threading
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from medloom_trainer.inference.batches import (
    BATCHES_AHEAD,
    ImageNormalizer,
    gather,
    read_ahead,
    shuffled_batches,
)
from medloom_trainer.inference.batches import readers as readers_module
from medloom_trainer.inference.batches.readers import readers_for
from medloom_trainer.training.augmentation.standard import build_augmentation
from testing.synthetic import ArrayStore, cases_of, prepared

CPU = torch.device("cpu")


@given(
    cases=st.integers(1, 300), size=st.integers(1, 64), smallest=st.integers(2, 8), epoch=st.integers(1, 3)
)
def test_every_case_once_no_epoch_empty_no_batch_of_one(cases, size, smallest, epoch):
    size = min(size, cases)
    batches = shuffled_batches(cases, size, seed=0, epoch=epoch, smallest=smallest)
    assert sorted(np.concatenate(batches)) == list(range(cases))
    assert all(len(batch) == size for batch in batches[:-1])
    if size > 1:
        assert min(map(len, batches)) >= min(2, size)
        assert max(map(len, batches)) < size + smallest


def test_the_order_is_a_function_of_seed_and_epoch():
    def order(seed: int, epoch: int) -> list[int]:
        return np.concatenate(shuffled_batches(50, 8, seed=seed, epoch=epoch)).tolist()

    assert order(1, 1) == order(1, 1)
    assert order(1, 1) != order(1, 2) != order(2, 2)


def test_batches_arrive_in_order_with_their_masks():
    data = prepared(num_views=2)
    slots = data.train.slots.copy()
    slots[3, 1] = -1
    cases = type(data.train)(**{**vars(data.train), "slots": slots})
    batches = [np.array([0, 1]), np.array([3, 2])]
    first, second = read_ahead(cases, data.store, batches, device=CPU, labels=cases.labels)
    assert first.view_mask is None  # all exist: nothing to synchronize on
    assert second.view_mask.tolist() == [[True, False], [True, True]]
    assert torch.equal(second.labels, torch.from_numpy(cases.labels[[3, 2]]))
    assert torch.equal(first.images, torch.from_numpy(data.store.gather(slots[[0, 1]])))


def test_reading_runs_a_few_batches_ahead_and_ends_with_the_consumer():
    class Counting(ArrayStore):
        count = 0

        def gather_into(self, slots, out):
            self.count += 1
            super().gather_into(slots, out)

    store = Counting(np.zeros((16, 4, 4, 3), np.uint8))
    cases = cases_of(100, seed=0, num_views=1)
    before = {*threading.enumerate()}  # a reader of another test may still be known to a traceback
    reader = read_ahead(cases, store, [np.array([i]) for i in range(100)], device=CPU)
    next(reader)
    own = [thread for thread in threading.enumerate() if thread not in before]
    assert {thread.name for thread in own} == {"read-ahead"}
    threading.Event().wait(0.3)
    assert store.count <= 1 + BATCHES_AHEAD + 1
    reader.close()
    assert not any(thread.is_alive() for thread in own)


def test_a_failing_store_fails_the_loop():
    class Broken(ArrayStore):
        def gather_into(self, slots, out):
            raise OSError("cut short")

    reader = read_ahead(
        cases_of(4, seed=0, num_views=1),
        Broken(np.zeros((16, 4, 4, 3), np.uint8)),
        [np.arange(4)],
        device=CPU,
    )
    with pytest.raises(OSError, match="cut short"):
        next(reader)


@pytest.mark.parametrize("readers", [1, 3])
def test_several_readers_give_what_one_gives(readers):
    data = prepared(num_views=2)
    data.train.slots[::3, 1] = -1
    augmentation = build_augmentation("strong", horizontal_flip=True, seed=3)
    batches = shuffled_batches(26, 4, seed=0, epoch=1)
    read = read_ahead(
        data.train,
        data.store,
        batches,
        device=CPU,
        labels=data.train.labels,
        draw=lambda number: partial(augmentation.draw, epoch=1, batch=number),
        readers=readers,
    )
    for number, (indices, batch) in enumerate(zip(batches, read, strict=True)):
        alone = gather(data.train, data.store, indices, labels=data.train.labels)
        drawn = augmentation.draw((len(indices), 2, 32, 32), epoch=1, batch=number)
        expected = [*alone.tensors(), *drawn.numbers.values()]
        assert all(torch.equal(*pair) for pair in zip(batch.tensors(), expected, strict=True))


@pytest.mark.parametrize("readers", [1, 2])
def test_images_stay_while_they_are_used_and_their_memory_is_used_again(readers):
    """The images of a batch are valid until the next one is requested, whatever the progress of the
    readers."""
    records = np.arange(40, dtype=np.uint8)[:, None, None, None] * np.ones((1, 4, 4, 3), np.uint8)
    cases = replace(cases_of(40, seed=0, num_views=1), slots=np.arange(40)[:, None])
    places = set()
    batches = [np.array([i]) for i in range(40)]
    for number, batch in enumerate(
        read_ahead(cases, ArrayStore(records), batches, device=CPU, readers=readers)
    ):
        threading.Event().wait(0.01)  # the readers read ahead as far as possible
        assert (batch.images == number).all()
        places.add(batch.images.data_ptr())
    assert len(places) == 1 + BATCHES_AHEAD * readers


def test_a_gpu_is_fed_by_more_readers_than_the_cpu(monkeypatch):
    store = prepared().store
    for count, expected in {1: 1, 2: 1, 4: 2, 64: 4}.items():
        monkeypatch.setattr(readers_module, "cores", lambda count=count: count)
        assert readers_for(torch.device("cuda"), store) == expected
        assert readers_for(CPU, store) == readers_for(torch.device("cuda"), None) == 1


@pytest.mark.parametrize("depth", [8, 16])
def test_records_of_both_depths_are_normalized_alike(depth):
    full = 255 if depth == 8 else 65535
    kind = np.uint8 if depth == 8 else np.uint16
    records = torch.from_numpy(np.full((2, 3, 4, 5, 3), full, kind))  # (B, V, H, W, 3)
    records[0] = 0
    normalizer = ImageNormalizer({"mean": [0.5, 0.0, 0.25], "std": [0.5, 1.0, 0.25]}, CPU)
    images = normalizer.normalize(normalizer.unit(records), 3)
    assert images.shape == (2, 3, 3, 4, 5)
    torch.testing.assert_close(images[0, 0, :, 0, 0], torch.tensor([-1.0, 0.0, -1.0]))
    torch.testing.assert_close(images[1, 2, :, 3, 4], torch.tensor([1.0, 1.0, 3.0]))
    assert images.flatten(0, 1).is_contiguous(memory_format=torch.channels_last)
