"""Shared fixtures of these tests. Recording a graph takes seconds, so equal networks are recorded once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import pytest

from medloom_trainer.export import Exported, export_model
from medloom_trainer.inference.checkpoint import Checkpoint
from testing.export_models import checkpoint, operators_read_once
from testing.short_backbones import short_backbones


@pytest.fixture(scope="package", autouse=True)
def quick_exports() -> Iterator[None]:
    with short_backbones(), operators_read_once():
        yield


@pytest.fixture(scope="package")
def saved(tmp_path_factory) -> Callable[..., Checkpoint]:
    """`checkpoint` of testing/export_models.py, once for the same changes."""
    return cache(lambda **changes: checkpoint(tmp_path_factory.mktemp("checkpoint"), **changes))


@pytest.fixture(scope="package")
def exported(saved) -> Callable[..., Exported]:
    """Export of `saved`, once for the same format and changes."""
    return cache(lambda format, **changes: export_model(saved(**changes), format=format))
