"""The grid of thresholds: a slider shows the same values as an evaluation at that threshold."""

import numpy as np
import pytest

from medloom_trainer.metrics.binary import BinaryOutcome
from medloom_trainer.metrics.operating_points import at_operating_point
from medloom_trainer.metrics.threshold_grid import GRID, threshold_grid

MEASURES = ("sensitivity", "specificity", "ppv", "npv", "accuracy")


def sample(size=120):
    generator = np.random.default_rng(3)
    labels = (generator.random(size) < 0.3).astype(int)
    return labels, np.clip(generator.normal(0.3 + 0.3 * labels, 0.2), 0, 1), np.arange(size) // 3


@pytest.mark.parametrize("grouped", [False, True])
def test_each_entry_is_the_operating_point_at_its_threshold(grouped):
    labels, probability, patients = sample()
    patients = patients if grouped else None
    found = threshold_grid(labels, probability, patients)
    for at in (0, 9, 40, 60, 105, 118):
        there = at_operating_point(BinaryOutcome(labels, probability, GRID[at]), patients)
        assert {name: found[name][at] for name in there["confusion"]} == there["confusion"]
        for name in MEASURES:
            for bound in ("estimate", "low", "high"):
                assert found[name][bound][at] == pytest.approx(there["metrics"][name][bound])
        assert found["method"] == there["metrics"]["accuracy"]["method"]


def test_the_grid_is_ascending_and_fine_at_both_ends():
    assert (np.diff(GRID) > 0).all()
    assert (GRID[0], GRID[-1]) == (0, 1)
    assert {0.001, 0.5, 0.999} <= set(GRID.tolist())


def test_a_class_that_is_absent_has_no_share():
    found = threshold_grid([1, 1, 1], [0.2, 0.6, 0.9], None)
    assert set(found["specificity"]["estimate"]) == {None}
    assert found["sensitivity"]["estimate"][0] == 1
