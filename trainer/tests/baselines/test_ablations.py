"""image_only and table_only: trained after the model by the same loop, on the same cases."""

import json

import numpy as np
import pytest
from tests.baselines.test_job import end_of, evaluated, job, rows_of, validation

from medloom_trainer.contract.run_directory import RunDirectory
from medloom_trainer.inference.checkpoint import load_checkpoint
from medloom_trainer.training import loop
from testing.synthetic import epochs_of

BOTH = ["image_only", "table_only"]


def run(run_dir, study, baselines, **changes):
    config = {"vision_backbone": "mobilenetv3_small_100", "epochs": 2, "augmentation": "none", **changes}
    resume = {key: config.pop(key) for key in ("resume_from",) if key in config}
    return job(run_dir, study, baselines=baselines, **resume, **config)


@pytest.fixture(scope="module")
def trained(tmp_path_factory, study, quick_networks):
    run_dir = tmp_path_factory.mktemp("ablations") / "run"
    assert run(run_dir, study, BOTH) == 0
    return run_dir


def network(run_dir, name):
    return load_checkpoint(RunDirectory(RunDirectory(run_dir).baseline(name)).checkpoint("best"))


@pytest.mark.slow
def test_each_reads_its_half_and_the_rest_is_as_configured(trained):
    whole = load_checkpoint(trained / "checkpoints" / "best").state
    for name, (backbone, fusion) in {
        "image_only": ("mobilenetv3_small_100", "none"),
        "table_only": ("none", "concatenate"),
    }.items():
        state = network(trained, name).state
        model = state["config"]["model"]
        assert (model["vision_backbone"], model["fusion_type"]) == (backbone, fusion)
        assert state["config"]["training"] == whole["config"]["training"]
        assert state["config"]["data"] == whole["config"]["data"]
        assert state["data_digests"] == whole["data_digests"]
        finished = epochs_of(RunDirectory(trained).baseline(name))
        assert finished[state["epoch"] - 1] == state["last_epoch"]
    assert network(trained, "image_only").state["layout"]["columns"] == []
    assert network(trained, "table_only").state["num_views"] == 0


@pytest.mark.slow
def test_the_job_counts_the_epochs_of_the_model_alone(trained):
    lines = [json.loads(line) for line in (trained / "events.1.jsonl").read_text().splitlines()]
    assert [line["epoch"] for line in lines if line["type"] == "epoch_end"] == [1, 2]
    assert sum(line["type"] == "prepared" for line in lines) == 1
    assert end_of(trained)["status"] == "completed"
    assert end_of(trained)["baseline_verdict"]["baseline"] in BOTH


@pytest.mark.slow
def test_they_stand_in_validation_and_in_evaluations(trained, study, tmp_path):
    result = validation(trained)
    assert [one["title"] for one in result["baselines"]] == ["the image-only model", "the table-only model"]
    test = evaluated(trained, study / "train.csv", tmp_path, study)
    assert [one["name"] for one in test["baselines"]] == BOTH
    for one in test["baselines"]:
        assert one["threshold"] == network(trained, one["name"]).state["threshold"]
    chances = [
        [float(row["probability_yes"]) for row in rows_of(tmp_path / one["predictions"])]
        for one in test["baselines"]
    ]
    assert not np.allclose(*chances)


@pytest.mark.slow
def test_a_request_to_end_leaves_the_model_complete_and_the_next_job_goes_on(
    study, trained, tmp_path, quick_networks, monkeypatch
):
    """The stop comes in the first epoch of image_only; a resume trains the rest of it, and table_only."""
    first, second = tmp_path / "first", tmp_path / "second"
    train_epoch, heard = loop.train_epoch, []

    def stopping(run_, model, epoch):
        if run_.spec.part_of is not None and not heard:
            heard.append(epoch)
            (first / "control.1.json").write_text(json.dumps({"request": "stop"}))
        return train_epoch(run_, model, epoch)

    monkeypatch.setattr(loop, "train_epoch", stopping)
    assert run(first, study, BOTH) == 0
    assert end_of(first)["status"] == "completed"
    result = validation(first)
    assert result["baselines"] == []
    unavailable = [found for found in result["warnings"] if found["code"] == "BASELINE_UNAVAILABLE"]
    assert ["(image_only)" in unavailable[0]["message"], "(table_only)" in unavailable[1]["message"]] == [
        True
    ] * 2

    starts = []
    monkeypatch.setattr(
        loop,
        "train_epoch",
        lambda run_, model, epoch: starts.append(epoch) or train_epoch(run_, model, epoch),
    )
    assert run(second, study, BOTH, resume_from=first / "checkpoints" / "last") == 0
    assert [one["name"] for one in validation(second)["baselines"]] == BOTH
    assert starts == [1, 2, 1, 2]
    for name in BOTH:
        ours, theirs = network(second, name).tensors("model"), network(trained, name).tensors("model")
        assert all(ours[key].equal(theirs[key]) for key in theirs)


@pytest.mark.slow
def test_one_that_fails_is_a_warning(study, tmp_path, quick_networks, monkeypatch):
    train_epoch = loop.train_epoch

    def failing(run_, model, epoch):
        if run_.spec.part_of is not None:
            raise RuntimeError("out of memory")
        return train_epoch(run_, model, epoch)

    monkeypatch.setattr(loop, "train_epoch", failing)
    assert run(tmp_path / "run", study, ["image_only", "random_forest"], epochs=1) == 0
    result = validation(tmp_path / "run")
    assert [one["name"] for one in result["baselines"]] == ["random_forest"]
    assert "BASELINE_UNAVAILABLE" in [found["code"] for found in result["warnings"]]
