"""The record of the cases of one request for predictions: predictions of the network, and a summary of the
inputs, by which they can be compared with the training cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.each_case import EachCase
from medloom_trainer.data.features import find_subgroups, image_properties
from medloom_trainer.data.tables import coded, is_missing, read_as_trained
from medloom_trainer.follow_up.records import FollowUpFolder
from medloom_trainer.metrics.arrays import FloatArray

MISSING = -1
"""Code of a missing category."""
_DECIMALS = 2


@dataclass(frozen=True)
class Request:
    """The predicted cases of a request: M of them were prepared."""

    name: str
    """Id of the request."""
    at: str
    """Time of the request, in UTC as ISO 8601."""
    checkpoint_digest: str
    prepared: EachCase
    predictions: FloatArray
    """(M, …) of the network."""
    distances: FloatArray | None
    """(M,) of the images from the training images."""
    failed: Sequence[int]
    """Rows without a prediction."""


def collect(
    folder: FollowUpFolder, request: Request, preprocessing: Mapping[str, Any], id_column: str | None
) -> None:
    """Add the cases of a request to a follow-up. id_column: contains the ids of the cases."""
    cells, rows = request.prepared.table.cells, request.prepared.rows
    failed = set(request.failed)
    ids = [None] * len(rows) if id_column not in cells else folder.digests_of(cells[id_column])
    kept = [k for k, row in enumerate(rows.tolist()) if row not in failed and ids[k] is not None]
    patient = preprocessing["patient_column"]
    patients = folder.digests_of(cells[patient]) if patient in cells else None
    views = request.prepared.views
    properties = image_properties(None if views is None else views.headers)
    groups = find_subgroups(request.prepared.table, preprocessing["subgroups"], properties)
    inputs = _inputs(request.prepared, preprocessing)
    record = {
        "at": request.at,
        "checkpoint_digest": request.checkpoint_digest,
        "failed": len(failed),
        "without_id": sum(
            row not in failed and one is None for row, one in zip(rows.tolist(), ids, strict=True)
        ),
        "rows": [request.prepared.source.table.place(int(rows[k]))[1] for k in kept],
        "ids": [ids[k] for k in kept],
        "patients": None if patients is None else [patients[k] for k in kept],
        "predictions": request.predictions[kept].tolist(),
        "distances": None if request.distances is None else _numbers(request.distances[kept]),
        "inputs": {name: [values[k] for k in kept] for name, values in inputs.items()},
        "groups": {name: texts[kept].tolist() for name, texts in groups.items()},
    }
    folder.write_record(request.name, record)


def _inputs(prepared: EachCase, preprocessing: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Column → M values: numbers in standard deviations of the training from its mean, None if missing; codes
    of categories. Exact values and categories that training does not have are not stored."""
    reference = (preprocessing.get("reference") or {"columns": {}})["columns"]
    # Several combined models each have a state of a column: the first one represents all.
    states = {state["name"]: state for state in reversed(preprocessing["table"]["columns"])}
    found: dict[str, list[Any]] = {}
    for name, state in states.items():
        texts, known = prepared.table.cells[name], reference.get(name)
        if state["kind"] != "numeric":
            found[name] = _codes(texts, state["categories"]).tolist()
        elif known is not None and known["sd"]:
            values = read_as_trained(prepared.table, state).values
            found[name] = _numbers((values - known["mean"]) / known["sd"])
    return found


def _codes(texts: Sequence[str], categories: Sequence[str]) -> npt.NDArray[np.int64]:
    """Number of the category; MISSING; the number of categories for any other one."""
    index = {name: number for number, name in enumerate(categories)}
    distinct, codes = coded(texts)
    of_distinct = [MISSING if is_missing(text) else index.get(text, len(categories)) for text in distinct]
    return np.asarray(of_distinct, dtype=np.int64)[codes]


def _numbers(values: FloatArray) -> list[float | None]:
    return [round(one, _DECIMALS) if np.isfinite(one) else None for one in values.tolist()]
