"""The paths of a run directory, which the service and the trainer share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class RunDirectory:
    """It is portable: everything about the run lies in `path`."""

    path: Path

    @property
    def spec(self) -> Path:
        return self.path / "spec.json"

    @property
    def result(self) -> Path:
        return self.path / "result.json"

    @property
    def log(self) -> Path:
        return self.path / "logs" / "training.log"

    @property
    def metrics(self) -> Path:
        return self.path / "metrics" / "metrics.json"

    @property
    def validation(self) -> Path:
        return self.path / "metrics" / "validation.json"

    def events(self, attempt: int) -> Path:
        return self.path / f"events.{attempt}.jsonl"

    def control(self, attempt: int) -> Path:
        return self.path / f"control.{attempt}.json"

    def checkpoint(self, name: str) -> Path:
        return self.path / "checkpoints" / name

    def relative(self, path: Path) -> str:
        """As other parts of the run name the file."""
        return path.relative_to(self.path).as_posix()
