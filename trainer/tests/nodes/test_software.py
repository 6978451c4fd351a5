"""The software that the catalog names for a node is the software that its modules import."""

from __future__ import annotations

import ast
import json
import sys
from functools import cache
from pathlib import Path

import pytest
from tests.test_layers import imports, modules

import medloom_trainer
from medloom_trainer.nodes import node_modules
from medloom_trainer.software import software_versions
from testing.sources import ROOT, nodes_of

CATALOG = json.loads((ROOT / "contract" / "nodes.json").read_text("utf-8"))["nodes"]
PACKAGE_OF = {"PIL": "Pillow", "sklearn": "scikit-learn"}
NO_NUMBERS = {"safetensors", "jsonschema", "psutil", "huggingface_hub", "threadpoolctl"}
"""They transport bytes, check shapes, fetch files or set threads."""
JOB = {"TrainModel": "medloom_trainer.jobs.job", "ResumeTraining": "medloom_trainer.jobs.job"}
UNUSED = {"ExportPredictions": {"torch", "timm", "scipy", "imagecodecs", "pydicom", "Pillow"}}
"""Imported by the package of a module that the node uses, not by the parts that it uses."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "node", [node for node in CATALOG if node["runs"] != "service"], ids=lambda node: node["type"]
)
def test_names_what_is_imported(node: dict[str, object]) -> None:
    module = {**node_modules(), **JOB}[str(node["type"])]
    software = node["software"]
    assert isinstance(software, list) and software[0] == "medloom_trainer"
    missing = third_party(module) - set(software) - NO_NUMBERS - UNUSED.get(str(node["type"]), set())
    assert missing == set()


def test_a_node_of_the_service_names_none() -> None:
    assert [node["type"] for node in CATALOG if node["runs"] == "service" and node["software"]] == []


def test_the_version_of_everything_that_is_named_is_known() -> None:
    named = {name for node in CATALOG for name in node["software"]}
    assert named - set(software_versions()) == set()
    assert software_versions()["medloom_trainer"] == medloom_trainer.__version__


def third_party(module: str) -> set[str]:
    """Packages imported by a module and by all trainer modules that it imports, also inside functions."""
    own = own_imports()
    files = modules()
    reached: set[str] = set()
    found: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name in reached:
            continue
        reached.add(name)
        waiting += own.get(name, set())
        found |= packages_of(files[name])
    return found


@cache
def own_imports() -> dict[str, set[str]]:
    own: dict[str, set[str]] = {}
    for importer, imported in imports():
        own.setdefault(importer, set()).add(imported)
    return own


@cache
def packages_of(file: Path) -> set[str]:
    names: set[str] = set()
    for node in nodes_of(file):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names.add(node.module.split(".")[0])
    ours = {"medloom_trainer", *sys.stdlib_module_names}
    return {PACKAGE_OF.get(name, name) for name in names - ours}
