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

_FILE = re.compile(r"[a-z][a-z0-9_]{0,59}\.py")
_MOST_FILES = 200
_MOST_BYTES = 2**20


class Problem(Exception):
    """Problem of a file, and its remedy."""

    def __init__(self, message: str, remedy: str, line: int | None = None) -> None:
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
        found["problem"] = {"line": problem.line, "message": problem.message, "remedy": problem.remedy}
    return found


def read_source(folder: Path, name: str) -> bytes:
    """Content of a file in the folder itself; links to other folders are refused."""
    if not _FILE.fullmatch(name):
        raise Problem(
            "the file name is not a valid node name",
            "Use lowercase letters, digits and underscores, for example keep_rows.py.",
        )
    path = folder / name
    try:
        if path.resolve().parent != folder.resolve():
            raise Problem("the file is a link to a file outside the folder", "Copy the file into the folder.")
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise Problem("this is not a regular file", "Replace it by a regular file.")
        if found.st_size > _MOST_BYTES:
            raise Problem(
                f"the file has {found.st_size:,} bytes; the limit is {_MOST_BYTES:,}", "Reduce its size."
            )
        return path.read_bytes()
    except OSError as error:
        raise Problem(f"the file cannot be read ({error.strerror})", "Change its permissions.") from error


def _declaration(source: bytes) -> dict[str, Any]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        reason = getattr(error, "msg", error)
        raise Problem(
            f"the file is not valid Python: {reason}", "Correct the line in the message.", line
        ) from error
    declared = next((item for item in tree.body if _names_node(item)), None)
    if declared is None:
        raise Problem(
            "NODE is missing", "Declare the node as NODE = {...}; `medloom nodes new` creates an example."
        )
    value = declared.value  # type: ignore[attr-defined]
    try:
        found = ast.literal_eval(value)
    except ValueError as error:
        message = "NODE contains an expression, but a declaration is read without running the file"
        raise Problem(message, "Use only literals in NODE.", _line_of(value)) from error
    if not isinstance(found, dict):
        raise Problem("NODE is not a dictionary", "Write NODE = {...}.", value.lineno)
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
        raise Problem("the function run is missing", "Define run(task), which computes the outputs.")
    if len(run.args.posonlyargs) + len(run.args.args) != 1:
        raise Problem("run must take exactly one argument, the task", "Write def run(task):.", run.lineno)
