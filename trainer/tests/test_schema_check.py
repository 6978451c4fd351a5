"""The quick check of contracts agrees with jsonschema."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import medloom_trainer
from medloom_trainer.contract.schema_check import compile_check
from medloom_trainer.contract.schemas import task_schemas

CONTRACT = Path(medloom_trainer.__file__).parent / "contract"
TASKS = task_schemas()
TABLE = {"sha256": "0" * 64, "suffix": ".csv", "size_bytes": 20}
CASES = {
    "content": "cases",
    "table": TABLE,
    "num_cases": 1,
    "num_patients": None,
    "image_columns": ["image"],
    "label_column": "label",
    "patient_column": None,
    "feature_columns": [],
    "task": "classification",
    "classes": ["benign"],
    "images_digest": None,
    "split": "all",
    "settings": {"data.image_size": [32, 32]},
    "lineage": [{"sha256": "0" * 64, "step": "file", "split": "all"}],
    "split_of": None,
}
NODE = {
    "type": "ImagePreprocess",
    "config": {"size": 32},
    "inputs": {"images": [CASES], "table": [{"content": "config", "settings": {}, "facts": {}}]},
    "store": "/store",
    "data_dir": "/data",
    "cache_dir": "/cache",
    "roots": ["/root"],
    "device": "cpu",
}
WRONG = [None, True, False, 0, 1, 1.0, 1.5, -1, "", "cases", "x", [], ["x"], [1], {}, {"x": 1}]


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every container in `value` with each of its keys."""
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from places(value[key])


@pytest.mark.parametrize("value", WRONG)
def test_agrees_on_each_change_of_a_request(value: Any) -> None:
    schema = TASKS["node"]["params"]
    check, judge = compile_check(schema), Draft202012Validator(schema)
    assert check is not None
    assert check(NODE)
    for number in range(len(list(places(NODE)))):
        changed = copy.deepcopy(NODE)
        container, key = list(places(changed))[number]
        container[key] = value
        assert check(changed) == judge.is_valid(changed), (key, value)
        del container[key]
        assert check(changed) == judge.is_valid(changed), key
        if isinstance(container, dict):
            container["another"] = value
            assert check(changed) == judge.is_valid(changed), "another"


@pytest.mark.parametrize(
    "schema",
    [
        {"type": ["string", "null"], "minLength": 1, "maxLength": 3, "pattern": "^x"},
        {"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 2},
        {"type": "number", "minimum": 0, "maximum": 1},
        {"enum": [1, "x", None]},
        {"const": True},
        {"oneOf": [{"type": "number"}, {"type": "integer"}, {"const": "x"}]},
        {"prefixItems": [{"type": "string"}], "items": {"type": "integer"}, "minItems": 1, "maxItems": 2},
        {"propertyNames": {"maxLength": 1}, "additionalProperties": {"type": "integer"}, "required": ["x"]},
        {"$ref": "#/$defs/tree", "$defs": {"tree": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}},
        {"anyOf": [{"type": "array"}, False]},
    ],
)
def test_agrees_on_each_keyword(schema: dict[str, Any]) -> None:
    check, judge = compile_check(schema), Draft202012Validator(schema)
    assert check is not None
    values = [*WRONG, 2, "xyz", "xyzz", [[]], [[], [1]], ["x", 1], ["x", 1, 1], {"xy": 1}, {"x": "y"}]
    for value in values:
        assert check(value) == judge.is_valid(value), value


def test_leaves_an_unknown_keyword_to_jsonschema() -> None:
    assert compile_check({"uniqueItems": True}) is None
    assert compile_check({"items": {"not": {"type": "string"}}}) is None
    assert compile_check({"enum": [[1]]}) is None


def test_knows_every_keyword_of_the_tasks() -> None:
    unknown = [task for task, schemas in TASKS.items() if compile_check(schemas["params"]) is None]
    assert unknown == []
