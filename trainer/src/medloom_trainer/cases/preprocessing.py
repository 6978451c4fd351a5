"""What preprocessing nodes share: the settings that their config means, recorded on the cases."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import medloom_trainer
from medloom_trainer.cases.case_set import describe_cases, write_cases
from medloom_trainer.cases.join import cases_at
from medloom_trainer.cases.node_task import NodeTask, Outputs
from medloom_trainer.errors import TrainerError


def record_image_settings(task: NodeTask) -> Outputs:
    """The cases at `images`, with the settings of this node recorded: pixels are read when a training or an
    evaluation prepares the images. DATASET_INVALID when the cases have no images.
    """
    cases = cases_at(task, "images")
    if not cases.image_columns:
        raise TrainerError("DATASET_INVALID", "Input images has no image columns")
    content = write_cases(task, replace(cases, settings=add_settings(task, dict(cases.settings))))
    port = _catalog()[task.type]["outputs"][0]["name"]
    return {port: (content, describe_cases(content))}


def settings_of(task: NodeTask) -> dict[str, Any]:
    """Config of the node → dotted keys of the training configuration, which the catalog names."""
    settings: dict[str, Any] = {}
    for name, facts in _catalog()[task.type]["config"]["properties"].items():
        key = facts.get("training_key")
        if key is None:
            continue
        value = task.config[name]
        if isinstance(value, dict) and value.keys() == {"width", "height"}:
            value = [value["width"], value["height"]]
        section, whole, *part = key.split(".")
        if part:
            settings.setdefault(f"{section}.{whole}", {})[part[0]] = value
        else:
            settings[key] = value
    return settings


def add_settings(task: NodeTask, known: dict[str, Any]) -> dict[str, Any]:
    """Settings of nodes above and of this one; the later node decides, and says so where it changes one.

    Methods that DataAugmentation has chosen are not replaced by a named strength.
    """
    merged = dict(known)
    for key, value in settings_of(task).items():
        before = merged.get(key)
        if key == "data.augmentation" and isinstance(before, dict) and isinstance(value, str):
            continue
        if before is not None and before != value:
            task.warn("SETTING_REPLACED", f"{key} was set by a node above and is replaced by {task.type}")
        merged[key] = value
    return merged


@cache
def _catalog() -> dict[str, Any]:
    """Node type → its entry of the catalog (contract NodeRecord)."""
    path = Path(medloom_trainer.__file__).parent / "contract" / "nodes.json"
    return {node["type"]: node for node in json.loads(path.read_text(encoding="utf-8"))["nodes"]}
