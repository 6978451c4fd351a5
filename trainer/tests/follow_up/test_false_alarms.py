"""Alarms on simulated streams: of stable ones at most the stated share has any; changes are found."""

import numpy as np
import pytest
from scipy.stats import hypergeom

from medloom_trainer.follow_up import significance
from medloom_trainer.follow_up.drift import ALPHA
from medloom_trainer.follow_up.significance import calibration_changed, mean_changed, shares_changed
from testing.streams import Population, alarms


@pytest.fixture
def few_draws(monkeypatch):
    """P values of a random sample are valid with any number of draws; 1999 still reach the smallest level."""
    monkeypatch.setattr(significance, "_DRAWS", 1999)


def share_with_alarms(streams, *, most, **sizes):
    found = 0
    for seed in range(streams):
        generator = np.random.default_rng(seed)
        found += bool(alarms(generator, [(Population(generator, most=most), 25)] * 4, **sizes))
    return found / streams


@pytest.mark.usefixtures("few_draws")
@pytest.mark.parametrize("most", [1, 3])
def test_stable_streams_rarely_have_an_alarm(most):
    # With the stated rate, 6 or more of 40 occur in about 1 % of such checks.
    assert share_with_alarms(40, most=most, training=80, tested=60) < 6 / 40


@pytest.mark.slow
@pytest.mark.usefixtures("few_draws")
@pytest.mark.parametrize("most", [pytest.param(1, marks=pytest.mark.full), 3])
def test_stable_streams_have_alarms_at_most_at_the_stated_rate(most):
    # 400 streams: the standard error of a rate of 5 % is 1.1 %.
    assert share_with_alarms(400, most=most) <= ALPHA + 2.5 * 0.011


def test_changes_are_found_in_their_windows():
    generator = np.random.default_rng(1)
    windows = [
        Population(generator),
        Population(generator, shift=1.2),
        Population(generator, level=3),
        Population(generator, slope=-0.7),
    ]
    found = alarms(generator, [(one, 60) for one in windows])
    assert found == [("numeric", "age", 2), ("calibration_level", None, 3), ("calibration_slope", None, 4)]


@pytest.mark.parametrize("spread", [0.5, 1.0])
def test_the_mean_of_a_skewed_number_has_valid_p_values(spread):
    generator = np.random.default_rng(0)
    found = []
    for _ in range(2000):
        trained = generator.lognormal(0, spread, 200)
        pool = (generator.lognormal(0, spread, 120) - trained.mean()) / trained.std(ddof=1)
        found.append(mean_changed(float(pool[:30].mean()), 30, pool, 200))
    for level in (0.002, 0.01, 0.05):
        assert np.mean(np.asarray(found) <= level) <= level + 3 * np.sqrt(level / 2000)


def test_shares_of_rare_categories_have_valid_p_values():
    generator = np.random.default_rng(0)
    shares = [0.9, 0.08, 0.02]
    found = [
        shares_changed(generator.multinomial(25, shares), generator.multinomial(150, shares), 25)
        for _ in range(300)
    ]
    assert np.mean(np.asarray(found) <= 0.05) <= 0.05 + 3 * np.sqrt(0.05 / 300)
    assert shares_changed(np.asarray([5, 20, 0]), np.asarray([135, 12, 3]), 25) < 0.001


@pytest.mark.parametrize(
    ("counts", "trained"),
    [([3, 22], [10, 140]), ([0, 25], [9, 141]), ([12, 13], [75, 75]), ([2, 1], [1, 4]), ([25, 0], [150, 30])],
)
def test_p_values_of_two_shares_are_those_of_the_hypergeometric_distribution(counts, trained):
    total, size = np.add(counts, trained), sum(counts)
    expected = total * size / total.sum()
    distribution = hypergeom(total.sum(), total[0], size)
    far = [
        distribution.pmf(count)
        for count in range(size + 1)
        if abs(count - expected[0]) >= abs(counts[0] - expected[0]) - 1e-9
    ]
    found = shares_changed(np.asarray(counts), np.asarray(trained), 25)
    assert found == pytest.approx(sum(far), rel=1e-9)


def test_calibration_has_valid_p_values_if_the_line_is_known():
    generator = np.random.default_rng(0)
    line, exact = np.asarray([0.2, 0.9]), np.zeros((2, 2))
    found = []
    for _ in range(100):
        logits = generator.normal(size=40)
        labels = (generator.random(40) < 1 / (1 + np.exp(-line[0] - line[1] * logits))).astype(int)
        found.append(calibration_changed(labels, logits, line, exact, 40))
    assert (np.mean(np.asarray(found) <= 0.05, axis=0) <= 0.05 + 3 * np.sqrt(0.05 / 100)).all()
