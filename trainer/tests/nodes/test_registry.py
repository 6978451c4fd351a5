"""Every worker node of the catalog runs here, also in a worker process, and gives the same bytes again."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from medloom_trainer import nodes as package
from medloom_trainer.errors import TrainerError
from medloom_trainer.nodes import find_node, node_modules, step_modules
from testing.node_runs import CATALOG, Nodes


def test_the_registry_is_the_catalog() -> None:
    assert set(node_modules()) == {name for name, node in CATALOG.items() if node["runs"] == "worker"}
    assert not set(step_modules()) & set(CATALOG)
    for name in (*node_modules(), *step_modules()):
        assert callable(find_node(name))


def test_a_new_node_is_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "count_cases.py").write_text("def run(task):\n    return {}\n", encoding="utf-8")
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
    node_modules.cache_clear()
    try:
        assert find_node("CountCases")(None) == {}  # type: ignore[arg-type]
    finally:
        node_modules.cache_clear()
        sys.modules.pop("medloom_trainer.nodes.count_cases", None)


@pytest.mark.parametrize(
    "node_type",
    [
        "", "load_dataset", "Loaddataset", "LoadDataset.run", "loadDataset", "Steps", "steps.join_cases",
        "Init", "__init__", "os", "../cases/join", "medloom_trainer.nodes.load_dataset", "LoadDataset\0",
    ],
)  # fmt: skip
def test_a_type_is_never_a_path(node_type: str) -> None:
    with pytest.raises(TrainerError) as refused:
        find_node(node_type)
    assert refused.value.code == "INVALID_REQUEST"
    assert f'"{node_type}"' in refused.value.message


@pytest.mark.slow
def test_an_unknown_type_is_refused(nodes: Nodes) -> None:
    params = nodes.params("LoadTabular", {"path": "t.csv"}, {})
    line = json.dumps({"id": "1", "task": "node", "params": {**params, "type": "Nothing"}})
    assert ask(line)[-1]["code"] == "INVALID_REQUEST"


def ask(line: str) -> list[dict[str, Any]]:
    """The replies of a worker process to one line."""
    command = [sys.executable, "-m", "medloom_trainer", "worker"]
    done = subprocess.run(command, input=line + "\n", capture_output=True, text=True, timeout=120, check=True)
    return [json.loads(reply) for reply in done.stdout.splitlines()]


@pytest.mark.slow
def test_a_worker_process_gives_what_a_call_gives(nodes: Nodes) -> None:
    nodes.table("d.csv", nodes.cases(6))
    params = nodes.params("LoadDataset", {"dataset_id": "d.csv"}, {})
    for folder in ("store", "cache_dir"):
        Path(params[folder]).mkdir(exist_ok=True)
    [*_, last] = ask(json.dumps({"id": "1", "task": "node", "params": params}))
    assert last["type"] == "result"
    assert last["result"] == nodes.run("LoadDataset", {"dataset_id": "d.csv"})


def chain(nodes: Nodes) -> list[Any]:
    """The results of a graph that uses every data and preprocessing node."""
    results = []

    def step(node: str, config: dict[str, Any], **inputs: Any) -> Any:
        result = nodes.run(node, config, **inputs)
        results.append(result)
        return next(iter(result["outputs"].values()))["content"]

    one = step("LoadDataset", {"dataset_id": "d.csv", "shuffle": True, "seed": 3})
    images = step("LoadImage", {"path": "images"})
    table = step("LoadTabular", {"path": "d.csv"})
    joined = step("FilterData", {"filter_condition": "age > 0"}, dataset=[images, table])
    merged = step("MergeDatasets", {"merge_strategy": "interleave"}, dataset1=one, dataset2=joined)
    seen = step("ImagePreprocess", {}, images=merged)
    varied = step("DataAugmentation", {}, images=seen)
    encoded = step("TabularPreprocess", {"encoding": "target"}, dataframe=varied)
    step("DataSplit", {}, dataset=encoded)
    return results


def test_the_same_inputs_give_the_same_bytes_wherever_the_store_lies(
    nodes: Nodes, tmp_path_factory: Any
) -> None:
    nodes.table("d.csv", nodes.cases(30))
    first = chain(nodes)
    other = Nodes(nodes.folder)
    other.cache = tmp_path_factory.mktemp("cache")
    kept = other.params
    store = str(tmp_path_factory.mktemp("store"))
    other.params = lambda *given: {**kept(*given), "store": store}  # type: ignore[method-assign]
    assert chain(other) == first


def test_a_column_moved_gives_another_digest(nodes: Nodes) -> None:
    rows = nodes.cases(6)
    nodes.table("d.csv", rows)
    first = nodes.out("dataset", "LoadDataset", {"dataset_id": "d.csv"})
    nodes.table("d.csv", [dict(reversed(row.items())) for row in rows])
    assert nodes.out("dataset", "LoadDataset", {"dataset_id": "d.csv"})["table"] != first["table"]


def test_equal_content_is_stored_once_and_a_lost_file_is_told(nodes: Nodes) -> None:
    nodes.table("d.csv", nodes.cases(6))
    content = nodes.out("dataset", "LoadDataset", {"dataset_id": "d.csv"})
    files = [path for path in (nodes.folder / "artifacts").rglob("*") if path.is_file()]
    nodes.out("dataset", "LoadDataset", {"dataset_id": "d.csv"})
    assert [path for path in (nodes.folder / "artifacts").rglob("*") if path.is_file()] == files
    for path in files:
        path.write_bytes(path.read_bytes()[:-1])
    nodes.refuse("NODE_FAILED", "FilterData", {"filter_condition": "age > 0"}, dataset=content)
    nodes.out("dataset", "LoadDataset", {"dataset_id": "d.csv"})
    nodes.out("filtered_dataset", "FilterData", {"filter_condition": "age > 0"}, dataset=content)
