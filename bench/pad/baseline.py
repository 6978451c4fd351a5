"""A simple model on the same table and the same splits: logistic regression."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from settings import METRIC, PENALTIES, Setting
from sklearn.linear_model import LogisticRegression
from trainings import Study

from medloom_trainer.data.apply import prepare_cases
from medloom_trainer.data.prepare import prepare
from medloom_trainer.data.types import Cases
from medloom_trainer.evaluation.metrics.multiclass import MulticlassOutcome


@dataclass(frozen=True)
class Baseline:
    setting: Setting
    penalty: float
    """C, the inverse of the strength of the penalty."""
    validation: float
    test: MulticlassOutcome


def logistic_regression(setting: Setting, study: Study) -> Baseline:
    """The columns as the trainer prepares them for `setting`, with an indicator per column for what is
    missing; C is chosen on the validation split.
    """
    config = setting.config(
        study.data, backbone="none", image_size=study.image_size, epochs=study.epochs, seed=0
    )
    cache = study.work / "cache"
    data = prepare(
        config,
        roots=[study.data],
        cache_dir=cache,
        progress=lambda message, fraction: None,
        should_stop=lambda: False,
    )
    test = prepare_cases(
        data.preprocessing,
        study.data / "test.csv",
        image_root=None,
        split="test",
        roots=[study.data],
        cache_dir=cache,
        progress=lambda message, fraction: None,
    )
    assert data.classes is not None
    fitted = [
        LogisticRegression(C=penalty, max_iter=5000).fit(_columns(data.train), data.train.labels)
        for penalty in PENALTIES
    ]
    outcomes = [_outcome(model, data.val, data.classes) for model in fitted]
    scores = [float(one.measure(np.ones((1, one.size)))[METRIC][0]) for one in outcomes]
    best = int(np.argmax(scores))
    return Baseline(setting, PENALTIES[best], scores[best], _outcome(fitted[best], test.cases, data.classes))


def _columns(cases: Cases) -> npt.NDArray[np.float64]:
    """(N, P + C): encoded numbers, then 1 where a column has a value."""
    return np.hstack([cases.values, cases.present]).astype(np.float64)


def _outcome(model: LogisticRegression, cases: Cases, classes: tuple[str, ...]) -> MulticlassOutcome:
    assert cases.labels is not None
    return MulticlassOutcome(cases.labels, model.predict_proba(_columns(cases)), classes)
