"""The space of a search as the sampler of Optuna reads it, and its settings as the service reads them."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from typing import Any

from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)

Space = Mapping[str, Any]
"""Contract SearchSpace: key of the configuration → list of choices, or a range."""
Settings = dict[str, Any]
"""Key of the configuration → its value in a trial."""


def distributions(space: Space) -> dict[str, BaseDistribution]:
    """Choices are drawn by their positions in the list, so that they may be any JSON."""
    return {key: _distribution(values) for key, values in space.items()}


def _distribution(values: Any) -> BaseDistribution:
    if isinstance(values, list):
        return CategoricalDistribution(range(len(values)))
    low, high, log, step = values["low"], values["high"], values.get("log", False), values.get("step")
    if values.get("int", False):
        return IntDistribution(int(low), int(high), log=log, step=1 if step is None else int(step))
    return FloatDistribution(low, high, log=log, step=step)


def settings_of(space: Space, drawn: Mapping[str, Any]) -> Settings:
    """Convert the values drawn by Optuna to values of the configuration."""
    return {
        key: values[drawn[key]] if isinstance(values, list) else drawn[key] for key, values in space.items()
    }


def drawn_of(space: Space, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Inverse of `settings_of`."""
    return {
        key: [as_text(choice) for choice in values].index(as_text(settings[key]))
        if isinstance(values, list)
        else settings[key]
        for key, values in space.items()
    }


def every_setting(space: Space) -> Iterator[Settings] | None:
    """All settings, with the last key changing first; None if a range has no steps."""
    columns = [_values(values) for values in space.values()]
    if any(column is None for column in columns):
        return None
    return (dict(zip(space, values, strict=True)) for values in itertools.product(*columns))  # type: ignore[arg-type]


def _values(values: Any) -> list[Any] | None:
    if isinstance(values, list):
        return values
    distribution = _distribution(values)
    if isinstance(distribution, IntDistribution):
        return list(range(distribution.low, distribution.high + 1, distribution.step))
    if not isinstance(distribution, FloatDistribution) or distribution.step is None:
        return None
    steps = round((distribution.high - distribution.low) / distribution.step)
    return [distribution.low + number * distribution.step for number in range(steps + 1)]


def as_text(value: Any) -> str:
    """Equal only for equal values: True does not equal 1 here."""
    return json.dumps(value, sort_keys=True)
