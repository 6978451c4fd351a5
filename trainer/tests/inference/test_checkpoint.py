"""A checkpoint is either complete or the previous one; a damaged one is never used."""

from __future__ import annotations

import json
import operator
import os
import random
import resource
import signal
import subprocess
import time
from functools import partial
from pathlib import Path

import pytest
import torch

from medloom_trainer.contract.spec import contract_defaults
from medloom_trainer.errors import TrainerError
from medloom_trainer.inference.checkpoint import load_checkpoint, save_checkpoint, share_checkpoint
from medloom_trainer.inference.predict import predict
from testing.contracts import require_contract
from testing.eventually import eventually
from testing.forked import forked
from testing.synthetic import configuration, prepared, run, written_before

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("quick_networks")]

JOB = "00000000-0000-4000-8000-000000000001"


def save(folder: Path, number: int, *, size: int = 1000) -> None:
    save_checkpoint(
        folder,
        job_id=JOB,
        epoch=number,
        metrics={"val_loss": float(number), "val_auc": float("nan")},
        state={"number": number, "config": {}},
        tensors={"model": {"w": torch.full((size,), float(number))}, "optimizer": {"m": torch.ones(3)}},
    )


def number_in(folder: Path) -> int:
    checkpoint = load_checkpoint(folder)
    assert (checkpoint.tensors("model")["w"] == checkpoint.state["number"]).all()
    return checkpoint.state["number"]


def test_a_newer_checkpoint_replaces_the_older_and_its_files(tmp_path):
    for number in (1, 2, 3):
        save(tmp_path, number)
    assert number_in(tmp_path) == 3
    manifest = json.loads((tmp_path / "checkpoint.json").read_text())
    require_contract(manifest, "checkpoint")
    named = {facts["file"] for facts in manifest["files"].values()}
    assert {path.name for path in tmp_path.iterdir()} == named | {"checkpoint.json"}
    assert all(facts["sha256"][:16] in facts["file"] for facts in manifest["files"].values())
    assert manifest["metrics"] == {"val_loss": 3.0, "val_auc": None}


@pytest.mark.parametrize("part", ["model", "optimizer", "state"])
@pytest.mark.parametrize("damage", ["changed", "missing"])
def test_a_damaged_part_is_found_by_its_digest(tmp_path, part, damage):
    save(tmp_path, 1)
    path = next(tmp_path.glob(f"{part}.*"))
    if damage == "missing":
        path.unlink()
    else:
        content = bytearray(path.read_bytes())
        content[-1] ^= 1
        path.write_bytes(content)
    with pytest.raises(TrainerError) as caught:
        load_checkpoint(tmp_path)
    assert caught.value.code == "CHECKPOINT_CORRUPT"
    assert part in caught.value.message


@pytest.mark.parametrize(
    "manifest", ["{", "[]", '{"files": {"model": {"file": "../../secret", "sha256": ""}}}', '{"files": 3}']
)
def test_a_manifest_that_is_damaged_or_points_elsewhere_is_refused(tmp_path, manifest):
    (tmp_path / "checkpoint.json").write_text(manifest)
    with pytest.raises(TrainerError) as caught:
        load_checkpoint(tmp_path)
    assert caught.value.code == "CHECKPOINT_CORRUPT"


def test_no_checkpoint_is_not_a_damaged_one(tmp_path):
    with pytest.raises(TrainerError) as caught:
        load_checkpoint(tmp_path / "best")
    assert caught.value.code == "CHECKPOINT_NOT_FOUND"


def test_a_shared_checkpoint_outlives_its_source(tmp_path):
    save(tmp_path / "last", 1)
    share_checkpoint(tmp_path / "last", tmp_path / "best")
    save(tmp_path / "last", 2)
    assert (number_in(tmp_path / "best"), number_in(tmp_path / "last")) == (1, 2)
    share_checkpoint(tmp_path / "last", tmp_path / "best")
    assert number_in(tmp_path / "best") == 2


def save_without_end(folder: Path) -> None:
    for number in range(2, 100_000):
        save(folder, number, size=200_000)


def test_kill_in_the_middle_of_saving_leaves_a_whole_checkpoint(tmp_path):
    save(tmp_path, 1)
    generator = random.Random(0)

    def saved_at() -> int:
        return (tmp_path / "checkpoint.json").stat().st_mtime_ns

    for _ in range(4):
        before = saved_at()
        writer = forked(lambda: save_without_end(tmp_path))
        eventually(saved_at, partial(operator.ne, before))
        time.sleep(generator.random() * 0.1)  # at any point of the next saves
        writer.kill()
        number_in(tmp_path)
    save(tmp_path, 7)
    assert number_in(tmp_path) == 7
    assert len(list(tmp_path.iterdir())) == 4  # files of the killed writers are removed


def test_a_full_disk_is_named_and_the_old_checkpoint_stays(tmp_path):
    """A limit on the size of files replaces the disk: the same failure of the same write."""
    folder, answer = tmp_path / "last", tmp_path / "answer"
    save(folder, 1)
    before = sorted(path.name for path in folder.iterdir())

    def fill() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        with pytest.raises(TrainerError) as caught:
            save(folder, 2, size=200_000)
        answer.write_text(caught.value.code)

    assert forked(fill).exit_code() == 0
    assert answer.read_text() == "DISK_FULL"
    assert number_in(folder) == 1
    assert sorted(path.name for path in folder.iterdir()) == before


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs to mount a small disk")
def test_a_disk_that_is_really_full(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", disk], capture_output=True
    ).returncode:
        pytest.skip("mounting is not allowed here")
    try:
        save(disk / "last", 1, size=20_000)
        with pytest.raises(TrainerError) as caught:
            save(disk / "last", 2, size=60_000)
        assert caught.value.code == "DISK_FULL"
        assert number_in(disk / "last") == 1
    finally:
        subprocess.run(["umount", disk], check=True)


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_a_checkpoint_is_enough_to_predict(tmp_path, task):
    data = prepared(task=task, num_views=2)
    outcome = run(tmp_path, configuration(epochs=1, num_heads=2), data)
    best = load_checkpoint(tmp_path / outcome.best_checkpoint)
    predictions = predict(
        best.build_network(), data.val, data.store, checkpoint_state=best.state, batch_size=5
    )
    torch.testing.assert_close(
        torch.from_numpy(predictions), torch.from_numpy(outcome.best_predictions), rtol=1e-5, atol=1e-6
    )
    if task == "classification":
        assert predictions.shape == (12, 2)
    else:
        assert predictions.shape == (12,)
        assert (
            abs(predictions.mean() - data.train.labels.mean()) < 3 * data.train.labels.std()
        )  # original units


def test_a_checkpoint_that_is_older_than_a_key_of_the_model_predicts_with_its_default(tmp_path):
    data = prepared()
    config = configuration(epochs=1)
    outcome = run(tmp_path, config, data)
    assert config["model"]["dropout"] == contract_defaults("ModelConfig")["dropout"]
    old = load_checkpoint(written_before("model", "dropout", tmp_path / outcome.best_checkpoint))
    state = json.loads((old.folder / old.manifest["files"]["state"]["file"]).read_text())
    assert "dropout" not in state["config"]["model"]
    predictions = predict(old.build_network(), data.val, data.store, checkpoint_state=old.state, batch_size=5)
    torch.testing.assert_close(
        torch.from_numpy(predictions), torch.from_numpy(outcome.best_predictions), rtol=1e-5, atol=1e-6
    )
