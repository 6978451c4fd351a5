"""One function that reads a source, as it is or with a recipe, and what follows for the configuration."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.tables.recipe.kept import compiled
from medloom_trainer.data.tables.recipe.places import Places
from medloom_trainer.data.tables.recipe.read import main_table
from medloom_trainer.data.tables.recipe.report import Step
from medloom_trainer.data.tables.table import ImageTable, Table, with_columns
from medloom_trainer.data.tables.table_files import read_csv
from medloom_trainer.data.types import Flow
from medloom_trainer.errors import TrainerError

_LABEL_KEYS = ("label_column", "label_columns", "time_column", "event_column")
_COLUMN_KEYS = (
    *_LABEL_KEYS,
    "patient_column",
    "split_column",
    "image_columns",
    "numeric_columns",
    "categorical_columns",
)


@dataclass(frozen=True)
class SourceTable:
    """The table of a source."""

    table: Table
    image_root: Path
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Keys of the `data` configuration that follow from the recipe."""
    steps: tuple[Step, ...] = ()
    """Steps of the recipe."""

    @property
    def image_table(self) -> ImageTable:
        return ImageTable(self.table, self.image_root)

    def with_views(self, columns: Sequence[str]) -> SourceTable:
        """With empty columns for views that no case of this table has. Without a recipe unchanged: there a
        column that is absent is an error."""
        absent = [column for column in columns if column not in self.table.cells]
        if not absent or not any(step.kind == "views" for step in self.steps):
            return self
        gaps = {column: [""] * len(self.table) for column in absent}
        return replace(self, table=with_columns(self.table, self.table.cells | gaps))

    def flow(self, split: str = "train") -> Flow:
        """The steps of the recipe, without the reading of joined tables; patients are known once the table is
        complete. split: whose table it is, if the splits have several."""
        kind = "recipe" if split == "train" else f"recipe of {split}"
        steps = [step for place, step in enumerate(self.steps) if step.kind != "read" or place == 0]
        return [{"step": f"{kind}: {step.message}", "cases": step.rows, "patients": None} for step in steps]


def read_source_table(
    path: Path,
    image_root: Path | None,
    roots: Sequence[Path],
    recipe: Mapping[str, Any] | None,
    cache_dir: Path | None,
    *,
    of_new_cases: bool = False,
) -> SourceTable:
    """Without a recipe the rows of a CSV. image_root None: the folder of the file, or the folder itself.
    of_new_cases: see `Places`. Errors as in `read_csv` and `compile_recipe`."""
    folder = path if os.path.isdir(path) else path.parent
    if recipe is None:
        table = read_csv(path, keep_malformed=of_new_cases)
        return SourceTable(table, folder if image_root is None else image_root)
    if not os.path.exists(path):
        raise TrainerError("FILE_NOT_FOUND", phrase("file_absent", file=path.name))
    places = Places(path, folder if image_root is None else image_root, roots, of_new_cases)
    made = compiled(recipe, places, cache_dir)
    return SourceTable(made.table, made.image_root, made.settings, made.steps)


def read_main_table(path: Path, image_root: Path, roots: Sequence[Path], recipe: Mapping[str, Any]) -> Table:
    """The main table of a recipe as its file has it, with the origin of its rows. Errors as in
    `read_source_table`."""
    return main_table(recipe, Places(path, image_root, roots))


def with_settings(
    data: dict[str, Any], settings: Mapping[str, Any], chosen: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """The `data` configuration with the settings of a recipe, where its own keys are null. A label that it
    names, or that is among the chosen roles, replaces that of the recipe."""
    if not settings:
        return data
    roles = {*(chosen or {}).values()}
    own = {key for key, value in data.items() if value is not None} | {f"{role}_column" for role in roles}
    if own & {*_LABEL_KEYS}:
        own |= {*_LABEL_KEYS}
    implied = {key: value for key, value in settings.items() if key not in (*own, "ignore_columns")}
    used = {*_columns_of(data, _COLUMN_KEYS), *_columns_of(implied, _COLUMN_KEYS), *(chosen or {})}
    others = [*settings.get("ignore_columns", ()), *_columns_of(settings, _LABEL_KEYS)]
    ignored = [
        column
        for column in dict.fromkeys(others)
        if column not in used and column not in data["ignore_columns"]
    ]
    return {**data, **implied, "ignore_columns": [*data["ignore_columns"], *ignored]}


def _columns_of(settings: Mapping[str, Any], keys: Sequence[str]) -> list[str]:
    """Columns that these keys name."""
    given = [settings[key] for key in keys if settings.get(key) is not None]
    return [column for value in given for column in ([value] if isinstance(value, str) else value)]
