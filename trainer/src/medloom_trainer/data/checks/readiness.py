"""Readiness checks of an inspection, collected: the worst status counts: blocked, warning, ready."""

from __future__ import annotations

from typing import Any


class Checks:
    """[{"key", "status", "message", "hint"}] in the order they were made."""

    def __init__(self) -> None:
        self.made: list[dict[str, Any]] = []

    def pass_(self, key: str, message: str) -> None:
        self.made.append({"key": key, "status": "ready", "message": message, "hint": None})

    def warn(self, key: str, message: str, hint: str) -> None:
        self.made.append({"key": key, "status": "warning", "message": message, "hint": hint})

    def block(self, key: str, message: str, hint: str) -> None:
        self.made.append({"key": key, "status": "blocked", "message": message, "hint": hint})

    def readiness(self) -> dict[str, Any]:
        statuses = {check["status"] for check in self.made}
        worst = next((status for status in ("blocked", "warning") if status in statuses), "ready")
        return {"status": worst, "checks": self.made}
