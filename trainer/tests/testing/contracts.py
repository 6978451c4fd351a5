"""Documents compared with the contract. A schema itself is checked once, not with every document."""

from __future__ import annotations

from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from medloom_trainer.contract.schemas import contract


def require_contract(document: object, name: str) -> None:
    """Fail unless `document` conforms to the contract of this name."""
    _validator(name).validate(document)


@cache
def _validator(name: str) -> Draft202012Validator:
    schema: dict[str, Any] = contract(name)
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)
