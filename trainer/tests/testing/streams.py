"""Simulated streams of a follow-up, whose cases come from the population of the training, or from another."""

import numpy as np
from scipy.special import expit

from medloom_trainer.follow_up.calibration import fitted_line
from medloom_trainer.follow_up.drift import calibration_series, input_series, raise_alarms
from medloom_trainer.follow_up.stream import Stream
from medloom_trainer.metrics.binary import BinaryOutcome

CATEGORIES = ("arm", "leg", "back", "face")
SHARES = (0.55, 0.3, 0.12, 0.03)
NUMBERS = ("age", "marker", "rare")
IMAGES = {"threshold": 1.0, "false_alarms": 0.05, "cases": 120}


class Population:
    """Patients with one to `most` cases each, which resemble one another: a normal number, a skewed one, a
    rare flag, a category, gaps, and probabilities of a model that is not calibrated perfectly."""

    def __init__(self, generator, *, shift=0.0, level=0.3, slope=0.8, most=3):
        self.generator, self.most, self.shift, self.level, self.slope = generator, most, shift, level, slope

    def draw(self, patients):
        generator = self.generator
        sizes = generator.integers(1, self.most + 1, patients)
        member = np.repeat(np.arange(patients), sizes)

        def normal():
            shared, own = generator.normal(size=patients)[member], generator.normal(size=len(member))
            return (shared + own) / np.sqrt(2)

        risk = normal() - 0.5
        found = {
            "age": normal() + self.shift,
            "marker": np.exp(normal()),
            "rare": (normal() > 1.7).astype(float),
            "site": np.searchsorted(np.cumsum(SHARES)[:-1], expit(1.7 * normal())).astype(float),
        }
        for name in NUMBERS:
            found[name][generator.random(len(member)) < 0.06] = np.nan
        return {
            **found,
            "member": member,
            "probability": expit(1.2 * risk),
            "label": (generator.random(len(member)) < expit(self.level + self.slope * 1.2 * risk)).astype(
                int
            ),
            "distance": generator.exponential(1 / 3, len(member)),
        }


def preprocessing_of(drawn):
    """The part of the state of a checkpoint that describes its training cases."""
    cases, columns, states = len(drawn["member"]), {}, []
    for name in NUMBERS:
        known = drawn[name][np.isfinite(drawn[name])]
        columns[name] = {"missing": cases - len(known), "mean": known.mean(), "sd": known.std(ddof=1)}
        states.append({"name": name, "kind": "numeric"})
    counts = np.bincount(drawn["site"].astype(int), minlength=len(CATEGORIES))
    columns["site"] = {"missing": 0, "mean": None, "sd": None}
    states.append(
        {"name": "site", "kind": "onehot", "categories": CATEGORIES, "shares": (counts / cases).tolist()}
    )
    reference = {"cases": cases, "patients": int(drawn["member"].max()) + 1, "columns": columns}
    return {"reference": reference, "table": {"columns": states}}


def stream_of(windows, preprocessing):
    """windows: what `Population.draw` returned for each."""

    def joined(name):
        return np.concatenate([one[name] for one in windows])

    sizes = [len(one["member"]) for one in windows]
    known = preprocessing["reference"]["columns"]
    inputs = {
        name: (joined(name) - known[name]["mean"]) / known[name]["sd"]
        for name in NUMBERS
        if known[name]["sd"] > 0
    }
    before = np.cumsum([0, *(one["member"].max() + 1 for one in windows[:-1])])
    return Stream(
        ids=[str(k) for k in range(sum(sizes))],
        windows=np.repeat(np.arange(len(windows)), sizes),
        places=[("request", k) for k in range(sum(sizes))],
        patients=np.concatenate([one["member"] + count for one, count in zip(windows, before, strict=True)]),
        predictions=np.zeros((sum(sizes), 2)),
        distances=joined("distance"),
        inputs={**inputs, "site": joined("site")},
        groups={},
        counts={},
    ), BinaryOutcome(joined("label"), joined("probability"), 0.5)


def alarms(generator, windows, *, training=150, tested=150):
    """(kind, column, window) of every alarm. windows: (population, patients) of each."""
    usual = Population(generator, most=windows[0][0].most)
    preprocessing = preprocessing_of(usual.draw(training))
    stream, outcome = stream_of([one.draw(patients) for one, patients in windows], preprocessing)
    test = usual.draw(tested)
    first = np.unique(test["member"], return_index=True)[1]
    line = fitted_line(test["label"][first], test["probability"][first])
    series = [*input_series(stream, preprocessing, IMAGES), *calibration_series(stream, outcome, line)]
    assert raise_alarms(series) > 0
    return [
        (one["kind"], one["name"], window["window"])
        for one in series
        for window in one["windows"]
        if window["alarm"]
    ]
