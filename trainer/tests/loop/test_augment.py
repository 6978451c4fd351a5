"""Augmentation: on batches, in range, the same for the same place in the training."""

from __future__ import annotations

import pytest
import torch

from medloom_trainer.augment import STRENGTHS, Augmentation
from medloom_trainer.spec import contract

IMAGES = torch.rand(6, 3, 24, 32, generator=torch.Generator().manual_seed(0))


def augment(name: str, *, flip: bool = False, seed: int = 1, epoch: int = 1, batch: int = 0) -> torch.Tensor:
    return Augmentation(name, horizontal_flip=flip, seed=seed)(IMAGES.clone(), epoch=epoch, batch=batch)


def test_the_names_of_the_contract():
    assert {"none", *STRENGTHS} == set(
        contract("spec")["$defs"]["DataConfig"]["properties"]["augmentation"]["enum"]
    )


def test_none_changes_nothing():
    assert torch.equal(augment("none"), IMAGES)


@pytest.mark.parametrize("name", STRENGTHS)
def test_a_pure_function_of_seed_epoch_and_batch_that_stays_in_range(name):
    first = augment(name)
    torch.rand(5)  # the global generator plays no part
    assert torch.equal(first, augment(name))
    for other in (augment(name, seed=2), augment(name, epoch=2), augment(name, batch=1)):
        assert not torch.equal(first, other)
    assert first.shape == IMAGES.shape
    assert 0 <= first.min() <= first.max() <= 1


def test_stronger_changes_more():
    changes = [float((augment(name) - IMAGES).abs().mean()) for name in ("none", "light", "medium", "strong")]
    assert changes == sorted(changes)
    assert len(set(changes)) == 4


def test_sides_are_mirrored_only_when_asked():
    mirrored = augment("none", flip=True)
    flips = [torch.equal(one, other.flip(2)) for one, other in zip(mirrored, IMAGES, strict=True)]
    same = [torch.equal(one, other) for one, other in zip(mirrored, IMAGES, strict=True)]
    assert all(f or s for f, s in zip(flips, same, strict=True))
    assert any(flips)
    assert any(same)


@pytest.mark.parametrize("name", STRENGTHS)
def test_left_stays_left_without_horizontal_flip(name):
    """A picture that is bright on the left stays brighter there, and with flips half of them turn."""
    picture = torch.zeros(64, 3, 32, 32)
    picture[..., :16] = 0.9

    def left_is_brighter(flip: bool) -> torch.Tensor:
        result = Augmentation(name, horizontal_flip=flip, seed=0)(picture.clone(), epoch=1, batch=0)
        return result[..., :16].mean(dim=(1, 2, 3)) > result[..., 16:].mean(dim=(1, 2, 3))

    assert left_is_brighter(False).all()
    assert 10 < int(left_is_brighter(True).sum()) < 54


def test_channels_last_images_give_the_same_result():
    images = IMAGES.contiguous(memory_format=torch.channels_last)
    result = Augmentation("strong", horizontal_flip=True, seed=1)(images.clone(), epoch=1, batch=0)
    torch.testing.assert_close(result, augment("strong", flip=True))
