"""The trainer complies with the contracts: codes, tasks, names and versions are those declared there."""

import ast
import json
from pathlib import Path

import numpy as np
import pytest

from medloom_trainer.contract import members
from medloom_trainer.contract.members import member_count
from medloom_trainer.contract.schemas import task_schemas
from medloom_trainer.contract.spec import RUN_SCHEMA_VERSION
from medloom_trainer.errors import TrainerError, catalog
from medloom_trainer.outcomes import KINDS
from medloom_trainer.outcomes.classification import Classification
from medloom_trainer.outcomes.epoch_metrics import epoch_metrics
from medloom_trainer.outcomes.regression import Regression
from medloom_trainer.warnings import warning
from medloom_trainer.worker import tasks as worker
from testing.sources import ROOT, nodes_of, source_files

CONTRACT = ROOT / "contract"
FILES = source_files()


def schema(name):
    return json.loads((CONTRACT / f"{name}.schema.json").read_text(encoding="utf-8"))


def calls(path, name):
    for node in nodes_of(path):
        if isinstance(node, ast.Call):
            function = node.func
            if name == getattr(function, "id", getattr(function, "attr", None)):
                yield node


@pytest.mark.parametrize("path", FILES, ids=[str(path.relative_to(ROOT)) for path in FILES])
def test_every_error_code_that_is_raised_stands_in_the_catalog(path):
    for call in calls(path, "TrainerError"):
        if isinstance(call.args[0], ast.Constant):
            assert call.args[0].value in catalog(), f"{path.name}:{call.lineno}"


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES, ids=[str(path.relative_to(ROOT)) for path in FILES])
def test_nothing_is_unpickled(path):
    """No pickle is ever read: not by pickle or similar modules, not by torch.load, not by np.load."""
    nodes = nodes_of(path)
    imported = {
        alias.name.partition(".")[0] for node in nodes if isinstance(node, ast.Import) for alias in node.names
    } | {(node.module or "").partition(".")[0] for node in nodes if isinstance(node, ast.ImportFrom)}
    assert not imported & {"pickle", "dill", "cloudpickle", "joblib", "shelve", "marshal"}
    for call in calls(path, "load"):
        owner = getattr(getattr(call.func, "value", None), "id", "")
        assert owner != "torch", f"{path.name}:{call.lineno}"
        if owner in ("np", "numpy"):
            allowed = {keyword.arg: keyword.value for keyword in call.keywords}.get("allow_pickle")
            assert isinstance(allowed, ast.Constant) and allowed.value is False, f"{path.name}:{call.lineno}"


def test_an_error_outside_the_catalog_cannot_be_raised():
    with pytest.raises(KeyError):
        TrainerError("NO_SUCH_CODE", "")


def test_a_warning_outside_the_catalog_cannot_be_given():
    assert warning("UNKNOWN_SPLIT", "x") == {"code": "UNKNOWN_SPLIT", "message": "x"}
    with pytest.raises(KeyError):
        warning("NO_SUCH_CODE", "x")


def test_a_remedy_comes_from_the_catalog_unless_a_better_one_is_given():
    assert TrainerError("DISK_FULL", "").details == catalog()["DISK_FULL"]["remedy"]
    assert TrainerError("DISK_FULL", "", "Delete old runs.").details == "Delete old runs."


def test_the_worker_has_the_tasks_that_are_declared():
    assert worker.TASKS.keys() == task_schemas().keys()
    assert worker.TASKS.keys() == set(
        schema("request")["$defs"]["WorkerRequest"]["properties"]["task"]["enum"]
    )


@pytest.mark.parametrize(
    ("name", "definition"),
    [
        ("spec", "TrainerSpec"),
        ("checkpoint", "CheckpointManifest"),
        ("metrics", "RunMetrics"),
        ("evaluation", "EvaluationResult"),
    ],
)
def test_the_files_of_a_run_carry_the_declared_version(name, definition):
    declared = schema(name)["$defs"][definition]["properties"]["schema_version"]["const"]
    assert declared == RUN_SCHEMA_VERSION


def test_every_metric_that_can_be_monitored_is_measured_after_an_epoch():
    stopping = schema("spec")["$defs"]["LoopConfig"]["properties"]["early_stopping"]
    monitors = set(stopping["properties"]["monitor"]["enum"]) - {"auto"}
    classes, _ = epoch_metrics(Classification(("a", "b")), [0, 1], np.eye(2), [0.1, 0.2])
    numbers, _ = epoch_metrics(Regression(mean=0, std=1), [0.0, 1.0], [0.0, 1.0], [0.1, 0.2])
    assert monitors <= classes.keys() | numbers.keys()


def test_every_task_of_the_contract_has_its_kind_of_outcome():
    tasks = schema("spec")["$defs"]["ModelConfig"]["properties"]["task"]["anyOf"][0]["enum"]
    assert set(tasks) == set(KINDS)


def test_networks_are_counted_before_a_start_as_they_are_trained():
    """packages/contracts counts them with the same cases."""
    cases = json.loads((Path(__file__).parents[2] / "packages/contracts/testing/networks.json").read_text())
    assert cases
    for case in cases:
        config = {"model": case["model"], "training": {"device": case["device"]}}
        assert member_count(config) == case["members"], case


def test_defaults_that_depend_on_the_data_are_those_of_the_version_of_workflows():
    """Another value needs a new version of workflows, whose migration writes the earlier one into them."""
    assert members._OF_A_TABLE == 5
    assert members._LINEAR_SHARE == 0.5
