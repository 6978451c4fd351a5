"""The one exception that a user may see.

TrainerError(code)
    code: an error of contract/codes.json, which holds its meaning and remedy.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from medloom_trainer.contract.codes import ErrorCode


class TrainerError(Exception):
    """A failure with a code of the catalog, a message that names the place, and a remedy."""

    def __init__(
        self, code: ErrorCode, message: str, details: str | None = None, *, trace: str | None = None
    ) -> None:
        """trace: where it happened, for an error in code that the user wrote."""
        super().__init__(message)
        self.code: ErrorCode = code
        self.message = message
        self.details = details if details is not None else str(catalog()[code]["remedy"])
        self.trace = trace


@cache
def catalog() -> dict[str, dict[str, str]]:
    """Code → {meaning, remedy, http}, as declared in the contracts."""
    text = (Path(__file__).parent / "contract" / "codes.json").read_text(encoding="utf-8")
    errors: dict[str, dict[str, str]] = json.loads(text)["errors"]
    return errors
