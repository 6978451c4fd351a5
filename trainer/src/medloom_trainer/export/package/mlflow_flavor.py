"""The file MLmodel: MLflow loads the package as a Python function, without a pickle. JSON is valid YAML."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from typing import Any

from medloom_trainer.export.package.environment import PYTHON_ENVIRONMENT

Spec = dict[str, Any]


def mlmodel(document: Mapping[str, Any], predictions: Mapping[str, Any]) -> bytes:
    """predictions: of one case, column → value."""
    described = {
        "flavors": {
            "python_function": {
                "loader_module": "medloom_model",
                "code": ".",
                "env": {"virtualenv": PYTHON_ENVIRONMENT},
                "python_version": platform.python_version(),
            }
        },
        "signature": {
            "inputs": json.dumps(_inputs(document)),
            "outputs": json.dumps([_spec(name, value) for name, value in predictions.items()]),
            "params": json.dumps(
                [{"name": "calibrated", "type": "boolean", "default": False, "shape": None}]
            ),
        },
        "metadata": {"checkpoint_digest": document["source"]["checkpoint_digest"]},
    }
    return f"{json.dumps(described, indent=2)}\n".encode()


def _inputs(document: Mapping[str, Any]) -> list[Spec]:
    """Cells may be empty, so no column is required; the model itself refuses a table without one."""
    prepared = document["preprocessing"]
    kinds = {column["name"]: column["kind"] for column in prepared["table"]["columns"]}
    types = {name: "double" if kind == "numeric" else "string" for name, kind in kinds.items()}
    images = [] if prepared["images"] is None else prepared["image_columns"]
    types |= dict.fromkeys(images, "string")
    return [{"name": name, "type": kind, "required": False} for name, kind in types.items()]


def _spec(name: str, value: Any) -> Spec:
    return {"name": name, "type": "double" if isinstance(value, float) else "string", "required": True}
