"""JSON that is nested too deeply is refused, and no finalizer of another object fails meanwhile."""

from __future__ import annotations

import gc
import sys

import pytest

from medloom_trainer.nested_json import parse_nested


class _Finalized:
    """Garbage that only the collector finds. Its finalizer fails close to the limit of recursion, 1000."""

    def __init__(self) -> None:
        self.itself = self

    def __del__(self) -> None:
        _call(300)


def _call(more: int) -> None:
    if more:
        _call(more - 1)


def test_finalizers_do_not_run_at_the_limit_of_recursion(monkeypatch) -> None:
    failed: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", failed.append)
    thresholds = gc.get_threshold()
    gc.collect()
    for _ in range(50):
        _Finalized()
    gc.set_threshold(800)  # reached when about 750 lists are open
    try:
        with pytest.raises(RecursionError):
            parse_nested("[" * 100_000)
    finally:
        gc.set_threshold(*thresholds)
    assert gc.isenabled() and failed == []


def test_other_texts_are_parsed_as_usual() -> None:
    assert parse_nested('{"a": 1.50}', parse_float=str) == {"a": "1.50"}
    with pytest.raises(ValueError, match="Expecting"):
        parse_nested("[1")
