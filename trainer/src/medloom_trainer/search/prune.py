"""The task `study_prune`: whether a trial should end because of poor validation values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import optuna

from medloom_trainer.search.trials import frozen, study_of, values_by_epoch


def study_prune(params: Mapping[str, Any], progress: Callable[[str, float], None]) -> dict[str, Any]:
    """Return the result that contracts declare for `study_prune`; the caller has checked params.

    The median rule of Optuna (Golovin et al. 2017): a trial ends in the first epoch in which its best value
    so far is worse than the median of the complete trials in that epoch. The epochs are processed in order,
    so the answer does not depend on the number of requests.
    """
    pruner = optuna.pruners.MedianPruner(
        n_startup_trials=params["startup_trials"], n_warmup_steps=params["warmup_epochs"] + 1
    )
    history = [frozen({**trial, "settings": {}}, {}, {}) for trial in params["history"]]
    trial = study_of(params["direction"], history, pruner=pruner).ask()
    for epoch, value in sorted(values_by_epoch(params["steps"]).items()):
        trial.report(value, epoch)
        if trial.should_prune():
            return {"epoch": epoch}
    return {"epoch": None}
