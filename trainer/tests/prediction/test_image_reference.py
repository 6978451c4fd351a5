"""Images unlike those of the training."""

import numpy as np
import pytest
import torch
from PIL import Image

from medloom_trainer.data.prepare import prepare
from medloom_trainer.inference.checkpoint import load_checkpoint, save_checkpoint
from medloom_trainer.inference.image_reference import (
    FALSE_ALARMS,
    fit_reference,
    read_image_reference,
    write_image_reference,
)
from testing.checkpoints import configuration, write_checkpoint, write_table
from testing.predictions import predicted

pytestmark = pytest.mark.usefixtures("quick_networks")


def views(count, *, seed, shift=0.0, width=40):
    """Correlated features."""
    generator = np.random.default_rng(seed)
    mixing = np.random.default_rng(0).normal(size=(width, width)) / 3
    return generator.normal(size=(count, width)) @ mixing + shift


def one_view_each(count):
    return np.arange(count)[:, None]


@pytest.mark.parametrize(("cases", "expected"), [(20, 1 / 21), (40, 2 / 41), (400, 20 / 401)])
def test_usual_images_exceed_the_threshold_as_often_as_stated(cases, expected):
    shares = []
    for seed in range(200):
        train, val, new = (views(count, seed=seed + k) for k, count in ((100, 300), (200, cases), (300, 500)))
        reference = fit_reference(train, val, one_view_each(cases))
        assert reference.cases == cases and reference.false_alarms == expected <= FALSE_ALARMS
        shares.append((reference.of_cases(new, one_view_each(500)) > reference.threshold).mean())
    error = np.std(shares) / np.sqrt(len(shares))
    assert np.mean(shares) == pytest.approx(expected, abs=3 * error)


def test_other_images_are_beyond_the_threshold():
    reference = fit_reference(views(300, seed=1), views(100, seed=2), one_view_each(100))
    other = reference.of_cases(views(50, seed=3, shift=3.0), one_view_each(50))
    assert (other > reference.threshold).mean() > 0.95


def test_a_case_is_as_far_as_its_furthest_view():
    reference = fit_reference(views(300, seed=1), views(100, seed=2), one_view_each(100))
    slots = np.array([[0, 1], [2, -1], [-1, -1]])
    far = views(3, seed=4)
    far[1] += 5
    distances = reference.of_cases(far, slots)
    single = reference.distances(far)
    assert distances[0] == single.max() and distances[1] == single[2] and np.isnan(distances[2])


def test_few_cases_have_no_reference():
    assert fit_reference(views(300, seed=1), views(10, seed=2), one_view_each(10)) is None
    assert fit_reference(views(5, seed=1), views(100, seed=2), one_view_each(100)) is None


@pytest.fixture(scope="module")
def described(tmp_path_factory, quick_networks):
    """A checkpoint with the reference of its images, which are noise."""
    folder = tmp_path_factory.mktemp("described")
    table = write_table(folder / "train.csv", rows=120, images=True)
    config = configuration(table, model__vision_backbone="mobilenetv3_small_100")
    checkpoint = write_checkpoint(folder / "best", config, folder / "cache")
    data = prepare(
        config,
        roots=[folder],
        cache_dir=folder / "cache",
        progress=lambda *_: None,
        should_stop=lambda: False,
    )
    loaded = load_checkpoint(checkpoint)
    write_image_reference(
        folder / "best", loaded, data.train, data.val, data.store, torch.device("cpu"), lambda: None
    )
    return checkpoint


def test_the_image_of_a_case_is_compared_with_the_training(described):
    folder = described.parents[2]
    Image.new("RGB", (24, 24), (255, 255, 255)).save(folder / "white.png")
    rows = [{"image": name, "age": 50, "sex": "m"} for name in ("0-0.png", "white.png", "0-1.png")]
    result = predicted(described, rows=rows, image_root=str(folder))
    codes = [[warning["code"] for warning in answer["warnings"]] for answer in result["predictions"]]
    assert codes == [[], ["IMAGE_BLANK", "IMAGE_UNLIKE_TRAINING"], []]
    basis = result["basis"]["image_distance"]
    assert basis["cases"] >= 20 and basis["false_alarms"] <= FALSE_ALARMS


def test_the_reference_of_another_checkpoint_is_not_used(described, tmp_path):
    stored = load_checkpoint(described)
    assert read_image_reference(stored) is not None
    target = tmp_path / "run" / "checkpoints" / "best"
    kept = {"job_id": stored.manifest["job_id"], "epoch": 1, "metrics": {}}
    tensors = {"model": {name: value + 0.5 for name, value in stored.tensors("model").items()}}
    save_checkpoint(target, **kept, state=stored.state, tensors=tensors)
    file = described.parents[1] / "image-reference.safetensors"
    (tmp_path / "run" / file.name).write_bytes(file.read_bytes())
    assert read_image_reference(load_checkpoint(target)) is None
    (tmp_path / "run" / file.name).write_bytes(b"damaged")
    assert read_image_reference(load_checkpoint(target)) is None


def test_without_a_reference_the_basis_has_no_distance(binary_checkpoint):
    assert predicted(binary_checkpoint[0], rows=[{"age": 50}])["basis"]["image_distance"] is None
