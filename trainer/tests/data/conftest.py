"""A fresh workspace for every test."""

from __future__ import annotations

from pathlib import Path

import pytest

from testing.workspace import Workspace


@pytest.fixture
def work(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)
