"""Label, patient, missing codes and rows of a case in the table that a recipe makes: what its values show,
and what only a person can say."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from medloom_trainer.contract.phrases import Phrased, listing, phrase, with_phrases
from medloom_trainer.data.tables.cells import is_missing
from medloom_trainer.data.tables.column_names import may_name_id
from medloom_trainer.data.tables.column_texts import distinct_of
from medloom_trainer.data.tables.flag_labels import flag_of
from medloom_trainer.data.tables.missing_words import missing_words
from medloom_trainer.data.tables.numbers import read_numbers
from medloom_trainer.data.tables.path_groups import groups_in_paths
from medloom_trainer.data.tables.proposals.labels import find_endpoints, is_complete, read_findings
from medloom_trainer.data.tables.proposals.tables import JoinedRows
from medloom_trainer.data.tables.roles import Roles
from medloom_trainer.data.tables.suspected_codes import count_none, suspected_values
from medloom_trainer.data.tables.table import Table
from medloom_trainer.errors import TrainerError

_MOST_CLASSES = 20
_FEWEST_GROUP = 3
_MARKER = re.compile(
    r"\[[^\]]+\]|<[^>]+>|not (?:available|collected|evaluated|applicable|done|reported)", re.I
)
"""Texts that announce a gap, such as [Not Available]."""
_MOST_CHOICES = 30
_MOST_CODES = 20
_FEWEST_NUMBERS = 3
"""Different numbers beside a word, which then cannot be a value."""
_VISIT = re.compile(
    r"visit|viscode|time_?point|wave|session|(?:^|[._])event(?:_name)?$|follow_?up|date|month|week|day|year"
)
"""Names of columns that order the rows of a patient by time."""
_BASELINE = re.compile(
    r"bl|base(?:line)?(?:_?arm_?\d)?|baseline visit|initial|v0?0|m0?0|month 0|week 0|day 0|0+|enrol+ment"
)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ].*)?")
_OWN_QUESTIONS = ("label", "patient", "rows")
"""Questions without a default. The others are decided by their first choice."""
_CODE_CHOICES = (phrase("a_value"), phrase("a_missing_value"))
_NO_LABEL = ("patient", "id", "split", "image", "mask")


@dataclass
class Answers:
    """Parts of the recipe, and open questions."""

    parts: dict[str, Any] = field(default_factory=dict)
    reasons: list[tuple[str, str]] = field(default_factory=list)
    questions: list[dict[str, Any]] = field(default_factory=list)
    settings: dict[str, Any] = field(default_factory=dict)
    """Other keys of the `data` configuration."""
    decisions: Mapping[str, str] = field(default_factory=dict)
    """Question → its choice, for questions whose first choice applies without one."""

    def name(self, part: str, roles: Roles, column: str) -> None:
        """A column that is recognized by its name. Several labels remain settings."""
        if part == "label" and len(roles.labels) > 1:
            return
        self.parts[part] = {"column": column}
        self.reasons.append((f"{part}.column", phrase("recipe_by_name", column=column)))

    def ask(self, key: str, message: Phrased, choices: Sequence[str]) -> None:
        """choices: names, or messages in words."""
        shown = [*choices[:_MOST_CHOICES]]
        worded = [choice.phrases[0] for choice in shown if isinstance(choice, Phrased)]
        self.questions.append(
            {
                **with_phrases({"key": key, "message": message}),
                "choices": shown,
                **({"choices_phrases": worded} if worded else {}),
            }
        )

    def decide(self, key: str, message: Phrased, choices: Sequence[str]) -> str:
        """The chosen answer, or the first choice. INVALID_REQUEST for another one."""
        self.ask(key, message, choices)
        choice = self.decisions.get(key, choices[0])
        if choice not in choices:
            raise not_a_choice(key, choice, choices)
        return choice

    @property
    def open(self) -> list[str]:
        """Questions without an answer."""
        return [q["key"] for q in self.questions if q["key"] in _OWN_QUESTIONS and q["choices"]]


def not_a_choice(key: str, choice: str, choices: Sequence[str]) -> TrainerError:
    message = phrase("choice_unknown", choice=choice[:80], question=key[:80])
    hint = phrase("choices_are", choices=", ".join(choices)) if choices else phrase("remove_from_decisions")
    return TrainerError("INVALID_REQUEST", message, hint)


def find_missing(table: Table, answers: Answers) -> None:
    """Texts that announce a gap in columns that have other values as well: words in brackets, and words for a
    missing value among numbers."""
    columns: dict[str, list[str]] = {}
    for column in table.columns:
        counts = Counter(table.cells[column])
        marks = [text for text in counts if _MARKER.fullmatch(text)]
        marks += _words_among_numbers(table, [text for text in counts if text not in marks])
        if marks and len(counts) > len(marks):
            columns[column] = sorted({*marks, *(text for text in counts if text and is_missing(text))})
            count = sum(counts[text] for text in marks)
            reason = phrase("recipe_missing", column=column, count=count)
            answers.reasons.append((f"missing.columns.{column}", reason))
    if columns:
        answers.parts["missing"] = {"columns": columns}


def _words_among_numbers(table: Table, texts: Sequence[str]) -> list[str]:
    """The words for a missing value, if all other texts of the column are numbers."""
    words = missing_words(text for text in texts if not is_missing(text))
    others = [text for text in texts if text not in words and not is_missing(text)]
    return words if len(others) >= _FEWEST_NUMBERS and not read_numbers(others, table.delimiter).texts else []


def find_codes(table: Table, roles: Roles, answers: Answers) -> None:
    """Values that may mean a missing or uncertain one, such as -1 beside 0 and 1, -9999 or "Unknown": a
    question, which is decided as a value. "None" is a question as well, which is decided as missing."""
    columns: dict[str, list[str]] = dict(answers.parts.get("missing", {}).get("columns", {}))
    given = answers.parts.get("label", {})
    labels = [column for column in (*roles.labels, given.get("column", "")) if column in table.cells]
    for column in dict.fromkeys((*labels, *roles.categorical, *roles.numeric)):
        texts = [text for text in table.cells[column] if text not in columns.get(column, ())]
        codes = suspected_values(column, texts, table.delimiter)
        if codes and _decide(answers, f"missing.columns.{column}", column, codes, _CODE_CHOICES):
            columns[column] = sorted({*columns.get(column, ()), *_gaps(table, column), *codes})
        if _none_is_value(table, column, answers):
            listed = {*columns.get(column, ()), *_gaps(table, column)}
            columns[column] = sorted(text for text in listed if text.casefold() != "none")
    if columns:
        answers.parts["missing"] = {"columns": columns}


def _none_is_value(table: Table, column: str, answers: Answers) -> bool:
    count = count_none(table.cells[column])
    key, choices = f"missing.columns.{column}.None", _CODE_CHOICES[::-1]
    return count > 0 and not _decide(answers, key, column, {"None": count}, choices)


def _decide(
    answers: Answers, key: str, column: str, codes: Mapping[str, int], choices: Sequence[Phrased]
) -> bool:
    """Return whether the codes (text → rows) mean a missing value."""
    shown = listing([f'"{text}" ({count})' for text, count in codes.items()], _MOST_CODES)
    message = phrase("recipe_ask_codes", column=column, codes=shown)
    return answers.decide(key, message, choices) == _CODE_CHOICES[1]


def _gaps(table: Table, column: str) -> list[str]:
    """The texts of the column that the standard list means: it does not apply to columns with own codes."""
    return [text for text in distinct_of(table.cells[column]) if text and is_missing(text)]


def find_outcome(table: Table, roles: Roles, chosen: str | None, answers: Answers) -> None:
    """The label that was chosen or recognized, an endpoint, a one-hot group, or a question."""
    if chosen is not None:
        answers.parts["label"] = {"column": chosen}
        _find_list(table, answers)
        return
    if roles.labels:
        answers.name("label", roles, roles.labels[0])
        _find_list(table, answers)
        return
    if _find_endpoint(table, answers):
        return
    group = _one_hot(table)
    if group:
        answers.parts["label"] = {"one_hot": group}
        answers.reasons.append(("label.one_hot", phrase("recipe_one_hot", count=len(group))))
        return
    possible = [column for column in table.columns if roles.kinds.get(column) not in _NO_LABEL]
    classes = [column for column in possible if 2 <= len(_values(table, column)) <= _MOST_CLASSES]
    numbers = [column for column in roles.numeric if column not in classes]
    answers.ask("label", phrase("recipe_ask_label"), [*classes, *numbers])


def _find_list(table: Table, answers: Answers) -> None:
    """Replaces a label column by its findings, if its texts are lists."""
    column = answers.parts.get("label", {}).get("column")
    label = read_findings(table, column) if column in table.cells else None
    if label is not None:
        answers.parts["label"] = label
        reason = phrase(
            "recipe_list", column=column, count=len(label["findings"]), delimiter=label["delimiter"]
        )
        answers.reasons.append(("label.findings", reason))


def _find_endpoint(table: Table, answers: Answers) -> bool:
    """A question that is decided as the first endpoint of the table. Return whether an endpoint is the
    label."""
    pairs = find_endpoints(table)
    if not pairs:
        return False
    choices: list[str] = [phrase("time_with_event", time=time, event=event) for time, event in pairs]
    choices.append(phrase("another_label"))
    number = choices.index(answers.decide("label.time", phrase("recipe_ask_endpoint"), choices))
    if number == len(pairs):
        return False
    time, event = pairs[number]
    answers.parts["label"] = {"time": time, "event": event}
    answers.reasons.append(("label.time", phrase("recipe_endpoint", time=time, event=event)))
    if not is_complete(table, time, event):
        answers.parts["label"]["incomplete"] = "drop"
        answers.reasons.append(("label.incomplete", phrase("recipe_incomplete", time=time, event=event)))
    return True


def find_patient(
    table: Table, roles: Roles, chosen: str | None, answers: Answers, *, has_none: bool = False
) -> None:
    """The patient that was chosen or recognized, the only repeated id if it is named as one, or a question.
    has_none: its answer that no column identifies patients. INVALID_REQUEST if one is recognized as such by
    its name."""
    if has_none:
        if roles.patient is not None:
            message = phrase("patient_recognized", column=roles.patient)
            raise TrainerError("INVALID_REQUEST", message, phrase("choose_patient_or_leave"))
        answers.reasons.append(("patient", phrase("rows_as_patients")))
        return
    if chosen is not None:
        answers.parts["patient"] = {"column": chosen}
        return
    if roles.patient is not None:
        answers.name("patient", roles, roles.patient)
        return
    others = [column for column in table.columns if column not in (*roles.labels, *roles.images)]
    repeated = [column for column in others if column in roles.repeated_ids]
    if len(repeated) == 1 and may_name_id(repeated[0]):
        (column,) = repeated
        answers.parts["patient"] = {"column": column}
        count = len(_values(table, column))
        reason = phrase("recipe_patient", column=column, count=count, rows=len(table))
        answers.reasons.append(("patient.column", reason))
        return
    if _find_in_paths(table, roles, answers):
        return
    unique = [column for column in others if roles.kinds.get(column) == "id" and column not in repeated]
    answers.ask("patient", phrase("recipe_ask_patient"), [*repeated, *unique])


def _find_in_paths(table: Table, roles: Roles, answers: Answers) -> bool:
    """A code in the image paths that groups the files, if a pattern can read it."""
    for column in roles.images:
        found = groups_in_paths(table.cells[column])
        if found is None or found.pattern is None:
            continue
        names = ("patient", "patient_id", "patient_of_path")
        name = next((name for name in names if name not in table.cells), names[0])
        pattern = found.pattern.replace("{patient}", f"{{{name}}}")
        answers.parts["patient"] = {"from": column, "pattern": pattern}
        reason = phrase(
            "recipe_patient_in_paths", column=column, form=found.form, count=found.groups, files=found.files
        )
        answers.reasons.append(("patient.pattern", reason))
        return True
    return False


def find_joined_rows(table: Table, several: JoinedRows, chosen: str | None, answers: Answers) -> None:
    """Rows of the main table that a join has repeated: which of them describes the case is a question.
    chosen: its answer; `each`: every row is a case."""
    rows = [table.place(row) for row in range(len(table))]
    repeated = sum(count > 1 for count in Counter(rows).values())
    if not repeated or not all(table.cells[several.key]):
        return
    visit = _first_visit(table, several)
    if chosen is None or (chosen == "baseline" and visit is None):
        choices = [*(["baseline"] if visit else []), "first", "last", "each"]
        message = phrase("recipe_ask_joined_rows", count=repeated, table=several.table)
        answers.ask("rows", message, choices)
    elif chosen == "baseline" and visit is not None:
        column, value = visit
        answers.parts["rows"] = {
            "case": [several.key],
            "rule": "first",
            "visit": {"column": column, "values": [value]},
        }
    elif chosen != "each":
        order = next((name for name in several.columns if _orders(table, name)), None)
        answers.parts["rows"] = {
            "case": [several.key],
            "rule": chosen,
            **({"order_by": order} if order else {}),
        }


def _first_visit(table: Table, several: JoinedRows) -> tuple[str, str] | None:
    """(column of visits, its value for the first one), if one value is named as the baseline."""
    for column in several.columns:
        if _VISIT.search(column.casefold()):
            values = [text for text in _values(table, column) if _BASELINE.fullmatch(text.casefold())]
            if len(values) == 1:
                return column, values[0]
    return None


def _orders(table: Table, column: str) -> bool:
    """Return whether the column is named as a visit or a date, and orders rows: numbers or ISO dates."""
    texts = table.cells[column]
    return _VISIT.search(column.casefold()) is not None and (
        all(map(_NUMBER.fullmatch, texts)) or all(map(_ISO_DATE.fullmatch, texts))
    )


def find_rows(table: Table, roles: Roles, chosen: str | None, answers: Answers) -> None:
    """Several rows with the same images are one case; which label it has is a question if they differ.
    chosen: the rule that answers it. While the label is open, nothing can be said."""
    given = answers.parts.get("label", {})
    keys = ("column", "time", "event")
    known = [*roles.labels, *given.get("one_hot", ()), *(given[key] for key in keys if key in given)]
    if not roles.images or not known:
        return
    cases: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for row in range(len(table)):
        images = tuple(table.cells[column][row] for column in roles.images)
        if all(images):
            labels = tuple(table.cells[column][row] for column in known if column in table.cells)
            cases.setdefault(images, set()).add(labels)
    shared = len(table) - len(cases)
    if shared <= 0 or not cases:
        return
    differ = sum(len(labels) > 1 for labels in cases.values())
    if differ and chosen is None:
        choices = ["any", "majority", "first", "last", "all_agree"]
        answers.ask("rows", phrase("recipe_ask_rows", count=differ), choices)
        return
    answers.parts["rows"] = {"case": list(roles.images), "rule": chosen if differ else "first"}
    if not differ:
        answers.reasons.append(("rows", phrase("recipe_rows", count=shared)))
    varying = [column for column in _varying(table, roles.images) if column not in known]
    if varying:
        answers.settings["ignore_columns"] = varying


def _varying(table: Table, images: Sequence[str]) -> list[str]:
    """Columns that differ between the rows of a case, such as the corners of boxes. They describe a row, not
    the case."""
    first: dict[tuple[str, ...], int] = {}
    varying: set[str] = set()
    for row in range(len(table)):
        start = first.setdefault(tuple(table.cells[column][row] for column in images), row)
        varying |= {name for name, texts in table.cells.items() if texts[row] != texts[start]}
    return [column for column in table.columns if column in varying]


def _values(table: Table, column: str) -> set[str]:
    return {text for text in table.cells[column] if not is_missing(text)}


def _one_hot(table: Table) -> list[str]:
    """Adjacent columns of flags of which exactly one is positive in each row; the longest such group."""
    best: list[str] = []
    group: list[str] = []
    for column in [*table.columns, ""]:
        flags = {text: flag_of(text) for text in _values(table, column)} if column else {}
        if column and {*flags.values()} == {True, False} and all(table.cells[column]):
            group.append(column)
            continue
        if len(group) > max(len(best), _FEWEST_GROUP - 1) and _sums_to_one(table, group):
            best = group
        group = []
    return best


def _sums_to_one(table: Table, group: list[str]) -> bool:
    positive = {column: {text for text in _values(table, column) if flag_of(text)} for column in group}
    return all(
        sum(table.cells[column][row] in positive[column] for column in group) == 1
        for row in range(len(table))
    )
