"""Requests of the task `predict`."""

import csv
import json
from pathlib import Path

from jsonschema import Draft202012Validator

from medloom_trainer.contract.schemas import task_schemas
from medloom_trainer.prediction.predict import predict


def prediction_params(checkpoint, **changes):
    """Complete parameters of the task `predict`."""
    folder = Path(checkpoint).parents[2]
    return {
        "checkpoint": str(checkpoint),
        "rows": None,
        "refused_rows": [],
        "path": None,
        "recipe": None,
        "image_root": None,
        "id_column": None,
        "calibrated": False,
        "operating_point": None,
        "out_dir": None,
        "format": "csv",
        "allow_missing_columns": False,
        "returned": 100,
        "prediction_id": "request",
        "requested_at": "2026-03-01T00:00:00.000Z",
        "follow_ups": [],
        "data_dir": str(folder),
        "cache_dir": str(folder / "cache"),
        "roots": [str(folder)],
        "device": "cpu",
    } | changes


def predicted(checkpoint, **changes):
    """The result of the task, checked against its contract."""
    params = prediction_params(checkpoint, **changes)
    schemas = task_schemas()["predict"]
    Draft202012Validator(schemas["params"]).validate(params)
    result = predict(params, lambda message, fraction: None)
    Draft202012Validator(schemas["result"]).validate(json.loads(json.dumps(result, allow_nan=False)))
    return result


def read_rows(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def without_columns(table, columns, target):
    """A copy of a table without these columns."""
    rows = read_rows(table)
    with target.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [name for name in rows[0] if name not in columns])
        writer.writeheader()
        writer.writerows({name: text for name, text in row.items() if name not in columns} for row in rows)
    return target
