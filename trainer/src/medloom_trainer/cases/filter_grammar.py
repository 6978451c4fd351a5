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
        raise TrainerError("FILTER_INVALID", f"the condition has more than {_MAX_CHARACTERS:,} characters")
    if default is not None and default not in columns:
        raise TrainerError("FILTER_INVALID", f"filter_column: {_unknown_column(default, columns)}")
    parser = _Parser(text, columns, default)
    tree = parser.condition(0)
    if parser.token.kind != "end":
        parser.refuse('expected "and", "or" or the end')
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

    def refuse(self, message: str, token: _Token | None = None) -> TrainerError:
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
            self.refuse(f"nested more than {MAX_DEPTH} levels deep")
        self.parts += 1
        if self.parts > _MAX_PARTS:
            self.refuse(f"more than {_MAX_PARTS:,} comparisons; use in (…) instead")
        if self.is_word("not") and not (self.is_word("in", 1) and self.default is not None):
            self.position += 1
            return Not(self.negation(depth + 1))
        if self.take("operator", "("):
            inner = self.condition(depth + 1)
            if not self.take("operator", ")"):
                self.refuse("expected )")
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
                raise invalid(self.text, place, f"{token.text} requires a number")
            return Comparison(column, token.text, value, is_number, place)
        if self.take_word("is"):
            negated = self.take_word("not")
            if not self.take_word("missing"):
                self.refuse("expected missing")
            return Not(Missing(column)) if negated else Missing(column)
        negated = self.take_word("not")
        if self.take_word("in"):
            found = Membership(column, self.values())
            return Not(found) if negated else found
        self.refuse('expected =, !=, <, <=, >, >=, "in (…)" or "is missing"')
        raise AssertionError

    def column(self) -> str:
        token = self.token
        begins_test = token.kind == "operator" and token.text in _OPERATORS
        begins_test = begins_test or any(self.is_word(word) for word in ("is", "in", "not"))
        if begins_test and not (token.kind == "name" and token.text in self.columns and self.default is None):
            if self.default is None:
                self.refuse("expected a column name; to omit it, set filter_column")
            return self.default or ""
        if token.kind not in ("name", "quoted") or (token.kind == "name" and token.text.lower() in _KEYWORDS):
            self.refuse("expected a column name" if token.kind != "end" else "the condition is incomplete")
        self.position += 1
        if token.text not in self.columns:
            self.refuse(_unknown_column(token.text, self.columns), token)
        return token.text

    def value(self) -> tuple[str, bool]:
        token = self.token
        if token.kind == "name" and token.text.lower() in _KEYWORDS:
            self.refuse("expected a value; quote a value that is a keyword")
        if token.kind not in ("number", "quoted", "name"):
            self.refuse("expected a number or text" if token.kind != "end" else "the condition is incomplete")
        self.position += 1
        return token.text, token.kind == "number"

    def values(self) -> tuple[tuple[str, bool], ...]:
        if not self.take("operator", "("):
            self.refuse("expected (")
        found = [self.value()]
        while self.take("operator", ","):
            found.append(self.value())
        if not self.take("operator", ")"):
            self.refuse("expected , or )")
        return tuple(found)


def _tokens_of(text: str) -> list[_Token]:
    tokens = []
    place = 0
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None:
            quote = text[place] in "\"'`"
            raise invalid(text, place, "missing closing quote" if quote else "unexpected character")
        kind = str(found.lastgroup)
        token = found.group()
        if kind == "quoted":
            token = token[1:-1].replace(token[0] * 2, token[0])
        if kind == "operator" and token == "<>":
            raise invalid(text, place, "use != for unequal")
        if kind != "space":
            tokens.append(_Token(kind, "=" if kind == "operator" and token == "==" else token, place))
        place = found.end()
    return [*tokens, _Token("end", "", len(text))]


def _unknown_column(name: str, columns: Collection[str]) -> str:
    near = get_close_matches(name, list(columns), n=1, cutoff=0.5)
    hint = f'; did you mean "{near[0]}"?' if near else ""
    return f'there is no column "{name[:80]}"{hint}'


def invalid(text: str, place: int, message: str) -> TrainerError:
    """An error with the message, and in the details the line with a mark under the character."""
    start = text.rfind("\n", 0, place) + 1
    end = text.find("\n", place)
    line = text[start : end if end >= 0 else len(text)]
    first = max(0, place - start - 40)
    shown = line[first : first + 80]
    return TrainerError(
        "FILTER_INVALID", f"character {place + 1}: {message}", f"{shown}\n{' ' * (place - start - first)}^"
    )
