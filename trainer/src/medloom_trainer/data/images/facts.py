"""Properties of an image from its header, in addition to its size: kind, modality, spacing and windows. Never
the identity of the patient."""

from __future__ import annotations

import importlib
from dataclasses import dataclass

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.images.decoded import Content, UnreadableImage
from medloom_trainer.data.images.decoders import kind_of


@dataclass(frozen=True)
class ImageFacts:
    """Properties of an image file for people."""

    kind: str
    modality: str | None
    """Modality code of DICOM: CT, MR; None if a file does not contain it."""
    spacing: tuple[float, float, float] | None
    """Millimeters between columns, rows and slices; 0 if a file does not contain it."""
    windows: tuple[tuple[float, float], ...]
    """(center, width) values that the file proposes."""


def facts_of(content: Content) -> ImageFacts:
    """UnreadableImage if the file is not an image."""
    kind = "DICOM" if not isinstance(content, bytes) else kind_of(content)
    if kind is None:
        raise UnreadableImage(phrase("image_unsupported"))
    if kind not in ("DICOM", "NIfTI"):
        return ImageFacts(kind, None, None, ())
    module = importlib.import_module(f"medloom_trainer.data.images.{kind.lower()}")
    try:
        return ImageFacts(kind, *getattr(module, f"{kind.lower()}_facts")(content))
    except UnreadableImage:
        raise
    except Exception as error:  # damaged tags raise any error of the library
        raise UnreadableImage(phrase("image_damaged", error=type(error).__name__)) from None
