"""The files of a follow-up, in its folder. Identifiers are stored only as digests with the key of the
follow-up: without it, nobody can test whether a known patient is in the files.

    key                  64 hexadecimal digits, written by the service
    cases/<id>.json      the cases of one request for predictions
    outcomes.json        digest of the id of a case → its outcome
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from medloom_trainer.files import write_json


@dataclass(frozen=True)
class FollowUpFolder:
    """The folder of one follow-up."""

    path: Path

    @property
    def exists(self) -> bool:
        """False if the follow-up was removed."""
        return (self.path / "key").exists()

    def digest_of(self, identifier: str) -> str:
        """Digest of an id of a case or patient with the key of this follow-up."""
        key = bytes.fromhex((self.path / "key").read_text(encoding="ascii"))
        content = identifier.strip().encode("utf-8", "surrogatepass")
        return hmac.new(key, content, "sha256").hexdigest()

    def digests_of(self, identifiers: list[str]) -> list[str | None]:
        """None for an empty id."""
        known = {one: self.digest_of(one) for one in set(identifiers) if one.strip()}
        return [known.get(one) for one in identifiers]

    def write_record(self, name: str, record: Mapping[str, Any]) -> None:
        write_json(self._records / f"{name}.json", record)

    def records(self) -> list[tuple[str, dict[str, Any]]]:
        """(id of the request, record), the oldest first."""
        found = [
            (file.stem, json.loads(file.read_text(encoding="utf-8"))) for file in self._records.glob("*.json")
        ]
        return sorted(found, key=lambda one: (one[1]["at"], one[0]))

    def outcomes(self) -> dict[str, Any]:
        """Digest of the id of a case → its outcome, in the form of `read_labels`."""
        file = self.path / "outcomes.json"
        return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}

    def write_outcomes(self, outcomes: Mapping[str, Any]) -> None:
        write_json(self.path / "outcomes.json", outcomes)

    @property
    def _records(self) -> Path:
        return self.path / "cases"
