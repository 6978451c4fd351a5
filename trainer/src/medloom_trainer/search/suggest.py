"""The task `study_suggest`: the space of a search and its trials so far → the setting of the next trial.

The answer only depends on the request: the same trials and seed give the same setting, in any process and
after any restart. A grid is visited in its written order; random and TPE are Optuna's (Akiba et al. 2019;
TPE: Bergstra et al. 2011), each draw with a seed from the search's seed and the number of the trial. No
setting is tried twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import optuna

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.errors import TrainerError
from medloom_trainer.search.space import Settings, as_text, distributions, every_setting, settings_of
from medloom_trainer.search.trials import frozen, study_of

_DRAWS = 100
"""Number of draws of known settings after which the rest of a finite space is listed."""


def study_suggest(params: Mapping[str, Any], progress: Callable[[str, float], None]) -> dict[str, Any]:
    """Return the result that contracts declare for `study_suggest`; the caller has checked params.

    INVALID_REQUEST if every setting of the space was tried.
    """
    space, history = params["space"], params["history"]
    tried = {as_text(trial["settings"]) for trial in history}
    settings = _next_of_grid(space, tried) if params["sampler"] == "grid" else _drawn(params, tried)
    if settings is None:
        message = phrase("search_exhausted", count=len(tried))
        raise TrainerError("INVALID_REQUEST", message, phrase("fewer_trials"))
    return {"settings": settings}


def _next_of_grid(space: Mapping[str, Any], tried: set[str]) -> Settings | None:
    return next((one for one in every_setting(space) or () if as_text(one) not in tried), None)


def _drawn(params: Mapping[str, Any], tried: set[str]) -> Settings | None:
    space, history = params["space"], params["history"]
    seed = int(np.random.SeedSequence([params["seed"], len(history)]).generate_state(1)[0])
    searched = distributions(space)
    trials = [frozen(trial, space, searched) for trial in history]
    study = study_of(params["direction"], trials, sampler=_sampler(params, seed))
    for _ in range(_DRAWS):
        settings = settings_of(space, study.ask(searched).params)
        if as_text(settings) not in tried:
            return settings
    untried = [one for one in every_setting(space) or () if as_text(one) not in tried]
    return untried[int(np.random.default_rng(seed).integers(len(untried)))] if untried else None


def _sampler(params: Mapping[str, Any], seed: int) -> optuna.samplers.BaseSampler:
    if params["sampler"] == "random":
        return optuna.samplers.RandomSampler(seed=seed)
    return optuna.samplers.TPESampler(n_startup_trials=params["random_trials"], seed=seed)
