"""Shared functions of preprocessing nodes: the settings of their config, recorded on the cases."""

from __future__ import annotations

from typing import Any

from medloom_trainer.cases.case_set import describe_cases, with_settings, write_cases
from medloom_trainer.cases.catalog import catalog, is_chosen
from medloom_trainer.cases.join import cases_at
from medloom_trainer.cases.node_task import NodeTask, Outputs
from medloom_trainer.contract.phrases import phrase
from medloom_trainer.errors import TrainerError


def record_image_settings(task: NodeTask) -> Outputs:
    """The cases at `images`, with the settings of this node recorded: pixels are read when a training or an
    evaluation prepares the images. DATASET_INVALID if the cases have no images.
    """
    values = task.inputs.get("images", [])
    # Two values are joined to a new table.
    joined = write_cases(task, cases_at(task, "images")) if len(values) == 2 else task.input("images")
    if not joined.get("image_columns"):
        raise TrainerError("DATASET_INVALID", phrase("input_without_image_columns"))
    content = with_settings(task, joined, add_settings(task, dict(joined["settings"])))
    port = catalog()[task.type]["outputs"][0]["name"]
    return {port: (content, describe_cases(content))}


def settings_of(task: NodeTask) -> dict[str, Any]:
    """Config of the node → dotted keys of the training configuration, which the catalog names."""
    settings: dict[str, Any] = {}
    for name, facts in catalog()[task.type]["config"]["properties"].items():
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


def chosen_settings(task: NodeTask) -> dict[str, Any]:
    """Settings of fields that differ from their default: unchanged fields have no effect."""
    facts = catalog()[task.type]["config"]["properties"]
    chosen = {facts[name].get("training_key") for name in facts if is_chosen(task, name)}
    return {key: value for key, value in settings_of(task).items() if key in chosen}


def add_settings(task: NodeTask, known: dict[str, Any]) -> dict[str, Any]:
    """Settings of previous nodes and of this one; the later node has priority, with a warning if it changes a
    setting.

    Methods that DataAugmentation has chosen are not replaced by a named strength; if one was requested, there
    is a warning.
    """
    merged = dict(known)
    for key, value in settings_of(task).items():
        before = merged.get(key)
        if key == "data.augmentation" and isinstance(before, dict) and isinstance(value, str):
            if is_chosen(task, "augmentation"):
                task.warn("SETTING_WITHOUT_EFFECT", phrase("augmentation_without_effect"))
            continue
        if before is not None and before != value:
            task.warn("SETTING_REPLACED", phrase("setting_overridden", key=key, node=task.type))
        merged[key] = value
    return merged
