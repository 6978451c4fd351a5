"""Compiled recipes that are kept, so that the next start reads one file instead of all.

    <cache_dir>/recipes/<key>.npz   key: digest of the recipe, of its source and of the version of this code
        facts     JSON: names, settings, steps, the files and folders that were read, links
        texts     JSON: the distinct texts of each column
        codes     (C, N) index of each cell in the texts of its column
        lines     (N,) line of each row

A kept table is used if everything that was read is unchanged: by size, times and inode, or else by content,
and if every link leads to the same file.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
import zipfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from medloom_trainer import __version__
from medloom_trainer.data.tables.cells import PresentText, is_declared
from medloom_trainer.data.tables.column_texts import distinct_of
from medloom_trainer.data.tables.origin import Origin
from medloom_trainer.data.tables.recipe.compile import VERSION, Compiled, compile_recipe
from medloom_trainer.data.tables.recipe.places import Places, Stamp
from medloom_trainer.data.tables.recipe.report import Step
from medloom_trainer.data.tables.table import Table
from medloom_trainer.durations import UNSETTLED_FILE_AGE
from medloom_trainer.files import write_atomically
from medloom_trainer.regular_files import read_regular

_FORM = 5
"""Increased whenever the same files would result in another table, or in another file of it."""
_MOST_KEPT = 50
_FILE, _ROW = "\0file", "\0row"
"""Names of the columns of the origin, which no table has."""


def compiled(recipe: Mapping[str, Any], places: Places, cache_dir: Path | None) -> Compiled:
    """The compiled recipe, from the cache if nothing has changed. Errors as in `compile_recipe`; cache_dir
    None: nothing is kept."""
    if cache_dir is None:
        return compile_recipe(recipe, places)
    file = kept_tables(cache_dir) / f"{_key(recipe, places)}.npz"
    known = _read(file, places)
    if known is not None:
        return known
    made = compile_recipe(recipe, places)
    if made.table.malformed:
        return made
    with suppress(OSError):  # a full disk only makes the next start slower
        _write(file, made, places)
        _remove_oldest(file.parent)
    return made


def kept_tables(cache_dir: Path) -> Path:
    """Folder of the kept tables."""
    return cache_dir / "recipes"


def _key(recipe: Mapping[str, Any], places: Places) -> str:
    identity = [_FORM, VERSION, __version__, recipe, str(places.source), str(places.image_root)]
    identity += ["new cases"] if places.of_new_cases else []
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()


def _write(file: Path, made: Compiled, places: Places) -> None:
    """Nothing is written if a file changed while it was read."""
    marks = [_mark(path, stamp) for path, stamp in places.read.items()]
    if any(mark is None for mark in marks):
        return
    table = made.table
    columns = dict(table.cells)
    if table.origin is not None:
        columns |= {
            _FILE: list(table.origin.files),
            _ROW: [str(line) for line in table.origin.lines.tolist()],
        }
    encoded = [_encode(texts) for texts in columns.values()]
    facts = {
        "read": marks,
        "links": places.links,
        "name": table.name,
        "columns": list(columns),
        "declared": {
            column: [*filter(is_declared, distinct_of(texts))] for column, texts in table.cells.items()
        },
        "delimiter": table.delimiter,
        "encoding": table.encoding,
        "digest": table.digest,
        "warnings": table.warnings,
        "settings": dict(made.settings),
        "steps": [step.to_json() for step in made.steps],
    }
    arrays = {
        "facts": _bytes(facts),
        "texts": _bytes([texts for texts, _ in encoded]),
        "codes": np.asarray([codes for _, codes in encoded], dtype=np.int32),
        "lines": table.lines,
    }
    write_atomically(file, lambda target: np.savez(target, allow_pickle=False, **arrays))


def _read(file: Path, places: Places) -> Compiled | None:
    """None without a kept table, or if it is outdated or damaged."""
    try:
        with np.load(file, allow_pickle=False) as stored:
            facts = json.loads(stored["facts"].tobytes())
            if not all(_is_unchanged(mark) for mark in facts["read"]):
                return None
            if any(os.path.realpath(path) != real for path, real in facts["links"].items()):
                return None
            texts = json.loads(stored["texts"].tobytes())
            codes, lines = stored["codes"], stored["lines"]
    except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile):
        return None
    columns = {
        name: _decode(distinct, row, facts["declared"].get(name, ()))
        for name, distinct, row in zip(facts["columns"], texts, codes, strict=True)
    }
    files, rows = columns.pop(_FILE, None), columns.pop(_ROW, None)
    origin = None
    if files is not None and rows is not None:
        origin = Origin(files, np.asarray([int(row) for row in rows], dtype=np.int64))
    table = Table(
        facts["name"], tuple(columns), columns, lines, facts["delimiter"], facts["encoding"], facts["digest"],
        facts["warnings"], origin,
    )  # fmt: skip
    with suppress(OSError):
        os.utime(file)
    return Compiled(table, places.image_root, facts["settings"], tuple(map(Step.from_json, facts["steps"])))


def _encode(texts: Sequence[str]) -> tuple[list[str], list[int]]:
    numbers: dict[str, int] = {}
    codes = [numbers.setdefault(text, len(numbers)) for text in texts]
    return list(numbers), codes


def _decode(distinct: Sequence[str], codes: Any, declared: Sequence[str]) -> list[str]:
    known = [PresentText(text) if text in declared else text for text in distinct]
    return [known[code] for code in codes.tolist()]


def _bytes(value: Any) -> Any:
    return np.frombuffer(json.dumps(value).encode(), dtype=np.uint8)


def _mark(path: Path, stamp: Stamp) -> list[Any] | None:
    """[path, attributes or null if it changed just now, digest of the content]. None if it has changed since
    it was read."""
    if Stamp.of(path) != stamp:
        return None
    is_settled = time.time() - stamp.changed > UNSETTLED_FILE_AGE
    return [str(path), list(stamp.marks) if is_settled else None, None if is_settled else _digest(path)]


def _is_unchanged(mark: Sequence[Any]) -> bool:
    path, marks, digest = Path(mark[0]), mark[1], mark[2]
    stamp = Stamp.of(path)
    if stamp is None:
        return False
    return bool(list(stamp.marks) == marks if marks is not None else _digest(path) == digest)


def _digest(path: Path) -> str:
    """sha256 of the bytes of a file, or of the names in a folder."""
    if path.is_dir():
        names = sorted(f"{entry.name}{'/' if entry.is_dir() else ''}" for entry in os.scandir(path))
        return hashlib.sha256("\0".join(names).encode("utf-8", "surrogateescape")).hexdigest()
    return hashlib.sha256(read_regular(path)).hexdigest()


def _remove_oldest(folder: Path) -> None:
    found = sorted(folder.glob("*.npz"), key=lambda file: file.stat().st_mtime)
    for file in found[:-_MOST_KEPT]:
        file.unlink(missing_ok=True)
