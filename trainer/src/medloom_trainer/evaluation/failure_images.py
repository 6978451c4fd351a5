"""The failure cases of a result as the model sees them, for people: contract FailureImages."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from medloom_trainer.contract.spec import RUN_SCHEMA_VERSION
from medloom_trainer.data.types import Cases, ImageStore
from medloom_trainer.evaluation.result import case_places

MAX_CASES = 12
MAX_VIEWS = 4
MAX_SIDE = 160
"""Pixels."""


def failure_images(
    failures: Sequence[Mapping[str, Any]], cases: Cases, store: ImageStore | None
) -> dict[str, Any]:
    """failures: of the result over these cases. Of each of the first MAX_CASES the first MAX_VIEWS views that
    are not missing, prepared as for the model (read, windowed, resized), without its normalization, at most
    MAX_SIDE pixels wide and high. What is returned holds pixels alone: the file of an image, its tags and its
    patient are not in it.
    """
    if store is None or cases.slots is None:
        return {"schema_version": RUN_SCHEMA_VERSION, "num_views": 0, "cases": []}
    case_at = {place: case for case, place in enumerate(case_places(cases))}
    first = [case_at[failure["file"], failure["row"]] for failure in failures[:MAX_CASES]]
    shown = [_views(cases.slots[case], store) for case in first]
    return {"schema_version": RUN_SCHEMA_VERSION, "num_views": int(cases.slots.shape[1]), "cases": shown}


def _views(slots: npt.NDArray[np.int64], store: ImageStore) -> list[dict[str, Any]]:
    """slots: (V,), -1 where missing."""
    views = np.flatnonzero(slots >= 0)[:MAX_VIEWS]
    if not views.size:
        return []
    images = store.gather(slots[views][None, :])[0]  # (V, H, W, 3)
    return [
        {"view": int(view) + 1, "png": base64.b64encode(_thumbnail(image)).decode("ascii")}
        for view, image in zip(views, images, strict=True)
    ]


def _thumbnail(pixels: npt.NDArray[Any]) -> bytes:
    """(H, W, 3) uint8 or uint16 → PNG, grey where all channels are alike."""
    if pixels.dtype == np.uint16:
        pixels = (pixels >> 8).astype(np.uint8)
    grey = bool((pixels == pixels[..., :1]).all())
    image = Image.fromarray(np.ascontiguousarray(pixels[..., 0] if grey else pixels))
    image.thumbnail((MAX_SIDE, MAX_SIDE), Image.Resampling.LANCZOS)
    file = io.BytesIO()
    image.save(file, format="PNG")
    return file.getvalue()
