"""A recipe for cases without labels and splits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_RULES_OF_LABELS = ("any", "majority", "all_agree")


def recipe_of_new_cases(recipe: Mapping[str, Any]) -> dict[str, Any]:
    """The recipe without the steps that read a label or a split. Rows that a label would choose from become
    the first row of the case, as with rule "first"."""
    found = {key: value for key, value in recipe.items() if key not in ("label", "split")}
    rows = found.get("rows")
    if rows is not None and rows["rule"] in _RULES_OF_LABELS:
        found["rows"] = {**{key: value for key, value in rows.items() if key != "positive"}, "rule": "first"}
    return found
