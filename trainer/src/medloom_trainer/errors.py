"""The only exception whose text is shown to users.

TrainerError(code)
    code: an error of contract/codes.json, which contains its meaning and remedy.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from medloom_trainer.contract.codes import ErrorCode
from medloom_trainer.contract.phrases import Phrased


class TrainerError(Exception):
    """A failure with a code of the catalog, a message that names the place, and a remedy."""

    def __init__(
        self, code: ErrorCode, message: Phrased, details: Phrased | None = None, *, trace: str | None = None
    ) -> None:
        """trace: location of an error in code that the user wrote. Phrased(text) without phrases is a text of
        another program."""
        super().__init__(message)
        self.code: ErrorCode = code
        self.message = message
        self.details = details if details is not None else Phrased(catalog()[code]["remedy"])
        self.trace = trace


@cache
def catalog() -> dict[str, dict[str, str]]:
    """Code → {meaning, remedy, http}, as declared in the contracts."""
    errors: dict[str, dict[str, str]] = _contract()["errors"]
    return errors


@cache
def system_faults() -> dict[str, ErrorCode]:
    """Name of a system error that is a fault of the machine, such as ENOSPC → code."""
    faults: dict[str, ErrorCode] = _contract()["system_faults"]
    return faults


@cache
def _contract() -> dict[str, Any]:
    text = (Path(__file__).parent / "contract" / "codes.json").read_text(encoding="utf-8")
    contract: dict[str, Any] = json.loads(text)
    return contract
