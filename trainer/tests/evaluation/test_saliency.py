"""Grad-CAM: by its definition, for every family of backbones, and over the image that it explains."""

import base64
import io

import numpy as np
import pytest
import torch
from PIL import Image

from medloom_trainer.evaluation.failure_images import failure_images
from medloom_trainer.evaluation.saliency import overlay, saliency_of
from medloom_trainer.outcomes.classification import Classification
from medloom_trainer.outcomes.multilabel import Multilabel
from medloom_trainer.outcomes.regression import Regression
from testing.features import network
from testing.synthetic import ArrayStore, cases_of

NORMALIZATION = {"mean": [0.5] * 3, "std": [0.25] * 3}


def store(side=64):
    generator = np.random.default_rng(3)
    return ArrayStore(generator.integers(0, 255, (16, side, side, 3), dtype=np.uint8))


def looked(model, cases, case, images, target=1):
    return saliency_of(model, cases, case, images, output=target, image_normalization=NORMALIZATION)


@pytest.mark.parametrize("fusion", ["none", "concatenate"])
def test_the_map_is_the_features_weighted_by_what_their_mean_does_to_the_score(fusion):
    """ResNet averages its map, so that the gradient of the average is that of every position."""
    model = network(vision_backbone="resnet18", fusion_type=fusion, image_size=[64, 64]).eval()
    cases, images = cases_of(4, seed=1, num_views=1), store()
    target = next(target for target in (0, 1) if looked(model, cases, 2, images, target))
    found = looked(model, cases, 2, images, target)
    pixels = torch.from_numpy(images.gather(cases.slots[2:3, :1])[:, 0]).permute(0, 3, 1, 2) / 255
    features = model.backbone.network.forward_features((pixels - 0.5) / 0.25)  # (1, D, h, w)
    pooled = features.mean(dim=(2, 3)).detach().requires_grad_()
    table = [torch.from_numpy(part[2:3]) for part in (cases.values, cases.codes, cases.present)]
    score = model.rest(None, pooled[:, None], None, *table)[0, target]
    (gradient,) = torch.autograd.grad(score, pooled)
    expected = torch.einsum("bdhw,bd->bhw", features, gradient).clamp(min=0)[0].detach().numpy()
    np.testing.assert_allclose(found.map, expected / expected.max(), atol=1e-4)
    assert found.view == 0 and found.map.shape == (2, 2)


FAMILIES = {
    "mobilenetv3_small_100": "concatenate",
    "convnext_tiny": "cross_attention",
    "swin_tiny_patch4_window7_224": "concatenate",
    "vit_small_patch16_224": "cross_attention",
}
"""One network of each family → the fusion that is tested by default; the full run tests both."""


@pytest.mark.usefixtures("quick_networks")
@pytest.mark.parametrize(
    ("backbone", "fusion"),
    [
        pytest.param(backbone, fusion, marks=[] if fusion == own else [pytest.mark.full])
        for backbone, own in FAMILIES.items()
        for fusion in ("concatenate", "cross_attention")
    ],
)
def test_every_family_has_a_map_of_its_positions(backbone, fusion):
    side = 64
    model = network(vision_backbone=backbone, fusion_type=fusion, image_size=[side, side]).eval()
    cases, images = cases_of(6, seed=1, num_views=1), store(side)
    maps = [looked(model, cases, 0, images, target) for target in (0, 1)]
    found = next(one for one in maps if one is not None)
    assert found.map.ndim == 2 and (found.map.min(), found.map.max()) == (pytest.approx(0, abs=1), 1)
    again = [looked(model, cases, 0, images, target) for target in (0, 1)]
    assert all(np.array_equal(a.map, b.map) for a, b in zip(maps, again, strict=True) if a is not None)
    assert "forward_features" not in vars(model.backbone.network)


def test_of_several_views_only_one_that_is_there_is_explained():
    model = network(num_views=3, vision_backbone="resnet18", fusion_type="none", image_size=[64, 64]).eval()
    cases, images = cases_of(6, seed=1, num_views=3), store()
    cases.slots[0] = [-1, 5, -1]
    cases.slots[1] = -1
    views = {one.view for target in (0, 1) if (one := looked(model, cases, 0, images, target))}
    assert views == {1}
    assert looked(model, cases, 1, images) is None


def test_a_model_of_the_table_alone_looks_nowhere():
    model = network(num_views=0, vision_backbone="none").eval()
    assert looked(model, cases_of(4, seed=1, num_views=0), 0, store()) is None


def test_an_overlay_is_gray_below_and_brighter_where_the_map_is():
    pixels = np.full((2, 2, 3), (200, 100, 0), np.uint8)
    found = overlay(pixels, np.array([[0.0, 1.0], [0.0, 0.0]]))
    assert tuple(found[0, 0]) == tuple(found[1, 1]) and found[0, 1].sum() > found[0, 0].sum()
    assert found[0, 1, 0] > 200 > found[0, 1, 2]  # yellow


def test_failure_images_carry_the_map_of_one_view_beside_it():
    model = network(num_views=2, vision_backbone="resnet18", fusion_type="none", image_size=[64, 64]).eval()
    cases, images = cases_of(4, seed=1, num_views=2), store()
    failures = [{"file": "", "row": 3, "truth": "class 0", "predicted": "class 1", "confidence": 0.9}]

    def explain(case, failure):
        assert (case, failure["predicted"]) == (1, "class 1")
        return looked(model, cases, case, images)

    found = failure_images(failures, cases, images, explain)
    assert found["saliency"] is True
    shown = [view for view in found["cases"][0] if "saliency" in view]
    assert len(shown) == 1 and shown[0]["view"] == looked(model, cases, 1, images).view + 1
    plain, mapped = (Image.open(io.BytesIO(base64.b64decode(shown[0][key]))) for key in ("png", "saliency"))
    assert plain.size == mapped.size == (64, 64) and mapped.info == {}
    assert "saliency" not in failure_images(failures, cases, images)


def test_of_several_labels_the_absence_of_one_is_explained_by_what_speaks_against_it():
    kind = Multilabel(("effusion", "nodule"))
    expected = {"effusion": (0, 1), "nodule": (1, 1), "no effusion": (0, -1), "no nodule": (1, -1)}
    assert kind.targets_of_mistakes() == expected
    assert Classification(("a", "b")).targets_of_mistakes() == {"a": (0, 1), "b": (1, 1)}
    assert Regression(0.0, 1.0).targets_of_mistakes() == {}
    model = network(vision_backbone="resnet18", fusion_type="none", image_size=[64, 64]).eval()
    cases, images = cases_of(4, seed=1, num_views=1), store()
    both = [
        saliency_of(model, cases, 0, images, output=0, sign=sign, image_normalization=NORMALIZATION)
        for sign in (1, -1)
    ]
    # Regions that increase an output do not decrease it.
    maps = [np.zeros((2, 2)) if one is None else one.map for one in both]
    assert (np.minimum(*maps) == 0).all() and np.maximum(*maps).max() == 1
