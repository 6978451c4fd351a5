"""The package states predictions as Medloom does: classes, labels, numbers and survival."""

from __future__ import annotations

import numpy as np
import pytest

from medloom_trainer.evaluation.postprocessing import Postprocessing
from medloom_trainer.export.package.medloom_model import InputError, stated
from medloom_trainer.outcomes import kind_of

RANDOM = np.random.default_rng(0)
EDGES = {
    "edges": [1.0, 2.5, 7.0],
    "horizons": [2.0, 3.0, 5.0],
    "tau": 6.0,
    "censoring": {"times": [1.0, 5.0], "values": [0.9, 0.7]},
}


def document(task, *, classes=None, threshold=None, temperature=None):
    return {
        "task": task,
        "classes": classes,
        "threshold": threshold,
        "temperature": {"value": temperature, "applied": False},
        "label_normalization": {"mean": 50.0, "std": 12.5},
        "preprocessing": {"survival": EDGES},
    }


def shares(count):
    drawn = RANDOM.random((30, count))
    return drawn / drawn.sum(axis=1, keepdims=True)


BINARY = np.concatenate([shares(2), [[0.7, 0.3], [0.5, 0.5], [0.7 + 1e-14, 0.3 - 1e-14], [1.0, 0.0]]])
TIED = np.concatenate([shares(3), [[0.4, 0.4, 0.2], [0.2, 0.4, 0.4 + 1e-15]]])
CASES = [
    (document("classification", classes=["no", "yes"], threshold=0.3), BINARY),
    (document("classification", classes=["no", "yes"]), BINARY),
    (document("classification", classes=["no", "yes"], threshold=0.3, temperature=1.7), BINARY),
    (document("classification", classes=["a", "b", "c"]), TIED),
    (document("classification", classes=["a", "b", "c"], temperature=0.6), TIED),
    (document("multilabel", classes=["a", "b"], threshold=[0.2, 0.9]), RANDOM.random((20, 2))),
    (document("multilabel", classes=["a", "b"]), RANDOM.random((20, 2))),
    (document("regression"), RANDOM.normal(size=20)),
    (document("survival"), np.sort(RANDOM.random((20, 3)))[:, ::-1]),
]


@pytest.mark.parametrize(("described", "outputs"), CASES)
@pytest.mark.parametrize("calibrated", [False, True])
def test_columns_and_values_of_every_kind_of_outcome(described, outputs, calibrated):
    temperature = described["temperature"]["value"]
    if calibrated and temperature is None:
        with pytest.raises(InputError, match="no temperature"):
            stated(described, outputs, calibrated=True)
        return
    kind = kind_of(described)
    fitted = {"temperature": {"value": temperature, "reason": None}}
    applied = Postprocessing.create(kind, described["threshold"], outputs, fitted, calibrated=calibrated)
    columns = kind.prediction_columns(applied.predictions, applied.threshold)
    expected = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    assert stated(described, outputs, calibrated=calibrated) == expected


def test_a_prediction_that_is_not_a_number_is_refused():
    with pytest.raises(InputError, match="not a number"):
        stated(document("regression"), np.array([1.0, np.nan]), calibrated=False)
