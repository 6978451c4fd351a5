"""A machine with the folders of the service in other locations: a training reads them there, and reports and
saves the same as in the service.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
from pathlib import Path

import pytest

from medloom_trainer.contract.run_directory import RunDirectory
from medloom_trainer.folder_map import check_files_by, is_file, local, map_folders
from medloom_trainer.jobs.job import run_job
from testing.synthetic import events_of
from testing.trainer_process import terminal, write_spec


@pytest.fixture
def no_folders():
    """Reset the folders that the process knows."""
    yield
    map_folders([])
    check_files_by(os.path.isfile)


def test_a_path_is_that_of_the_innermost_folder(no_folders: None) -> None:
    map_folders([{"named": "/data", "here": "/mnt/a"}, {"named": "/data/atlas", "here": "/b"}])
    assert local("/data/x/y.png") == Path("/mnt/a/x/y.png")
    assert local("/data/atlas/y.png") == Path("/b/y.png")
    assert local("/data") == Path("/mnt/a")
    assert local("/data-old/y.png") == Path("/data-old/y.png")
    assert local("/data/../etc/passwd") == Path("/data/../etc/passwd")
    assert local("x/y.png") == Path("x/y.png")


def test_files_that_are_yet_to_be_fetched_exist(no_folders: None, tmp_path: Path) -> None:
    assert not is_file(tmp_path / "a.png")
    check_files_by(lambda path: path.name == "a.png")
    assert is_file(tmp_path / "a.png")


@pytest.mark.slow
@pytest.mark.usefixtures("quick_networks", "signals", "no_folders")
def test_a_training_elsewhere_is_the_same_training(tmp_path: Path, study: Path) -> None:
    """Also if the table names images by their absolute path, as every second row does here."""
    named = tmp_path / "service" / "study"
    shutil.copytree(study, named, ignore=shutil.ignore_patterns("cache"))
    _name_every_second_image_by_its_whole_path(named / "train.csv")
    run_at_home = tmp_path / "home"
    spec = write_spec(run_at_home, named, baselines=["logistic_regression"])
    assert run_job(spec) == 0

    elsewhere = tmp_path / "node" / "mounted"
    elsewhere.parent.mkdir()
    named.rename(elsewhere)
    run_there = tmp_path / "there"
    there = json.loads(spec.read_text())
    there |= {
        "run_dir": str(run_there),
        "cache_dir": str(tmp_path / "node" / "cache"),
        "roots": [str(elsewhere)],
        "places": [{"named": str(named), "here": str(elsewhere)}],
    }
    run_there.mkdir()
    (run_there / "spec.json").write_text(json.dumps(there))
    assert run_job(run_there / "spec.json") == 0

    assert _checkpoint(run_there) == _checkpoint(run_at_home)
    assert terminal(run_there)["metrics"] == terminal(run_at_home)["metrics"]
    (at_home,), (prepared,) = events_of(run_at_home, "prepared"), events_of(run_there, "prepared")
    assert prepared["prepared"] == at_home["prepared"]
    validation = json.loads(RunDirectory(run_there).validation.read_text())
    assert validation["source"]["csv"] == str(named / "train.csv")
    reported = [*run_there.glob("events.*"), *run_there.rglob("*.json"), RunDirectory(run_there).result]
    for file in {*reported} - {run_there / "spec.json"}:
        assert str(elsewhere) not in file.read_text()


def _name_every_second_image_by_its_whole_path(table: Path) -> None:
    header, *rows = csv.reader(table.read_text().splitlines())
    for row in rows[::2]:
        row[0] = str(table.parent / row[0])
    with table.open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def _checkpoint(run_dir: Path) -> dict[str, str]:
    files = json.loads((RunDirectory(run_dir).checkpoint("best") / "checkpoint.json").read_text())["files"]
    return {part: facts["sha256"] for part, facts in files.items()}
