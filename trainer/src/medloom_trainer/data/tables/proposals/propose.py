"""A folder or table as it is → the recipe that reads it, with its evidence, and the questions that remain."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from medloom_trainer.contract.phrases import phrase, with_phrases
from medloom_trainer.data.tables.proposals.images import find_images, pattern_of_paths
from medloom_trainer.data.tables.proposals.listing import Listing, left_out, list_files
from medloom_trainer.data.tables.proposals.outcomes import (
    Answers,
    find_missing,
    find_outcome,
    find_patient,
    find_rows,
)
from medloom_trainer.data.tables.proposals.tables import find_tables
from medloom_trainer.data.tables.recipe.places import Places
from medloom_trainer.data.tables.recipe.source import SourceTable, read_source_table, with_settings
from medloom_trainer.data.tables.recipe.templates import Template, recognize
from medloom_trainer.data.tables.roles import infer_roles, role_settings
from medloom_trainer.errors import TrainerError

Progress = Callable[[str, float], None]
_LABEL_SETTINGS = ("label_column", "label_columns", "time_column", "event_column")


def propose_recipe(
    params: Mapping[str, Any], progress: Progress = lambda message, fraction: None
) -> dict[str, Any]:
    """params: contract WORKER_TASKS.propose_recipe → contract RecipeProposal.

    FILE_NOT_FOUND; DATASET_INVALID if there is neither a table nor an image, or if the files contradict each
    other; and the errors of the readers.
    """
    path = Path(params["path"])
    if not os.path.exists(path):
        raise TrainerError("FILE_NOT_FOUND", f"{path.name} does not exist")
    progress(phrase("recipe_listing"), 0.0)
    template = _decided(recognize(path) if path.is_dir() else None, params["decisions"])
    roots = [Path(root) for root in params["roots"]]
    source, recipe, settings, reasons = (
        _of_files(path, roots) if template is None else _of_template(path, template)
    )
    progress(phrase("recipe_reading"), 0.3)
    made = read_source_table(source, None, roots, recipe, None)
    answers = Answers(reasons=reasons, settings=settings)
    if template is None:
        find_missing(made.table, answers)
        _find_roles(made, source, params, answers)
    else:
        _complete(template, made, source, params, answers)
    recipe |= answers.parts
    progress(phrase("recipe_trying"), 0.8)
    made = read_source_table(source, None, roots, recipe, None)
    reasons += [("", step.message) for step in made.steps]
    return {
        "path": str(source),
        "template": template and {key: getattr(template, key) for key in ("name", "title", "source")},
        "recipe": recipe,
        "settings": settings,
        "model": dict(template.settings.get("model", {})) if template else {},
        "reasons": [with_phrases({"key": key, "message": message}) for key, message in answers.reasons],
        "questions": [with_phrases(question) for question in answers.questions],
        "rows": len(made.table),
        "columns": list(made.table.columns),
    }


def _decided(template: Template | None, decisions: Mapping[str, str]) -> Template | None:
    """The template with the chosen options. INVALID_REQUEST for a choice that it does not have."""
    for key, choice in decisions.items():
        options = {
            option.title: (number, index)
            for number, question in enumerate(template.questions if template else ())
            if question.key == key
            for index, option in enumerate(question.options)
        }
        if template is None or choice not in options:
            message = f'"{choice[:80]}" is not a choice of the question {key[:80]}'
            hint = f"Choices: {', '.join(options)}." if options else "Remove it from decisions."
            raise TrainerError("INVALID_REQUEST", message, hint)
        template = template.answered(*options[choice])
    return template


def _of_template(
    path: Path, template: Template
) -> tuple[Path, dict[str, Any], dict[str, Any], list[tuple[str, str]]]:
    """As `_of_files`, for a published layout."""
    recipe = dict(template.recipe)
    if "join" in recipe:
        recipe["join"] = [{"keep": "all", **join} for join in recipe["join"]]
    reason = phrase("recipe_layout", title=template.title)
    return path, recipe, dict(template.settings.get("data", {})), [("files", reason)]


def _complete(
    template: Template, made: SourceTable, path: Path, params: Mapping[str, Any], answers: Answers
) -> None:
    """Answers the questions that the template leaves open, and replaces its label and patient by chosen
    ones."""
    label, patient = params["label_column"], params["patient_column"]
    settings = with_settings(role_settings(label_column=label, patient_column=patient), made.settings)
    roles = infer_roles(made.table, {**settings, **answers.settings}, path, label_required=False)
    if label is not None or not roles.labels:
        for key in _LABEL_SETTINGS:
            answers.settings.pop(key, None)
        find_outcome(made.table, roles, label, answers)
    if patient is not None:
        find_patient(made.table, roles, patient, answers)
    asked = {f"data.recipe.{question['key']}" for question in answers.questions}
    for question in template.questions:
        if question.options or question.key not in asked:
            answers.ask(question.key, question.text, [option.title for option in question.options])


def _of_files(
    path: Path, roots: Sequence[Path]
) -> tuple[Path, dict[str, Any], dict[str, Any], list[tuple[str, str]]]:
    """(source, parts of the recipe that follow from the names of files and the keys of tables, other
    settings, reasons)."""
    if path.is_file():
        return path, {"version": 1}, {}, []
    places = Places(path, path, roots)
    listing = list_files(path, places)
    found = find_tables(places, listing.tables, listing.images)
    reasons = [*left_out(listing), *found.reasons]
    if found.main is None:
        return path, *_of_images(path, listing, reasons)
    images, why = find_images(places, found.main, listing.images)
    recipe: dict[str, Any] = {"version": 1}
    if found.join or not found.splits:
        recipe["files"] = found.files
    recipe |= {"join": found.join} if found.join else {}
    recipe |= {"images": images} if images else {}
    settings = {f"{split}_csv": str(path / name) for split, name in found.splits.items() if split != "train"}
    return path / found.splits.get("train", ""), recipe, settings, [*reasons, *why]


def _of_images(
    path: Path, listing: Listing, reasons: list[tuple[str, str]]
) -> tuple[dict[str, Any], dict[str, Any], list[tuple[str, str]]]:
    if not listing.images:
        message = f"{path.name} contains neither a table that can be read nor an image"
        raise TrainerError("DATASET_INVALID", message, "Choose the folder with the tables and images.")
    if all(name.lower().endswith(".dcm") for name in listing.images):
        reasons.append(("files[0].dicom", phrase("recipe_dicom", count=len(listing.images))))
        return {"version": 1, "files": [{"name": "series", "dicom": True}]}, {}, reasons
    pattern = pattern_of_paths(listing.images)
    if pattern is None:
        message = f"{path.name} contains images, but neither a table nor folders that say what they show"
        raise TrainerError("DATASET_INVALID", message, "Add a table with the label of each image.")
    text, count = pattern
    reasons.append(("files[0].pattern", phrase("recipe_pattern", count=count, total=len(listing.images))))
    return {"version": 1, "files": [{"name": "images", "pattern": text}]}, {}, reasons


def _find_roles(made: SourceTable, path: Path, params: Mapping[str, Any], answers: Answers) -> None:
    table, label, patient = made.table, params["label_column"], params["patient_column"]
    settings = with_settings(role_settings(label_column=label, patient_column=patient), made.settings)
    folder = path if path.is_dir() else path.parent
    roles = infer_roles(table, settings, folder, label_required=False)
    find_outcome(table, roles, label, answers)
    find_patient(table, roles, patient, answers)
    find_rows(table, roles, params["rows_rule"], answers)
