"""Tasks while the data folder of the service is missing: nothing new hides its content when it is back."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from medloom_trainer.cases.node_task import NodeTask
from medloom_trainer.data.cache.decoding import StoreParams
from medloom_trainer.data.cache.store import prepare_images
from medloom_trainer.data.images import identify, image_files
from medloom_trainer.errors import TrainerError
from medloom_trainer.files import need_service_folders
from medloom_trainer.worker import tasks
from testing.medical_files import nifti_file
from testing.node_runs import Nodes

VIEW = {"size": None, "slice": None, "axis": "axial", "window": None, "model": None, "view": 1}


@pytest.fixture(params=["moved", "unmounted"])
def data_folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A data folder that has disappeared; the mount point of an unmounted one remains."""
    folder = tmp_path / "data"
    if request.param == "unmounted":
        folder.mkdir()
    return folder


def reply_to(task: str, params: dict[str, object]) -> dict[str, object]:
    replies = io.BytesIO()
    line = json.dumps({"id": "1", "task": task, "params": params})
    tasks.serve(io.BytesIO(line.encode() + b"\n"), replies)
    found: dict[str, object] = json.loads(replies.getvalue().splitlines()[-1])
    return found


def assert_refused(reply: dict[str, object], data_folder: Path) -> None:
    assert reply["code"] == "DATA_FOLDER_MISSING", reply
    assert not data_folder.exists() or not list(data_folder.iterdir())


def test_a_query_of_cases_makes_nothing_where_the_data_folder_was(data_folder: Path, tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("age,label\n1,a\n2,b\n")
    dataset = {
        "path": str(table),
        "image_root": None,
        "roles": {"age": "numeric", "label": "label"},
        "classes": ["a", "b"],
        "roots": [str(tmp_path)],
        "cache_dir": str(data_folder / "cache"),
    }
    unset = dict.fromkeys(("split", "class", "patient", "lines", "filter", "order_by", "columns"))
    bounds = {"descending": False, "most_columns": 200, "identifiers": False, "offset": 0, "limit": 50}
    assert_refused(reply_to("cases", {"dataset": dataset, **unset, **bounds}), data_folder)


def test_a_picture_makes_nothing_where_the_data_folder_was(data_folder: Path, tmp_path: Path) -> None:
    volume = nifti_file(tmp_path / "head.nii", np.zeros((8, 8, 8), np.int16))
    params = {"path": str(volume), "cache_dir": str(data_folder / "cache"), "view": VIEW}
    assert_refused(reply_to("file_image", params), data_folder)


def test_a_node_makes_nothing_where_the_data_folder_was(data_folder: Path, tmp_path: Path) -> None:
    nodes = Nodes(tmp_path)
    nodes.write("table.csv", "age,label\n1,a\n2,b\n")
    params = nodes.params("LoadTabular", {"path": str(tmp_path / "table.csv")}, {})
    own = {"store": "artifacts", "data_dir": "", "cache_dir": "cache"}
    folders = {key: str(data_folder / name) for key, name in own.items()}
    assert_refused(reply_to("node", {**params, **folders}), data_folder)
    task = NodeTask.from_params({**params, **folders}, lambda message, fraction: None)
    made = {Path(folders[key]): data_folder for key in ("store", "cache_dir")}
    with need_service_folders(made), pytest.raises(TrainerError, match="artifacts"):
        task.put_file(lambda file: file.write(b"a"), ".csv")
    assert not data_folder.exists() or not list(data_folder.iterdir())


def test_preparing_images_makes_nothing_where_the_data_folder_was(
    data_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache, image = data_folder / "cache", tmp_path / "a.png"
    Image.new("L", (8, 8)).save(image)
    monkeypatch.setattr(image_files, "UNSETTLED_FILE_AGE", -1)
    with need_service_folders({cache: data_folder}):
        with pytest.raises(TrainerError, match="cache"):
            prepare_images([], StoreParams(8, 8, 8, None), cache, workers=1, report=lambda done, total: None)
        with pytest.raises(TrainerError, match="cache"):
            identify([image], cache, report=lambda done, total: None)
    assert not data_folder.exists() or not list(data_folder.iterdir())
