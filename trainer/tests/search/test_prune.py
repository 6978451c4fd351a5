"""Only a trial whose validation values are clearly worse than those of the others is ended."""

from __future__ import annotations

from typing import Any

import pytest

from medloom_trainer.search.prune import study_prune


def trial(values: list[float | None], state: str = "complete") -> dict[str, Any]:
    return {"settings": {"a": 1}, "state": state, "value": values[-1], "steps": steps(values)}


def steps(values: list[float | None]) -> list[dict[str, Any]]:
    return [{"epoch": epoch, "value": value} for epoch, value in enumerate(values, 1)]


def ended(values: list[float | None], history: list[dict[str, Any]], **changes: Any) -> int | None:
    params = {"direction": "lower", "startup_trials": 2, "warmup_epochs": 0, **changes}
    found = study_prune({**params, "history": history, "steps": steps(values)}, lambda *_: None)
    return found["epoch"]  # type: ignore[no-any-return]


GOOD = [trial([0.9, 0.6, 0.4]), trial([0.8, 0.5, 0.3]), trial([1.0, 0.7, 0.5])]


@pytest.mark.parametrize(
    ("values", "epoch"),
    [
        ([2.0, 1.9, 1.8], 1),
        ([0.85, 0.8, 0.7], 2),
        ([0.7, 0.5, 0.35], None),
        # The best value so far counts, not the last one.
        ([0.3, 2.0, 2.0], None),
        # An undefined value has no effect.
        ([None, 1.9, 1.8], 2),
    ],
)
def test_a_trial_ends_in_the_first_epoch_in_which_it_is_worse_than_the_median(
    values: list[float | None], epoch: int | None
) -> None:
    assert ended(values, GOOD) == epoch
    # The same result if requested after each epoch, or once at the end.
    so_far = [ended(values[: count + 1], GOOD) for count in range(len(values))]
    assert next((one for one in so_far if one is not None), None) == epoch


def test_the_order_of_the_values_in_the_request_does_not_matter() -> None:
    params = {"direction": "lower", "startup_trials": 2, "warmup_epochs": 0, "history": GOOD}
    found = study_prune({**params, "steps": steps([2.0, 1.9, 1.8])[::-1]}, lambda *_: None)
    assert found == {"epoch": 1}


def test_higher_may_be_better() -> None:
    assert ended([0.2], GOOD, direction="higher") == 1
    assert ended([2.0, 1.9, 1.8], GOOD, direction="higher") is None


def test_nothing_ends_before_enough_trials_are_complete() -> None:
    assert ended([9.0], GOOD[:1]) is None
    assert ended([9.0], [GOOD[0], trial([0.5], "pruned"), trial([0.4], "failed")]) is None
    assert ended([9.0], GOOD[:2]) == 1


def test_nothing_ends_within_the_first_epochs() -> None:
    assert ended([9.0, 9.0, 9.0], GOOD, warmup_epochs=2) == 3
