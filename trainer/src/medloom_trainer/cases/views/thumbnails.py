"""Images of cases as a training prepares them for a model: size, slices, window and letterbox of the recorded
settings. Normalization, which only shifts and scales the same intensities, is not shown; augmentation is
drawn once, in a second image.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from medloom_trainer.cases.case_set import CaseSet
from medloom_trainer.cases.node_task import NodeTask
from medloom_trainer.contract.spec import contract_defaults
from medloom_trainer.data.cache import ImageSettings, Views, judge_images, load_views
from medloom_trainer.data.checks import is_measured
from medloom_trainer.data.splits import SplitCases
from medloom_trainer.data.tables import ImageTable
from medloom_trainer.warnings import Warnings

_SIDE = 128
"""Longer side of a thumbnail, in pixels."""
_MAX_THUMBNAILS = 48

_Pixels = npt.NDArray[np.uint8]


def show_images(
    task: NodeTask, cases: CaseSet, count: int
) -> tuple[list[int] | None, list[dict[str, Any]], Warnings]:
    """(width and height that the model reads, thumbnails of the first `count` cases, warnings about them);
    (None, [], []) if there are no images or none are requested. PNG in base64.
    """
    notes: Warnings = []
    if not cases.image_columns or not count:
        return None, [], notes
    data = contract_defaults("DataConfig") | {
        key.removeprefix("data."): value for key, value in cases.settings.items() if key.startswith("data.")
    }
    source = ImageTable(cases.take(range(count)).table, Path("/"))
    found, store, used = load_views(
        {"preview": source},
        cases.image_columns,
        ImageSettings.of_config(data),
        roots=task.roots,
        cache_dir=task.cache_dir,
        workers=1,
        report=task.progress,
    )
    views = found["preview"]
    judge_images({"preview": source}, found, used.slicing, "missing", notes)
    try:
        rows = max(1, _MAX_THUMBNAILS // views.slots.shape[1])
        records = _eight_bits(store.gather(views.slots[:rows]))
    finally:
        store.close()
    varied = _augmented(records, data, shades=not is_measured(data, SplitCases(source, None, views, None)))
    return list(used.size), _thumbnails(views, records, varied), notes


def _eight_bits(records: npt.NDArray[Any]) -> _Pixels:
    return records if records.dtype == np.uint8 else (records >> 8).astype(np.uint8)


def _augmented(records: _Pixels, data: Mapping[str, Any], *, shades: bool) -> _Pixels | None:
    """(N, V, H, W, 3) with an augmentation like that of the first batch of a training; None if nothing is
    augmented."""
    if data["augmentation"] == "none" and not data["horizontal_flip"]:
        return None
    import torch

    from medloom_trainer.training.augmentation.standard import build_augmentation

    vary = build_augmentation(
        data["augmentation"], horizontal_flip=data["horizontal_flip"], seed=0, shades=shades
    )
    count, views, height, width, _ = records.shape
    flat = torch.from_numpy(records.reshape(-1, height, width, 3)).permute(0, 3, 1, 2)  # (N * V, 3, H, W)
    images = vary(flat.float() / 255, epoch=1, batch=0, views=views)
    pixels = (images.clamp(0, 1) * 255).round().byte().permute(0, 2, 3, 1).numpy()
    return np.asarray(pixels.reshape(count, views, height, width, 3))


def _thumbnails(views: Views, records: _Pixels, varied: _Pixels | None) -> list[dict[str, Any]]:
    """Thumbnails of views that are neither missing nor unreadable."""
    return [
        {
            "row": row,
            "column": views.columns[view],
            "view": views.columns[:view].count(views.columns[view]) + 1,
            "png": _png(records[row, view]),
            "augmented_png": None if varied is None else _png(varied[row, view]),
        }
        for row in range(len(records))
        for view in range(records.shape[1])
        if views.slots[row, view] >= 0
    ]


def _png(pixels: _Pixels) -> str:
    """(H, W, 3) → base64."""
    image = Image.fromarray(pixels)
    image.thumbnail((_SIDE, _SIDE))
    content = io.BytesIO()
    image.save(content, "PNG")
    return base64.b64encode(content.getvalue()).decode("ascii")
