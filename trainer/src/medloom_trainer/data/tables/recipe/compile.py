"""A recipe and its files → the canonical table: steps in a fixed order, each a function of tables.

read → missing → join → columns → images → patient → label → split → rows → views
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from medloom_trainer.contract.phrases import join, phrase
from medloom_trainer.data.tables.recipe.case_rows import merge_rows
from medloom_trainer.data.tables.recipe.dicom_series import describe_left_out
from medloom_trainer.data.tables.recipe.image_paths import find_images
from medloom_trainer.data.tables.recipe.joins import join_tables
from medloom_trainer.data.tables.recipe.label import find_label
from medloom_trainer.data.tables.recipe.missing_codes import mark_missing
from medloom_trainer.data.tables.recipe.new_cases import recipe_of_new_cases
from medloom_trainer.data.tables.recipe.parsed_columns import find_patients, parse_columns
from medloom_trainer.data.tables.recipe.places import Places
from medloom_trainer.data.tables.recipe.plain_recipe import plain_recipe
from medloom_trainer.data.tables.recipe.read import IMAGE, lists_images, read_tables, with_decimal_points
from medloom_trainer.data.tables.recipe.report import State, Step
from medloom_trainer.data.tables.recipe.split import find_split
from medloom_trainer.data.tables.recipe.views import pivot_views
from medloom_trainer.data.tables.table import Table
from medloom_trainer.errors import TrainerError

VERSION = 1
"""Newest version of the vocabulary that this module reads."""


@dataclass(frozen=True)
class Compiled:
    """Result of a recipe."""

    table: Table
    """Each row has the origin of the row of the main table that it comes from."""
    image_root: Path
    settings: Mapping[str, Any]
    """Keys of the `data` configuration that follow from the recipe."""
    steps: tuple[Step, ...]


def compile_recipe(recipe: Mapping[str, Any], places: Places) -> Compiled:
    """Errors of the readers of tables; DATASET_INVALID, LABEL_INVALID or COLUMN_NOT_FOUND naming the key of
    the recipe that does not fit the files, PATH_NOT_ALLOWED for a file outside the folders."""
    _refuse_newer(recipe)
    recipe = plain_recipe(recipe)
    if places.of_new_cases:
        recipe = recipe_of_new_cases(recipe)
    tables = read_tables(recipe, places)
    warnings = [given for table in tables.values() for given in table.warnings]
    state = State(next(iter(tables.values())))
    for name, table in tables.items():
        message, left_out = phrase("step_read", count=len(table), table=name), places.left_out.get(name, {})
        if left_out:
            message = join(message, describe_left_out(left_out), mark="semicolon")
        counts = {kind: count for kind, count in left_out.items() if count}
        state.steps.append(Step("read", message, len(table), counts))
    if "missing" in recipe:
        tables, message, counts = mark_missing(tables, recipe["missing"], of_new_cases=places.of_new_cases)
        state.table = next(iter(tables.values()))
        state.note("missing", message, **counts)
    tables = with_decimal_points(recipe, tables)
    state.table = next(iter(tables.values()))
    join_tables(state, recipe.get("join", ()), tables)
    parse_columns(state, recipe.get("columns", ()))
    images = recipe.get("images", ())
    find_images(state, images, places)
    found = [*([IMAGE] if lists_images(recipe, places) else []), *(image["column"] for image in images)]
    if found:
        state.imply("image_columns", list(dict.fromkeys(found)))
    if "patient" in recipe:
        find_patients(state, recipe["patient"])
    if "label" in recipe:
        find_label(state, recipe["label"])
    if "split" in recipe:
        find_split(state, recipe["split"], places)
    if "rows" in recipe:
        merge_rows(state, recipe["rows"])
    if "views" in recipe:
        pivot_views(state, recipe["views"])
    if not len(state.table):
        raise TrainerError("DATASET_INVALID", phrase("recipe_leaves_no_row"), phrase("correct_steps"))
    table = replace(state.table, warnings=warnings, digest=_digest(state.table))
    return Compiled(table, places.image_root, state.settings, tuple(state.steps))


def _digest(table: Table) -> str:
    """sha256 over the columns and cells."""
    seal = hashlib.sha256()
    for column, texts in table.cells.items():
        seal.update("\x1f".join((column, *texts)).encode("utf-8", "surrogatepass") + b"\x1e")
    return seal.hexdigest()


def _refuse_newer(recipe: Mapping[str, Any]) -> None:
    if recipe["version"] > VERSION:
        message = phrase("recipe_version_differs", version=str(recipe["version"]), known=str(VERSION))
        raise TrainerError("INVALID_CONFIG", message, phrase("update_or_write_again"))
