"""Images of tissue."""

from __future__ import annotations

from pathlib import Path

from testing.miniatures.files import picture

_TYPES = (
    ("benign", "adenosis", "B_A"),
    ("benign", "fibroadenoma", "B_F"),
    ("malignant", "ductal_carcinoma", "M_DC"),
    ("malignant", "lobular_carcinoma", "M_LC"),
)


def breakhis(folder: Path) -> Path:
    """The slide in the name of each file, four magnifications, and one slide with two diagnoses."""
    seed = 0
    for number, (label, kind, code) in enumerate(_TYPES):
        own = [f"{22549 + number}AB", f"{4364 + number}", "13412" if number > 1 else f"{29960 + number}CD"]
        for slide in own:
            for zoom in (40, 100, 200, 400):
                name = f"SOB_{code}-14-{slide}-{zoom}-{1 + seed % 9:03d}.png"
                above = f"{label}/SOB/{kind}/SOB_{code}_14-{slide}/{zoom}X"
                picture(folder / "BreaKHis_v1/histology_slides/breast" / above / name, seed)
                seed += 1
    return folder
