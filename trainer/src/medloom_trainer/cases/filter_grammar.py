"""The grammar of FilterData: text → tree. Nothing is ever evaluated as code.

    condition   = conjunction { "or" conjunction }
    conjunction = negation { "and" negation }
    negation    = "not" negation | "(" condition ")" | test
    test        = [ column ] ( ( "=" | "==" | "!=" | "<" | "<=" | ">" | ">=" ) value
                             | [ "not" ] "in" "(" value { "," value } ")"
                             | "is" [ "not" ] "missing" )
    column      = name | "…" or `…` (at the left of a test) ; value = number | "…" | '…' | name

A quote inside quotes is written twice. Without a column the test refers to `filter_column`.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from difflib import get_close_matches

from medloom_trainer.contract.phrases import Phrased, join, phrase
from medloom_trainer.errors import TrainerError

_MAX_CHARACTERS = 10_000
MAX_DEPTH = 64
_MAX_PARTS = 2_000
_OPERATORS = ("=", "!=", "<", "<=", ">", ">=")
_KEYWORDS = frozenset({"and", "or", "not", "in", "is", "missing"})

_TOKEN = re.compile(
    r"""(?P<space>\s+)
      | (?P<operator><=|>=|!=|<>|==|=|<|>|[(),])
      | (?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.]))
      | (?P<quoted>"(?:[^"]|"")*"|'(?:[^']|'')*'|`(?:[^`]|``)*`)
      | (?P<name>\w[\w.]*)""",
    re.VERBOSE,
)


@dataclass(frozen=True)
class Comparison:
    column: str
    operator: str
    value: str
    is_number: bool
    place: int


@dataclass(frozen=True)
class Membership:
    column: str
    values: tuple[tuple[str, bool], ...]
    """(text, is a number)."""


@dataclass(frozen=True)
class Missing:
    column: str


@dataclass(frozen=True)
class Not:
    part: Condition


@dataclass(frozen=True)
class All:
    parts: tuple[Condition, ...]


@dataclass(frozen=True)
class Any:
    parts: tuple[Condition, ...]


Condition = Comparison | Membership | Missing | Not | All | Any


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    place: int
    """Number of characters before it."""


def parse_filter(text: str, columns: Collection[str], default: str | None) -> Condition:
    """FILTER_INVALID, with the position of the character, for anything that is not in the grammar or the
    columns."""
    if len(text) > _MAX_CHARACTERS:
        raise TrainerError("FILTER_INVALID", phrase("condition_too_long", limit=_MAX_CHARACTERS))
    if default is not None and default not in columns:
        raise TrainerError(
            "FILTER_INVALID", join("filter_column", _unknown_column(default, columns), mark="colon")
        )
    parser = _Parser(text, columns, default)
    tree = parser.condition(0)
    if parser.token.kind != "end":
        parser.refuse(phrase("expected_and_or_end"))
    return tree


def columns_in(tree: Condition) -> set[str]:
    """The columns to which a condition refers."""
    if isinstance(tree, Not):
        return columns_in(tree.part)
    if isinstance(tree, All | Any):
        return {column for part in tree.parts for column in columns_in(part)}
    return {tree.column}


class _Parser:
    """Recursive descent; the depth is limited, so that no text exhausts the stack."""

    def __init__(self, text: str, columns: Collection[str], default: str | None) -> None:
        self.text = text
        self.columns = columns
        self.default = default
        self.tokens = list(_tokens_of(text))
        self.position = 0
        self.parts = 0

    @property
    def token(self) -> _Token:
        return self.tokens[self.position]

    def refuse(self, message: Phrased, token: _Token | None = None) -> TrainerError:
        raise invalid(self.text, (token or self.token).place, message)

    def is_word(self, word: str, ahead: int = 0) -> bool:
        token = self.tokens[min(self.position + ahead, len(self.tokens) - 1)]
        return token.kind == "name" and token.text.lower() == word

    def take_word(self, word: str) -> bool:
        if self.is_word(word):
            self.position += 1
            return True
        return False

    def take(self, kind: str, text: str | None = None) -> _Token | None:
        token = self.token
        if token.kind == kind and (text is None or token.text == text):
            self.position += 1
            return token
        return None

    def condition(self, depth: int) -> Condition:
        parts = [self.conjunction(depth)]
        while self.take_word("or"):
            parts.append(self.conjunction(depth))
        return parts[0] if len(parts) == 1 else Any(tuple(parts))

    def conjunction(self, depth: int) -> Condition:
        parts = [self.negation(depth)]
        while self.take_word("and"):
            parts.append(self.negation(depth))
        return parts[0] if len(parts) == 1 else All(tuple(parts))

    def negation(self, depth: int) -> Condition:
        if depth > MAX_DEPTH:
            self.refuse(phrase("condition_too_deep", limit=MAX_DEPTH))
        self.parts += 1
        if self.parts > _MAX_PARTS:
            self.refuse(phrase("too_many_comparisons", limit=_MAX_PARTS))
        if self.is_word("not") and not (self.is_word("in", 1) and self.default is not None):
            self.position += 1
            return Not(self.negation(depth + 1))
        if self.take("operator", "("):
            inner = self.condition(depth + 1)
            if not self.take("operator", ")"):
                self.refuse(phrase("expected", what=")"))
            return inner
        return self.test()

    def test(self) -> Condition:
        column = self.column()
        token = self.token
        if token.kind == "operator" and token.text in _OPERATORS:
            self.position += 1
            place = self.token.place
            value, is_number = self.value()
            if not is_number and token.text not in ("=", "!="):
                raise invalid(self.text, place, phrase("requires_number", token=token.text))
            return Comparison(column, token.text, value, is_number, place)
        if self.take_word("is"):
            negated = self.take_word("not")
            if not self.take_word("missing"):
                self.refuse(phrase("expected", what="missing"))
            return Not(Missing(column)) if negated else Missing(column)
        negated = self.take_word("not")
        if self.take_word("in"):
            found = Membership(column, self.values())
            return Not(found) if negated else found
        self.refuse(phrase("expected_operator"))
        raise AssertionError

    def column(self) -> str:
        token = self.token
        begins_test = token.kind == "operator" and token.text in _OPERATORS
        begins_test = begins_test or any(self.is_word(word) for word in ("is", "in", "not"))
        if begins_test and not (token.kind == "name" and token.text in self.columns and self.default is None):
            if self.default is None:
                self.refuse(phrase("expected_column_or_default"))
            return self.default or ""
        if token.kind not in ("name", "quoted") or (token.kind == "name" and token.text.lower() in _KEYWORDS):
            self.refuse(phrase("expected_column" if token.kind != "end" else "condition_incomplete"))
        self.position += 1
        if token.text not in self.columns:
            self.refuse(_unknown_column(token.text, self.columns), token)
        return token.text

    def value(self) -> tuple[str, bool]:
        token = self.token
        if token.kind == "name" and token.text.lower() in _KEYWORDS:
            self.refuse(phrase("expected_value"))
        if token.kind not in ("number", "quoted", "name"):
            self.refuse(phrase("expected_number_or_text" if token.kind != "end" else "condition_incomplete"))
        self.position += 1
        return token.text, token.kind == "number"

    def values(self) -> tuple[tuple[str, bool], ...]:
        if not self.take("operator", "("):
            self.refuse(phrase("expected", what="("))
        found = [self.value()]
        while self.take("operator", ","):
            found.append(self.value())
        if not self.take("operator", ")"):
            self.refuse(phrase("expected_comma_or_close"))
        return tuple(found)


def _tokens_of(text: str) -> list[_Token]:
    tokens = []
    place = 0
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None:
            quote = text[place] in "\"'`"
            raise invalid(text, place, phrase("closing_quote_missing" if quote else "unexpected_character"))
        kind = str(found.lastgroup)
        token = found.group()
        if kind == "quoted":
            token = token[1:-1].replace(token[0] * 2, token[0])
        if kind == "operator" and token == "<>":
            raise invalid(text, place, phrase("use_unequal"))
        if kind != "space":
            tokens.append(_Token(kind, "=" if kind == "operator" and token == "==" else token, place))
        place = found.end()
    return [*tokens, _Token("end", "", len(text))]


def _unknown_column(name: str, columns: Collection[str]) -> Phrased:
    near = get_close_matches(name, list(columns), n=1, cutoff=0.5)
    if near:
        return phrase("no_column_similar", column=name[:80], near=near[0])
    return phrase("no_column", column=name[:80])


def invalid(text: str, place: int, message: Phrased) -> TrainerError:
    """An error with the message, and in the details the line with a mark under the character."""
    start = text.rfind("\n", 0, place) + 1
    end = text.find("\n", place)
    line = text[start : end if end >= 0 else len(text)]
    first = max(0, place - start - 40)
    shown = line[first : first + 80]
    return TrainerError(
        "FILTER_INVALID",
        join(phrase("at_character", number=place + 1), message, mark="colon"),
        Phrased(f"{shown}\n{' ' * (place - start - first)}^"),
    )
