"""Differences between training methods: the drawn patients, the effect of seeds, and the coverage of the
interval."""

import numpy as np
import pytest
from scipy import stats

from medloom_trainer.metrics.binary import BinaryOutcome
from medloom_trainer.metrics.intervals import bootstrap
from medloom_trainer.metrics.paired import PairedModels
from medloom_trainer.metrics.statistics.clusters import Clusters


def models(generator, labels, shared, skills):
    """One outcome for each skill: the strength of the truth in its scores. `shared`: the part that every
    model sees."""
    own = generator.normal(size=(len(skills), len(labels))) * 0.3
    scores = np.asarray(skills)[:, None] * labels + shared + own
    return [BinaryOutcome(labels, 1 / (1 + np.exp(-row)), 0.5) for row in scores]


def study(generator, patients=40, seeds=3, spread=0.25, skill=1.2):
    """Two training methods that are equally good; two cases of each patient."""
    of = np.repeat(np.arange(patients), 2)
    labels = np.repeat(generator.permutation(np.arange(patients) % 2), 2)
    shared = generator.normal(size=patients)[of] * 0.8 + generator.normal(size=2 * patients) * 0.6
    groups = [
        models(generator, labels, shared, skill + spread * generator.normal(size=seeds)) for _ in range(2)
    ]
    return groups, of


def area(outcome):
    return float(outcome.measure(np.ones((1, outcome.size)))["auc"][0])


def test_the_difference_of_a_way_of_training_to_itself_is_exactly_zero_but_for_its_seeds():
    groups, of = study(np.random.default_rng(0))
    one = groups[0][:1]
    assert PairedModels([one, one], "auc", of, replicates=200).difference(0, 1) == (0, 0, 0)


def test_the_variance_is_that_of_paired_draws_of_patients_and_that_between_seeds():
    groups, of = study(np.random.default_rng(1))
    clusters = Clusters.from_patients(of, len(of))
    draws = [[bootstrap(one, clusters, 500, 7)["auc"] for one in group] for group in groups]
    paired = (np.mean(draws[0], axis=0) - np.mean(draws[1], axis=0)).var(ddof=1) * 40 / 39
    areas = [[area(one) for one in group] for group in groups]
    seeds = [np.var(values, ddof=1) / 3 for values in areas]
    variance = paired + sum(seeds)
    degrees = variance**2 / (paired**2 / 39 + sum(part**2 / 2 for part in seeds))
    estimate = np.mean(areas[0]) - np.mean(areas[1])
    half = stats.t.ppf(0.995, degrees) * np.sqrt(variance)
    found = PairedModels(groups, "auc", of, replicates=500, seed=7).difference(0, 1, level=0.99)
    assert found == pytest.approx((estimate, estimate - half, estimate + half), abs=1e-12)


def test_models_of_other_cases_and_undefined_metrics_are_refused():
    groups, of = study(np.random.default_rng(2))
    fewer = BinaryOutcome([0, 1], [0.2, 0.7], 0.5)
    with pytest.raises(ValueError, match="same cases"):
        PairedModels([groups[0], [fewer]], "auc", of)
    with pytest.raises(ValueError, match="undefined"):
        PairedModels([[BinaryOutcome([1, 1], [0.2, 0.7], 0.5)]], "auc", None)


@pytest.mark.slow
@pytest.mark.parametrize("studies", [60, pytest.param(200, marks=pytest.mark.full)])
def test_the_interval_of_a_difference_holds_the_truth_as_often_as_it_says(studies):
    generator = np.random.default_rng(3)
    held = {"both": 0, "patients alone": 0}
    for number in range(studies):
        groups, of = study(generator)
        both = PairedModels(groups, "auc", of, replicates=100, seed=number).difference(0, 1)
        one_each = PairedModels([group[:1] for group in groups], "auc", of, replicates=100, seed=number)
        held["both"] += both.low <= 0 <= both.high
        alone = one_each.difference(0, 1)
        held["patients alone"] += alone.low <= 0 <= alone.high
    # Two Monte-Carlo errors around 95 %, and slightly above: Satterthwaite is conservative with three seeds.
    error = np.sqrt(0.95 * 0.05 / studies)
    assert 0.95 - 2 * error <= held["both"] / studies <= 0.995
    # One seed each does not show the effect of a seed.
    assert held["patients alone"] / studies < 0.9
