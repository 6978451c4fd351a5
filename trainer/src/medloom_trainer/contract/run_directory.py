"""Paths inside a run directory, as the contracts declare them: contract/run-directory.json."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path


def run_path(run_dir: Path, path: str, /, **values: str | int) -> Path:
    """The file or folder `path` of a run: run_path(run_dir, "events", attempt=2)."""
    return run_dir.joinpath(*_paths()[path].format(**values).split("/"))


@cache
def _paths() -> dict[str, str]:
    text = (Path(__file__).parent / "run-directory.json").read_text(encoding="utf-8")
    paths: dict[str, str] = json.loads(text)["paths"]
    return paths
