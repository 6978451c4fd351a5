"""The settings of a search only depend on its space, its seed and its trials."""

from __future__ import annotations

from typing import Any

import pytest

from medloom_trainer.errors import TrainerError
from medloom_trainer.search.suggest import study_suggest

RATE = {"low": 1e-4, "high": 1e-1, "log": True}
SPACE = {"training.learning_rate": RATE, "model.dropout": [0.0, 0.2, None, True]}
SMALL = {"a": [1, True, "x"], "b": {"low": 2, "high": 6, "int": True, "step": 2}}


def ask(history: list[dict[str, Any]], **changes: Any) -> dict[str, Any]:
    params = {
        "space": SPACE,
        "sampler": "tpe",
        "seed": 0,
        "random_trials": 2,
        "direction": "lower",
        **changes,
    }
    found = study_suggest({**params, "history": history}, lambda *_: None)
    return found["settings"]  # type: ignore[no-any-return]


def trial(settings: dict[str, Any], value: float | None, state: str = "complete") -> dict[str, Any]:
    steps = [{"epoch": 1, "value": value}, {"epoch": 2, "value": value}]
    return {"settings": settings, "state": state, "value": value, "steps": steps}


def falling() -> list[dict[str, Any]]:
    """The smaller the learning rate, the larger the value."""
    return [trial({"training.learning_rate": 10 ** -(1 + n / 5), "model.dropout": 0.0}, n) for n in range(15)]


def rate(history: list[dict[str, Any]], **changes: Any) -> float:
    return float(ask(history, **changes)["training.learning_rate"])


def searched(count: int, worth: Any, **changes: Any) -> list[dict[str, Any]]:
    history: list[dict[str, Any]] = []
    for _ in range(count):
        settings = ask(history, **changes)
        history.append(trial(settings, worth(settings)))
    return [one["settings"] for one in history]


def test_a_grid_visits_every_setting_once_in_the_order_it_is_written() -> None:
    found = searched(9, lambda _: 0.0, space=SMALL, sampler="grid")
    assert found == [{"a": a, "b": b} for a in (1, True, "x") for b in (2, 4, 6)]
    with pytest.raises(TrainerError, match="all 9 settings"):
        ask([trial(one, 0.0) for one in found], space=SMALL, sampler="grid")


@pytest.mark.parametrize("sampler", ["random", "tpe"])
def test_a_finite_space_is_used_up_without_a_setting_twice(sampler: str) -> None:
    found = searched(9, lambda _: 0.0, space=SMALL, sampler=sampler)
    assert len({repr(one) for one in found}) == 9
    with pytest.raises(TrainerError, match="all 9 settings"):
        ask([trial(one, 0.0) for one in found], space=SMALL, sampler=sampler)


@pytest.mark.parametrize("sampler", ["random", "tpe"])
def test_the_same_trials_and_seed_give_the_same_setting_and_others_do_not(sampler: str) -> None:
    def worth(settings: dict[str, Any]) -> float:
        return float(settings["training.learning_rate"])

    found = searched(8, worth, sampler=sampler)
    assert found == searched(8, worth, sampler=sampler)
    assert found != searched(8, worth, sampler=sampler, seed=1)
    # Nothing is stored between requests: any step can be requested separately.
    assert ask([trial(one, worth(one)) for one in found[:5]], sampler=sampler) == found[5]


def test_tpe_learns_from_values_and_random_does_not() -> None:
    history = falling()
    turned = [{**one, "value": -one["value"]} for one in history]
    rates = {
        sampler: [rate(trials, sampler=sampler) for trials in (history, turned)]
        for sampler in ("tpe", "random")
    }
    assert rates["tpe"][0] > 10 * rates["tpe"][1]
    assert rates["random"][0] == rates["random"][1]


def test_higher_values_may_be_better() -> None:
    history = falling()
    assert rate(history, direction="lower") > 10 * rate(history, direction="higher")


def test_trials_that_failed_were_pruned_or_still_run_are_no_obstacle() -> None:
    settings = [{"training.learning_rate": 10.0**-n, "model.dropout": 0.2} for n in (1, 2, 3, 4)]
    states = ["failed", "pruned", "running", "complete"]
    values = [None, 1.0, 1.0, 1.0]
    history = [trial(*one) for one in zip(settings, values, states, strict=True)]
    assert 1e-4 <= ask(history)["training.learning_rate"] <= 1e-1


def test_ranges_keep_their_steps_and_kinds() -> None:
    space = {
        "whole": {"low": 8, "high": 64, "int": True, "log": True},
        "step": {"low": 0.0, "high": 0.5, "step": 0.1},
    }
    for settings in searched(10, lambda _: 0.0, space=space, sampler="random"):
        assert isinstance(settings["whole"], int) and 8 <= settings["whole"] <= 64
        assert round(settings["step"] * 10) == pytest.approx(settings["step"] * 10)


def test_tpe_draws_at_random_first() -> None:
    assert rate(falling(), random_trials=15) != rate(falling(), random_trials=16)
    assert rate(falling(), random_trials=16) == rate(
        [{**one, "value": -one["value"]} for one in falling()], random_trials=16
    )
