"""Step "label": classes, a one-hot group, findings, or a time and an event → the label columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.codes import PhraseCode
from medloom_trainer.contract.phrases import join, listing, phrase, quoted
from medloom_trainer.data.tables.cells import PresentText, is_missing
from medloom_trainer.data.tables.column_names import require_column
from medloom_trainer.data.tables.flag_labels import read_flag_column
from medloom_trainer.data.tables.numbers import read_numbers
from medloom_trainer.data.tables.recipe.report import State, examples, located
from medloom_trainer.data.tables.table import Table, with_columns
from medloom_trainer.errors import TrainerError

_PLACE = "data.recipe.label"
_DAYS = {"days": 1.0, "weeks": 7.0, "months": 30.4375, "years": 365.25}
_NOTHING = re.compile(r"(?:no|without)\b.*|none|normal|healthy|negative", re.IGNORECASE)
"""Texts of a list that exclude every finding."""
_FLAGS = {"positive": "1", "negative": "0", "missing": ""}


def names_no_finding(text: str) -> bool:
    """Return whether the text excludes every finding of a list, such as `No Finding`."""
    return _NOTHING.fullmatch(text) is not None


def find_label(state: State, label: Mapping[str, Any]) -> None:
    if "time" in label:
        _find_survival(state, label)
    elif "one_hot" in label:
        _find_one_hot(state, label)
    elif "findings" in label:
        _find_findings(state, label)
    else:
        _find_classes(state, label)


def _find_classes(state: State, label: Mapping[str, Any]) -> None:
    column, name = label["column"], label.get("name", label["column"])
    require_column(state.table, column, _PLACE)
    codes: Mapping[str, str] = label.get("uncertain", {})
    _drop_rows(state, [column], codes)
    unsure = [text in codes or _whole(text) in codes for text in state.table.cells[column]]
    texts = ["" if open_ else text for open_, text in zip(unsure, state.table.cells[column], strict=True)]
    if "map" in label:
        texts = _mapped(state.table, column, texts, label["map"], "map")
    if declared := {*label.get("classes", ())}:
        texts = [PresentText(text) if text in declared else text for text in texts]
    _refuse_taken(state.table, name, column)
    state.table = with_columns(state.table, state.table.cells | {name: texts})
    _imply_one(state, name, [] if name == column else [column])
    classes = len({text for text in texts if not is_missing(text)})
    state.note("label", phrase("classes_in_column", count=classes, column=name), uncertain=sum(unsure))


def _find_one_hot(state: State, label: Mapping[str, Any]) -> None:
    columns, name = label["one_hot"], label.get("name", "label")
    table = state.table
    for column in columns:
        require_column(table, column, f"{_PLACE}.one_hot")
    flags = np.stack([read_flag_column(table, column) for column in columns], axis=1) == 1
    counts = flags.sum(axis=1)
    faults: Sequence[tuple[npt.NDArray[np.bool_], PhraseCode]] = (
        (counts > 1, "several_positive"),
        (counts == 0, "none_positive"),
    )
    for wrong, word in faults:
        if wrong.any():
            rows = np.flatnonzero(wrong)
            message = phrase(
                word,
                columns=quoted(columns),
                rows=phrase("rows_counted", count=len(rows)),
                places=located(table, rows),
            )
            remedy = phrase("findings_or_rows")
            raise TrainerError("LABEL_INVALID", message, remedy)
    texts: list[str] = [PresentText(columns[position]) for position in flags.argmax(axis=1).tolist()]
    if "map" in label:
        texts = _mapped(table, name, texts, label["map"], "map")
    _refuse_taken(table, name, None)
    state.table = with_columns(table, table.cells | {name: texts})
    _imply_one(state, name, columns)
    state.note("label", phrase("classes_of_one_hot", count=len(set(texts)), column=name))


def _find_findings(state: State, label: Mapping[str, Any]) -> None:
    findings: Sequence[str] = label["findings"]
    codes: Mapping[str, str] = label.get("uncertain", {})
    uncertain = 0
    if "delimiter" in label:
        column = label["column"]
        require_column(state.table, column, _PLACE)
        _drop_rows(state, [column], codes, label["delimiter"])
        uncertain = sum(bool(_codes_in(text, label)) for text in state.table.cells[column])
        flags = _split_list(state.table, label)
        state.set_aside([column])
    else:
        for finding in findings:
            require_column(state.table, finding, f"{_PLACE}.findings")
        _drop_rows(state, findings, codes)
        before = {finding: state.table.cells[finding] for finding in findings}
        uncertain = sum(text in codes or _whole(text) in codes for texts in before.values() for text in texts)
        flags = {finding: _decided(texts, codes) for finding, texts in before.items()}
    state.table = with_columns(state.table, state.table.cells | flags)
    if len(findings) == 1:
        _imply_one(state, findings[0], [])
    else:
        state.imply("label_columns", list(findings))
    meanings = [
        phrase("code_means", code=code, meaning=way) if code else phrase("empty_means", meaning=way)
        for code, way in codes.items()
        if way != "drop"
    ]
    message = phrase("findings", count=len(findings))
    if meanings:
        message = join(message, phrase("uncertain_cells", count=uncertain), mark="semicolon")
        message = join(message, listing(meanings, len(meanings)), mark="colon")
    state.note("label", message, uncertain=uncertain)


def _decided(texts: Sequence[str], codes: Mapping[str, str]) -> list[str]:
    decided = {code: _FLAGS[way] for code, way in codes.items() if way != "drop"}
    plain = {text: decided.get(text, decided.get(_whole(text), text)) for text in dict.fromkeys(texts)}
    return [plain[text] for text in texts]


def _whole(text: str) -> str:
    """ "-1.0" → "-1": programs write a column with gaps with decimals."""
    return text.removesuffix(".0")


def _split_list(table: Table, label: Mapping[str, Any]) -> dict[str, list[str]]:
    """Finding → "1" or "0" for each row; empty where the list is missing. A code of an uncertain label
    decides about the findings that the list does not name."""
    column, findings = label["column"], label["findings"]
    codes: Mapping[str, str] = label.get("uncertain", {})
    none = {*label.get("none", ())}
    texts = table.cells[column]
    parts = {text: _parts(text, label["delimiter"]) for text in dict.fromkeys(texts)}
    known = {*findings, *none, *codes}
    _refuse_unlisted(
        table, column, [[part for part in parts[text] if part not in known] for text in texts], "findings"
    )
    _refuse_contradictions(table, column, [parts[text] for text in texts], none)
    of_code = {text: {codes[code] for code in _codes_in(text, label)} for text in parts}
    _refuse_several_codes(table, column, [of_code[text] for text in texts])
    flags: dict[str, list[str]] = {}
    for finding in findings:
        if finding in table.cells and finding != column:
            _refuse_taken(table, finding, None)
        of_text = {text: _flag_in_list(finding, found, of_code[text]) for text, found in parts.items()}
        flags[finding] = [of_text[text] for text in texts]
    return flags


def _parts(text: str, delimiter: str) -> list[str]:
    return [part.strip() for part in text.split(delimiter) if part.strip()]


def _codes_in(text: str, label: Mapping[str, Any]) -> list[str]:
    """Codes of an uncertain label that a list is or contains."""
    codes: Mapping[str, str] = label.get("uncertain", {})
    return [part for part in (_parts(text, label["delimiter"]) or [text]) if part in codes]


def _flag_in_list(finding: str, parts: Sequence[str], ways: set[str]) -> str:
    if finding in parts:
        return "1"
    return _FLAGS[next(iter(ways))] if ways else "0" if parts else ""


def _refuse_contradictions(table: Table, column: str, lists: Sequence[Sequence[str]], none: set[str]) -> None:
    """LABEL_INVALID for `No Finding` next to another text; other texts of `none` are findings that are not
    used."""
    absent = {*filter(names_no_finding, none)}
    rows = [row for row, parts in enumerate(lists) if absent.intersection(parts) and len({*parts}) > 1]
    if rows:
        message = phrase(
            "missing_next_to_text",
            column=column,
            codes=quoted(sorted(absent)),
            rows=phrase("rows_counted", count=len(rows)),
            places=located(table, rows),
        )
        raise TrainerError("LABEL_INVALID", message, phrase("correct_these_cells"))


def _refuse_several_codes(table: Table, column: str, ways: Sequence[set[str]]) -> None:
    rows = [row for row, several in enumerate(ways) if len(several) > 1]
    if rows:
        message = phrase(
            "codes_contradict",
            place=_PLACE,
            column=column,
            rows=phrase("rows_counted", count=len(rows)),
            places=located(table, rows),
        )
        raise TrainerError("LABEL_INVALID", message, phrase("correct_or_one_meaning"))


def _find_survival(state: State, label: Mapping[str, Any]) -> None:
    time, event = label["time"], label["event"]
    for column in (time, event):
        require_column(state.table, column, _PLACE)
    cells = dict(state.table.cells)
    message = phrase("step_event", time=time, event=event)
    if label.get("incomplete") == "drop":
        _drop_incomplete(state, time, event)
        cells = dict(state.table.cells)
    if "event_map" in label:
        given = {text: str(value) for text, value in label["event_map"].items()}
        cells[event] = _mapped(state.table, event, cells[event], given, "event_map")
    if "time_unit" in label:
        unit = label["time_unit"]
        cells[time] = _converted(state.table, time, _DAYS[unit["from"]] / _DAYS[unit["to"]])
        message = join(message, phrase("time_converted", unit=unit["from"], other=unit["to"]))
    state.table = with_columns(state.table, cells)
    state.imply("time_column", time)
    state.imply("event_column", event)
    state.note("label", message)


def _drop_incomplete(state: State, time: str, event: str) -> None:
    """Leave out rows without an event, and rows without a time above 0."""
    table = state.table
    numbers = read_numbers(table.cells[time], table.delimiter)
    unusable = np.isnan(numbers.values) | (numbers.values <= 0)
    unusable[[*numbers.texts]] = False  # other texts are refused later, with their rows
    unusable |= [is_missing(text) for text in table.cells[event]]
    if unusable.all():
        message = phrase("no_row_with_event", event=event, time=time)
        raise TrainerError("DATASET_INVALID", message, phrase("correct_columns_of", place=_PLACE))
    if count := int(unusable.sum()):
        state.table = table.take(np.flatnonzero(~unusable))
        state.note("label", phrase("rows_without_event", count=count), dropped=count)


def _converted(table: Table, column: str, factor: float) -> list[str]:
    texts = table.cells[column]
    numbers = read_numbers(texts, table.delimiter)
    if wrong := sorted({*numbers.texts, *numbers.infinite, *numbers.censored}):
        message = phrase(
            "follow_up_not_number",
            column=column,
            rows=phrase("rows_counted", count=len(wrong)),
            places=located(table, wrong),
        )
        raise TrainerError("LABEL_INVALID", message, phrase("correct_or_clear"))
    return ["" if np.isnan(value) else f"{value * factor:.10g}" for value in numbers.values.tolist()]


def _mapped(table: Table, column: str, texts: Sequence[str], given: Mapping[str, str], key: str) -> list[str]:
    """LABEL_INVALID for a text that the map lacks; a missing cell stays missing unless the map lists it."""
    unlisted = [[] if text in given or is_missing(text) else [text] for text in texts]
    _refuse_unlisted(table, column, unlisted, key)
    classes = {text: PresentText(name) for text, name in given.items()}
    return [classes.get(text, "") for text in texts]


def _refuse_unlisted(table: Table, column: str, unlisted: Sequence[Sequence[str]], key: str) -> None:
    rows = [row for row, found in enumerate(unlisted) if found]
    if rows:
        shown = examples(text for found in unlisted for text in found)
        message = phrase(
            "texts_not_listed",
            place=_PLACE,
            key=key,
            column=column,
            rows=phrase("rows_counted", count=len(rows)),
            texts=shown,
            places=located(table, rows),
        )
        raise TrainerError("LABEL_INVALID", message, phrase("list_every_text", place=_PLACE, key=key))


def _refuse_taken(table: Table, name: str, own: str | None) -> None:
    if name in table.cells and name != own:
        message = phrase("label_name_taken", name=name[:80], table=table.name)
        raise TrainerError("DATASET_INVALID", message, phrase("set_other_name", place=_PLACE))


def _drop_rows(
    state: State, columns: Iterable[str], codes: Mapping[str, str], delimiter: str | None = None
) -> None:
    """Leave out rows with a code that is dropped; delimiter: also within a list."""
    dropped = {code for code, way in codes.items() if way == "drop"}
    if not dropped:
        return
    cells = [state.table.cells[column] for column in columns]

    def is_dropped(text: str) -> bool:
        parts = [text, *(_parts(text, delimiter) if delimiter else ())]
        return any(part in dropped or _whole(part) in dropped for part in parts)

    kept = [row for row in range(len(state.table)) if not any(is_dropped(texts[row]) for texts in cells)]
    count = len(state.table) - len(kept)
    if count:
        if not kept:
            raise TrainerError("DATASET_INVALID", phrase("every_row_uncertain"))
        state.table = state.table.take(np.asarray(kept, dtype=np.int64))
        state.note("label", phrase("rows_uncertain", count=count), dropped=count)


def _imply_one(state: State, name: str, sources: Sequence[str]) -> None:
    state.imply("label_column", name)
    state.set_aside(sources)
