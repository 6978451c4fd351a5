"""The locations of the files of a run are declared once, in the contracts."""

import ast
import json
from pathlib import Path

import pytest

from medloom_trainer.contract.run_directory import RunDirectory, file_name, run_path
from testing.sources import ROOT, nodes_of, source_files

PATHS = json.loads((ROOT / "contract" / "run-directory.json").read_text(encoding="utf-8"))["paths"]


def test_a_path_of_a_run_is_the_one_of_the_contract():
    run = Path("run")
    assert run_path(run, "events", attempt=2) == run / "events.2.jsonl"
    assert run_path(run, "manifest", name="best") == run / "checkpoints" / "best" / "checkpoint.json"


def test_a_path_outside_the_contract_does_not_exist():
    with pytest.raises(KeyError):
        run_path(Path("run"), "elsewhere")
    with pytest.raises(KeyError):
        run_path(Path("run"), "events")


def test_a_run_directory_has_the_paths_of_the_contract():
    run = RunDirectory(Path("run"))
    attributes = [name for name, kind in vars(RunDirectory).items() if isinstance(kind, property)]
    assert attributes
    for name in attributes:
        assert getattr(run, name) == run_path(run.path, name)
    assert run.events(2) == run_path(run.path, "events", attempt=2)
    assert run.control(2) == run_path(run.path, "control", attempt=2)
    assert run.checkpoint("best") == run_path(run.path, "checkpoint", name="best")
    assert run.relative(run.checkpoint("best")) == "checkpoints/best"
    assert file_name("manifest") == "checkpoint.json"


@pytest.mark.slow
def test_no_other_module_spells_the_name_of_a_file_of_a_run():
    names = {Path(path).name for path in PATHS.values() if "." in path and "{" not in Path(path).name}
    for module in source_files():
        texts = {node.value for node in nodes_of(module) if isinstance(node, ast.Constant)}
        spelled = {text for text in texts if isinstance(text, str) and Path(text[:99]).name in names}
        assert not spelled, f"{module.relative_to(ROOT)}: {spelled}"
