"""Files that a training reads, as determined by its own table readers: nothing is guessed here."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from medloom_trainer.contract.run_directory import RunDirectory
from medloom_trainer.data.images import locate_cells, paths_of, whole_of
from medloom_trainer.data.tables import read_training_tables, split_series


def named_files(spec: dict[str, Any]) -> list[str]:
    """Tables and weights that the configuration names, with the paths of the service."""
    data, model = spec["config"]["data"], spec["config"]["model"]
    named = [data[key] for key in ("train_csv", "val_csv", "test_csv")]
    if isinstance(model["pretrained"], str):
        named.append(model["pretrained"])
    return [path for path in named if path is not None]


def checkpoint_folders(spec: dict[str, Any]) -> list[Path]:
    """Folders of the checkpoint from which the training continues or starts, and of the best one and the
    unfinished baselines in its run.
    """
    folder = spec["resume_from"] or spec["config"]["model"]["fine_tune_from"]
    if folder is None:
        return []
    checkpoint = Path(folder)
    return list(dict.fromkeys([checkpoint, checkpoint.parent / "best"]))


def run_of_checkpoint(spec: dict[str, Any]) -> RunDirectory | None:
    """Return the run directory of the first checkpoint that a training reads; None without one."""
    folders = checkpoint_folders(spec)
    return RunDirectory(folders[0].parent.parent) if folders else None


def image_places(config: dict[str, Any], roots: list[Path]) -> Iterator[Path]:
    """Files and folders of series that the tables name, with their locations on this machine. The tables must
    already exist. Errors as in the training itself.
    """
    tables = read_training_tables(config, roots, [], [])
    for part in tables.splits.values():
        columns = [column for column in tables.roles.images if column in part.table.cells]
        for path in paths_of(locate_cells(part, columns, roots)):
            yield Path(os.fspath(split_series(whole_of(path))[0]))
