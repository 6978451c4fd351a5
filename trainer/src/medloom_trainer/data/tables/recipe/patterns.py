"""Patterns of recipes: `{name}` stands for a text without `/` and names a column, `{_}` stands for one that
is dropped, and everything else is literal. The same pattern parses columns from a path and builds a path from
columns.

A placeholder matches the shortest text, from left to right. A name that occurs twice stands for equal texts.
The name of a folder is a value, also if its text is a marker of missing values such as `None`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property

from medloom_trainer.data.tables.cells import PresentText

_PLACEHOLDER = re.compile(r"\{([^{}/]+)\}")
_FOLDER = re.compile(r"(?:^|/)\{([^{}/]+)\}(?=/)")
_DROPPED = "_"


class Pattern:
    """A pattern whose syntax the contract has checked."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._parts = _PLACEHOLDER.split(text)
        """Literal texts, with the name of a placeholder between two of them."""

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Columns, each once, in order."""
        return tuple(dict.fromkeys(name for name in self._parts[1::2] if name != _DROPPED))

    @property
    def is_open(self) -> bool:
        """Whether it has a placeholder, so that the columns alone may not determine the text."""
        return len(self._parts) > 1

    @property
    def drops(self) -> bool:
        return _DROPPED in self._parts[1::2]

    def parse(self, text: str) -> dict[str, str] | None:
        """Column → text; None if the pattern does not match the whole text."""
        found = self._expression.fullmatch(text)
        if found is None:
            return None
        values = zip(self.names, found.groups(), strict=True)
        return {name: PresentText(text) if name in self._folders else text for name, text in values}

    def build(self, values: Mapping[str, str]) -> str:
        """The text of a pattern without `{_}`."""
        literals, names = self._parts[::2], self._parts[1::2]
        filled = [
            text for literal, name in zip(literals, names, strict=False) for text in (literal, values[name])
        ]
        return "".join([*filled, literals[-1]])

    @cached_property
    def _folders(self) -> frozenset[str]:
        """Placeholders that stand for the whole name of a folder."""
        return frozenset(_FOLDER.findall(self.text))

    @cached_property
    def _expression(self) -> re.Pattern[str]:
        """Each placeholder with the text that follows it is atomic: the first place of that text is the right
        one, and without backtracking no text takes long.
        """
        known: dict[str, str] = {}
        expression = re.escape(self._parts[0])
        last = len(self._parts) // 2
        for place, (name, following) in enumerate(zip(self._parts[1::2], self._parts[2::2], strict=True), 1):
            own, slash, later = following.partition("/")
            ends = bool(slash) or place == last
            end = f"{re.escape(own)}(?=/|\\Z)" if ends else re.escape(own)
            if name in known:
                expression += f"(?P={known[name]}){end}"
            elif name == _DROPPED:
                expression += f"(?>[^/]+?{end})"
            else:
                known[name] = f"c{len(known)}"
                expression += f"(?>(?P<{known[name]}>[^/]+?){end})"
            expression += re.escape(slash + later)
        return re.compile(expression)
