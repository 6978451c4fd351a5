"""A table of new cases → the arrays that an exported model takes, prepared as training prepared its own."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from medloom_trainer.data.apply import prepare_cases
from medloom_trainer.export.network import Array


def model_inputs(
    document: Mapping[str, Any],
    csv: str | Path,
    *,
    image_root: str | Path | None = None,
    cache_dir: str | Path | None = None,
) -> dict[str, Array]:
    """document: the description in the exported file. → name of the input → array, the first dimension being
    the rows of `csv`. image_root: default, the folder of the table. Labels are not needed.

    Errors as `prepare_cases`. All cases lie in memory at once: pass large tables in parts.
    """
    table = Path(csv).resolve()
    root = table.parent if image_root is None else Path(image_root).resolve()
    with tempfile.TemporaryDirectory(prefix="medloom-") as temporary:
        prepared = prepare_cases(
            {**document["preprocessing"], "split_column": None},
            table,
            image_root=root,
            split="all",
            roots=[table.parent, root],
            cache_dir=temporary if cache_dir is None else cache_dir,
            progress=lambda message, fraction: None,
            labels_required=False,
        )
        cases = prepared.cases
        arrays: dict[str, Array] = {}
        if prepared.store is not None and cases.slots is not None:
            records = prepared.store.gather(cases.slots)  # (N, V, H, W, 3)
            full = np.float32(65535 if records.dtype == np.uint16 else 255)
            arrays["images"] = np.ascontiguousarray(np.moveaxis(records, -1, 2)).astype(np.float32) / full
            arrays["view_mask"] = cases.slots >= 0
    arrays |= {"values": cases.values, "codes": cases.codes, "present": cases.present}
    return {facts["name"]: arrays[facts["name"]] for facts in document["inputs"]}
