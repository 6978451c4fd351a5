"""Workflow nodes that run in a worker (contract WORKER_TASKS.node): one module for each node, found by its
type.

LoadDataset is `run` in load_dataset.py: a new node is one new file. The contracts declare the inputs and
outputs of nodes (contract/nodes.json) and the values between them (NodeContent in
contract/tasks.schema.json). Shared code of nodes is in `cases/`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from medloom_trainer.cases.node_task import NodeTask, Outputs
from medloom_trainer.contract.phrases import phrase, with_phrases
from medloom_trainer.errors import TrainerError
from medloom_trainer.nodes import steps


def run_node(params: Mapping[str, Any], progress: Callable[[str, float], None]) -> dict[str, Any]:
    """params: contract WORKER_TASKS.node → its result.

    Errors: codes of the catalog. The same inputs, config and outside files give byte-identical outputs.
    """
    task = NodeTask.from_params(params, progress)
    outputs = find_node(task.type)(task)
    return {
        "outputs": {
            port: with_phrases({"content": content, "summary": summary})
            for port, (content, summary) in outputs.items()
        },
        "warnings": task.warnings,
    }


def find_node(node_type: str) -> Callable[[NodeTask], Outputs]:
    """`run` of its module, which is imported when the first such node runs. INVALID_REQUEST for other types:
    a type is looked up among the existing files, and never used as a path.
    """
    module = {**node_modules(), **step_modules()}.get(node_type)
    if module is None:
        raise TrainerError("INVALID_REQUEST", phrase("node_not_for_worker", type=node_type[:80]))
    run: Callable[[NodeTask], Outputs] = importlib.import_module(module).run
    return run


@cache
def node_modules() -> dict[str, str]:
    """Node type → its module: load_dataset.py contains LoadDataset."""
    return _modules_by_type(__name__, __path__)


@cache
def step_modules() -> dict[str, str]:
    """Like `node_modules`, for the steps of nodes that the service computes."""
    return _modules_by_type(steps.__name__, steps.__path__)


def _modules_by_type(package: str, folders: list[str]) -> dict[str, str]:
    files = [file.name for file in pkgutil.iter_modules(folders) if not file.ispkg]
    return {"".join(word.capitalize() for word in name.split("_")): f"{package}.{name}" for name in files}
