"""The exit status of the bench that compares equally good models (bench/coverage)."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

FOLDER = Path(__file__).parents[3] / "bench/coverage"


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    before = set(sys.modules)
    monkeypatch.syspath_prepend(str(FOLDER))
    yield importlib.import_module("comparisons")
    for name in set(sys.modules) - before:
        if str(FOLDER) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


@pytest.mark.parametrize(
    ("without", "reported", "status"),
    [(0.01, 0.01, 1), (0.01, None, 0), (0.5, 0.5, 0)],
)
def test_it_fails_if_a_reported_difference_is_significant_too_often(
    bench: ModuleType,
    capsys: pytest.CaptureFixture[str],
    without: float,
    reported: float | None,
    status: int,
) -> None:
    rigged = bench.Design("rigged", (3,), ("auc",), lambda rng, size, seed: {"auc": (without, reported)})
    assert bench.compare_equal_models([rigged], 20, 0, False) == status
    said = capsys.readouterr().out
    assert ("significant too often: rigged, 3: auc" in said) is bool(status)
    assert ("100.0 ± 0.0" in said) is (
        without < 0.05
    )  # without the minimum it is shown, whatever is reported


def test_three_monte_carlo_errors_are_allowed(bench: ModuleType) -> None:
    assert not bench.is_too_often(33, 400) and bench.is_too_often(34, 400) and not bench.is_too_often(0, 0)


def test_the_shipped_minimum_compares_no_models_by_two_patients(bench: ModuleType) -> None:
    for design in bench.DESIGNS:
        if design.sizes is bench.RAREST and "folds" in design.name:
            found = bench._compare(design, 2, range(3))
            assert not found.given[1] and found.given[0]
