"""Curves equal scikit-learn's; thinning preserves the drawing."""

import numpy as np
import pytest
from sklearn import metrics as reference

from medloom_trainer.metrics.curves import MAX_POINTS, pr_curve, roc_curve, thin
from medloom_trainer.metrics.statistics.ranking import RankedScores


def case(size, levels, seed=0):
    generator = np.random.default_rng(seed)
    scores = generator.integers(0, levels, size) / levels
    return (generator.random(size) < scores).astype(int), scores


@pytest.mark.parametrize("size, levels", [(50, 5), (300, 10_000)])
def test_roc_points_are_those_of_scikit_learn(size, levels):
    labels, scores = case(size, levels)
    x, y, _ = reference.roc_curve(labels, scores, drop_intermediate=False)
    ours = roc_curve(RankedScores.from_scores(labels, scores))
    assert np.allclose(ours[0], x, atol=1e-12) and np.allclose(ours[1], y, atol=1e-12)


@pytest.mark.parametrize("size, levels", [(50, 5), (300, 10_000)])
def test_precision_recall_points_are_those_of_scikit_learn(size, levels):
    labels, scores = case(size, levels)
    precision, recall, _ = reference.precision_recall_curve(labels, scores)
    ours = pr_curve(RankedScores.from_scores(labels, scores))
    assert np.allclose(ours[0], recall[::-1], atol=1e-12) and np.allclose(
        ours[1], precision[::-1], atol=1e-12
    )


def test_a_line_that_fits_loses_only_points_between_two_others():
    x, y = np.array([0.0, 0.0, 0.0, 0.5, 1.0]), np.array([0.0, 0.4, 0.8, 0.9, 1.0])
    assert thin(x, y)[0].tolist() == [0, 0, 1] and thin(x, y)[1].tolist() == [0, 0.8, 1]


def test_a_long_curve_keeps_its_shape_in_500_points():
    """No point of the full curve is a pixel of a drawing away from the thinned one."""
    x, y = roc_curve(RankedScores.from_scores(*case(50_000, 10**9)))
    thinned_x, thinned_y = thin(x, y)
    assert len(x) > 10_000 and len(thinned_x) <= MAX_POINTS
    assert (thinned_x[0], thinned_y[0], thinned_x[-1], thinned_y[-1]) == (0, 0, 1, 1)
    along, across = x + y, y - x  # a staircase that rises to the right is a function along its diagonal
    drawn = np.interp(along, thinned_x + thinned_y, thinned_y - thinned_x)
    assert np.abs(drawn - across).max() / 2**0.5 < 0.001
    assert (np.diff(thinned_x) >= 0).all() and (np.diff(thinned_y) >= 0).all()


def test_a_single_point_and_a_closed_line_are_kept():
    assert thin(np.array([0.5]), np.array([0.5]))[0].tolist() == [0.5]
    assert len(thin(np.array([0.0, 1.0, 0.0]), np.array([0.0, 1.0, 0.0]))[0]) == 3
