"""Limits that the service and the trainer share, as declared in the contracts: contract/limits.json."""

from __future__ import annotations

import json
from pathlib import Path

_LIMITS: dict[str, int] = json.loads((Path(__file__).parent / "limits.json").read_text(encoding="utf-8"))

MOST_COLUMNS = _LIMITS["table_columns"]
"""Largest number of columns of a table."""
