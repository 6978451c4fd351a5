"""Real datasets next to the checkout, or in the folder that MEDLOOM_SHARED names; tests that need one report
if it is missing."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

_FOLDER = Path(os.environ.get("MEDLOOM_SHARED") or Path(__file__).parents[4] / "shared")
SHARED = _FOLDER / "data"
SHARED_CASES = _FOLDER / "cases"


def shared_files(folder: str, pattern: str) -> list[Any]:
    """Parameters for pytest: one for each file, or one that is skipped."""
    files = sorted((SHARED / folder).glob(pattern))
    absent = pytest.mark.skip(reason=f"no ../shared/data/{folder} beside the checkout")
    return [pytest.param(file, id=file.name) for file in files] or [pytest.param(None, marks=absent)]
