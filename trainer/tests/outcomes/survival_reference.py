"""Writes survival_reference.json: numbers of scikit-survival for the test of the survival metrics.

Needs a separate environment, because it requires other packages than the trainer:

    python -m venv env && env/bin/pip install scikit-survival==0.28.0
    env/bin/python survival_reference.py survival_reference.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
from sksurv.metrics import (
    concordance_index_censored,
    concordance_index_ipcw,
    cumulative_dynamic_auc,
    integrated_brier_score,
)
from sksurv.nonparametric import kaplan_meier_estimator
from sksurv.util import Surv


def cohort(random: np.random.Generator, size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times with ties, events, and a number that is associated with them."""
    x = random.normal(size=size)
    hidden = random.exponential(np.exp(-0.8 * x)) * 10
    censored = random.uniform(0, 25, size)
    time = np.ceil(np.minimum(hidden, censored) * 2) / 2
    return time, hidden <= censored, x


def main(target: Path) -> None:
    random = np.random.default_rng(11)
    train_time, train_event, _ = cohort(random, 300)
    time, event, x = cohort(random, 150)
    edges = np.array([1.0, 2.0, 3.5, 5.0, 7.5, 10.0])
    hazard = 0.07 * np.exp(0.6 * x[:, None] + 0.3 * random.normal(size=(150, 6)))
    survival = np.exp(-np.cumsum(hazard, axis=1))
    curve = np.concatenate([np.ones((150, 1)), survival], axis=1)
    risk = edges[-1] - ((curve[:, 1:] + curve[:, :-1]) / 2) @ np.diff([0.0, *edges])
    train, test = Surv.from_arrays(train_event, train_time), Surv.from_arrays(event, time)
    horizons, tau = [1.5, 3.0, 6.0], 10.0
    steps, values = kaplan_meier_estimator(train_event, train_time, reverse=True)
    found = {
        "c_index": concordance_index_censored(event, time, risk)[0],
        "uno_c": concordance_index_ipcw(train, test, risk, tau=tau)[0],
        "integrated_brier": integrated_brier_score(train, test, survival, edges),
        "auc": cumulative_dynamic_auc(train, test, risk, horizons)[0].tolist(),
        "censoring": {"times": steps.tolist(), "values": values.tolist()},
        "kaplan_meier": [part.tolist() for part in kaplan_meier_estimator(event, time)],
    }
    inputs = {
        "train_time": train_time.tolist(),
        "train_event": train_event.tolist(),
        "time": time.tolist(),
        "event": event.tolist(),
        "edges": edges.tolist(),
        "survival": survival.tolist(),
        "horizons": horizons,
        "tau": tau,
    }
    target.write_text(json.dumps({"inputs": inputs, "found": found}) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
