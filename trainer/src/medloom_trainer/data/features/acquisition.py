"""Properties of the acquisition of images that their headers contain: no column has them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from medloom_trainer.data.images import ImageHeader

NUMBER_OF_IMAGES = "number of images"
IMAGE_SIZE = "image size"
PIXELS_PER_IMAGE = "pixels per image"
IMAGE_FORMAT = "image channels and depth"


def image_properties(headers: Sequence[Sequence[ImageHeader]] | None) -> dict[str, list[str]]:
    """headers: of the images of each of N cases → property → N texts, "" if a case has no image. Sizes are
    texts of a category, and also a number for images that all differ."""
    if headers is None:
        return {}
    return {
        NUMBER_OF_IMAGES: [str(len(of_case)) for of_case in headers],
        IMAGE_SIZE: [_joined(f"{one.width} x {one.height}" for one in of_case) for of_case in headers],
        PIXELS_PER_IMAGE: [_mean_area(of_case) for of_case in headers],
        IMAGE_FORMAT: [
            _joined(f"{one.channels} x {one.depth} bit" for one in of_case) for of_case in headers
        ],
    }


def _joined(texts: Iterable[str]) -> str:
    return ", ".join(sorted(set(texts)))


def _mean_area(of_case: Sequence[ImageHeader]) -> str:
    if not of_case:
        return ""
    return str(round(sum(one.width * one.height for one in of_case) / len(of_case)))
