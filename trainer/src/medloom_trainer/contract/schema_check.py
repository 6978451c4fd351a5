"""Quick check that a value conforms to a JSON Schema of the contract.

A schema is compiled to nested functions once, so that a request is checked in some microseconds. jsonschema,
which takes a millisecond for a request of a workflow node, still decides about everything that this check
does not confirm: it knows all keywords and describes errors.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

Check = Callable[[Any], bool]
Schema = Mapping[str, Any] | bool

_ANNOTATIONS = {
    *("$comment", "$defs", "$schema", "default", "description", "format", "title"),
    *("before_it_existed", "default_since", "kept_by_fine_tuning", "names_path", "written_as"),  # of Medloom
}
"""Keywords without an effect on validity; jsonschema does not check formats by default."""


class UnknownKeyword(ValueError):
    """A schema uses a keyword that this module does not know."""


def compile_check(schema: Mapping[str, Any]) -> Check | None:
    """→ a check of whether a value conforms to `schema`; None for a schema with an unknown keyword"""
    try:
        return _Compiler(schema).check_of(schema)
    except UnknownKeyword:
        return None


class _Compiler:
    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._referenced: dict[str, Check] = {}

    def check_of(self, schema: Schema) -> Check:
        if isinstance(schema, bool):
            return lambda _: schema
        checks = [
            self._keyword(keyword, value, schema)
            for keyword, value in schema.items()
            if keyword not in _ANNOTATIONS
        ]
        return checks[0] if len(checks) == 1 else _all_of(checks)

    def _keyword(self, keyword: str, value: Any, schema: Mapping[str, Any]) -> Check:
        if keyword in _SIMPLE:
            return _SIMPLE[keyword](value)
        if keyword == "$ref":
            return self._reference(value)
        if keyword in ("anyOf", "oneOf", "allOf"):
            return _combined(keyword, [self.check_of(each) for each in value])
        if keyword in ("items", "prefixItems"):
            return self._items(keyword, value, schema)
        if keyword == "properties":
            return _each_property({name: self.check_of(each) for name, each in value.items()})
        if keyword == "propertyNames":
            check = self.check_of(value)
            return lambda found: not isinstance(found, dict) or all(check(name) for name in found)
        if keyword == "additionalProperties" and "patternProperties" not in schema:
            return _other_properties(set(schema.get("properties", {})), self.check_of(value))
        raise UnknownKeyword(keyword)

    def _reference(self, target: str) -> Check:
        """The check of a reference is resolved when it is used: a schema may refer to itself."""
        if not target.startswith("#/"):
            raise UnknownKeyword(f"$ref {target}")
        if target not in self._referenced:
            self._referenced[target] = lambda value: self._referenced[target](value)
            found: Any = self._root
            for part in target[2:].split("/"):
                found = found[part]
            self._referenced[target] = self.check_of(found)
        return self._referenced[target]

    def _items(self, keyword: str, value: Any, schema: Mapping[str, Any]) -> Check:
        if keyword == "items":
            check, first = self.check_of(value), len(schema.get("prefixItems", ()))
            return lambda found: not isinstance(found, list) or all(check(each) for each in found[first:])
        checks = [self.check_of(each) for each in value]
        return lambda found: (
            not isinstance(found, list)
            or all(check(each) for check, each in zip(checks, found, strict=False))
        )


def _combined(keyword: str, checks: list[Check]) -> Check:
    if keyword == "anyOf":
        return lambda value: any(check(value) for check in checks)
    if keyword == "allOf":
        return _all_of(checks)
    return lambda value: sum(check(value) for check in checks) == 1


def _all_of(checks: list[Check]) -> Check:
    """A loop takes half the time of `all` with a generator."""

    def holds(value: Any) -> bool:
        for check in checks:
            if not check(value):
                return False
        return True

    return holds


def _each_property(checks: Mapping[str, Check]) -> Check:
    def holds(found: Any) -> bool:
        if isinstance(found, dict):
            for name, value in found.items():
                check = checks.get(name)
                if check is not None and not check(value):
                    return False
        return True

    return holds


def _other_properties(named: set[str], check: Check) -> Check:
    return lambda found: (
        not isinstance(found, dict) or all(check(value) for name, value in found.items() if name not in named)
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_TYPES: Mapping[str, Check] = {
    "array": lambda value: isinstance(value, list),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: _is_number(value) and (isinstance(value, int) or value.is_integer()),
    "null": lambda value: value is None,
    "number": _is_number,
    "object": lambda value: isinstance(value, dict),
    "string": lambda value: isinstance(value, str),
}


def _type(named: str | list[str]) -> Check:
    if isinstance(named, str):
        return _TYPES[named]
    return _combined("anyOf", [_TYPES[name] for name in named])


def _one_of(allowed: list[Any]) -> Check:
    """Equality of texts, numbers, booleans and null; 1 does not equal true."""
    if any(isinstance(each, list | dict) for each in allowed):
        raise UnknownKeyword("enum of arrays or objects")
    if all(isinstance(each, str) for each in allowed):
        texts = frozenset(allowed)
        return lambda value: isinstance(value, str) and value in texts

    def equals(value: Any, other: Any) -> bool:
        return bool(value == other) and isinstance(value, bool) == isinstance(other, bool)

    return lambda value: any(equals(value, each) for each in allowed)


def _number(holds: Callable[[Any, Any], bool]) -> Callable[[Any], Check]:
    return lambda limit: lambda value: not _is_number(value) or holds(value, limit)


def _length(sort: type[str] | type[list[Any]], holds: Callable[[int, int], bool]) -> Callable[[Any], Check]:
    return lambda limit: lambda value: not isinstance(value, sort) or holds(len(value), limit)


def _pattern(text: str) -> Check:
    pattern = re.compile(text)
    return lambda value: not isinstance(value, str) or pattern.search(value) is not None


def _required(names: list[str]) -> Check:
    return lambda value: not isinstance(value, dict) or all(name in value for name in names)


_SIMPLE: Mapping[str, Callable[[Any], Check]] = {
    "type": _type,
    "const": lambda value: _one_of([value]),
    "enum": _one_of,
    "minimum": _number(lambda value, limit: value >= limit),
    "maximum": _number(lambda value, limit: value <= limit),
    "exclusiveMinimum": _number(lambda value, limit: value > limit),
    "exclusiveMaximum": _number(lambda value, limit: value < limit),
    "minLength": _length(str, lambda length, limit: length >= limit),
    "maxLength": _length(str, lambda length, limit: length <= limit),
    "minItems": _length(list, lambda length, limit: length >= limit),
    "maxItems": _length(list, lambda length, limit: length <= limit),
    "pattern": _pattern,
    "required": _required,
}
