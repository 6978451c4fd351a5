"""Roles of the columns of the training table: named in the configuration, or inferred from names and
values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.codes import PhraseCode, WarningCode
from medloom_trainer.contract.phrases import Phrased, join, listing, phrase, quoted
from medloom_trainer.data.tables.cells import IMAGE_SUFFIXES, present_texts, split_slice
from medloom_trainer.data.tables.column_names import (
    AMBIGUOUS_PATIENT_NAMES,
    ID_NAME,
    LABEL_NAMES,
    PATIENT_NAMES,
    PERSON_NAME,
    check_names,
    plain_name,
    require_column,
    split_column,
)
from medloom_trainer.data.tables.column_texts import counted, distinct_of
from medloom_trainer.data.tables.identifiers import (
    are_dates,
    has_decimals,
    is_repeated_code,
    may_identify,
    names_codes,
)
from medloom_trainer.data.tables.label_siblings import label_siblings
from medloom_trainer.data.tables.masks import is_mask_column
from medloom_trainer.data.tables.numbers import are_codes, are_plain, forms_of, is_like_number, read_numbers
from medloom_trainer.data.tables.split_values import name_splits
from medloom_trainer.data.tables.table import Table, name_rows
from medloom_trainer.errors import TrainerError
from medloom_trainer.folder_map import is_file, local
from medloom_trainer.unicode_text import existing_path
from medloom_trainer.warnings import Warnings, warning

_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}(?:[T ].*)?|\d{1,2}[./]\d{1,2}[./]\d{2,4}(?: .*)?")

IDENTIFYING = ("patient", "id", "image", "mask", "ignored")
"""Roles whose values may identify a patient: names, dates and free texts are ignored columns."""

_LONGEST_ID = 100
"""Characters. A column with a longer text contains free texts: DICOM limits a UID to 64."""

_FEW_NUMBERS = 10
"""A column with more different numbers is a quantity; with fewer it may be the code of a category."""

_FEW_TEXTS = 5
"""Texts among many different numbers are codes such as "[Not Available]", however many cases have them."""


@dataclass(frozen=True)
class Roles:
    """Roles of all columns, exactly one for each; `reasons` contains the reasons."""

    labels: tuple[str, ...]
    """The column of the label, or those of several; empty if there is none."""
    patient: str | None
    split: str | None
    images: tuple[str, ...]
    numeric: tuple[str, ...]
    categorical: tuple[str, ...]
    ignored: dict[str, str]
    """Column → reason why it is not used."""
    kinds: dict[str, str]
    """Column → its role as named in the contract (COLUMN_ROLES)."""
    reasons: dict[str, str]
    warnings: Warnings = field(default_factory=list)
    ids: tuple[str, ...] = ()
    """Columns with ids of the cases, also those that the configuration ignores."""

    @property
    def label(self) -> str | None:
        """The only column of the label; None if there is none, or several."""
        return self.labels[0] if len(self.labels) == 1 else None


def infer_roles(
    table: Table,
    data: dict[str, Any],
    image_root: Path,
    *,
    chosen: Mapping[str, str] | None = None,
    label_required: bool = True,
) -> Roles:
    """Roles from the `data` part of the configuration and the training table. chosen: column → role, in
    addition to those that the configuration names.

    COLUMN_NOT_FOUND (with the nearest name) for a name that is not in the table, INVALID_CONFIG for a column
    with two roles, LABEL_NOT_FOUND if no column looks like the label.
    """
    check_names(table, data)
    assigned = _Assignment(table, data)
    for column, kind in (chosen or {}).items():
        require_column(table, column, "roles")
        assigned.assign(column, kind, phrase("role_chosen"))
    assigned.assign_named()
    assigned.assign_split()
    assigned.assign_patient()
    if data["image_columns"] is None:
        for column in assigned.free():
            if _holds_image_files(table.cells[column], image_root):
                assigned.assign_images(column)
    if data["label_columns"] is None and data["time_column"] is None:
        assigned.assign_by_name("label_column", "label", LABEL_NAMES)
    if assigned.first("label") is None and label_required:
        columns = listing(table.columns[:30], 30)
        message = phrase("no_label_recognized", table=table.name, columns=columns)
        raise TrainerError("LABEL_NOT_FOUND", message)
    assigned.set_siblings_aside()
    for column in assigned.free():
        assigned.infer_feature(column)
    return assigned.result()


def role_settings(
    *,
    label_column: str | None = None,
    label_columns: Sequence[str] | None = None,
    time_column: str | None = None,
    event_column: str | None = None,
    patient_column: str | None = None,
    ignore_columns: Sequence[str] = (),
    image_columns: Sequence[str] | None = None,
) -> dict[str, Any]:
    """The keys of the `data` configuration that `infer_roles` reads; keys without a value are inferred."""
    return {
        "label_column": label_column,
        "label_columns": None if label_columns is None else list(label_columns),
        "time_column": time_column,
        "event_column": event_column,
        "patient_column": patient_column,
        "split_column": None,
        "image_columns": None if image_columns is None else list(image_columns),
        "numeric_columns": None,
        "categorical_columns": None,
        "ignore_columns": list(ignore_columns),
        "subgroup_columns": [],
    }


def _holds_image_files(texts: list[str], image_root: Path) -> bool:
    """Return whether nearly all values end like image files, or all values of a sample are files under
    `image_root`."""
    values = present_texts(texts)
    if not values:
        return False
    plain = are_plain(texts)  # numbers
    named = 0 if plain else sum(split_slice(value)[0].lower().endswith(IMAGE_SUFFIXES) for value in values)
    if named >= 0.9 * len(values):
        return True
    sample = values[:: max(1, len(values) // 20)]
    return all(is_file(existing_path(image_root / local(value))) for value in sample)


class _Assignment:
    """Roles during their assignment: one per column; the first assignment counts."""

    def __init__(self, table: Table, data: dict[str, Any]) -> None:
        self.table = table
        self.data = data
        self.kinds: dict[str, str] = {}
        self.reasons: dict[str, str] = {}
        self.warnings: Warnings = []

    def free(self) -> list[str]:
        return [column for column in self.table.columns if column not in self.kinds]

    def first(self, kind: str) -> str | None:
        return next((column for column, given in self.kinds.items() if given == kind), None)

    def assign(self, column: str, kind: str, reason: Phrased) -> None:
        self.kinds[column] = kind
        self.reasons[column] = reason

    def warn(self, code: WarningCode, message: Phrased) -> None:
        self.warnings.append(warning(code, message))

    def assign_named(self) -> None:
        for key, kind in (
            ("label_column", "label"),
            ("time_column", "label"),
            ("event_column", "label"),
            ("patient_column", "patient"),
            ("split_column", "split"),
        ):
            if self.data[key] is not None:
                self.assign(self.data[key], kind, phrase("role_set", key=key))
        for key, kind in (
            ("label_columns", "label"),
            ("image_columns", "image"),
            ("numeric_columns", "numeric"),
            ("categorical_columns", "categorical"),
            ("ignore_columns", "ignored"),
        ):
            for column in self.data[key] or ():
                self.assign(column, kind, phrase("role_set", key=key))

    def assign_by_name(self, key: str, kind: str, names: tuple[str, ...]) -> None:
        """Without a configured column, assign the free column with the first of these names."""
        if self.data[key] is not None or self.first(kind) is not None:
            return
        free = {column.casefold(): column for column in reversed(self.free())}
        for name in names:
            if name in free:
                self.assign(free[name], kind, phrase("role_by_name"))
                return

    def assign_split(self) -> None:
        """Without a configured column, the one that names splits."""
        if self.data["split_column"] is None and self.first("split") is None:
            column = split_column(self.table)
            if column is not None and column not in self.kinds:
                self.assign(column, "split", phrase("role_by_name"))

    def assign_patient(self) -> None:
        """Without a configured column, the first free one with the name of a patient column, unless its
        values are measurements or too few for patients."""
        if self.data["patient_column"] is not None or self.first("patient") is not None:
            return
        free = {plain_name(column): column for column in reversed(self.free())}
        for name in PATIENT_NAMES:
            if name in free and self.identifies(free[name], ambiguous=name in AMBIGUOUS_PATIENT_NAMES):
                self.assign(free[name], "patient", phrase("role_by_name"))
                return

    def identifies(self, column: str, *, ambiguous: bool) -> bool:
        distinct = {text for text in distinct_of(self.table.cells[column]) if text}
        if not ambiguous:
            return not has_decimals(distinct)
        return may_identify([text for text in self.table.cells[column] if text], distinct)

    def assign_images(self, column: str) -> None:
        """An image column, or one with masks of the images, which is not a view of the case."""
        files = {split_slice(text)[0] for text in present_texts(self.table.cells[column])}
        if is_mask_column(column, files):
            self.assign(column, "mask", phrase("role_masks"))
            self.warn("MASKS_SET_APART", phrase("masks_set_apart", column=column))
        else:
            self.assign(column, "image", phrase("role_images"))

    def set_siblings_aside(self) -> None:
        """Ignore the columns that are labels themselves."""
        labels = [column for column in self.table.columns if self.kinds.get(column) == "label"]
        if not labels:
            return
        event, patient = self.data["event_column"], self.first("patient")
        siblings = label_siblings(self.table, labels, self.free(), event, patient)
        for reason, message, columns in siblings:
            for column in columns:
                self.assign(column, "ignored", reason)
            self.warn("OTHER_LABEL_COLUMN", message(quoted(columns)))

    def infer_feature(self, column: str) -> None:
        """Infer the role of a column without an assignment: numeric, categorical, or ignored with a
        reason."""
        texts = self.table.cells[column]
        distinct = set(present_texts(texts))
        is_full = len(distinct) == len(distinct_of(texts))
        present = texts if is_full else [text for text in texts if text in distinct]
        name = column.casefold()
        if len(distinct) <= 1 and (not distinct or len(present) == len(texts)):
            self.assign(column, "constant", phrase("role_one_value" if distinct else "role_no_values"))
            code: PhraseCode = "constant_column" if distinct else "empty_column"
            self.warn("CONSTANT_COLUMN", phrase(code, column=column))
        elif name_splits(column, texts):
            self.set_split_aside(column)
        elif name in LABEL_NAMES:
            self.assign(column, "ignored", phrase("role_named_label"))
            self.warn("OTHER_LABEL_COLUMN", phrase("other_label_column", column=column))
        elif plain_name(column) in PATIENT_NAMES and not has_decimals(distinct):
            self.assign(column, "id", phrase("role_named_patient"))
        elif (ID_NAME.fullmatch(column) or ID_NAME.fullmatch(name)) and not has_decimals(distinct):
            self.infer_named_like_id(column, present, distinct)
        elif PERSON_NAME.fullmatch(name):
            self.assign(column, "ignored", phrase("role_person"))
        else:
            self.infer_by_values(column, present, distinct)

    def set_split_aside(self, column: str) -> None:
        """A column that names splits is not an input; it divides the rows only if it is chosen for that."""
        self.assign(column, "ignored", phrase("role_names_splits"))
        if self.first("split") is None:
            self.warn("SPLIT_NOT_USED", phrase("split_not_used", column=column))

    def infer_named_like_id(self, column: str, present: list[str], distinct: set[str]) -> None:
        """An id, or with few values the code of a category such as a site."""
        if may_identify(present, distinct):
            self.assign_id(column, phrase("role_named_id"), phrase("id_by_name", column=column))
            self.warn_repeated(column, len(distinct) < len(present))
        elif self.data["categorical_columns"] is None:
            self.assign(column, "categorical", phrase("role_few_ids", count=len(distinct)))
        else:
            self.assign(column, "ignored", phrase("role_not_among", key="categorical_columns"))

    def infer_by_values(self, column: str, present: list[str], distinct: set[str]) -> None:
        numbers = read_numbers(self.table.cells[column], self.table.delimiter)
        are_numbers = are_plain(self.table.cells[column])
        like = distinct if are_numbers else {text for text in distinct if is_like_number(text)}
        few_texts = len(like) > _FEW_NUMBERS and len(distinct) - len(like) <= _FEW_TEXTS
        is_coded = names_codes(column)
        rows = sum(count for text, count in counted(self.table.cells[column]).items() if text in like)
        mixed = not is_coded and (few_texts or rows >= 0.5 * len(present))
        if not is_coded and are_dates(column, distinct):
            self.assign(column, "ignored", phrase("role_dates"))
        elif not (numbers.texts or is_coded or are_codes(distinct)):
            if _counts_rows(numbers.values[~np.isnan(numbers.values)]):
                self.assign_id(column, phrase("role_row_counter"), phrase("row_counter", column=column))
            elif self.data["numeric_columns"] is None:
                sign = numbers.sign
                reason = phrase("role_numbers_with_sign", sign=sign) if sign else phrase("role_numbers")
                self.assign(column, "numeric", reason)
            else:
                self.assign(column, "ignored", phrase("role_not_among", key="numeric_columns"))
        elif mixed and len(like) > _FEW_NUMBERS:
            self.assign(column, "ignored", phrase("role_mixed", **self.share(numbers.texts)))
            self.warn_mixed(column, numbers.texts, phrase("and_not_used"))
        elif all(_DATE.fullmatch(text) for text in distinct):
            self.assign(column, "ignored", phrase("role_dates"))
        elif not is_coded and is_repeated_code(present, distinct):
            self.assign_id(
                column,
                phrase("role_repeated_codes", count=len(distinct)),
                phrase("repeated_codes", column=column, codes=len(distinct)),
            )
            self.warn_repeated(column, True)
        elif len(distinct) > max(10, 0.5 * len(present)):
            self.assign_id(
                column,
                phrase("role_texts_differ", texts=len(distinct), rows=len(present)),
                phrase("texts_differ", column=column, texts=len(distinct), rows=len(present)),
            )
        elif self.data["categorical_columns"] is None:
            self.assign(column, "categorical", phrase("role_texts", count=len(distinct)))
            if mixed:
                self.warn_mixed(column, numbers.texts, phrase("and_categories"))
        else:
            self.assign(column, "ignored", phrase("role_not_among", key="categorical_columns"))

    def share(self, rows: Sequence[int]) -> dict[str, Any]:
        """Values of a phrase: the number of cases, and the rows of those in question."""
        return {"mixed": len(rows), "count": len(self.table), "rows": name_rows(self.table, rows)}

    def warn_mixed(self, column: str, rows: list[int], end: Phrased) -> None:
        texts = [self.table.cells[column][row] for row in rows]
        commas = any("," in text and is_like_number(text) for text in texts)
        code: PhraseCode = "mixed_decimals" if commas else "mixed_numbers"
        message = phrase(code, column=column, forms=forms_of(texts), **self.share(rows))
        self.warn("MIXED_COLUMN", join(message, end))

    def assign_id(self, column: str, reason: Phrased, message: Phrased) -> None:
        self.assign(column, "id", reason)
        self.warn("ID_LIKE_COLUMN", message)

    def warn_repeated(self, column: str, repeats: bool) -> None:
        if repeats and self.first("patient") is None:
            self.warn("REPEATED_IDS", phrase("repeated_ids", column=column))

    def ids(self) -> tuple[str, ...]:
        """The configuration ignores ids like other columns, so the role without it decides."""
        inferred = _Assignment(self.table, {**self.data, "ignore_columns": []})
        for column in self.data["ignore_columns"]:
            inferred.infer_feature(column)
        kinds = {**self.kinds, **inferred.kinds}
        return tuple(
            column
            for column in self.table.columns
            if kinds[column] == "id" and self.longest(column) <= _LONGEST_ID
        )

    def longest(self, column: str) -> int:
        return max(map(len, distinct_of(self.table.cells[column])), default=0)

    def result(self) -> Roles:
        def having(kind: str) -> tuple[str, ...]:
            return tuple(column for column in self.table.columns if self.kinds[column] == kind)

        images = having("image") if self.data["image_columns"] is None else tuple(self.data["image_columns"])
        labels = having("label") if self.data["label_columns"] is None else tuple(self.data["label_columns"])
        if self.data["time_column"] is not None:
            labels = (self.data["time_column"], self.data["event_column"])
        unused = ("mask", "id", "constant", "ignored")
        ignored = {
            column: self.reasons[column] for column in self.table.columns if self.kinds[column] in unused
        }
        return Roles(
            labels, self.first("patient"), self.first("split"), images,
            having("numeric"), having("categorical"), ignored, self.kinds, self.reasons, self.warnings,
            self.ids(),
        )  # fmt: skip


def _counts_rows(numbers: npt.NDArray[np.float64]) -> bool:
    """Return whether these are consecutive whole numbers, too many to be a coincidence."""
    if len(numbers) < 50 or not np.isfinite(numbers).all() or np.ptp(numbers) != len(numbers) - 1:
        return False
    first = int(numbers.min())
    return np.array_equal(np.sort(numbers), np.arange(first, first + len(numbers)))
