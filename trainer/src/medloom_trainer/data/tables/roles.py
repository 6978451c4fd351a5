"""Roles of the columns of the training table: named in the configuration, or inferred from names and
values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from medloom_trainer.contract.phrases import listing, phrase, quoted
from medloom_trainer.data.tables.assignment import Assignment
from medloom_trainer.data.tables.cells import IMAGE_SUFFIXES, present_texts, split_slice
from medloom_trainer.data.tables.column_names import (
    AMBIGUOUS_PATIENT_NAMES,
    LABEL_NAMES,
    PATIENT_NAMES,
    check_names,
    plain_name,
    require_column,
    split_column,
)
from medloom_trainer.data.tables.column_texts import distinct_of
from medloom_trainer.data.tables.feature_roles import infer_feature
from medloom_trainer.data.tables.identifiers import (
    has_decimals,
    may_identify,
)
from medloom_trainer.data.tables.label_siblings import label_siblings
from medloom_trainer.data.tables.masks import is_mask_column
from medloom_trainer.data.tables.numbers import are_plain
from medloom_trainer.data.tables.table import Table
from medloom_trainer.errors import TrainerError
from medloom_trainer.folder_map import is_file, local
from medloom_trainer.unicode_text import existing_path
from medloom_trainer.warnings import Warnings

IDENTIFYING = ("patient", "id", "image", "mask", "ignored")
"""Roles whose values may identify a patient: names, dates and free texts are ignored columns."""

_LONGEST_ID = 100
"""Characters. A column with a longer text contains free texts: DICOM limits a UID to 64."""


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
    repeated_ids: tuple[str, ...] = ()
    """Columns that may identify patients, because their values repeat; none with a patient column."""

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
        infer_feature(assigned, column)
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


class _Assignment(Assignment):
    """Roles by the configuration, by names and by values."""

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
        """Ignore the columns that are labels themselves, and warn about those that may be."""
        labels = [column for column in self.table.columns if self.kinds.get(column) == "label"]
        if not labels:
            return
        event, patient = self.data["event_column"], self.first("patient")
        siblings = label_siblings(self.table, labels, self.free(), event, patient)
        for columns, message, reason in siblings:
            if reason is None:
                self.warn("LABEL_COLUMN_SUSPECTED", message(quoted(columns)))
                continue
            for column in columns:
                self.assign(column, "ignored", reason)
            self.warn("OTHER_LABEL_COLUMN", message(quoted(columns)))

    def ids(self) -> tuple[str, ...]:
        """The configuration ignores ids like other columns, so the role without it decides."""
        inferred = _Assignment(self.table, {**self.data, "ignore_columns": []})
        for column in self.data["ignore_columns"]:
            infer_feature(inferred, column)
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
            self.ids(), tuple(self.repeated),
        )  # fmt: skip
