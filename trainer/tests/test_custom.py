"""Custom nodes: a declaration is read without running its file, and a file only runs as it was planned."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from medloom_trainer.contract.schemas import task_schemas
from medloom_trainer.custom.declarations import custom_nodes
from medloom_trainer.custom.run import run_custom
from medloom_trainer.errors import TrainerError
from testing.node_runs import Nodes

TASKS = task_schemas()
RUN = "def run(task):\n    return {}\n"


def declared(folder: Path) -> dict[str, dict[str, Any]]:
    params = {"folder": str(folder)}
    Draft202012Validator(TASKS["custom_nodes"]["params"]).validate(params)
    result = custom_nodes(params, lambda message, fraction: None)
    Draft202012Validator(TASKS["custom_nodes"]["result"]).validate(result)
    return {node["file"]: node for node in result["nodes"]}


def test_a_declaration_is_read_and_nothing_is_run(tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    source = f"open({str(marker)!r}, 'w')\nNODE = {{'title': 'T', 'numbers': [1, -2.5]}}\n{RUN}"
    (tmp_path / "good.py").write_text(source, encoding="utf-8")
    (tmp_path / "_helper.py").write_text("raise SystemExit", encoding="utf-8")
    found = declared(tmp_path)
    assert list(found) == ["good.py"]
    assert found["good.py"]["declaration"] == {"title": "T", "numbers": [1, -2.5]}
    assert found["good.py"]["sha256"] == hashlib.sha256(source.encode()).hexdigest()
    assert not marker.exists()


@pytest.mark.parametrize(
    ("source", "line", "message"),
    [
        ("NODE = {\n  'a': 1,,\n}", 2, "not valid Python"),
        (f"X = 1\n{RUN}", None, "NODE is missing"),
        (f"import os\nNODE = {{\n  'a': 1,\n  'b': os.getcwd(),\n}}\n{RUN}", 4, "expression"),
        (f"NODE = [1]\n{RUN}", 1, "not a dictionary"),
        ("NODE = {}\n", None, "run is missing"),
        ("NODE = {}\ndef run(a, b):\n    pass\n", 2, "one argument"),
        ("NODE = {}\nx = '\0'\n", None, "not valid Python"),
    ],
)
def test_a_broken_file_is_named_with_its_line_and_leaves_the_others(
    tmp_path: Path, source: str, line: int | None, message: str
) -> None:
    (tmp_path / "broken.py").write_text(source, encoding="utf-8")
    (tmp_path / "good.py").write_text(f"NODE = {{}}\n{RUN}", encoding="utf-8")
    found = declared(tmp_path)
    problem = found["broken.py"]["problem"]
    assert message in problem["message"] and problem["line"] in (line, None)
    assert problem["message_phrases"] and problem["remedy_phrases"]
    assert line is None or problem["line"] == line
    assert found["good.py"]["problem"] is None


def test_only_files_of_the_folder_itself_are_read(tmp_path: Path) -> None:
    folder, outside = tmp_path / "nodes", tmp_path / "outside.py"
    folder.mkdir()
    outside.write_text(f"NODE = {{}}\n{RUN}", encoding="utf-8")
    (folder / "linked.py").symlink_to(outside)
    (folder / "Wrong-Name.py").write_text(RUN, encoding="utf-8")
    (folder / "folder.py").mkdir()
    found = declared(folder)
    assert "a file outside the folder" in found["linked.py"]["problem"]["message"]
    assert "name" in found["Wrong-Name.py"]["problem"]["message"]
    assert "regular" in found["folder.py"]["problem"]["message"]


def computed(nodes: Nodes, folder: Path, source: str, /, **changes: Any) -> dict[str, Any]:
    (folder / "keep.py").write_text(source, encoding="utf-8")
    params = {
        "folder": str(folder),
        "file": "keep.py",
        "sha256": hashlib.sha256(source.encode()).hexdigest(),
        "type": "Keep",
        "config": {},
        "inputs": {},
        "store": str(nodes.folder / "artifacts"),
        "data_dir": str(nodes.folder / "data"),
        "cache_dir": str(nodes.cache),
        "roots": [str(nodes.folder)],
        "device": "cpu",
        **changes,
    }
    Draft202012Validator(TASKS["custom_node"]["params"]).validate(params)
    result = run_custom(params, lambda message, fraction: None)
    Draft202012Validator(TASKS["custom_node"]["result"]).validate(result)
    return result


def test_a_node_computes_with_the_functions_of_the_trainer(nodes: Nodes, tmp_path: Path) -> None:
    nodes.table("d.csv", nodes.cases(12))
    dataset = nodes.out("dataset", "LoadDataset", {"dataset_id": "d.csv"})
    source = (
        "from medloom_trainer.custom import describe_cases, read_cases, write_cases\n"
        "NODE = {}\n"
        "def run(task):\n"
        "    cases = read_cases(task, task.input('cases'))\n"
        "    kept = write_cases(task, cases.take(range(task.config['count'])))\n"
        "    return {'cases': (kept, describe_cases(kept))}\n"
    )
    result = computed(nodes, tmp_path, source, config={"count": 5}, inputs={"cases": [dataset]})
    assert result["outputs"]["cases"]["content"]["num_cases"] == 5
    again = computed(nodes, tmp_path, source, config={"count": 5}, inputs={"cases": [dataset]})
    assert again == result


def test_a_file_that_changed_since_or_gives_something_else_fails_by_name(
    nodes: Nodes, tmp_path: Path
) -> None:
    with pytest.raises(TrainerError, match=r"keep\.py has changed since"):
        computed(nodes, tmp_path, f"NODE = {{}}\n{RUN}", sha256="0" * 64)
    with pytest.raises(TrainerError, match=r"run in keep\.py must return a dictionary"):
        computed(nodes, tmp_path, "NODE = {}\ndef run(task):\n    return {'a': 3}\n")
    with pytest.raises(TrainerError, match="a file outside the folder"):
        (tmp_path / "other").mkdir()
        (tmp_path / "other" / "away.py").symlink_to(tmp_path / "keep.py")
        computed(nodes, tmp_path, RUN, folder=str(tmp_path / "other"), file="away.py")
