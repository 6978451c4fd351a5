"""The texts of a recipe in the form of the texts of tables, so that they are equal if they look equal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.errors import TrainerError
from medloom_trainer.unicode_text import visible_characters, visible_text

_PARTS = ("prefix", "suffixes", "comment", "decimal")
"""Keys with parts of texts, whose blanks at their ends count."""


def plain_recipe(recipe: Mapping[str, Any]) -> dict[str, Any]:
    """DATASET_INVALID if two keys, such as those of a map, are equal then, but their values are not."""
    plain: dict[str, Any] = _plain(recipe, parts=False)
    return plain


def _plain(value: Any, *, parts: bool) -> Any:
    if isinstance(value, str):
        return visible_characters(value) if parts else visible_text(value)
    if isinstance(value, list | tuple):
        return [_plain(item, parts=parts) for item in value]
    if not isinstance(value, Mapping):
        return value
    plain: dict[str, Any] = {}
    for key, given in value.items():
        name, made = visible_text(key), _plain(given, parts=parts or key in _PARTS)
        if name in plain and plain[name] != made:
            message = phrase("recipe_key_twice", key=name[:80])
            raise TrainerError("DATASET_INVALID", message, phrase("remove_one"))
        plain[name] = made
    return plain
