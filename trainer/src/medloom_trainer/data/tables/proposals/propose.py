"""A folder or table as it is → the recipe that reads it, with its evidence, and the questions that remain."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from medloom_trainer.contract.phrases import phrase, with_phrases
from medloom_trainer.data.tables.proposals.images import find_images, pattern_of_paths
from medloom_trainer.data.tables.proposals.listing import Listing, left_out, list_files
from medloom_trainer.data.tables.proposals.outcomes import (
    Answers,
    find_codes,
    find_joined_rows,
    find_missing,
    find_outcome,
    find_patient,
    find_rows,
    not_a_choice,
)
from medloom_trainer.data.tables.proposals.tables import JoinedRows, find_tables
from medloom_trainer.data.tables.recipe.places import Places
from medloom_trainer.data.tables.recipe.source import SourceTable, read_source_table, with_settings
from medloom_trainer.data.tables.recipe.templates import Template, recognize
from medloom_trainer.data.tables.roles import Roles, infer_roles, role_settings
from medloom_trainer.data.tables.table_files import sheets_of
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
        raise TrainerError("FILE_NOT_FOUND", phrase("file_absent", file=path.name))
    progress(phrase("recipe_listing"), 0.0)
    template = recognize(path) if path.is_dir() else None
    if template is not None:
        template = _decided(template, params["decisions"])
    roots = [Path(root) for root in params["roots"]]
    files = (
        _of_files(path, roots, params["label_column"]) if template is None else _of_template(path, template)
    )
    progress(phrase("recipe_reading"), 0.3)
    made = read_source_table(files.source, None, roots, files.recipe, None)
    answers = Answers(
        reasons=files.reasons,
        settings=files.settings,
        decisions=params["decisions"] if template is None else {},
    )
    if template is None:
        find_missing(made.table, answers)
        roles = _find_roles(made, files, params, answers)
        _refuse_unasked(answers)
    else:
        roles = _complete(template, made, files.source, params, answers)
    recipe = files.recipe | answers.parts | ({"open": answers.open} if answers.open else {})
    progress(phrase("recipe_trying"), 0.8)
    made = read_source_table(files.source, None, roots, recipe, None)
    answers.reasons += [("", step.message) for step in made.steps]
    own = dict(template.settings.get("model", {})) if template else {}
    return {
        "path": str(files.source),
        "template": template and {key: getattr(template, key) for key in ("name", "title", "source")},
        "recipe": recipe,
        "settings": files.settings,
        "model": {**_network(roles, made), **own},
        "reasons": [with_phrases({"key": key, "message": message}) for key, message in answers.reasons],
        "questions": answers.questions,
        "rows": len(made.table),
        "columns": list(made.table.columns),
    }


def _network(roles: Roles, made: SourceTable) -> dict[str, str]:
    """Keys of `model` that fit the inputs: a starting point."""
    has_images = bool(roles.images or made.settings.get("image_columns"))
    labels = {
        *roles.labels,
        *(made.settings.get(key) for key in ("label_column", "time_column", "event_column")),
    }
    has_table = any(column not in labels for column in (*roles.numeric, *roles.categorical))
    if not has_images:
        return {"vision_backbone": "none", "fusion_type": "concatenate"}
    return {"vision_backbone": "resnet18", "fusion_type": "gated" if has_table else "none"}


def _decided(template: Template, decisions: Mapping[str, str]) -> Template:
    """The template with the chosen options. INVALID_REQUEST for a choice that it does not have."""
    for key, choice in decisions.items():
        options = {
            str(option.title): (number, index)
            for number, question in enumerate(template.questions)
            if question.key == key
            for index, option in enumerate(question.options)
        }
        if choice not in options:
            raise not_a_choice(key, choice, [*options])
        template = template.answered(*options[choice])
    return template


def _refuse_unasked(answers: Answers) -> None:
    """INVALID_REQUEST for the answer to a question that the files do not raise."""
    asked = {question["key"] for question in answers.questions}
    for key, choice in answers.decisions.items():
        if key not in asked:
            raise not_a_choice(key, choice, [])


@dataclass
class _Files:
    """The parts of a recipe that follow from the names of files and the keys of tables."""

    source: Path
    recipe: dict[str, Any]
    settings: dict[str, Any]
    """Other keys of the `data` configuration."""
    reasons: list[tuple[str, str]]
    several: JoinedRows | None = None


def _of_template(path: Path, template: Template) -> _Files:
    recipe = dict(template.recipe)
    if "join" in recipe:
        recipe["join"] = [{"keep": "all", **join} for join in recipe["join"]]
    reason = phrase("recipe_layout", title=template.title)
    return _Files(path, recipe, dict(template.settings.get("data", {})), [("files", reason)])


def _complete(
    template: Template, made: SourceTable, path: Path, params: Mapping[str, Any], answers: Answers
) -> Roles:
    """Answers the questions that the template leaves open, and replaces its label and patient by chosen
    ones."""
    label, patient = params["label_column"], params["patient_column"]
    settings = with_settings(role_settings(label_column=label, patient_column=patient), made.settings)
    roles = infer_roles(made.table, {**settings, **answers.settings}, path, label_required=False)
    if label is not None or not roles.labels:
        for key in _LABEL_SETTINGS:
            answers.settings.pop(key, None)
        find_outcome(made.table, roles, label, answers)
    if patient is not None or params["no_patient_column"]:
        find_patient(made.table, roles, patient, answers, has_none=params["no_patient_column"])
    asked = {f"data.recipe.{question['key']}" for question in answers.questions}
    for question in template.questions:
        if question.options or question.key not in asked:
            answers.ask(question.key, question.text, [option.title for option in question.options])
    return roles


def _of_files(path: Path, roots: Sequence[Path], label: str | None) -> _Files:
    places = Places(path, path if path.is_dir() else path.parent, roots)
    if path.is_file():
        return _of_file(path, places, label)
    listing = list_files(path, places)
    found = find_tables(places, listing.tables, listing.images, label)
    reasons = [*left_out(listing), *found.reasons]
    if found.main is None:
        return _of_images(path, listing, reasons)
    images, why = find_images(places, found.main, listing.images)
    recipe: dict[str, Any] = {"version": 1}
    if found.join or not found.splits:
        recipe["files"] = found.files
    recipe |= {"join": found.join} if found.join else {}
    recipe |= {"images": images} if images else {}
    settings = {f"{split}_csv": str(path / name) for split, name in found.splits.items() if split != "train"}
    source = path / found.splits.get("train", "")
    return _Files(source, recipe, settings, [*reasons, *why], found.several)


def _of_file(path: Path, places: Places, label: str | None) -> _Files:
    """A table. The sheets of a workbook are several tables, of which the main one is the source itself."""
    if len(sheets_of(path)) < 2:
        return _Files(path, {"version": 1}, {}, [])
    found = find_tables(places, [path.name], (), label)
    if found.main is None:
        raise TrainerError("DATASET_INVALID", phrase("no_sheet_as_table", table=path.name))
    first = {key: value for key, value in found.files[0].items() if key != "path"}
    recipe: dict[str, Any] = {"version": 1, "files": [first, *found.files[1:]]}
    recipe |= {"join": found.join} if found.join else {}
    return _Files(path, recipe, {}, found.reasons, found.several)


def _of_images(path: Path, listing: Listing, reasons: list[tuple[str, str]]) -> _Files:
    if not listing.images:
        message = phrase("folder_without_data", folder=path.name)
        raise TrainerError("DATASET_INVALID", message, phrase("choose_folder_with_data"))
    if all(name.lower().endswith(".dcm") for name in listing.images):
        reasons.append(("files[0].dicom", phrase("recipe_dicom", count=len(listing.images))))
        return _Files(path, {"version": 1, "files": [{"name": "series", "dicom": True}]}, {}, reasons)
    pattern = pattern_of_paths(listing.images)
    if pattern is None:
        message = phrase("images_without_labels", folder=path.name)
        raise TrainerError("DATASET_INVALID", message, phrase("add_table_of_labels"))
    text, count = pattern
    reasons.append(("files[0].pattern", phrase("recipe_pattern", count=count, total=len(listing.images))))
    return _Files(path, {"version": 1, "files": [{"name": "images", "pattern": text}]}, {}, reasons)


def _find_roles(made: SourceTable, files: _Files, params: Mapping[str, Any], answers: Answers) -> Roles:
    table, label, patient = made.table, params["label_column"], params["patient_column"]
    settings = with_settings(role_settings(label_column=label, patient_column=patient), made.settings)
    folder = files.source if files.source.is_dir() else files.source.parent
    roles = infer_roles(table, settings, folder, label_required=False)
    find_outcome(table, roles, label, answers)
    find_codes(table, roles, answers)
    find_patient(table, roles, patient, answers, has_none=params["no_patient_column"])
    if files.several is not None:
        find_joined_rows(table, files.several, params["rows_rule"], answers)
    if "rows" not in answers.open and "rows" not in answers.parts:
        find_rows(table, roles, params["rows_rule"], answers)
    return roles
