"""Images that cannot be used: the run is refused, or they count as missing views, and it is said which."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from medloom_trainer.data.cache.views import Views
from medloom_trainer.data.tables import ImageTable
from medloom_trainer.data.types import Warnings
from medloom_trainer.errors import TrainerError
from medloom_trainer.warnings import warning

_MAX_NAMED = 20


def judge_images(
    splits: Mapping[str, ImageTable], views: Mapping[str, Views], policy: str, warnings: Warnings
) -> None:
    """policy: data.unreadable_images. "refuse": IMAGES_UNREADABLE; otherwise a warning of that code."""
    message = _unusable_images(splits, views)
    if message is None:
        return
    if policy == "refuse":
        raise TrainerError("IMAGES_UNREADABLE", message)
    warnings.append(warning("IMAGES_UNREADABLE", f"{message}; treated as missing views"))


def _unusable_images(splits: Mapping[str, ImageTable], views: Mapping[str, Views]) -> str | None:
    """One message about every image that cannot be used and every case without any image: counts, first 20,
    row numbers.
    """
    named = []
    files = cases = 0
    for split, found in views.items():
        table = splits[split].table
        lines = table.lines.tolist()
        for row, column, why in found.problems:
            named.append(f"{table.name} row {lines[row]} ({column}): {why}")
        files += len(found.problems)
        explained = {row for row, _, _ in found.problems}
        for row in np.flatnonzero((found.slots < 0).all(axis=1)).tolist():
            if row not in explained:
                named.append(f"{table.name} row {lines[row]}: no image in any image column")
                cases += 1
    if not named:
        return None
    parts = [
        f"{files} image files are missing or unreadable" if files else "",
        f"{cases} cases have no image" if cases else "",
    ]
    more = f"; and {len(named) - _MAX_NAMED} more" if len(named) > _MAX_NAMED else ""
    return f"{' and '.join(filter(None, parts))}: {'; '.join(named[:_MAX_NAMED])}{more}"
