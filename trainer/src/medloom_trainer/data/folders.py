"""A folder with one sub-folder of images per class, alone or inside train, val and test: what is in it."""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import Path
from typing import Any

from medloom_trainer.data.readiness import Checks
from medloom_trainer.data.roles import IMAGE_SUFFIXES
from medloom_trainer.data.splits import SPLIT_WORDS, split_name
from medloom_trainer.errors import TrainerError

FEWEST_IMAGES = 5


def inspect_folder(folder: Path) -> dict[str, Any]:
    """→ contract Inspection. DATASET_INVALID when no sub-folder has images."""
    divided = [child for child in subfolders(folder) if child.name.casefold() in SPLIT_WORDS]
    places = [(split_name(child.name), child) for child in divided] or [("", folder)]
    files: list[tuple[str, str, Path]] = []  # (split, class, file)
    for split, place in places:
        for child in subfolders(place):
            files += [(split, child.name, file) for file in image_files(child)]
    if not files:
        tables = sorted(file.name for file in folder.glob("*.csv"))
        hint = f"; inspect a table in it: {', '.join(tables[:10])}" if tables else ""
        message = f"{folder.name} has no sub-folders with images, one per class{hint}"
        raise TrainerError("DATASET_INVALID", message)
    counts = Counter(name for _, name, _ in files)
    checks = Checks()
    if len(counts) < 2:
        checks.block("classes", "There is one class only.", "Give each class a sub-folder of its own.")
    else:
        checks.pass_("classes", f"{len(counts)} classes, one per sub-folder.")
    rare = sorted(name for name, count in counts.items() if count < FEWEST_IMAGES)
    if rare:
        message = f"Fewer than {FEWEST_IMAGES} images: {', '.join(rare[:20])}."
        checks.warn("rare_classes", message, "Collect more of them, or join classes.")
    checks.warn(
        "patients",
        "Folders do not say which images belong to one patient.",
        "Write a CSV with the columns image, label and patient_id; training reads a CSV.",
    )
    seal = hashlib.sha256()
    for split, name, file in files:
        seal.update(
            f"{split}\0{name}\0{file.name}\0{file.stat().st_size}\n".encode("utf-8", "surrogateescape")
        )
    return {
        "path": str(folder),
        "kind": "image",
        "columns": [],
        "num_cases": len(files),
        "num_patients": None,
        "task": "classification",
        "classes": [{"name": name, "count": counts[name]} for name in sorted(counts)],
        "missing": {},
        "splits": dict(Counter(split for split, _, _ in files)) if divided else {},
        "digest": seal.hexdigest(),
        "readiness": checks.readiness(),
    }


def subfolders(folder: Path) -> list[Path]:
    return sorted(child for child in folder.iterdir() if child.is_dir() and not child.name.startswith("."))


def image_files(folder: Path) -> list[Path]:
    return sorted(
        file for file in folder.iterdir() if file.name.lower().endswith(IMAGE_SUFFIXES) and file.is_file()
    )
