"""Roles of columns that the configuration does not assign: inputs, ids, dates, and other columns that are not
used.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.codes import PhraseCode
from medloom_trainer.contract.phrases import Phrased, join, phrase, quoted
from medloom_trainer.data.tables.assignment import Assignment
from medloom_trainer.data.tables.cells import present_texts
from medloom_trainer.data.tables.column_names import (
    AMBIGUOUS_PATIENT_NAMES,
    AMBIGUOUS_PERSON_NAME,
    ID_NAME,
    LABEL_NAMES,
    PATIENT_NAMES,
    PERSON_NAME,
    may_name_id,
    names_id,
    plain_name,
)
from medloom_trainer.data.tables.column_texts import counted, distinct_of
from medloom_trainer.data.tables.dates import are_dates
from medloom_trainer.data.tables.identifiers import (
    are_whole,
    has_decimals,
    is_repeated_code,
    may_identify,
    names_codes,
)
from medloom_trainer.data.tables.numbers import (
    Numbers,
    are_codes,
    are_plain,
    forms_of,
    has_unsigned_exponent,
    is_like_number,
    read_numbers,
)
from medloom_trainer.data.tables.quantities import quantity_kind
from medloom_trainer.data.tables.row_groups import (
    are_regular,
    are_small_groups,
    constant_columns,
    repeat_by_chance,
)
from medloom_trainer.data.tables.split_values import name_splits
from medloom_trainer.data.tables.table import name_rows

_FEW_NUMBERS = 10
"""A column with more different numbers is a quantity; with fewer it may be the code of a category."""
_FEW_TEXTS = 5
"""Texts among many different numbers are codes such as "[Not Available]", however many cases have them."""
_WIDE = 500
"""Columns of a table in which only those that are named as ids are compared with others."""
_CERTAIN = 2
"""Columns that do not change within the rows of an id, whatever its name."""
_MOSTLY = 0.5
_LONG = 5
"""Digits of a number that is rather an id than a measurement."""
_YEAR = re.compile(r"(?:18|19|20)\d\d(?:\.0)?")


def infer_feature(assigned: Assignment, column: str) -> None:
    """Infer the role of a column without an assignment: numeric, categorical, or ignored with a reason."""
    _Feature(assigned, column).infer()


class _Feature:
    """A column whose role is inferred."""

    def __init__(self, assigned: Assignment, column: str) -> None:
        self.assigned = assigned
        self.column = column
        self.texts = assigned.table.cells[column]
        self.distinct = set(present_texts(self.texts))
        is_full = len(self.distinct) == len(distinct_of(self.texts))
        self.present = self.texts if is_full else [text for text in self.texts if text in self.distinct]
        counts = counted(self.texts)
        self.counts = {text: counts[text] for text in self.distinct}
        self.repeats = len(self.distinct) < len(self.present)

    def infer(self) -> None:
        name = self.column.casefold()
        if len(self.distinct) <= 1 and (not self.distinct or len(self.present) == len(self.texts)):
            code: PhraseCode = "role_one_value" if self.distinct else "role_no_values"
            self.assigned.assign(self.column, "constant", phrase(code))
            message: PhraseCode = "constant_column" if self.distinct else "empty_column"
            self.assigned.warn("CONSTANT_COLUMN", phrase(message, column=self.column))
        elif name_splits(self.column, self.texts):
            self.set_split_aside()
        elif name in LABEL_NAMES:
            self.assigned.assign(self.column, "ignored", phrase("role_named_label"))
            self.assigned.warn("OTHER_LABEL_COLUMN", phrase("other_label_column", column=self.column))
        elif self.names_patient() and not has_decimals(self.distinct):
            message_of_name = phrase("id_by_name", column=self.column)
            self.assigned.assign_id(self.column, phrase("role_named_patient"), message_of_name)
        elif self.may_be_named_id() and not has_decimals(self.distinct):
            self.infer_named_like_id()
        elif PERSON_NAME.fullmatch(name):
            self.infer_person()
        else:
            self.infer_by_values()

    def set_split_aside(self) -> None:
        """A column that names splits is not an input; it divides the rows only if it is chosen for that."""
        self.assigned.assign(self.column, "ignored", phrase("role_names_splits"))
        if self.assigned.first("split") is None:
            self.assigned.warn("SPLIT_NOT_USED", phrase("split_not_used", column=self.column))

    def names_patient(self) -> bool:
        """Return whether the name is that of a patient column, although another column has this role."""
        name = plain_name(self.column)
        return name in PATIENT_NAMES and (
            name not in AMBIGUOUS_PATIENT_NAMES or may_identify(self.present, self.distinct)
        )

    def may_be_named_id(self) -> bool:
        return may_name_id(self.column) and not names_codes(self.column)

    def infer_named_like_id(self) -> None:
        """An id; or with few values the code of a category such as a site; or numbers that repeat like those
        of a measurement."""
        if not may_identify(self.present, self.distinct):
            if any(ID_NAME.fullmatch(name) for name in (self.column, self.column.casefold())):
                self.assign_input("categorical", phrase("role_few_ids", count=len(self.distinct)))
            else:
                self.infer_by_values()
        elif not self.acts_as_id():
            self.infer_by_values()
        else:
            message = phrase("id_by_name", column=self.column)
            self.assigned.assign_id(self.column, phrase("role_named_id"), message)
            if self.repeats:
                self.assigned.warn_repeated(self.column)

    def acts_as_id(self) -> bool:
        """Return whether the values do not contradict the name."""
        if names_id(self.column):
            return True
        if are_dates(self.column, self.counts):
            return False
        if not are_whole(self.distinct):
            return quantity_kind(self.distinct) is None
        if not self.repeats:
            return ID_NAME.fullmatch(self.column.casefold()) is not None
        if are_regular(self.counts) or self.constant:
            return True
        return not repeat_by_chance(self.counts)

    @cached_property
    def constant(self) -> list[str]:
        """Columns that do not change within the rows of a value."""
        return constant_columns(self.assigned.table, self.column, self.assigned.compared)

    def infer_person(self) -> None:
        """Names and contact data are not used. `address` and the like may be few categories, and `birth` a
        weight."""
        name = self.column.casefold()
        if AMBIGUOUS_PERSON_NAME.fullmatch(name):
            is_birth = name == "birth"
            numbers = is_birth and not read_numbers(self.texts, self.assigned.table.delimiter).texts
            if numbers and not all(map(_YEAR.fullmatch, self.distinct)):
                self.infer_by_values()
                return
            if not is_birth and not may_identify(self.present, self.distinct):
                self.assign_input("categorical", phrase("role_texts", count=len(self.distinct)))
                return
        self.assigned.assign(self.column, "ignored", phrase("role_person"))
        self.assigned.warn("ID_LIKE_COLUMN", phrase("person_column", column=self.column))
        if "name" in name and self.repeats and may_identify(self.present, self.distinct):
            self.assigned.warn_repeated(self.column)

    def infer_by_values(self) -> None:
        numbers = read_numbers(self.texts, self.assigned.table.delimiter)
        is_coded = names_codes(self.column) or _are_mostly_codes(self.distinct)
        if not is_coded and are_dates(self.column, self.counts):
            self.assigned.assign(self.column, "ignored", phrase("role_dates"))
        elif not (numbers.texts or is_coded or are_codes(self.distinct)):
            self.infer_numbers(numbers)
        else:
            odd = numbers.texts or self.rows_with_exponents()
            if is_coded or not self.set_mixed_aside(odd):
                self.infer_texts(odd, is_coded)

    def infer_numbers(self, numbers: Numbers) -> None:
        if _counts_rows(numbers.values[~np.isnan(numbers.values)]):
            message = phrase("row_counter", column=self.column)
            self.assigned.assign_id(self.column, phrase("role_row_counter"), message)
            return
        is_long = all(len(text.split(".")[0]) >= _LONG for text in self.distinct)
        if are_whole(self.distinct) and self.set_groups_aside(is_long=is_long):
            return
        sign = numbers.sign
        reason = phrase("role_numbers_with_sign", sign=sign) if sign else phrase("role_numbers")
        self.assign_input("numeric", reason)

    def set_mixed_aside(self, rows: list[int]) -> bool:
        """Ignore quantities in another notation, and numbers mixed with texts. rows: those of the texts."""
        kind = quantity_kind(self.distinct) if len(self.distinct) > _FEW_NUMBERS else None
        is_code = kind == "quantity_ratios" and self.groups_rows() and len(self.constant) >= _CERTAIN
        if kind is not None and not is_code:
            words = phrase(kind)
            self.assigned.assign(self.column, "ignored", phrase("role_quantities", kind=words))
            texts = self.texts_of(rows)
            message = phrase(
                "quantities", column=self.column, kind=words, forms=forms_of(texts), **self.share(rows)
            )
            self.assigned.warn("MIXED_COLUMN", join(message, phrase("and_not_used")))
            return True
        like = self.numbers_among()
        if len(like) <= _FEW_NUMBERS or not self.is_mixed(like):
            return False
        self.assigned.assign(self.column, "ignored", phrase("role_mixed", **self.share(rows)))
        self.warn_mixed(rows, phrase("and_not_used"))
        return True

    def infer_texts(self, rows: list[int], is_coded: bool) -> None:
        """rows: those that are not numbers."""
        column, count = self.column, len(self.distinct)
        if not is_coded and is_repeated_code(self.present, self.distinct):
            message = phrase("repeated_codes", column=column, codes=count)
            self.assigned.assign_id(column, phrase("role_repeated_codes", count=count), message)
            self.assigned.warn_repeated(column)
        elif count > max(10, 0.5 * len(self.present)):
            amounts = {"texts": count, "rows": len(self.present)}
            message = phrase("texts_differ", column=column, **amounts)
            self.assigned.assign_id(column, phrase("role_texts_differ", **amounts), message)
        elif is_coded or not self.set_groups_aside(is_long=True):
            if not is_coded and column not in self.assigned.repeated and self.has_equal_groups():
                self.assigned.warn_repeated(column, phrase("equal_groups", column=column, count=count))
            is_open = self.assign_input("categorical", phrase("role_texts", count=count))
            if is_open and rows and not is_coded and self.is_mixed(self.numbers_among()):
                self.warn_mixed(rows, phrase("and_categories"))

    def set_groups_aside(self, *, is_long: bool) -> bool:
        """Report values that group the rows as those of an id do, and do not use them if several columns show
        it. is_long: the values may be ids by their length."""
        constant, count = self.constant if self.groups_rows() else [], len(self.distinct)
        columns = quoted(constant[:5])
        is_certain = len(constant) >= _CERTAIN
        if not (is_certain and is_long):
            if constant and (is_certain or is_long):
                message = phrase("possible_patients", column=self.column, columns=columns)
                self.assigned.warn_repeated(self.column, message)
            return False
        message = phrase("groups_of_rows", column=self.column, count=count, columns=columns)
        self.assigned.assign_id(self.column, phrase("role_groups", count=count), message)
        self.assigned.warn_repeated(self.column)
        return True

    def groups_rows(self) -> bool:
        """Return whether many values have a few rows each, in which other columns do not change. Not asked if
        a patient column groups the rows."""
        if len(self.assigned.table.columns) > _WIDE:
            return False
        return self.may_group() and bool(self.constant)

    def may_group(self) -> bool:
        return self.assigned.first("patient") is None and are_small_groups(self.counts)

    def has_equal_groups(self) -> bool:
        return self.may_group() and are_regular(self.counts)

    def numbers_among(self) -> set[str]:
        if are_plain(self.texts):
            return self.distinct
        return {text for text in self.distinct if is_like_number(text)}

    def is_mixed(self, like: set[str]) -> bool:
        """like: the texts that are numbers."""
        few_texts = len(like) > _FEW_NUMBERS and len(self.distinct) - len(like) <= _FEW_TEXTS
        return few_texts or sum(self.counts[text] for text in like) >= 0.5 * len(self.present)

    def rows_with_exponents(self) -> list[int]:
        return [row for row, text in enumerate(self.texts) if has_unsigned_exponent(text)]

    def assign_input(self, kind: str, reason: Phrased) -> bool:
        return self.assigned.assign_input(self.column, kind, reason)

    def texts_of(self, rows: Sequence[int]) -> list[str]:
        return [self.texts[row] for row in rows]

    def share(self, rows: Sequence[int]) -> dict[str, Any]:
        """Values of a phrase: the number of cases, and the rows of those in question."""
        table = self.assigned.table
        return {"mixed": len(rows), "count": len(table), "rows": name_rows(table, rows)}

    def warn_mixed(self, rows: list[int], end: Phrased) -> None:
        texts = self.texts_of(rows)
        commas = any("," in text and is_like_number(text) for text in texts)
        code: PhraseCode = "mixed_decimals" if commas else "mixed_numbers"
        message = phrase(code, column=self.column, forms=forms_of(texts), **self.share(rows))
        self.assigned.warn("MIXED_COLUMN", join(message, end))


def _are_mostly_codes(distinct: Collection[str]) -> bool:
    """Return whether most of these texts are codes such as `1E10`, and not one of many numbers."""
    exponents = sum(map(has_unsigned_exponent, distinct))
    return are_codes(distinct) and exponents >= _MOSTLY * len(distinct)


def _counts_rows(numbers: npt.NDArray[np.float64]) -> bool:
    """Return whether these are consecutive whole numbers, too many to be a coincidence."""
    if len(numbers) < 50 or not np.isfinite(numbers).all() or np.ptp(numbers) != len(numbers) - 1:
        return False
    first = int(numbers.min())
    return np.array_equal(np.sort(numbers), np.arange(first, first + len(numbers)))
