"""Tables in JSON: a list of records, or an object of columns."""

from __future__ import annotations

import hashlib
import json
from typing import Any, NoReturn

import numpy as np

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.tables.table import Table, plain_cells
from medloom_trainer.data.tables.table_width import refuse_wide
from medloom_trainer.errors import TrainerError
from medloom_trainer.nested_json import parse_nested
from medloom_trainer.unicode_text import visible_text


def read_json(content: bytes, name: str) -> Table:
    """[{"age": 5}, …] or {"age": [5, …]}; texts, numbers and booleans are cells, null is missing.

    A record may leave columns out. DATASET_INVALID naming the place for anything else, TABLE_TOO_LARGE for
    more columns than can be read. Row numbers count as in a CSV: the first record is row 2.
    """
    columns = _columns_of(_parse(content, name), name)
    count = len(next(iter(columns.values())))
    if not count:
        raise TrainerError("DATASET_INVALID", phrase("columns_without_rows", table=name))
    cells, warnings = plain_cells(columns, name)
    return Table(
        name,
        tuple(cells),
        cells,
        np.arange(2, count + 2, dtype=np.int64),
        ",",
        "utf-8",
        hashlib.sha256(content).hexdigest(),
        warnings,
    )


def _parse(content: bytes, name: str) -> Any:
    def refuse(constant: str) -> NoReturn:
        raise TrainerError("DATASET_INVALID", phrase("json_constant", table=name, constant=constant))

    try:
        return parse_nested(
            content.decode("utf-8-sig"),
            parse_int=_str_number,
            parse_float=_str_number,
            parse_constant=refuse,
            object_pairs_hook=lambda pairs: _unique(pairs, name),
        )
    except UnicodeDecodeError as error:
        raise TrainerError(
            "DATASET_INVALID", phrase("json_not_utf8", table=name, byte=error.start + 1)
        ) from None
    except json.JSONDecodeError as error:
        place = phrase("at_line_and_column", line=str(error.lineno), column=str(error.colno))
        message = phrase("json_damaged", table=name, place=place, error=error.msg)
        raise TrainerError("DATASET_INVALID", message) from None
    except RecursionError:
        raise TrainerError("DATASET_INVALID", phrase("json_too_deep", table=name)) from None


class _str_number(str):
    """A number in its written form: 1.10 remains 1.10."""


def _unique(pairs: list[tuple[str, Any]], name: str) -> dict[str, Any]:
    """The object with its keys in the plain form, in which column names are compared. DATASET_INVALID for two
    keys with the same one."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        plain = visible_text(key)
        if not plain or key != key.strip():
            message = phrase("json_name_blank", table=name)
            raise TrainerError("DATASET_INVALID", message)
        if plain in found:
            message = phrase("json_key_twice", table=name, key=plain[:80])
            raise TrainerError("DATASET_INVALID", message)
        found[plain] = value
    return found


def _columns_of(document: Any, name: str) -> dict[str, list[str]]:
    if isinstance(document, list) and document:
        names: dict[str, None] = {}
        for position, record in enumerate(document, start=1):
            if not isinstance(record, dict):
                raise TrainerError(
                    "DATASET_INVALID", phrase("json_record_not_object", table=name, number=position)
                )
            names.update(dict.fromkeys(record))
            refuse_wide(len(names), f"{name}, record {position}")
        return {
            column: [
                _cell(record.get(column), f'{name}, record {position}, "{column[:80]}"')
                for position, record in enumerate(document, start=1)
            ]
            for column in _nonempty(names, name)
        }
    if isinstance(document, dict) and document:
        refuse_wide(len(document), name)
        for column, values in document.items():
            if not isinstance(values, list):
                raise TrainerError(
                    "DATASET_INVALID", phrase("json_column_not_list", table=name, column=column[:80])
                )
        lengths = {len(values) for values in document.values()}
        if len(lengths) > 1:
            listed = ", ".join(f'"{column[:40]}" {len(values)}' for column, values in document.items())
            raise TrainerError("DATASET_INVALID", phrase("json_lengths_differ", table=name, columns=listed))
        return {
            column: [
                _cell(value, f'{name}, value {position} of "{column[:80]}"')
                for position, value in enumerate(values, start=1)
            ]
            for column, values in document.items()
        }
    message = phrase("json_not_a_table", table=name)
    raise TrainerError("DATASET_INVALID", message)


def _nonempty(names: dict[str, None], name: str) -> dict[str, None]:
    if not names:
        raise TrainerError("DATASET_INVALID", phrase("json_without_fields", table=name))
    return names


def _cell(value: Any, place: str) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        if "\0" in value:
            raise TrainerError("DATASET_INVALID", phrase("json_has_nul", place=place))
        return value.strip()
    raise TrainerError("DATASET_INVALID", phrase("json_value_not_plain", place=place))
