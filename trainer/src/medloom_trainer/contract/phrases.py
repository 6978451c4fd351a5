"""English messages that carry their phrases (contract phrases.json), so that the page can write them in the
language of its reader."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, cast

from medloom_trainer.contract.codes import PhraseCode

Mark = Literal["comma", "semicolon", "colon", "space"]
_MARKS: Mapping[Mark, str] = {"comma": ", ", "semicolon": "; ", "colon": ": ", "space": " "}
_TEXTS: Mapping[str, str | Mapping[str, str]] = json.loads(
    (Path(__file__).parent / "phrases.json").read_text(encoding="utf-8")
)["phrases"]


class Phrased(str):
    """An English message and its phrases (contract Phrase). Everything that accepts a text accepts it."""

    phrases: Sequence[Mapping[str, Any]]

    def __new__(cls, text: str, phrases: Iterable[Mapping[str, Any]] = ()) -> Phrased:
        made = super().__new__(cls, text)
        made.phrases = tuple(phrases)
        return made


def phrase(code: PhraseCode, /, **values: str | int) -> Phrased:
    """A message of one phrase; a value may be a message itself. KeyError if a value of its text is missing."""
    known = _TEXTS[code]
    text = known if isinstance(known, str) else known["one" if values["count"] == 1 else "other"]
    shown = {name: f"{value:,}" if isinstance(value, int) else value for name, value in values.items()}
    carried = {
        name: list(value.phrases) if isinstance(value, Phrased) and value.phrases else value
        for name, value in values.items()
    }
    return Phrased(text.format_map(shown), [{"code": code, **({"values": carried} if carried else {})}])


def metric_name(metric: str) -> Phrased:
    """Name of a metric within a message: `AUROC`, `balanced accuracy`. KeyError for an unknown metric."""
    return phrase(cast(PhraseCode, f"metric_{metric}"))


def listing(items: Sequence[str], at_most: int, mark: Mark = "comma") -> Phrased:
    """The first items and the number of the others: `a, b and 3 more`."""
    shown = items[:at_most]
    if any(isinstance(item, Phrased) for item in shown):
        listed = join(shown[0], *shown[1:], mark=mark)
    else:
        listed = phrase("name", name=_MARKS[mark].join(shown))
    if (more := len(items) - at_most) <= 0:
        return listed
    return join(listed, phrase("and_more", count=more), mark="space" if mark == "comma" else mark)


def quoted(names: Iterable[str], at_most: int = 20) -> Phrased:
    """The first names in quotation marks: `"a", "b" and 3 more`."""
    return listing([f'"{name[:80]}"' for name in names], at_most)


def join(first: str, *others: str, mark: Mark = "comma") -> Phrased:
    """One message of several, with this mark between them. A text without phrases is a name."""
    text, phrases = str(first), list(_phrases(first))
    for other in others:
        begin, *rest = _phrases(other)
        text += _MARKS[mark] + other
        phrases += [{**begin, "mark": mark} if mark != "comma" else begin, *rest]
    return Phrased(text, phrases)


def with_phrases(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields, and `<name>_phrases` for each message that has phrases."""
    carried = {
        f"{name}_phrases": list(value.phrases)
        for name, value in fields.items()
        if isinstance(value, Phrased) and value.phrases
    }
    return {**fields, **carried}


def stored_phrases(fields: Mapping[str, Any], name: str) -> str | None:
    """The message `name` of stored fields, with its phrases if it has any; None if there is no message."""
    text: str | None = fields.get(name)
    return None if text is None else Phrased(text, fields.get(f"{name}_phrases", ()))


def _phrases(text: str) -> Sequence[Mapping[str, Any]]:
    return text.phrases if isinstance(text, Phrased) and text.phrases else phrase("name", name=text).phrases
