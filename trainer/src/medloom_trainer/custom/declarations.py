"""The task `custom_nodes`: the declarations in the files of a folder. No file is run for it."""

from __future__ import annotations

import ast
import hashlib
import os
import re
import stat
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from medloom_trainer.contract.phrases import Phrased, phrase, with_phrases

_FILE = re.compile(r"[a-z][a-z0-9_]{0,59}\.py")
_MOST_FILES = 200
_MOST_BYTES = 2**20
_EXAMPLE = "NODE = {...}"


class Problem(Exception):
    """Problem of a file, and its remedy."""

    def __init__(self, message: Phrased, remedy: Phrased, line: int | None = None) -> None:
        super().__init__(message)
        self.message, self.remedy, self.line = message, remedy, line


def custom_nodes(params: Mapping[str, Any], progress: Callable[[str, float], None]) -> dict[str, Any]:
    """params: contract WORKER_TASKS.custom_nodes → its result, in the order of the names."""
    folder = Path(params["folder"])
    names = sorted(entry.name for entry in os.scandir(folder) if entry.name.endswith(".py"))
    nodes = [_describe(folder, name) for name in names[:_MOST_FILES] if not name.startswith("_")]
    return {"nodes": nodes}


def _describe(folder: Path, name: str) -> dict[str, Any]:
    found: dict[str, Any] = {"file": name, "sha256": None, "declaration": None, "problem": None}
    try:
        source = read_source(folder, name)
        found["sha256"] = hashlib.sha256(source).hexdigest()
        found["declaration"] = _declaration(source)
    except Problem as problem:
        found["problem"] = with_phrases(
            {"line": problem.line, "message": problem.message, "remedy": problem.remedy}
        )
    return found


def read_source(folder: Path, name: str) -> bytes:
    """Content of a file in the folder itself; links to other folders are refused."""
    if not _FILE.fullmatch(name):
        raise Problem(phrase("custom_file_name"), phrase("name_file_as_node"))
    path = folder / name
    try:
        if path.resolve().parent != folder.resolve():
            raise Problem(phrase("custom_link_outside"), phrase("copy_into_folder"))
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise Problem(phrase("custom_not_regular"), phrase("replace_by_regular"))
        if found.st_size > _MOST_BYTES:
            message = phrase("custom_too_large", size=found.st_size, limit=_MOST_BYTES)
            raise Problem(message, phrase("reduce_file_size"))
        return path.read_bytes()
    except OSError as error:
        message = phrase("file_unreadable", file=name, error=str(error.strerror))
        raise Problem(message, phrase("change_permissions")) from error


def _declaration(source: bytes) -> dict[str, Any]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        message = phrase("custom_not_python", reason=str(getattr(error, "msg", error)))
        raise Problem(message, phrase("correct_line"), line) from error
    declared = next((item for item in tree.body if _names_node(item)), None)
    if declared is None:
        raise Problem(phrase("custom_undeclared"), phrase("declare_node", example=_EXAMPLE))
    value = declared.value  # type: ignore[attr-defined]
    try:
        found = ast.literal_eval(value)
    except ValueError as error:
        raise Problem(phrase("custom_expression"), phrase("use_literals"), _line_of(value)) from error
    if not isinstance(found, dict):
        raise Problem(
            phrase("custom_no_dictionary"), phrase("write_node_dictionary", example=_EXAMPLE), value.lineno
        )
    _check_run(tree)
    return found


def _names_node(item: ast.stmt) -> bool:
    if isinstance(item, ast.AnnAssign):
        return isinstance(item.target, ast.Name) and item.target.id == "NODE" and item.value is not None
    return isinstance(item, ast.Assign) and any(
        isinstance(target, ast.Name) and target.id == "NODE" for target in item.targets
    )


def _line_of(value: ast.expr) -> int:
    """Line of the first part that is not a literal."""
    literal = (
        ast.Dict, ast.List, ast.Tuple, ast.Set, ast.Constant, ast.UnaryOp, ast.expr_context, ast.operator,
        ast.unaryop,
    )  # fmt: skip
    found = next((part for part in ast.walk(value) if not isinstance(part, literal)), value)
    return int(getattr(found, "lineno", value.lineno))


def _check_run(tree: ast.Module) -> None:
    run = next((item for item in tree.body if isinstance(item, ast.FunctionDef) and item.name == "run"), None)
    if run is None:
        raise Problem(phrase("custom_without_run"), phrase("define_run"))
    if len(run.args.posonlyargs) + len(run.args.args) != 1:
        raise Problem(phrase("custom_run_arguments"), phrase("write_run"), run.lineno)
