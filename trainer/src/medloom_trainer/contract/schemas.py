"""JSON Schemas of the contracts, as `npm run generate` writes them."""

import json
from functools import cache
from pathlib import Path
from typing import Any


@cache
def contract(name: str) -> dict[str, Any]:
    """contract/<name>.schema.json."""
    text = (Path(__file__).parent / f"{name}.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


@cache
def task_schemas() -> dict[str, dict[str, Any]]:
    """Task of a worker → its schemas `params` and `result`. The file contains their common definitions once."""
    shared = contract("tasks")
    return {
        task: {part: {"$defs": shared["$defs"], **schema} for part, schema in schemas.items()}
        for task, schemas in shared["tasks"].items()
    }
