"""Published sets in miniature: the names of their files and columns, and what is particular about their
layout, with 20 to 60 cases of noise. Each function writes one set into a folder and returns the source."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from testing.miniatures import chest, mammography, pathology, skin

MINIATURES: Mapping[str, Callable[[Path], Path]] = {
    "ham10000": skin.ham10000,
    "isic-2019": skin.isic_2019,
    "isic-2020": skin.isic_2020,
    "chexpert": chest.chexpert,
    "nih-chest-xray14": chest.nih_chest_xray14,
    "mimic-cxr-jpg": chest.mimic_cxr_jpg,
    "rsna-pneumonia": chest.rsna_pneumonia,
    "cbis-ddsm": mammography.cbis_ddsm,
    "breakhis": pathology.breakhis,
    "busi": mammography.busi,
}
"""Name of a template → its set."""

ANSWERS: Mapping[str, Mapping[str, Any]] = {}
"""Name of a template → answers to its questions without options: keys of the recipe, and of `data`."""
