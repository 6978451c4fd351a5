"""Workflow nodes that run in a worker (contract WORKER_TASKS.node): one module per node, found by its type.

What a node takes and gives is declared in the contracts (contract/nodes.json); what travels between nodes too
(NodeContent in contract/tasks.schema.json).
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

from medloom_trainer.cases.node_task import NodeTask, Outputs
from medloom_trainer.errors import TrainerError

NODES: dict[str, str] = {
    "LoadDataset": "load_dataset",
    "LoadImage": "load_image",
    "LoadTabular": "load_tabular",
    "ImagePreprocess": "image_preprocess",
    "TabularPreprocess": "tabular_preprocess",
    "DataAugmentation": "image_preprocess",
    "DataSplit": "data_split",
    "MergeDatasets": "merge_datasets",
    "FilterData": "filter_data",
    "BuildModel": "build_model",
    "EvaluateModel": "evaluate_model",
    "SaveModel": "save_model",
    "ExportPredictions": "export_predictions",
}
"""Node type → the module here whose `run(task)` computes it; imported when the first such node runs."""
STEPS = {"JoinCases": "join_cases"}
"""Steps of nodes that the service itself computes; none of them stands in the catalog."""


def run_node(params: Mapping[str, Any], progress: Callable[[str, float], None]) -> dict[str, Any]:
    """params: contract WORKER_TASKS.node → its result.

    Errors: codes of the catalog. The same inputs, config and outside files give byte-identical outputs.
    """
    task = NodeTask.of(params, progress)
    outputs = find_node(task.type)(task)
    return {
        "outputs": {
            port: {"content": content, "summary": summary} for port, (content, summary) in outputs.items()
        },
        "warnings": task.warnings,
    }


def find_node(node_type: str) -> Callable[[NodeTask], Outputs]:
    module = NODES.get(node_type) or STEPS.get(node_type)
    if module is None:
        raise TrainerError("INVALID_REQUEST", f'a worker runs no node of type "{node_type[:80]}"')
    run: Callable[[NodeTask], Outputs] = importlib.import_module(f"{__name__}.{module}").run
    return run
