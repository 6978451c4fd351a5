"""A machine with the folders of the service under other paths: nodes find everything there, and give the same
bytes as on the machine of the service.
"""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from medloom_trainer.evaluation.evaluate import trained_on_table
from medloom_trainer.folder_map import local, local_folders, map_folders, service_path
from testing.checkpoints import write_table
from testing.medical_files import dicom_file
from testing.node_runs import Nodes
from testing.trained_nodes import load_cases, train

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("quick_networks")]

IMAGES = {"model__vision_backbone": "resnet18", "data__image_size": [16, 16]}


class Machine(Nodes):
    """A machine with several roots, the first of which also contains the data folder."""

    def __init__(self, service: Path) -> None:
        super().__init__(service / "lab")
        self.roots = [self.folder, *(service / name for name in ("classes", "series", "scan"))]
        self.places: list[dict[str, str]] | None = None

    def params(self, node_type: str, config: dict[str, Any], inputs: dict[str, Any]) -> dict[str, Any]:
        own = {**super().params(node_type, config, inputs), "roots": [str(root) for root in self.roots]}
        return own if self.places is None else {**own, "places": self.places}

    def move(self, there: Path | None, *kept: Path) -> None:
        """Move the folders to other names: into `there`, or else each below its own name. Those in `kept`
        only exist in the service.
        """
        self.places = []
        for root in self.roots:
            if root in kept:
                continue
            here = root / "mounted" if there is None else there / f"mounted-{root.name}"
            aside = root.rename(root.with_name("aside"))
            here.parent.mkdir(parents=True, exist_ok=True)
            aside.rename(here)
            self.places.append({"named": str(root), "here": str(here)})


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    service = tmp_path / "service"
    machine = Machine(service)
    write_table(machine.folder / "train.csv", rows=24, images=True)
    _name_every_second_image_by_its_whole_path(machine.folder / "train.csv")
    write_table(machine.folder / "test.csv", rows=12, seed=1, images=True)
    machine.write("weights/own.safetensors", "")
    for number in range(4):
        machine.image(f"../classes/{'ab'[number % 2]}/{number}.png", number)
    for number in range(6):
        for folder, uid in (("series", f"1.2.{number % 2}"), ("scan", "1.2")):
            dicom_file(
                service / folder / f"{number}.dcm",
                np.full((4, 4), number, dtype=np.uint16),
                ImagePositionPatient=[0, 0, float(number)],
                SeriesInstanceUID=uid,
            )
    yield machine
    map_folders([])


@pytest.mark.parametrize("below", [pytest.param(False, marks=pytest.mark.full), True])
def test_every_node_gives_what_it_gives_beside_the_service(
    machine: Machine, tmp_path: Path, below: bool
) -> None:
    """below: a path of the machine looks like one of the service, and is not translated again."""
    model = train(machine, load_cases(machine, "train.csv", split="train"), **IMAGES)
    beside = _run_all(machine, model)
    kept = _artifacts(machine.folder)
    # Everything is computed again.
    for made in ("artifacts", "cache"):
        shutil.rmtree(machine.folder / made)
    machine.move(None if below else tmp_path / "node")
    elsewhere = _run_all(machine, model)
    for node, result in beside.items():
        assert elsewhere[node] == result, node
    here = Path((machine.places or [])[0]["here"])
    assert _artifacts(here) == kept
    told = json.dumps(elsewhere).encode() + b"".join(kept.values())
    assert str(machine.folder).encode() in told and here.name.encode() not in told
    assert not (machine.folder / "artifacts").exists()


def _run_all(machine: Machine, model: dict[str, Any]) -> dict[str, Any]:
    lab, classes, series, scan = machine.roots
    results: dict[str, Any] = {}

    def run(name: str, node_type: str, config: dict[str, Any] | None = None, **inputs: Any) -> Any:
        results[name] = machine.run(node_type, config, **inputs)
        return {port: output["content"] for port, output in results[name]["outputs"].items()}

    table = run("relative path", "LoadTabular", {"path": "train.csv"})["dataframe"]
    run("absolute path", "LoadTabular", {"path": str(lab / "train.csv")})
    run("folder", "LoadDataset", {"dataset_id": str(classes)})
    registered = {"path": str(lab / "test.csv"), "image_root": str(lab), "label_columns": ["label"]}
    rest = {"time_column": None, "event_column": None, "patient_column": None, "ignore_columns": []}
    dataset = {**registered, **rest, "positive_class": None, "slices": None, "roles": {}}
    run("registered", "LoadDataset", {"dataset_id": "x", "dataset": dataset})
    run("root of images", "LoadImage", {"path": str(classes), "recursive": True})
    run("root of series", "LoadImage", {"path": str(series)})
    run("root of one series", "LoadImage", {"path": str(scan)})
    kept = run("filter", "FilterData", {"filter_condition": "age > 40"}, dataset=table)
    rest = run("other filter", "FilterData", {"filter_condition": "age <= 40"}, dataset=table)
    (port,) = kept
    run("merge", "MergeDatasets", dataset_1=kept[port], dataset_2=rest[port])
    backbone = {"model.vision_backbone": "resnet18", "model.pretrained": "weights/own.safetensors"}
    fusion = {"model.fusion_type": "concatenate", "model.hidden_dim": 8, "model.num_heads": 4}
    parts = {"backbone_config": backbone, "fusion_config": fusion}
    contents = {port: {"content": "config", "settings": part, "facts": {}} for port, part in parts.items()}
    run("weights", "BuildModel", **contents)
    test = {**run("test", "LoadTabular", {"path": "test.csv"})["dataframe"], "split": "test"}
    predictions = run("evaluate", "EvaluateModel", model=model, test_dataset=test)["predictions"]
    run("export", "ExportPredictions", predictions=predictions)
    run("save", "SaveModel", {"quantization": "int8"}, model=model)
    assert not results["save"]["warnings"], "the validation cases were found"
    return results


