"""Cases → the arrays that an exported model expects: from a new table, prepared as in the training, or the
validation cases of the training.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import Phrased, phrase
from medloom_trainer.data.apply import prepare_cases
from medloom_trainer.data.prepare import prepare
from medloom_trainer.data.types import Cases, ImageStore
from medloom_trainer.errors import TrainerError
from medloom_trainer.export.network import Array
from medloom_trainer.inference.checkpoint import Checkpoint

_MOST_CASES = 128
"""Limit for cases of the validation split: more would have little effect on the largest difference, and
images need memory."""
_ALL = slice(None)


def model_inputs(
    document: Mapping[str, Any],
    csv: str | Path,
    *,
    image_root: str | Path | None = None,
    cache_dir: str | Path | None = None,
) -> dict[str, Array]:
    """document: the description in the exported file. → name of the input → array whose first dimension is
    the rows of `csv`. image_root: default, the folder of the table. Labels are not needed.

    Errors as in `prepare_cases`. All cases are in memory together: pass large tables in parts.
    """
    table = Path(csv).resolve()
    root = table.parent if image_root is None else Path(image_root).resolve()
    with tempfile.TemporaryDirectory(prefix="medloom-") as temporary:
        prepared = prepare_cases(
            document["preprocessing"],
            table,
            image_root=root,
            split="all",
            whole_table=True,
            roots=[table.parent, root],
            cache_dir=temporary if cache_dir is None else cache_dir,
            progress=lambda message, fraction: None,
            labels_required=False,
        )
        arrays = _arrays(prepared.cases, prepared.store)
    return {facts["name"]: arrays[facts["name"]] for facts in document["inputs"]}


def validation_inputs(
    checkpoint: Checkpoint, *, roots: Sequence[str | Path], cache_dir: str | Path
) -> dict[str, Array] | None:
    """Cases of the validation split of the training, evenly chosen, in the form of `model_inputs` (including
    inputs that the model does not read). None if the tables and images no longer exist or differ from those
    of the training, and for several combined models, which have separate validation cases. PATH_NOT_ON_NODES
    if only this machine lacks them.
    """
    if "ensemble" in checkpoint.state:
        return None
    try:
        data = prepare(
            checkpoint.state["config"],
            roots=roots,
            cache_dir=cache_dir,
            progress=lambda message, fraction: None,
            should_stop=lambda: False,
        )
    except TrainerError as error:
        if error.code == "PATH_NOT_ON_NODES":  # they exist for the service
            raise
        return None
    if data.val.digest != checkpoint.state["data_digests"]["val"]:
        return None
    count = len(data.val.values)
    chosen = np.unique(np.linspace(0, count - 1, min(count, _MOST_CASES)).astype(np.int64))
    return _arrays(data.val, data.store, chosen)


def quantization_cases(
    checkpoint: Checkpoint, quantization: str, *, roots: Sequence[str | Path], cache_dir: str | Path
) -> tuple[dict[str, Array] | None, Phrased | None]:
    """(validation cases on which the quantization is tested, or None without one or if they cannot be read; a
    caution for the latter, PARITY_ON_RANDOM_INPUTS)"""
    if quantization == "none":
        return None, None
    cases = validation_inputs(checkpoint, roots=roots, cache_dir=cache_dir)
    return cases, phrase("parity_on_random") if cases is None else None


def _arrays(
    cases: Cases, store: ImageStore | None, chosen: npt.NDArray[np.int64] | slice = _ALL
) -> dict[str, Array]:
    """Name of the input → the chosen cases."""
    arrays: dict[str, Array] = {}
    if store is not None and cases.slots is not None:
        slots = cases.slots[chosen]
        records = store.gather(slots)  # (N, V, H, W, 3)
        full = np.float32(65535 if records.dtype == np.uint16 else 255)
        arrays["images"] = np.ascontiguousarray(np.moveaxis(records, -1, 2)).astype(np.float32) / full
        arrays["view_mask"] = slots >= 0
    table: dict[str, Array] = {"values": cases.values, "codes": cases.codes, "present": cases.present}
    return arrays | {name: array[chosen] for name, array in table.items()}
