"""A folder with one sub-folder of images per class, alone or inside train, val and test: what is in it."""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import Path
from typing import Any

from medloom_trainer.data.checks.readiness import Checks
from medloom_trainer.data.splits.divide import SPLIT_WORDS, split_name
from medloom_trainer.data.tables.roles import IMAGE_SUFFIXES
from medloom_trainer.errors import TrainerError

FEWEST_IMAGES = 5


def inspect_folder(folder: Path) -> dict[str, Any]:
    """→ contract Inspection. DATASET_INVALID when no sub-folder has images."""
    files = class_files(folder)
    divided = any(split for split, _, _ in files)
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
    if tables := tables_in(folder):
        message = f"Not read: {', '.join(table.name for table in tables[:10])}; the folders name the classes."
        checks.warn("tables", message, "Register the table itself to train on what it says.")
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


def class_files(folder: Path) -> list[tuple[str, str, Path]]:
    """(split, class, file) of every image in a sub-folder per class; split "" where train, val and test do
    not divide them. DATASET_INVALID when there is none.
    """
    divided = [child for child in subfolders(folder) if child.name.casefold() in SPLIT_WORDS]
    files = [
        (split, child.name, file)
        for split, place in [(split_name(child.name), child) for child in divided] or [("", folder)]
        for child in subfolders(place)
        for file in image_files(child)
    ]
    if not files:
        message = f"{folder.name} holds neither a table (train.csv, val.csv, test.csv, or one CSV) nor images"
        raise TrainerError("DATASET_INVALID", f"{message} in a folder per class")
    return files


def tables_in(folder: Path) -> list[Path]:
    return sorted(
        file
        for file in folder.iterdir()
        if file.suffix.lower() == ".csv" and not file.name.startswith(".") and file.is_file()
    )


def subfolders(folder: Path) -> list[Path]:
    return sorted(child for child in folder.iterdir() if child.is_dir() and not child.name.startswith("."))


def image_files(folder: Path) -> list[Path]:
    return sorted(
        file for file in folder.iterdir() if file.name.lower().endswith(IMAGE_SUFFIXES) and file.is_file()
    )
