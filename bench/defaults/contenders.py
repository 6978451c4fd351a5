"""The contenders: each uses one fold of a table and predicts the held-out rows."""

from __future__ import annotations

import tempfile
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import roc_auc_score

from medloom_trainer.baselines.table import fit_table_baseline
from medloom_trainer.contract.spec import Spec, contract_defaults
from medloom_trainer.data.prepare import prepare
from medloom_trainer.data.types import PreparedData
from medloom_trainer.exchange.control import Control
from medloom_trainer.exchange.events import SilentEvents
from medloom_trainer.inference.checkpoint import load_checkpoint
from medloom_trainer.inference.predict import predict
from medloom_trainer.training.distributed.group import Group
from medloom_trainer.training.loop import train
from medloom_trainer.training.members.plan import table_of_both

FOLDS, REPEATS = 5, 2
_EPOCHS = 20
_FEW_ROWS = 300
Numbers = npt.NDArray[np.float64]

NETWORKS: dict[str, dict[str, Any]] = {
    "five networks": {},
    "five networks, no linear model": {"linear_share": 0},
    "one network": {"members": 1},
    "five networks, quantile": {"scaling": "quantile"},
    "five networks, dropout 0.3": {"dropout": 0.3},
    "five networks, quantile, dropout 0.3": {"scaling": "quantile", "dropout": 0.3},
    "five seeds on the training rows": {"validation": "split"},
}
"""Name → configuration keys that differ from the defaults."""
CLASSICS = {
    "logistic regression": "logistic_regression",
    "random forest": "random_forest",
    "gradient boosting": "hist_gradient_boosting",
}
"""Name → the baseline of the trainer."""


@dataclass(frozen=True)
class Fold:
    csv: Path
    task: str
    rows: int
    index: int
    repeat: int
    patient: str | None = None

    def config(self, **changes: Any) -> dict[str, Any]:
        """A complete configuration; each change goes to the section that has its key."""
        config = {
            "data": {
                **contract_defaults("DataConfig"),
                "train_csv": str(self.csv),
                "label_column": "label",
                "patient_column": self.patient,
            },
            "model": {
                **contract_defaults("ModelConfig"),
                "vision_backbone": "none",
                "fusion_type": "concatenate",
                "task": self.task,
            },
            "training": {
                **contract_defaults("LoopConfig"),
                "epochs": _EPOCHS,
                "batch_size": 32 if self.rows >= _FEW_ROWS else 16,
                "device": "cpu",
                "seed": self.repeat,
            },
        }
        config["data"]["fold"] = {"k": FOLDS, "index": self.index, "repeat": self.repeat, "seed": 0}
        for key, value in changes.items():
            next(part for part in config.values() if key in part)[key] = value
        return config


def score_of(name: str, fold: Fold) -> float:
    """Macro AUC, or 1 - RMSE / SD, of the held-out rows of the fold."""
    if name in NETWORKS:
        data, predictions = _train(fold.config(**NETWORKS[name]))
    else:
        data = _prepare(fold.config())
        predictions = _classic(name, data, fold.repeat)
    held = data.held_out
    assert held is not None and held.labels is not None
    if fold.task == "regression":
        rmse = float(np.sqrt(np.mean((predictions - held.labels) ** 2)))
        return 1 - rmse / float(np.std(held.labels))
    if predictions.shape[1] == 2:
        return float(roc_auc_score(held.labels, predictions[:, 1]))
    return float(roc_auc_score(held.labels, predictions, multi_class="ovr", average="macro"))


def _prepare(config: dict[str, Any]) -> PreparedData:
    folder = Path(config["data"]["train_csv"]).parent
    return prepare(
        config,
        roots=[folder],
        cache_dir=folder / "cache",
        progress=lambda message, fraction: None,
        should_stop=lambda: False,
    )


def _train(config: dict[str, Any]) -> tuple[PreparedData, Numbers]:
    """Uses the trainer's own code: data, loop, best checkpoint."""
    data = _prepare(config)
    with tempfile.TemporaryDirectory() as folder, redirect_stdout(StringIO()):
        run_dir = Path(folder)
        spec = Spec("bench", "bench", 1, run_dir, run_dir / "cache", (), None, config)
        events = SilentEvents(run_dir, 1)
        train(spec, data, events=events, control=Control(run_dir, 1), group=Group.alone())
        best = load_checkpoint(run_dir / "checkpoints" / "best")
        assert data.held_out is not None
        predictions = predict(best.build_network(), data.held_out, None, checkpoint_state=best.state)
    return data, predictions


def _classic(name: str, data: PreparedData, seed: int) -> Numbers:
    """The baseline of the trainer, fitted on every row that is not held out: it needs no validation."""
    train, val = data.train, data.val
    of_patients = None
    if train.patients is not None and val.patients is not None:  # no patient has rows in both
        of_patients = np.concatenate([train.patients, val.patients + train.patients.max() + 1])
    rows = np.concatenate([train.rows, val.rows])
    both = replace(table_of_both(data), rows=rows, patients=of_patients)
    assert data.held_out is not None
    fitted = fit_table_baseline(CLASSICS[name], replace(data, train=both, member_folds=None), seed)
    return fitted.baseline.predict(data.held_out)
