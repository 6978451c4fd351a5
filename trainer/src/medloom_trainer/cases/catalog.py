"""The catalog of nodes from the contract, and the fields of a config that differ from its defaults."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import medloom_trainer
from medloom_trainer.cases.node_task import NodeTask


@cache
def catalog() -> dict[str, Any]:
    """Node type → its entry of the catalog (contract NodeRecord)."""
    path = Path(medloom_trainer.__file__).parent / "contract" / "nodes.json"
    return {node["type"]: node for node in json.loads(path.read_text(encoding="utf-8"))["nodes"]}


def is_chosen(task: NodeTask, field: str) -> bool:
    """Return whether this field of the config differs from its default: a config is always complete."""
    facts = catalog()[task.type]["config"]["properties"][field]
    default = facts.get("default")
    if isinstance(default, dict):  # omitted parts have their own defaults
        default = {name: part.get("default") for name, part in facts["properties"].items()} | default
    return bool(task.config[field] != default)
