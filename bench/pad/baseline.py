"""A simple model on the same table and the same splits: logistic regression."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from settings import METRIC, Setting
from trainings import Study

from medloom_trainer.baselines.table import TableBaseline, fit_table_baseline
from medloom_trainer.data.apply import prepare_cases
from medloom_trainer.data.prepare import prepare
from medloom_trainer.data.types import Cases
from medloom_trainer.evaluation.metrics.multiclass import MulticlassOutcome


@dataclass(frozen=True)
class Baseline:
    setting: Setting
    penalty: str
    """As the baseline tells it, such as "C = 0.1"."""
    validation: float
    test: MulticlassOutcome


def logistic_regression(setting: Setting, study: Study) -> Baseline:
    """The baseline of a training of `setting`: its penalty is chosen by inner folds of the training rows."""
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
    fitted = fit_table_baseline("logistic_regression", data, 0)
    validation = _outcome(fitted, data.val, data.classes)
    return Baseline(
        setting,
        fitted.settings.partition(" (")[0],
        float(validation.measure(np.ones((1, validation.size)))[METRIC][0]),
        _outcome(fitted, test.cases, data.classes),
    )


def _outcome(model: TableBaseline, cases: Cases, classes: tuple[str, ...]) -> MulticlassOutcome:
    assert cases.labels is not None
    return MulticlassOutcome(cases.labels, model.predict(cases), classes)
