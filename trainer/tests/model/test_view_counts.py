"""Few different numbers of images pass through a backbone if shapes are expensive, and features are still
those of each view."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from medloom_trainer.model import view_counts
from medloom_trainer.model.backbones import Backbone
from medloom_trainer.model.view_counts import shown_count
from medloom_trainer.training.kernel_search import count_varies
from testing.features import inputs, network
from testing.synthetic import cases_of

MASK = torch.tensor([[True, True, False], [False, True, False], [False, False, False]])

pytestmark = pytest.mark.usefixtures("quick_networks")


@pytest.mark.parametrize("views", [1, 2, 3, 7, 9, 64, 130])
def test_at_most_four_sizes_that_hold_the_views(views):
    sizes = {
        present: shown_count(present, views, "cuda", learns_statistics=False)
        for present in range(1, views + 1)
    }
    assert all(present <= size <= views for present, size in sizes.items())
    assert len(set(sizes.values())) <= 4


def test_no_filling_on_the_cpu_or_where_batch_norm_learns():
    assert shown_count(5, 64, "cpu", learns_statistics=False) == 5
    assert shown_count(5, 64, "cuda", learns_statistics=True) == 5


@pytest.fixture
def shown(monkeypatch) -> list[int]:
    """Number of images that pass through the backbone in each call, on a device with expensive shapes."""
    counts: list[int] = []
    forward = Backbone.forward

    def counted(self, images):
        counts.append(len(images))
        return forward(self, images)

    monkeypatch.setattr(Backbone, "forward", counted)
    monkeypatch.setattr(view_counts, "SHAPES_COST", {"cpu"})
    return counts


def test_filling_up_changes_no_feature(monkeypatch, shown):
    model = network(num_views=3).eval()
    images, mask, *_ = inputs(num_views=3, mask=MASK)
    filled = model.see(images, mask)
    monkeypatch.setattr(view_counts, "SHAPES_COST", set())
    torch.testing.assert_close(filled, model.see(images, mask), rtol=1e-5, atol=1e-6)
    assert shown == [3, 3]  # three of nine exist: a third is one of the sizes
    monkeypatch.setattr(view_counts, "SHAPES_COST", {"cpu"})
    everything_but_one = torch.ones_like(mask)
    everything_but_one[0, 0] = False
    filled = model.see(images, everything_but_one)
    monkeypatch.setattr(view_counts, "SHAPES_COST", set())
    torch.testing.assert_close(filled, model.see(images, everything_but_one), rtol=1e-5, atol=1e-6)
    assert shown == [3, 3, 9, 8]


def test_statistics_of_a_learning_batch_norm_see_nothing_that_fills_up(shown):
    model = network(num_views=3).train()
    images, mask, *_ = inputs(num_views=3, mask=torch.ones_like(MASK) & (torch.arange(9).view(3, 3) > 0))
    model.see(images, mask)
    assert shown == [8]


def test_where_the_number_of_views_varies_and_batch_norm_learns_no_kernels_are_tried():
    whole = cases_of(8, seed=0, num_views=2)
    slots = whole.slots.copy()
    slots[3, 1] = -1
    gaps = replace(whole, slots=slots)
    learning, still = network(num_views=2), network(num_views=2, freeze_layers="all")
    assert not count_varies(learning, whole)
    assert count_varies(learning, gaps)
    assert not count_varies(still, gaps)
    assert count_varies(network(num_views=2, modality_dropout=0.2), whole)
