"""A fresh workplace for every test."""

from __future__ import annotations

from pathlib import Path

import pytest

from testing.workspace import Workplace


@pytest.fixture
def work(tmp_path: Path) -> Workplace:
    return Workplace(tmp_path)
