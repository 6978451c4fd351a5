"""A warning about codes in image paths that may be patients."""

from __future__ import annotations

from collections.abc import Sequence

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.tables import Table, groups_in_paths
from medloom_trainer.warnings import Warnings, warning


def warn_path_groups(table: Table, images: Sequence[str]) -> Warnings:
    """PATIENTS_IN_PATHS for the first image column whose paths contain such a code."""
    for column in images:
        found = groups_in_paths(table.cells[column])
        if found is not None:
            message = phrase(
                "patients_in_paths",
                column=column,
                form=found.form,
                files=found.files,
                groups=found.groups,
            )
            return [warning("PATIENTS_IN_PATHS", message)]
    return []
