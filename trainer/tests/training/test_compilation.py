"""A compiled backbone learns the same as an uncompiled one, and checkpoints do not depend on it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from medloom_trainer.inference.checkpoint import load_checkpoint
from medloom_trainer.training import compilation
from medloom_trainer.training.compilation import is_wanted
from testing.synthetic import configuration, epochs_of, events_of, prepared, run

pytestmark = pytest.mark.usefixtures("quick_networks")


@pytest.mark.parametrize(
    ("setting", "device", "batches", "wanted"),
    [
        ("on", "cpu", 1, True),
        ("off", "cuda", 10**6, False),
        ("auto", "cpu", 10**6, False),
        ("auto", "cuda", 9_999, False),
        ("auto", "cuda", 10_000, True),
    ],
)
def test_auto_compiles_long_trainings_on_cuda_alone(setting, device, batches, wanted):
    assert is_wanted(setting, device, batches) == wanted


def trained(folder: Path, setting: str) -> tuple[Path, list[dict[str, Any]]]:
    """A training with random numbers, statistics and missing views. → its folder, its warnings"""
    settings = {"epochs": 2, "dropout": 0.3, "modality_dropout": 0.2}
    run(folder, configuration(**settings, compile=setting), prepared(train_cases=26))
    (event,) = events_of(folder, "prepared")
    return folder, event["prepared"]["warnings"]


@pytest.mark.full
def test_the_same_steps_compiled_give_the_same_checkpoint(tmp_path, monkeypatch):
    graphs = []

    def as_traced(graph, inputs) -> Callable:
        """The graph that the compiler found, computed without changes."""
        graphs.append(graph)
        return graph.forward

    monkeypatch.setattr(compilation, "BACKEND", as_traced)
    plain, _ = trained(tmp_path / "off", "off")
    assert graphs == []
    compiled, warnings = trained(tmp_path / "on", "on")
    assert 1 <= len(graphs) <= 2  # one is used for every number of images
    assert warnings == []
    assert epochs_of(compiled) == epochs_of(plain)
    for name in ("last", "best"):
        files = [
            load_checkpoint(folder / "checkpoints" / name).manifest["files"] for folder in (plain, compiled)
        ]
        for part in ("model", "optimizer"):
            assert files[0][part]["sha256"] == files[1][part]["sha256"]


@pytest.mark.slow
def test_what_cannot_be_compiled_is_trained_as_it_is_with_a_warning(tmp_path, monkeypatch):
    def failing(graph, inputs) -> Callable:
        raise RuntimeError("no compiler is installed")

    monkeypatch.setattr(compilation, "BACKEND", failing)
    folder, warnings = trained(tmp_path / "on", "on")
    assert [found["code"] for found in warnings] == ["COMPILATION_FAILED"]
    assert "no compiler is installed" in warnings[0]["message"]
    assert epochs_of(folder) == epochs_of(trained(tmp_path / "off", "off")[0])
