"""Description inside an exported file: inputs, outputs, preparation of cases, origin. JSON, identical in
every format; without paths of the machine that trained, and without times.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.errors import TrainerError
from medloom_trainer.outcomes import kind_of

_FORMAT = "medloom-model"
_SCHEMA_VERSION = 1
METADATA_KEY = "medloom"
"""Key of the document in every format."""
_PATH_KEYS = ("train_csv", "val_csv", "test_csv", "image_root")


def describe_model(state: Mapping[str, Any], *, checkpoint_digest: str, quantization: str) -> dict[str, Any]:
    """Return the document. state: of a checkpoint."""
    config = state["config"]
    return {
        "format": _FORMAT,
        "schema_version": _SCHEMA_VERSION,
        "task": state["task"],
        "classes": state["classes"],
        "positive_class": kind_of(state).positive_class,
        "threshold": state["threshold"],
        "temperature": {
            "value": (state.get("fitted_on_validation") or {}).get("temperature", {}).get("value"),
            "applied": False,
        },
        "inputs": _describe_inputs(state),
        "outputs": [_describe_output(state)],
        "quantization": quantization,
        "config": _without_paths(config),
        "preprocessing": state["preprocessing"],
        "layout": state["layout"],
        "image_normalization": state["image_normalization"],
        "label_normalization": state["label_normalization"],
        "num_views": state["num_views"],
        "num_outputs": state["num_outputs"],
        "source": {
            "job_id": state["job_id"],
            "epoch": state["epoch"],
            "checkpoint_digest": checkpoint_digest,
            "data_digests": state.get("data_digests", {}),
        },
        **_ensemble(state),
    }


def _without_paths(config: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **config,
        "data": {**config["data"], **dict.fromkeys(_PATH_KEYS)},
        "model": {**config["model"], "pretrained": bool(config["model"]["pretrained"])},
    }


def _ensemble(state: Mapping[str, Any]) -> dict[str, Any]:
    """The combined trained models, and the inputs that each of them reads; {} for a single one."""
    ensemble = state.get("ensemble")
    if ensemble is None:
        return {}
    members = [{**member, "config": _without_paths(member["config"])} for member in ensemble["members"]]
    return {"ensemble": {**ensemble, "members": members}}


def _describe_inputs(state: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The tensors that the model expects, in this order; every first dimension is the batch."""
    model, layout = state["config"]["model"], state["layout"]
    inputs: list[dict[str, Any]] = []

    def add(name: str, dtype: str, shape: list[int], description: str) -> None:
        inputs.append({"name": name, "dtype": dtype, "shape": ["batch", *shape], "description": description})

    if model["vision_backbone"] != "none":
        views = state["num_views"]
        width, height = state["config"]["data"]["image_size"]
        text = "RGB between 0 and 1, resized; normalization is part of the model"
        add("images", "float32", [views, 3, height, width], text)
        add(
            "view_mask",
            "bool",
            [views],
            "true where the view exists; the pixels of missing views are ignored",
        )
    if model["fusion_type"] != "none":
        if layout["num_values"]:
            text = (
                "scaled and encoded numbers; missing values are 0 or imputed as described in "
                "preprocessing.table"
            )
            add("values", "float32", [layout["num_values"]], text)
        if layout["num_codes"]:
            text = "category codes; 0 if not seen in training, or missing and not imputed"
            add("codes", "int64", [layout["num_codes"]], text)
        text = "true where the table has a value or it is imputed"
        add("present", "bool", [len(layout["columns"])], text)
    return inputs


def _describe_output(state: Mapping[str, Any]) -> dict[str, Any]:
    name, shape, description = kind_of(state).describe_output()
    return {"name": name, "dtype": "float32", "shape": ["batch", *shape], "description": description}


def to_text(document: Mapping[str, Any]) -> str:
    """The same document always gives the same bytes."""
    return json.dumps(document, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))


def from_text(text: str, name: str) -> dict[str, Any]:
    """CHECKPOINT_CORRUPT if `text`, from the file `name`, is not a document that this version reads."""
    try:
        document: dict[str, Any] = json.loads(text)
        known = document["format"] == _FORMAT and document["schema_version"] == _SCHEMA_VERSION
    except (ValueError, KeyError, TypeError) as error:
        raise TrainerError("CHECKPOINT_CORRUPT", phrase("file_without_model", file=name)) from error
    if not known:
        raise TrainerError("CHECKPOINT_CORRUPT", phrase("model_file_of_other_version", file=name))
    return document
