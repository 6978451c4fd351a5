"""Warnings of a result about its data, which do not make it fail."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, get_args

from medloom_trainer.contract.codes import WarningCode
from medloom_trainer.contract.phrases import Phrased, with_phrases

Warnings = list[dict[str, Any]]
"""[{"code", "message", "message_phrases"}]; made by `warning`."""

_CODES = frozenset(get_args(WarningCode))


def warning(code: WarningCode, message: Phrased) -> dict[str, Any]:
    """A warning of the catalog: contract/codes.json contains the meaning and the remedy of its code.

    KeyError if the catalog has no such code.
    """
    if code not in _CODES:
        raise KeyError(code)
    return with_phrases({"code": code, "message": message})


def remedy(code: str) -> str:
    """The remedy for a warning from the catalog. KeyError if it has no such code."""
    return _catalog()[code]["remedy"]


@cache
def _catalog() -> dict[str, dict[str, str]]:
    text = (Path(__file__).parent / "contract" / "codes.json").read_text(encoding="utf-8")
    warnings: dict[str, dict[str, str]] = json.loads(text)["warnings"]
    return warnings
