"""Augmentation: on batches, within the range, the same at the same position of the training."""

from __future__ import annotations

import pytest
import torch

from medloom_trainer.contract.schemas import contract
from medloom_trainer.training.augmentation.methods import METHODS, SHADES
from medloom_trainer.training.augmentation.standard import STRENGTHS, Augmentation, build_augmentation

IMAGES = torch.rand(6, 3, 24, 32, generator=torch.Generator().manual_seed(0))


def augment(name: str, *, flip: bool = False, seed: int = 1, epoch: int = 1, batch: int = 0) -> torch.Tensor:
    return Augmentation(name, horizontal_flip=flip, seed=seed)(IMAGES.clone(), epoch=epoch, batch=batch)


def test_the_names_of_the_contract():
    assert {"none", *STRENGTHS} == set(
        contract("spec")["$defs"]["DataConfig"]["properties"]["augmentation"]["anyOf"][0]["enum"]
    )


def test_none_changes_nothing():
    assert torch.equal(augment("none"), IMAGES)


@pytest.mark.parametrize("name", STRENGTHS)
def test_a_pure_function_of_seed_epoch_and_batch_that_stays_in_range(name):
    first = augment(name)
    torch.rand(5)  # the global generator has no effect
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
    """An image that is bright on the left remains brighter there; with flips half of them are mirrored."""
    image = torch.zeros(64, 3, 32, 32)
    image[..., :16] = 0.9

    def left_is_brighter(flip: bool) -> torch.Tensor:
        result = Augmentation(name, horizontal_flip=flip, seed=0)(image.clone(), epoch=1, batch=0)
        return result[..., :16].mean(dim=(1, 2, 3)) > result[..., 16:].mean(dim=(1, 2, 3))

    assert left_is_brighter(False).all()
    assert 10 < int(left_is_brighter(True).sum()) < 54


def test_channels_last_images_give_the_same_result():
    images = IMAGES.contiguous(memory_format=torch.channels_last)
    result = Augmentation("strong", horizontal_flip=True, seed=1)(images.clone(), epoch=1, batch=0)
    torch.testing.assert_close(result, augment("strong", flip=True))


METHOD_NAMES = list(METHODS)


def by_method(*methods: str, probability: float = 1.0, intensity: float = 0.8, **place: int) -> torch.Tensor:
    plan = {"methods": list(methods), "probability": probability, "intensity": intensity}
    augmentation = build_augmentation(plan, horizontal_flip=False, seed=place.pop("seed", 1))
    return augmentation(IMAGES.clone(), **{"epoch": 1, "batch": 0, **place})


def test_the_methods_of_the_contract():
    assert (
        list(METHODS)
        == contract("spec")["$defs"]["AugmentationPlan"]["properties"]["methods"]["items"]["enum"]
    )


@pytest.mark.parametrize("name", METHOD_NAMES)
def test_every_method_changes_images_in_range_as_the_place_in_the_training_says(name):
    first = by_method(name)
    torch.rand(5)
    assert torch.equal(first, by_method(name))
    assert first.shape == IMAGES.shape
    assert 0 <= first.min() <= first.max() <= 1
    assert not torch.equal(first, IMAGES)
    if "flip" not in name:
        assert not torch.equal(first, by_method(name, batch=1))
        assert not torch.equal(first, by_method(name, seed=2))


@pytest.mark.parametrize("name", METHOD_NAMES)
def test_probability_is_the_share_of_images_that_a_method_changes(name):
    assert torch.equal(by_method(name, probability=0.0), IMAGES)
    images = torch.rand(1, 3, 64, 64, generator=torch.Generator().manual_seed(0)).expand(400, -1, -1, -1)
    plan = {"methods": [name], "probability": 0.3, "intensity": 1.0}
    result = build_augmentation(plan, horizontal_flip=False, seed=0)(images, epoch=1, batch=0)
    changed = int((result != images).flatten(1).any(dim=1).sum())
    assert 85 <= changed <= 155  # 3 standard deviations around 120; some changes are too small to be visible