def test_a_folder_that_the_machine_does_not_have_is_said(machine: Machine, tmp_path: Path) -> None:
    """Also if a cell names it: the image exists in the service."""
    rows = [{"image": str(machine.roots[1] / f"{'ab'[n % 2]}/{n}.png"), "label": n % 2} for n in range(4)]
    machine.table("across.csv", rows)
    machine.move(tmp_path / "node", machine.roots[1])
    for node_type, config in (
        ("LoadImage", {"path": str(machine.roots[1])}),
        ("LoadDataset", {"dataset_id": str(machine.roots[1] / "a")}),
        ("LoadTabular", {"path": "across.csv"}),
    ):
        error = machine.refuse("PATH_NOT_ON_NODES", node_type, config)
        assert '"classes"' in error.message and "--site-root" in error.details
    machine.refuse("PATH_NOT_ALLOWED", "LoadTabular", {"path": str(tmp_path / "x.csv")})
    machine.refuse("FILE_NOT_FOUND", "LoadTabular", {"path": "nothing.csv"})


def test_the_training_data_of_a_model_are_not_taken_for_gone(machine: Machine) -> None:
    """Otherwise its rounding would be tested on other inputs than in the service, with only a warning."""
    model = train(machine, load_cases(machine, "train.csv", split="train"), **IMAGES)
    had = [str(machine.folder / name) for name in ("artifacts", "cache", "data")]
    machine.places = [{"named": folder, "here": folder} for folder in had]
    machine.refuse("PATH_NOT_ON_NODES", "SaveModel", {"quantization": "int8"}, model=model)


def test_messages_have_the_names_of_the_service(machine: Machine, tmp_path: Path) -> None:
    classes = {"path": str(machine.roots[1])}
    machine.move(tmp_path / "node")
    error = machine.refuse("DATASET_INVALID", "LoadImage", {**classes, "format": "NIfTI"})
    assert "in classes;" in error.message
    shutil.rmtree(tmp_path / "node" / "mounted-classes")
    error = machine.refuse("FILE_NOT_FOUND", "LoadImage", classes)
    assert error.message == "classes does not exist"


def test_relative_paths_start_at_the_first_root_of_the_service(machine: Machine, tmp_path: Path) -> None:
    machine.roots.reverse()  # the first root that the machine has is now another one
    machine.write("../classes/train.csv", "label\n1\n")
    machine.move(tmp_path / "node", machine.roots[0])
    machine.refuse("PATH_NOT_ON_NODES", "LoadTabular", {"path": "train.csv"})


def test_without_the_folders_of_the_store_nothing_is_computed(machine: Machine, tmp_path: Path) -> None:
    machine.move(tmp_path / "node", machine.folder)
    machine.refuse("PATH_NOT_ON_NODES", "LoadImage", {"path": str(machine.roots[1])})


def test_the_next_task_may_be_of_a_service_without_other_paths(machine: Machine, tmp_path: Path) -> None:
    machine.move(tmp_path / "node")
    machine.run("LoadTabular", {"path": "train.csv"})
    machine.places = None
    machine.refuse("FILE_NOT_FOUND", "LoadTabular", {"path": "train.csv"})


def test_the_table_of_the_training_is_recognized(machine: Machine, tmp_path: Path) -> None:
    table = machine.folder / "train.csv"
    data = {"train_csv": str(table), "val_csv": None}
    state = {"config": {"data": data}, "preprocessing": {"split_column": None}}
    machine.move(tmp_path / "node")
    map_folders(machine.places or [])
    (warned,) = trained_on_table(state, "", table, "test")
    assert warned["code"] == "EVALUATED_ON_TRAINING_DATA"


def test_what_was_found_is_named_as_the_service_does(tmp_path: Path) -> None:
    """By the innermost folder, also through links."""
    for folder in ("disk/lab/atlas", "node"):
        (tmp_path / folder).mkdir(parents=True)
    here = tmp_path / "node" / "lab"
    here.symlink_to(tmp_path / "disk" / "lab")
    places = [{"named": "/data", "here": str(here)}, {"named": "/atlas", "here": str(here / "atlas")}]
    map_folders(places, ["/data", "/data/old", "/private"])
    try:
        for real in (here, tmp_path / "disk" / "lab"):
            assert service_path(real / "x.png") == Path("/data/x.png")
            assert service_path(real / "atlas" / "x.png") == Path("/atlas/x.png")
        assert service_path(tmp_path / "node" / "lab-2") == tmp_path / "node" / "lab-2"
        assert local_folders(["/data/old", "/private"]) == (here / "old",)
        assert local("/private-2/x") == Path("/private-2/x")
    finally:
        map_folders([])


def _artifacts(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted(folder.glob("artifacts/??/*")) if file.is_file()}


def _name_every_second_image_by_its_whole_path(table: Path) -> None:
    header, *rows = csv.reader(table.read_text().splitlines())
    place = header.index("image")
    for row in rows[::2]:
        row[place] = str(table.parent / row[place])
    with table.open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])
