"""The trials of a search so far, as a study of Optuna in memory for one request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import optuna
from optuna.distributions import BaseDistribution
from optuna.trial import FrozenTrial, TrialState, create_trial

from medloom_trainer.search.space import Space, drawn_of

STATES = {
    "complete": TrialState.COMPLETE,
    "pruned": TrialState.PRUNED,
    "failed": TrialState.FAIL,
    "running": TrialState.RUNNING,
}


def study_of(
    direction: str,
    trials: Sequence[FrozenTrial],
    *,
    sampler: optuna.samplers.BaseSampler | None = None,
    pruner: optuna.pruners.BasePruner | None = None,
) -> optuna.Study:
    """direction: 'lower' or 'higher' values are better. Nothing is read from or written to a database."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(
        storage=optuna.storages.InMemoryStorage(),
        sampler=sampler,
        pruner=pruner or optuna.pruners.NopPruner(),
        direction="minimize" if direction == "lower" else "maximize",
    )
    study.add_trials(trials)
    return study


def frozen(trial: Mapping[str, Any], space: Space, distributions: dict[str, BaseDistribution]) -> FrozenTrial:
    """A trial of the contract (StudyTrial) in the form of Optuna."""
    state = STATES[trial["state"]]
    return create_trial(
        state=state,
        value=trial["value"] if state == TrialState.COMPLETE else None,
        params=drawn_of(space, trial["settings"]),
        distributions=distributions,
        intermediate_values=values_by_epoch(trial["steps"]),
    )


def values_by_epoch(steps: Sequence[Mapping[str, Any]]) -> dict[int, float]:
    """Values without the epochs in which the metric was undefined."""
    return {step["epoch"]: step["value"] for step in steps if step["value"] is not None}
