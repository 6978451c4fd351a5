"""Predictions of the trained network for the test cases, prepared by Medloom."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from medloom_trainer.export.inputs import model_inputs
from medloom_trainer.export.network import outputs_of
from medloom_trainer.export.pytorch import LoadedModel
from medloom_trainer.outcomes import kind_of


def expected_predictions(model: LoadedModel, table: Path) -> bytes:
    """JSON: {"predictions": [column → value, one for each row of the table]}"""
    arrays = model_inputs(_without_recipe(model.document), table)
    outputs = outputs_of(model.network, list(arrays.values())).astype(np.float64)
    kind = kind_of(model.document)
    threshold = kind.threshold_or_default(model.document["threshold"])
    columns = kind.prediction_columns(outputs, threshold)
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    text = json.dumps({"predictions": rows}, ensure_ascii=False, allow_nan=False, indent=1)
    return f"{text}\n".encode()


def _without_recipe(document: Mapping[str, Any]) -> dict[str, Any]:
    """A package reads tables in the form that the recipe of the training makes."""
    return {**document, "preprocessing": {**document["preprocessing"], "recipe": None}}
