"""The task `custom_node`: compute a node that a user wrote."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from medloom_trainer.cases.node_task import NodeTask
from medloom_trainer.contract.phrases import join, phrase, with_phrases
from medloom_trainer.custom.declarations import Problem, read_source
from medloom_trainer.errors import TrainerError
from medloom_trainer.failure import failure_of


def run_custom(params: Mapping[str, Any], progress: Callable[[str, float], None]) -> dict[str, Any]:
    """params: contract WORKER_TASKS.custom_node → its result. NODE_FAILED if the file has changed since the
    planning, or returns anything else than its outputs.
    """
    try:
        source = read_source(Path(params["folder"]), params["file"])
    except Problem as problem:
        message = join(params["file"], problem.message, mark="colon")
        raise TrainerError("NODE_FAILED", message, problem.remedy) from problem
    if hashlib.sha256(source).hexdigest() != params["sha256"]:
        raise TrainerError(
            "NODE_FAILED", phrase("custom_changed", file=params["file"]), phrase("run_workflow_again")
        )
    path = str(Path(params["folder"]) / params["file"])
    space: dict[str, Any] = {"__name__": f"medloom_node_{params['file'][:-3]}", "__file__": path}
    task = NodeTask.from_params(params, progress)
    with _attributed_to(params["file"]):
        exec(compile(source, path, "exec"), space)  # the file that the service requested to run
        outputs = space["run"](task)
    if not isinstance(outputs, Mapping) or not all(_is_output(output) for output in outputs.values()):
        message = phrase("custom_not_a_dictionary", file=params["file"])
        raise TrainerError("NODE_FAILED", message, phrase("return_write_cases"))
    return {
        "outputs": {
            port: with_phrases({"content": content, "summary": summary})
            for port, (content, summary) in outputs.items()
        },
        "warnings": task.warnings,
    }


_OF_ITS_CODE = ("TRAINER_FAILED", "STORAGE_DENIED", "PATH_TOO_LONG")
"""Codes of failures that the node's own code causes, for example with files that it may not use."""


@contextmanager
def _attributed_to(file: str) -> Iterator[None]:
    """Report an error of the user's own code as such, with its lines, and without its message."""
    try:
        yield
    except Exception as error:
        failure = failure_of(error)
        if failure.code not in _OF_ITS_CODE:
            raise
        message = phrase("custom_failed", file=file, error=type(error).__name__)
        remedy = phrase("find_line_in_traceback")
        raise TrainerError("NODE_FAILED", message, remedy, trace=failure.trace) from error


def _is_output(output: object) -> bool:
    return (
        isinstance(output, tuple)
        and len(output) == 2
        and isinstance(output[0], Mapping)
        and isinstance(output[1], str)
    )
