"""Writes cox_reference.json: a Cox regression of scikit-survival, for the test of the trainer's.

Needs a separate environment, because it requires other packages than the trainer:

    python -m venv env && env/bin/pip install scikit-survival==0.28.0
    env/bin/python cox_reference.py cox_reference.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
from sksurv.linear_model import CoxPHSurvivalAnalysis
from sksurv.util import Surv


def main(target: Path) -> None:
    random = np.random.default_rng(5)
    matrix = random.normal(size=(120, 3)).round(3)
    hidden = random.exponential(np.exp(-matrix @ [0.8, -0.4, 0.0])) * 10
    censored = random.uniform(0, 25, 120)
    time, event = np.ceil(np.minimum(hidden, censored)), hidden <= censored
    truth = Surv.from_arrays(event, time)
    coefficients, curves = {}, {}
    for penalty in (0.0, 0.1, 1.0, 3.0, 10.0, 100.0, 1000.0):
        fitted = CoxPHSurvivalAnalysis(alpha=penalty, ties="breslow", tol=1e-14, n_iter=500)
        fitted.fit(matrix, truth)
        coefficients[str(penalty)] = fitted.coef_.tolist()
        found = fitted.predict_survival_function(matrix[:5])
        curves[f"{penalty:g}"] = [found[0].x.tolist(), [curve.y.tolist() for curve in found]]
    inputs = {"matrix": matrix.tolist(), "time": time.tolist(), "event": event.tolist()}
    target.write_text(json.dumps({"inputs": inputs, "coefficients": coefficients, "curves": curves}) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
