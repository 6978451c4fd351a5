"""What is in a folder of images per class (contract Inspection)."""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import Path
from typing import Any

from medloom_trainer.data.checks.readiness import Checks
from medloom_trainer.data.tables import class_files, tables_in

_MIN_IMAGES = 5


def inspect_folder(folder: Path) -> dict[str, Any]:
    """→ contract Inspection. DATASET_INVALID when no sub-folder has images."""
    files = class_files(folder)
    divided = any(split for split, _, _ in files)
    counts = Counter(name for _, name, _ in files)
    checks = Checks()
    _check_classes(counts, checks)
    if tables := tables_in(folder):
        message = f"Not read: {', '.join(table.name for table in tables[:10])}; the folders name the classes."
        checks.warn("tables", message, "Register the table itself to train on its columns.")
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


def _check_classes(counts: Counter[str], checks: Checks) -> None:
    if len(counts) < 2:
        checks.block("classes", "There is one class only.", "Give each class a sub-folder of its own.")
    else:
        checks.pass_("classes", f"{len(counts)} classes, one per sub-folder.")
    rare = sorted(name for name, count in counts.items() if count < _MIN_IMAGES)
    if rare:
        message = f"Fewer than {_MIN_IMAGES} images: {', '.join(rare[:20])}."
        checks.warn("rare_classes", message, "Collect more of them, or merge classes.")
