"""A template as read from its file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from medloom_trainer.contract.phrases import Phrased, phrase

Settings = Mapping[str, Mapping[str, Any]]
"""Part of the configuration, such as `data` → its keys."""


@dataclass(frozen=True)
class Option:
    """One answer: the keys of the recipe and of the settings that it replaces. None removes a key."""

    title: Phrased
    recipe: Mapping[str, Any]
    settings: Settings


@dataclass(frozen=True)
class Question:
    """A decision that only a person can make."""

    key: str
    """Key of the configuration that the answer changes, such as data.recipe.label."""
    text: Phrased
    options: tuple[Option, ...]
    """The first is the choice of the template. Empty: the text explains what to consider."""


@dataclass(frozen=True)
class FileMark:
    """A file or folder by which a layout is recognized."""

    path: str
    """Pattern relative to the source."""
    columns: tuple[str, ...] = ()
    """Columns of the table; none: the file only has to exist."""
    comment: str | None = None
    """Start of lines above the column names."""


@dataclass(frozen=True)
class Layout:
    """One form in which a set is distributed."""

    recognized_by: tuple[FileMark, ...]
    recipe: Mapping[str, Any]
    """Keys of the recipe that replace those of the template."""

    @property
    def specificity(self) -> int:
        return sum(1 + len(mark.columns) for mark in self.recognized_by)


@dataclass(frozen=True)
class Template:
    """A recipe for a published set. Of a template that `recognize` returned, the recipe fits the folder."""

    name: str
    title: str
    source: str
    """The publication that describes the set."""
    recipe: Mapping[str, Any]
    settings: Settings
    questions: tuple[Question, ...]
    unverified: str | None
    layouts: tuple[Layout, ...]
    ignored_if_present: tuple[str, ...]
    """Patterns of names of columns that must not be inputs."""
    missing_if_present: Mapping[str, Sequence[str]]
    """Pattern of names of columns → their codes for missing values."""

    def answered(self, question: int, option: int) -> Template:
        """With one of the options of a question."""
        chosen = self.questions[question].options[option]
        return replace(self, recipe=_changed(self.recipe, chosen.recipe)).with_settings(chosen.settings)

    def with_settings(self, settings: Settings) -> Template:
        parts = dict.fromkeys((*self.settings, *settings))
        merged = {part: _changed(self.settings.get(part, {}), settings.get(part, {})) for part in parts}
        return replace(self, settings=merged)


@cache
def read_templates() -> tuple[Template, ...]:
    """All templates, by name."""
    files = sorted(Path(__file__).parent.glob("*.json"))
    return tuple(_template(json.loads(file.read_text(encoding="utf-8"))) for file in files)


def _template(given: Mapping[str, Any]) -> Template:
    conditional = given.get("if_present", {})
    return Template(
        name=given["name"],
        title=given["title"],
        source=given["source"],
        recipe={"version": 1, **given["recipe"]},
        settings=given.get("settings", {}),
        questions=tuple(_question(question) for question in given.get("questions", ())),
        unverified=given.get("unverified"),
        layouts=tuple(_layout(layout) for layout in given["layouts"]),
        ignored_if_present=tuple(conditional.get("ignore_columns", ())),
        missing_if_present=conditional.get("missing", {}),
    )


def _question(given: Mapping[str, Any]) -> Question:
    options = [
        Option(phrase(option["title"]), option.get("recipe", {}), option.get("settings", {}))
        for option in given.get("options", ())
    ]
    return Question(given["key"], phrase(given["text"]), tuple(options))


def _layout(given: Mapping[str, Any]) -> Layout:
    marks = [
        FileMark(mark["path"], tuple(mark.get("columns", ())), mark.get("comment"))
        for mark in given["recognized_by"]
    ]
    return Layout(tuple(marks), given.get("recipe", {}))


def _changed(base: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in {**base, **changes}.items() if value is not None}
