"""Steps of a recipe, with what each did to the rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import Phrased, join, listing, phrase, with_phrases
from medloom_trainer.data.tables.numbers import forms_of
from medloom_trainer.data.tables.table import Table, name_rows


@dataclass(frozen=True)
class Step:
    """One step: "read", "join", …; what it did, in words; and the rows after it."""

    kind: str
    message: Phrased
    rows: int
    counts: Mapping[str, int] = field(default_factory=dict)
    """Counts by name, such as {"unmatched": 3}."""

    def to_json(self) -> dict[str, Any]:
        fields = {"kind": self.kind, "message": self.message, "rows": self.rows, "counts": dict(self.counts)}
        return with_phrases(fields)

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Step:
        message = Phrased(given["message"], given.get("message_phrases", ()))
        return cls(given["kind"], message, given["rows"], given["counts"])


@dataclass
class State:
    """The table so far, the settings that follow for its columns, and the steps that made it."""

    table: Table
    settings: dict[str, Any] = field(default_factory=dict)
    """Keys of the `data` configuration that follow from the recipe."""
    steps: list[Step] = field(default_factory=list)

    def note(self, kind: str, message: Phrased, **counts: int) -> None:
        """Add a step; counts of zero are left out."""
        shown = {name: count for name, count in counts.items() if count}
        self.steps.append(Step(kind, message, len(self.table), shown))

    def imply(self, key: str, value: Any) -> None:
        self.settings[key] = value

    def set_aside(self, columns: Iterable[str]) -> None:
        """Columns from which the label or the split was made must not be inputs."""
        known = self.settings.get("ignore_columns", [])
        if added := [column for column in columns if column not in known]:
            self.settings["ignore_columns"] = [*known, *added]


_FEWEST_SHOWN = 5
"""A text that fewer rows have may identify a patient."""


def examples(texts: Iterable[str], at_most: int = 5) -> Phrased:
    """The most frequent texts with their counts; rare ones only as forms, without their letters and
    digits."""
    counts = Counter(texts)
    shown: list[str] = [
        f'"{text[:40]}" ({count})' for text, count in counts.most_common(at_most) if count >= _FEWEST_SHOWN
    ]
    rare = [text for text, count in counts.items() if count < _FEWEST_SHOWN]
    if rare and len(shown) < at_most:
        shown.append(phrase("texts_of_form", forms=forms_of(rare, at_most - len(shown)), count=len(rare)))
    return listing(shown, at_most)


def located(table: Table, rows: Sequence[int] | npt.NDArray[np.int64]) -> Phrased:
    """`metadata.csv, rows 3, 8 and 4 more`."""
    return join(table.name, name_rows(table, rows))
