"""Images of the failure cases of a result as the model receives them: contract FailureImages."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from medloom_trainer.contract.spec import RUN_SCHEMA_VERSION
from medloom_trainer.data.types import Cases, ImageStore
from medloom_trainer.evaluation.result import case_places
from medloom_trainer.evaluation.saliency import Saliency, overlay

MAX_CASES = 12
MAX_VIEWS = 4
MAX_SIDE = 160
"""In pixels."""


Looked = Callable[[int, Mapping[str, Any]], Saliency | None]
"""Position of a case and its failure → the saliency map."""


def failure_images(
    failures: Sequence[Mapping[str, Any]],
    cases: Cases,
    store: ImageStore | None,
    looked: Looked | None = None,
) -> dict[str, Any]:
    """Return the images of failures of the result over these cases.

    For each of the first MAX_CASES cases: the first MAX_VIEWS views that are not missing, prepared as for the
    model (read, windowed, resized) but without its normalization, at most MAX_SIDE pixels wide and high; with
    `looked`, also the saliency map of one of them. The result contains only pixels: not the file of an image,
    its tags or its patient.
    """
    if store is None or cases.slots is None:
        return {"schema_version": RUN_SCHEMA_VERSION, "num_views": 0, "cases": []}
    case_at = {place: case for case, place in enumerate(case_places(cases))}
    shown = []
    for failure in failures[:MAX_CASES]:
        case = case_at[failure["file"], failure["row"]]
        found = None if looked is None else looked(case, failure)
        shown.append(_views(cases.slots[case], store, found))
    options = {} if looked is None else {"saliency": True}
    num_views = int(cases.slots.shape[1])
    return {"schema_version": RUN_SCHEMA_VERSION, "num_views": num_views, **options, "cases": shown}


def _views(
    slots: npt.NDArray[np.int64], store: ImageStore, saliency: Saliency | None
) -> list[dict[str, Any]]:
    """slots: (V,), -1 if missing. The view with the saliency map is always among those returned."""
    views = np.flatnonzero(slots >= 0)
    if saliency is not None and len(views) > MAX_VIEWS and saliency.view not in views[:MAX_VIEWS]:
        views = np.append(views[: MAX_VIEWS - 1], saliency.view)
    views = views[:MAX_VIEWS]
    if not views.size:
        return []
    images = store.gather(slots[views][None, :])[0]  # (V, H, W, 3)
    return [
        {"view": int(view) + 1, **_pictures(image, saliency if saliency and saliency.view == view else None)}
        for view, image in zip(views, images, strict=True)
    ]


def _pictures(pixels: npt.NDArray[Any], saliency: Saliency | None) -> dict[str, str]:
    """(H, W, 3) uint8 or uint16 → png, and saliency if there is a map."""
    if pixels.dtype == np.uint16:
        pixels = (pixels >> 8).astype(np.uint8)
    if saliency is None:
        return {"png": _encoded(_thumbnail(pixels))}
    height, width = pixels.shape[:2]
    weights = Image.fromarray(saliency.map.astype(np.float32)).resize(
        (width, height), Image.Resampling.BILINEAR
    )
    mapped = overlay(pixels, np.clip(np.asarray(weights, dtype=np.float64), 0, 1))
    return {"png": _encoded(_thumbnail(pixels)), "saliency": _encoded(_thumbnail(mapped))}


def _encoded(png: bytes) -> str:
    return base64.b64encode(png).decode("ascii")


def _thumbnail(pixels: npt.NDArray[Any]) -> bytes:
    """(H, W, 3) uint8 → PNG, gray if all channels are equal."""
    gray = bool((pixels == pixels[..., :1]).all())
    image = Image.fromarray(np.ascontiguousarray(pixels[..., 0] if gray else pixels))
    image.thumbnail((MAX_SIDE, MAX_SIDE), Image.Resampling.LANCZOS)
    file = io.BytesIO()
    image.save(file, format="PNG")
    return file.getvalue()