@pytest.mark.parametrize("name", [name for name in METHOD_NAMES if "flip" not in name])
def test_intensity_is_how_far_a_method_goes(name):
    torch.testing.assert_close(by_method(name, intensity=0.0), IMAGES, rtol=0, atol=1e-5)
    little, much = (float((by_method(name, intensity=i) - IMAGES).abs().mean()) for i in (0.1, 1.0))
    assert little < much


def test_the_order_of_methods_in_the_plan_plays_no_part():
    assert torch.equal(by_method("noise", "rotation"), by_method("rotation", "noise"))


def test_the_key_horizontal_flip_holds_beside_methods():
    plan = {"methods": ["noise"], "probability": 0.0, "intensity": 0.5}
    result = build_augmentation(plan, horizontal_flip=True, seed=1)(IMAGES.clone(), epoch=1, batch=0)
    flips = [torch.equal(one, other.flip(2)) for one, other in zip(result, IMAGES, strict=True)]
    assert any(flips) and not all(flips)


@pytest.mark.parametrize(
    ("setting", "seed", "sums"),
    [
        (
            "strong",
            129473759770151885,
            {"matrices": 10.0818, "contrast": 7.4767, "brightness": -0.484, "corners": 18.4235, "erased": 2},
        ),
        (
            {"methods": ["rotation", "noise", "erasing", "blur"], "probability": 0.7, "intensity": 0.8},
            2764072866079644305,
            {
                "horizontal_flip chosen": 4,
                "rotation chosen": 4,
                "rotation": 13.9533,
                "noise chosen": 8,
                "noise": 0.3188,
                "blur chosen": 8,
                "blur": 8,
                "erasing chosen": 4,
                "erasing": 15.7688,
            },
        ),
    ],
    ids=["strength", "methods"],
)
def test_the_numbers_of_a_batch_stay_what_they_were(setting, seed, sums):
    """Random numbers of every version: a continued training draws the same numbers."""
    augmentation = build_augmentation(setting, horizontal_flip=True, seed=5)
    drawn = augmentation.draw((4, 2, 24, 32), epoch=2, batch=3, rank=1)
    assert drawn.seed == seed
    assert {name: float(values.double().sum()) for name, values in drawn.numbers.items()} == pytest.approx(
        sums, abs=1e-4
    )


PLAN = {"methods": sorted(METHODS), "probability": 0.7, "intensity": 1.0}


@pytest.mark.parametrize("setting", ["light", {**PLAN, "methods": sorted({*METHODS} - {"noise"})}], ids=str)
def test_all_views_of_a_case_share_one_draw(setting):
    """Equal slices of a case remain equal, and cases differ; except for noise, which is drawn for every
    pixel."""
    slices = IMAGES[:3].repeat_interleave(2, dim=0)
    augmentation = build_augmentation(setting, horizontal_flip=True, seed=3)
    changed = [augmentation(slices.clone(), epoch=1, batch=batch, views=2) for batch in range(6)]
    for result in changed:
        assert torch.allclose(result[0::2], result[1::2], atol=1e-6)
    assert not any(torch.equal(result, slices) for result in changed)
    same = IMAGES[:1].expand(6, -1, -1, -1).clone()
    result = augmentation(same, epoch=1, batch=0, views=2)
    assert not torch.allclose(result[0], result[2])


@pytest.mark.parametrize("setting", ["light", "strong", {**PLAN, "methods": sorted(SHADES)}], ids=str)
def test_values_with_units_keep_them(setting):
    """A uniform image of 40 HU over -1024..3071 remains at 40 HU where nothing is moved in or erased."""
    level = (40 + 1024) / 4095
    images = torch.full((64, 3, 32, 32), level)
    build = lambda shades: build_augmentation(setting, horizontal_flip=False, seed=1, shades=shades)  # noqa: E731
    center = build(False)(images.clone(), epoch=1, batch=0)[:, :, 12:20, 12:20]
    inside = center[center > 0]
    assert float((inside - level).abs().max()) * 4095 < 1
    shaded = build(True)(images.clone(), epoch=1, batch=0)[:, 0, 16, 16]
    assert float((shaded - level).abs().max()) * 4095 > 100
