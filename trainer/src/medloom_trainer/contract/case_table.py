"""Columns that Medloom adds to the tables of workflow nodes, as declared in the contracts:
contract/case-table.json.
"""

from __future__ import annotations

import json
from pathlib import Path

_COLUMNS: dict[str, str] = json.loads(
    (Path(__file__).parent / "case-table.json").read_text(encoding="utf-8")
)["origin_columns"]

FILE_COLUMN = _COLUMNS["file"]
"""Name of the user's file from which a row comes."""
ROW_COLUMN = _COLUMNS["row"]
"""Line in that file; the header is line 1."""
