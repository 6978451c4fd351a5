"""The task `model_inputs`: what a case of a model consists of, from the fitted state of its checkpoint."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from medloom_trainer.data.tables import Notation
from medloom_trainer.inference.checkpoint_files import refuse_links_out
from medloom_trainer.prediction.findings import column_states
from medloom_trainer.prediction.resident import resident


def model_inputs(params: Mapping[str, Any], progress: Callable[[str, float], None]) -> dict[str, Any]:
    """Return the result that contracts declare for `model_inputs`. The model remains loaded for the
    prediction that follows. Errors as in `load_checkpoint`.
    """
    folder = Path(params["checkpoint"])
    refuse_links_out(folder, [*(Path(root) for root in params["roots"]), Path(params["data_dir"])])
    preprocessing = resident(folder, "cpu").checkpoint.state["preprocessing"]
    return {
        "images": {
            "columns": preprocessing["image_columns"],
            "required": bool(preprocessing["image_columns"])
            and (preprocessing["unreadable_images"] == "refuse" or not preprocessing["table"]["columns"]),
        },
        "columns": [_column(column, preprocessing) for column in column_states(preprocessing)],
    }


def _column(column: Mapping[str, Any], preprocessing: Mapping[str, Any]) -> dict[str, Any]:
    numeric = column["kind"] == "numeric"
    return {
        "name": column["name"],
        "kind": "numeric" if numeric else "categorical",
        "unit": (column.get("sign") or None) if numeric else None,
        "marks": _marks(column),
        "range": _range(column) if numeric else None,
        "categories": None if numeric else _categories(column, preprocessing),
        "missing": {
            "read_as": _reading(column, preprocessing["table"]["missing_strategy"]),
            "value": column["fill"],
            "seen": column["name"] not in preprocessing.get("complete_columns", []),
        },
    }


def _range(column: Mapping[str, Any]) -> dict[str, float] | None:
    """None if it is unknown, or if training has no value: its bounds are then only formal."""
    bounds = column.get("bounds")
    if bounds is None or ("median" in column and column["median"] is None):
        return None
    return {"low": bounds[0], "high": bounds[1]}


def _marks(column: Mapping[str, Any]) -> dict[str, str] | None:
    notation = Notation.of_column(column)
    return None if notation is None else {"decimal": notation.decimal, "thousands": notation.thousands}


def _reading(column: Mapping[str, Any], strategy: str) -> str:
    if column["fill"] is None:
        return "refused" if strategy == "drop" else "gap"
    return strategy if column["kind"] == "numeric" else "mode"


def _categories(column: Mapping[str, Any], preprocessing: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Each category with a number of training patients that certainly have it."""
    names = column["categories"]
    return [
        {"name": name, "patients": patients}
        for name, patients in zip(names, _patients(column, preprocessing), strict=True)
    ]


def _patients(column: Mapping[str, Any], preprocessing: Mapping[str, Any]) -> list[int]:
    unknown = [0] * len(column["categories"])
    reference = preprocessing.get("reference") or {"columns": {}}
    described = reference["columns"].get(column["name"])
    if described is None:
        return unknown
    if len(described.get("patients", ())) == len(unknown):
        return list(described["patients"])
    # An older version stored shares of cases, and a still older one not the number of patients.
    total = reference.get("patients")
    if total is None and preprocessing["patient_column"] is not None:
        return unknown
    # All further cases of patients may be in one category.
    further = 0 if total is None else reference["cases"] - total
    known = reference["cases"] - described["missing"]
    return [max(0, round(share * known) - further) for share in column.get("shares", unknown)]
