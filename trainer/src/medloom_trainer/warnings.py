"""What a result says about its data without failing."""

from __future__ import annotations

from medloom_trainer.contract.codes import WarningCode


def warning(code: WarningCode, message: str) -> dict[str, str]:
    """A warning of the catalog: contract/codes.json holds the meaning and the remedy of its code."""
    return {"code": code, "message": message}
