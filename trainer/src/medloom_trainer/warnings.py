"""What a result says about its data without failing."""

from __future__ import annotations

from typing import get_args

from medloom_trainer.contract.codes import WarningCode

_CODES = frozenset(get_args(WarningCode))


def warning(code: WarningCode, message: str) -> dict[str, str]:
    """A warning of the catalog: contract/codes.json holds the meaning and the remedy of its code.

    KeyError when the catalog has no such code.
    """
    if code not in _CODES:
        raise KeyError(code)
    return {"code": code, "message": message}
