"""A folder with a store and roots, in which nodes are run like in a worker."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import medloom_trainer
from medloom_trainer.cases.case_set import CaseSet, read_cases
from medloom_trainer.cases.node_task import NodeTask
from medloom_trainer.contract.schemas import task_schemas
from medloom_trainer.errors import TrainerError
from medloom_trainer.nodes import run_node
from testing.workspace import Workspace

CONTRACT = Path(medloom_trainer.__file__).parent / "contract"
RESULT = task_schemas()["node"]["result"]
CATALOG = {
    node["type"]: node for node in json.loads((CONTRACT / "nodes.json").read_text(encoding="utf-8"))["nodes"]
}


class Nodes(Workspace):
    """Runs nodes and compares every result with the contract."""

    def params(self, node_type: str, config: dict[str, Any], inputs: dict[str, Any]) -> dict[str, Any]:
        several = {port: value if isinstance(value, list) else [value] for port, value in inputs.items()}
        return {
            "type": node_type,
            "config": {**defaults(CATALOG[node_type]["config"]), **config},
            "inputs": several,
            "store": str(self.folder / "artifacts"),
            "data_dir": str(self.folder / "data"),
            "cache_dir": str(self.cache),
            "roots": [str(self.folder)],
            "device": "cpu",
        }

    def run(self, node_type: str, config: dict[str, Any] | None = None, **inputs: Any) -> dict[str, Any]:
        """→ the result of the task."""
        result = run_node(
            json.loads(json.dumps(self.params(node_type, config or {}, inputs))),
            lambda message, fraction: None,
        )
        Draft202012Validator(RESULT).validate(result)
        assert list(result["outputs"]) == [port["name"] for port in CATALOG[node_type]["outputs"]]
        return json.loads(json.dumps(result, allow_nan=False))

    def out(self, port: str, node_type: str, config: dict[str, Any] | None = None, **inputs: Any) -> Any:
        """→ the content at one port."""
        return self.run(node_type, config, **inputs)["outputs"][port]["content"]

    def refuse(
        self, code: str, node_type: str, config: dict[str, Any] | None = None, **inputs: Any
    ) -> TrainerError:
        with pytest.raises(TrainerError) as caught:
            self.run(node_type, config, **inputs)
        assert caught.value.code == code, caught.value.message
        return caught.value

    def read(self, content: dict[str, Any]) -> CaseSet:
        task = NodeTask.from_params(self.params("FilterData", {}, {}), lambda message, fraction: None)
        return read_cases(task, content)

    def cells(self, content: dict[str, Any]) -> dict[str, list[str]]:
        return self.read(content).table.cells

    def write(self, name: str, content: bytes | str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path


def defaults(schema: dict[str, Any]) -> dict[str, Any]:
    """The complete config of a node with only default values, as the service fills it in."""
    filled = {}
    for name, field in schema["properties"].items():
        if "properties" in field:
            filled[name] = defaults(field)
        elif "default" in field:
            filled[name] = field["default"]
    return filled
