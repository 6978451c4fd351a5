"""Paths inside a run directory, as declared in the contracts: contract/run-directory.json."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class RunDirectory:
    """A run directory. It is portable: everything about the run is in `path`."""

    path: Path

    @property
    def spec(self) -> Path:
        return run_path(self.path, "spec")

    @property
    def result(self) -> Path:
        return run_path(self.path, "result")

    @property
    def log(self) -> Path:
        return run_path(self.path, "log")

    @property
    def known_cases(self) -> Path:
        return run_path(self.path, "known_cases")

    @property
    def image_reference(self) -> Path:
        return run_path(self.path, "image_reference")

    @property
    def epochs(self) -> Path:
        return run_path(self.path, "epochs")

    @property
    def metrics(self) -> Path:
        return run_path(self.path, "metrics")

    @property
    def validation(self) -> Path:
        return run_path(self.path, "validation")

    @property
    def held_out(self) -> Path:
        return run_path(self.path, "held_out")

    def events(self, attempt: int) -> Path:
        return run_path(self.path, "events", attempt=attempt)

    def event_payload(self, attempt: int, sha256: str) -> Path:
        return run_path(self.path, "event_payload", attempt=attempt, sha256=sha256)

    def control(self, attempt: int) -> Path:
        return run_path(self.path, "control", attempt=attempt)

    def heartbeat(self, attempt: int) -> Path:
        return run_path(self.path, "heartbeat", attempt=attempt)

    def resources(self, attempt: int) -> Path:
        return run_path(self.path, "resources", attempt=attempt)

    def reserve(self, attempt: int) -> Path:
        return run_path(self.path, "reserve", attempt=attempt)

    def checkpoint(self, name: str) -> Path:
        return run_path(self.path, "checkpoint", name=name)

    def baseline(self, name: str) -> Path:
        return run_path(self.path, "baseline", name=name)

    def baseline_model(self, name: str) -> Path:
        return run_path(self.path, "baseline_model", name=name)

    def relative(self, path: Path) -> str:
        """The name of the file in other parts of the run."""
        return path.relative_to(self.path).as_posix()


def file_name(path: str) -> str:
    """The name of the file `path` in any run: file_name("manifest") is "checkpoint.json"."""
    return _paths()[path].rpartition("/")[2]


def run_path(run_dir: Path, path: str, /, **values: str | int) -> Path:
    """The file or folder `path` of a run: run_path(run_dir, "events", attempt=2)."""
    return run_dir.joinpath(*_paths()[path].format(**values).split("/"))


def mirrored_paths(attempt: int) -> list[str]:
    """Paths of a run that a node without a common folder sends: files, and folders with their content."""
    return [_paths()[path].format(attempt=attempt) for path in _declared()["mirrored"]]


def reserve_bytes() -> int:
    """The size of the file `reserve`."""
    size: int = _declared()["reserve_bytes"]
    return size


def _paths() -> dict[str, str]:
    paths: dict[str, str] = _declared()["paths"]
    return paths


@cache
def _declared() -> dict[str, Any]:
    text = (Path(__file__).parent / "run-directory.json").read_text(encoding="utf-8")
    declared: dict[str, Any] = json.loads(text)
    return declared
