"""Step "split": words of a column, or lists of values in files → train, val and test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from medloom_trainer.contract.phrases import Phrased, join, phrase, quoted
from medloom_trainer.data.tables.cells import image_stem
from medloom_trainer.data.tables.column_names import SPLITS, require_column
from medloom_trainer.data.tables.recipe.places import Places
from medloom_trainer.data.tables.recipe.report import State, examples, located
from medloom_trainer.data.tables.table import Table, with_columns
from medloom_trainer.data.tables.table_files import read_table_file
from medloom_trainer.errors import TrainerError
from medloom_trainer.regular_files import read_regular
from medloom_trainer.unicode_text import plain_text

_PLACE = "data.recipe.split"


def find_split(state: State, split: Mapping[str, Any], places: Places) -> None:
    column = split["column"]
    require_column(state.table, column, _PLACE)
    if "files" in split:
        _by_lists(state, column, split["files"], places)
    elif "words" in split:
        _by_words(state, column, split["words"])
    else:
        state.imply("split_column", column)
        state.note("split", phrase("split_column", column=column))


def _by_words(state: State, column: str, words: Mapping[str, Sequence[str]]) -> None:
    split_of = {word: split for split in (*SPLITS, "unused") for word in words.get(split, ())}
    texts = state.table.cells[column]
    unlisted = [row for row, text in enumerate(texts) if text not in split_of]
    if unlisted:
        shown = examples(texts[row] for row in unlisted)
        message = phrase(
            "words_not_listed",
            place=_PLACE,
            column=column,
            rows=phrase("rows_counted", count=len(unlisted)),
            values=shown,
            places=located(state.table, unlisted),
        )
        raise TrainerError("DATASET_INVALID", message, phrase("list_every_value"))
    _assign(state, column, [split_of[text] for text in texts], phrase("name", name=f'"{column}"'))


def _by_lists(state: State, column: str, files: Mapping[str, str], places: Places) -> None:
    if "split" in state.table.cells:
        message = phrase("split_column_exists", table=state.table.name)
        raise TrainerError("DATASET_INVALID", message, phrase("use_words_or_remove", place=_PLACE))
    texts = state.table.cells[column]
    rows_of = _Rows(state.table, texts)
    split_of: dict[str, str] = {}
    found: dict[str, str] = {}
    absent: list[str] = []
    for split, relative in files.items():
        for value in filter(None, dict.fromkeys(_listed(relative, column, places))):
            text = rows_of.text_of(value, relative)
            absent += [] if text is not None else [value]
            if split_of.setdefault(value, split) != split or (
                text is not None and found.setdefault(text, split) != split
            ):
                message = phrase("value_in_two_lists", file=relative)
                if rows := [row for row, other in enumerate(texts) if other == text]:
                    message = join(message, located(state.table, rows), mark="colon")
                raise TrainerError("DATASET_INVALID", message, phrase("value_in_one_split"))
    words = [found.get(text, "unused") for text in texts]
    _assign(state, "split", words, quoted(files.values()), absent)


class _Rows:
    """Texts of a column by the values that name them: the text as it is or, for files, its path without
    suffix. A value without folders names a file in any folder, if only one file has this name."""

    def __init__(self, table: Table, texts: Sequence[str]) -> None:
        self._table, self._texts = table, texts
        self._exact = {*texts}
        self._named: dict[str, list[str]] = {}
        for text in dict.fromkeys(texts):
            if text:
                for name in dict.fromkeys((_without_suffix(text), image_stem(text))):
                    self._named.setdefault(name, []).append(text)

    def text_of(self, value: str, relative: str) -> str | None:
        """DATASET_INVALID if the value names several files."""
        if value in self._exact:
            return value
        named = self._named.get(_without_suffix(value), [])
        if len(named) > 1:
            rows = [row for row, text in enumerate(self._texts) if text in named]
            message = phrase("listed_name_ambiguous", file=relative, places=located(self._table, rows))
            raise TrainerError("DATASET_INVALID", message, phrase("list_paths_as_column"))
        return named[0] if named else None


def _without_suffix(path: str) -> str:
    above, slash, _ = path.replace("\\", "/").rpartition("/")
    return f"{above}{slash}{image_stem(path)}"


def _listed(relative: str, column: str, places: Places) -> list[str]:
    """Values of a list: the column of this name, or else the lines of the file."""
    path = places.file(relative)
    if path.suffix.lower() != ".txt":
        table = read_table_file(path, None, None)
        require_column(table, column, f"{_PLACE}.files")
        return table.cells[column]
    lines = read_regular(path).decode("utf-8-sig", "replace").splitlines()
    return [text for line in lines if (text := plain_text(line))]


def _assign(
    state: State, column: str, words: Sequence[str], origin: Phrased, absent: Sequence[str] = ()
) -> None:
    """origin: the column or the lists. absent: listed values that no row has."""
    kept = [row for row, word in enumerate(words) if word != "unused"]
    if not kept:
        message = phrase("no_row_assigned", place=_PLACE, table=state.table.name)
        raise TrainerError("DATASET_INVALID", message, phrase("correct_column_words_lists"))
    unused = len(words) - len(kept)
    table = with_columns(state.table, state.table.cells | {column: list(words)})
    state.table = table.take(np.asarray(kept, dtype=np.int64)) if unused else table
    state.imply("split_column", column)
    counts = {split: words.count(split) for split in SPLITS if split in words}
    shown = ", ".join(f"{count} {split}" for split, count in counts.items())
    message = phrase("step_split", origin=origin, counts=shown)
    if unused:
        message = join(message, phrase("rows_left_out", count=unused))
    if absent:
        message = join(message, phrase("listed_without_row", count=len(absent), values=examples(absent)))
    state.note("split", message, unused=unused, not_found=len(absent), **counts)
