"""The task `follow_up_outcomes`: a table of outcomes by id → outcomes.json. The same rows again change
nothing; an outcome that contradicts a stored one is refused, unless it replaces it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.tables import (
    LabelScheme,
    Table,
    missing_mask,
    name_rows,
    read_image_table,
    read_labels,
    require_column,
)
from medloom_trainer.errors import TrainerError
from medloom_trainer.follow_up.coverage import coverage_of
from medloom_trainer.follow_up.records import FollowUpFolder
from medloom_trainer.follow_up.stream import Windows, read_stream
from medloom_trainer.inference.checkpoint import load_checkpoint
from medloom_trainer.inference.checkpoint_files import refuse_links_out

_CSV = (".csv", ".tsv", ".txt")
_RECIPE_OF_OTHER_FILES = {"version": 1}


def follow_up_outcomes(params: Mapping[str, Any], progress: Callable[[str, float], None]) -> dict[str, Any]:
    """Return the result that contracts declare for `follow_up_outcomes`.

    OUTCOME_CONFLICT with the rows; COLUMN_NOT_FOUND; LABEL_INVALID for an outcome that the model does not
    know.
    """
    progress(phrase("reading_tables"), 0.0)
    checkpoint, roots = Path(params["checkpoint"]), [Path(root) for root in params["roots"]]
    refuse_links_out(checkpoint, [*roots, Path(params["data_dir"])])
    scheme = _scheme(load_checkpoint(checkpoint).state["preprocessing"], params["label_columns"])
    path = Path(params["path"])
    recipe = None if path.suffix.lower() in _CSV else _RECIPE_OF_OTHER_FILES
    table = read_image_table(path, None, roots, recipe, Path(params["cache_dir"])).image_table.table
    require_column(table, params["id_column"], "the id column")
    for column in scheme.columns:
        require_column(table, column, "the label")
    folder, windows = FollowUpFolder(Path(params["folder"])), Windows.of_params(params)
    stream = read_stream(folder, windows, None)
    counts, rows, digests = _usable(table, scheme, params["id_column"], folder, set(stream.ids))
    part = table.take(rows)
    labels = read_labels(part, scheme, "follow-up").tolist() if len(rows) else []
    stored = folder.outcomes()
    changed = _merge(stored, digests, labels, part, params["replace"])
    if changed["added"] or changed["replaced"]:
        folder.write_outcomes(stored)
    return {"rows": len(table), **counts, **changed, "coverage": coverage_of(stream, stored, windows)}


def _scheme(preprocessing: Mapping[str, Any], columns: Sequence[str] | None) -> LabelScheme:
    """The labels of the model, in columns with these names."""
    scheme = LabelScheme.of_preprocessing(preprocessing)
    if columns is None:
        return scheme
    if len(columns) != len(scheme.columns):
        message = phrase("outcome_columns_number", needed=len(scheme.columns), given=len(columns))
        raise TrainerError("INVALID_REQUEST", message)
    return LabelScheme(tuple(columns), scheme.task, scheme.classes)


def _usable(
    table: Table, scheme: LabelScheme, id_column: str, folder: FollowUpFolder, known: set[str]
) -> tuple[dict[str, int], np.ndarray[Any, np.dtype[np.int64]], list[str]]:
    """(counts of the other rows, rows with the outcome of a collected case, digest of each of them)."""
    ids = folder.digests_of(table.cells[id_column])
    gaps = np.stack([missing_mask(table.cells[column]) for column in scheme.columns])
    empty = gaps.all(axis=0) if scheme.task == "multilabel" else gaps.any(axis=0)
    unknown = np.asarray([one not in known for one in ids], dtype=np.bool_)
    rows = np.flatnonzero(~unknown & ~empty)
    counts = {"unknown": int(unknown.sum()), "without_outcome": int((~unknown & empty).sum())}
    return counts, rows, [str(ids[row]) for row in rows.tolist()]


def _merge(
    stored: dict[str, Any], digests: Sequence[str], labels: Sequence[Any], table: Table, replace: bool
) -> dict[str, int]:
    """Add the outcomes to `stored`. Two rows of one case with different outcomes are always refused."""
    given: dict[str, Any] = {}
    contradicting = []
    for row, (one, label) in enumerate(zip(digests, labels, strict=True)):
        if given.setdefault(one, label) != label or (not replace and stored.get(one, label) != label):
            contradicting.append(row)
    if contradicting:
        rows = name_rows(table, contradicting)
        message = phrase("outcomes_contradict", count=len(contradicting), table=table.name, rows=rows)
        raise TrainerError("OUTCOME_CONFLICT", message)
    added = sum(one not in stored for one in given)
    replaced = sum(one in stored and stored[one] != label for one, label in given.items())
    stored.update(given)
    return {"added": added, "replaced": replaced, "unchanged": len(given) - added - replaced}
