"""The tasks `images`, `file_image` and `image_info`: images of cases as PNG or JPEG, decoded like in a
training, in a form for users or exactly as a model sees them.

Results are cached under a digest of the attributes of the file and of the request, which contains no
information about a patient.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
from PIL import Image

from medloom_trainer.browse.index import CaseIndex, Progress, open_index
from medloom_trainer.browse.source import Source
from medloom_trainer.contract.phrases import phrase, with_phrases
from medloom_trainer.data.cache import ImageSettings
from medloom_trainer.data.images import (
    Calibrated,
    ImageHeader,
    Pixels,
    UnreadableImage,
    decode_parts,
    facts_of,
    locate_cells,
    open_image,
    stat_image,
    to_record,
)
from medloom_trainer.data.tables import Axis, ImageTable, Slice, make_table, split_slice
from medloom_trainer.errors import TrainerError
from medloom_trainer.files import make_folder

_VERSION = 2
"""Increased whenever the same file would result in another picture."""
_MOST_VIEWS = 64
"""Limit for one volume, as in a training."""
_QUALITY = 90
"""Quality of a JPEG. Only color images are JPEG, so scans are stored without loss."""


def images(params: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """params: contract WORKER_TASKS.images → its result: for each requested image, the picture or the reason
    why there is none."""
    source = Source.from_dataset(params["dataset"])
    index = open_index(source, progress)
    pictures = []
    for done, wanted in enumerate(params["images"]):
        progress(phrase("decoding_images"), done / len(params["images"]))
        try:
            content = _picture(_path_of(source, index, wanted), params["view"], source.cache_dir)
            pictures.append({"picture": _sent(content), "problem": None})
        except TrainerError as error:
            pictures.append({"picture": None, "problem": _problem(error)})
    return {"pictures": pictures}


def file_image(params: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """params: contract WORKER_TASKS.file_image → its result: the picture of one file. IMAGES_UNREADABLE."""
    content = _picture(Path(params["path"]), params["view"], Path(params["cache_dir"]))
    return _sent(content)


def image_info(params: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """params: contract WORKER_TASKS.image_info → its result. IMAGE_NOT_FOUND, IMAGES_UNREADABLE."""
    source = Source.from_dataset(params["dataset"])
    path = _path_of(source, open_index(source, progress), params["image"])
    settings = ImageSettings.of_config(params["data"])
    try:
        content, header = open_image(path)
        facts = facts_of(content)
        shown = decode_parts(content, [split_slice(path)[1]])[0]
    except UnreadableImage as error:
        raise _unreadable(error) from None
    return {
        "kind": facts.kind,
        "width": header.width,
        "height": header.height,
        "channels": header.channels,
        "depth": header.depth,
        "slices": _depths(header, facts.kind),
        "modality": facts.modality,
        "spacing": None if facts.spacing is None else list(facts.spacing),
        "windows": [{"center": center, "width": width} for center, width in facts.windows],
        "shown": {"low": shown.low, "high": shown.high} if isinstance(shown, Calibrated) else None,
        "inverted": isinstance(shown, Calibrated) and shown.inverted,
        "views": len(settings.slicing.parts(_MOST_VIEWS)) if header.is_volume else 1,
    }


@dataclass(frozen=True)
class _Look:
    """Settings for showing an image (contract ImageView)."""

    size: int | None
    slice: int | None
    axis: Axis
    window: tuple[float, float] | None
    data: Mapping[str, Any] | None
    """The part of a training configuration whose model sees it; None: for users."""
    view: int

    @classmethod
    def from_view(cls, view: Mapping[str, Any]) -> _Look:
        window = view["window"]
        given = None if window is None else (window["center"], window["width"])
        return cls(view["size"], view["slice"], view["axis"], given, view["model"], view["view"])


def _path_of(source: Source, index: CaseIndex, wanted: Mapping[str, Any]) -> Path:
    """IMAGE_NOT_FOUND if the dataset, or the case, has no such image; IMAGES_UNREADABLE outside the roots."""
    row, columns = wanted["row"], index.columns_of("image")
    if row >= len(index):
        raise TrainerError(
            "IMAGE_NOT_FOUND", phrase("dataset_row_absent", row=row, cases=phrase("cases", count=len(index)))
        )
    if wanted["image"] >= len(columns):
        message = phrase(
            "image_of_case_absent", image=wanted["image"], images=phrase("images_counted", count=len(columns))
        )
        raise TrainerError("IMAGE_NOT_FOUND", message)
    column = columns[wanted["image"]]
    text = index.values(column).texts[int(index.codes(column)[row])]
    cells = ImageTable(make_table("", {column: [text]}), source.image_root)
    ((found,),) = locate_cells(cells, [column], source.roots)
    if isinstance(found, UnreadableImage):
        raise _unreadable(found)
    if found is None:
        raise TrainerError("IMAGE_NOT_FOUND", phrase("case_no_image", column=column))
    return found


def _sent(content: bytes) -> dict[str, str]:
    return {"media_type": _media_type(content), "data": base64.b64encode(content).decode("ascii")}


def _picture(path: Path, view: Mapping[str, Any], cache_dir: Path) -> bytes:
    """Read the picture from the cache, or make and store it."""
    try:
        identity = [
            _VERSION,
            hashlib.sha256(os.fsencode(path)).hexdigest(),
            stat_image(path).marks,
            dict(view),
        ]
        key = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()
        cached = cache_dir / "browse" / "images" / key[:2] / key
        with suppress(FileNotFoundError):
            content = cached.read_bytes()
            os.utime(cached)  # the last use decides which picture is removed first
            return content
        content = _encoded(path, _Look.from_view(view))
    except UnreadableImage as error:
        raise _unreadable(error) from None
    with suppress(OSError):  # a full disk only makes the next request slower
        make_folder(cached.parent)
        new = cached.with_name(f".{key}.{os.getpid()}")
        new.write_bytes(content)
        new.replace(cached)
    return content


def _encoded(path: Path, look: _Look) -> bytes:
    content, header = open_image(path)
    part = _part_of(path, header, facts_of(content).kind, look)
    pixels = decode_parts(content, [part])[0]
    if isinstance(pixels, UnreadableImage):
        raise pixels
    if look.data is not None:
        settings = ImageSettings.of_config(look.data)
        return _png(to_record(pixels, settings.size, 8, settings.window, settings.fit))
    values = pixels.values if isinstance(pixels, Calibrated) else pixels
    record = to_record(pixels, _size_of(pixels, look.size), 8, look.window, "stretch")
    return _png(record[:, :, 0]) if values.shape[2] == 1 else _jpeg(record)


def _part_of(path: Path, header: ImageHeader, kind: str, look: _Look) -> Slice | None:
    """The shown part of a volume: the requested slice, that of the model, or the one that the cell names."""
    named = split_slice(path)[1]
    if look.data is not None:
        parts = ImageSettings.of_config(look.data).slicing.parts(_MOST_VIEWS)
        if named is not None or not header.is_volume:
            parts = [cast(Slice, named)]
        if look.view > len(parts):
            raise TrainerError(
                "IMAGE_NOT_FOUND",
                phrase("view_absent", views=phrase("views_counted", count=len(parts))),
            )
        return parts[look.view - 1]
    if look.slice is None:
        return named if look.axis == "axial" else Slice(1, 1, look.axis)
    depth = _depths(header, kind)[look.axis]
    if look.slice >= depth:
        raise TrainerError(
            "IMAGE_NOT_FOUND", phrase("slice_absent", axis=look.axis, slice=look.slice, slices=depth)
        )
    return Slice(look.slice + 1, depth, look.axis) if header.slices else None


def _depths(header: ImageHeader, kind: str) -> dict[str, int]:
    """Number of slices along each axis: one for a flat image, and none along an axis unknown to its
    reader."""
    across = kind == "NIfTI"
    return {
        "axial": max(1, header.slices),
        "coronal": header.height if across else 0,
        "sagittal": header.width if across else 0,
    }


def _size_of(pixels: Pixels | Calibrated, longest: int | None) -> tuple[int, int]:
    """(width, height) in the shape of the imaged object, never larger than the original."""
    height, width = (pixels.values if isinstance(pixels, Calibrated) else pixels).shape[:2]
    tall = height * (pixels.aspect if isinstance(pixels, Calibrated) else 1.0)
    scale = min(1.0, (longest or max(width, tall)) / max(width, tall))
    return max(1, round(width * scale)), max(1, round(tall * scale))


def _png(record: Pixels) -> bytes:
    content = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(record)).save(content, "PNG", compress_level=1)
    return content.getvalue()


def _jpeg(record: Pixels) -> bytes:
    content = io.BytesIO()
    Image.fromarray(record).save(content, "JPEG", quality=_QUALITY)
    return content.getvalue()


def _media_type(content: bytes) -> str:
    return "image/png" if content.startswith(b"\x89PNG") else "image/jpeg"


def _problem(error: TrainerError) -> dict[str, Any]:
    return with_phrases({"code": error.code, "message": error.message})


def _unreadable(error: UnreadableImage) -> TrainerError:
    return TrainerError("IMAGES_UNREADABLE", phrase("image_not_displayed", reason=error.reason))
