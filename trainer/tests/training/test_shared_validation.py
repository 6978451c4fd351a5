"""Values fitted for an ensemble of trainings: only on validation cases that all members share."""

import json
import shutil

import numpy as np
import pytest
import torch

from medloom_trainer.errors import TrainerError
from medloom_trainer.evaluation.evaluate import evaluate
from medloom_trainer.inference.checkpoint import load_checkpoint
from medloom_trainer.outcomes import kind_of
from medloom_trainer.training.combine import combine
from medloom_trainer.training.validation_fit import fit_on_validation
from testing.checkpoints import configuration, evaluation_params, write_checkpoint, write_table

ENSEMBLE_ID = "1c9d2c1e-7a54-4b0e-9c1d-0a1b2c3d4e5f"


def said(message, fraction):
    pass


def trained(folder, seed, *, val=7, rows=90, **changes):
    """A model whose run stores the predictions of its validation cases, which `val` draws."""
    table = write_table(folder / "train.csv", seed=1)
    beside = write_table(folder / "val.csv", seed=val, rows=rows)
    conformal = {"alpha": 0.2, "method": "lac"}
    torch.manual_seed(seed)
    config = configuration(
        table, data__val_csv=str(beside), training__conformal=conformal, model__members=1, **changes
    )
    checkpoint = write_checkpoint(folder / "run", config, folder / "cache")
    metrics = folder / "run" / "metrics"
    evaluate(evaluation_params(checkpoint, beside, metrics), said)
    (metrics / "evaluation.json").rename(metrics / "validation.json")
    return checkpoint


def combined(folder, checkpoints):
    """→ the folder of its checkpoint, and the result."""
    result = combine(
        {
            "members": [{"name": f"model {n}", "checkpoint": str(one)} for n, one in enumerate(checkpoints)],
            **{"job_id": ENSEMBLE_ID, "job_name": "together", "run_dir": str(folder / "ensemble")},
            **{"data_dir": str(folder), "roots": []},
        },
        said,
    )
    return folder / "ensemble" / "checkpoints" / "best", result


def predicted(checkpoint, folder, **changes):
    """(labels, probabilities, result) for the shared validation table."""
    result = evaluate(evaluation_params(checkpoint, folder / "a" / "val.csv", folder / "x", **changes), said)
    with (folder / "x" / "predictions.csv").open(newline="", encoding="utf-8") as file:
        header, *rows = (line.rstrip("\r\n").split(",") for line in file)
    table = {name: [row[index] for row in rows] for index, name in enumerate(header)}
    return *kind_of(load_checkpoint(checkpoint).state).read_columns(table), result


@pytest.mark.slow
def test_what_seeds_of_one_division_share_is_fitted_to_their_mean(tmp_path):
    """Like for a single model on its validation cases, with the mean that the ensemble predicts for them."""
    members = [trained(tmp_path / name, seed, rows=240) for seed, name in ((1, "a"), (2, "b"))]
    ensemble, result = combined(tmp_path, members)
    assert result["fitted_on_validation"] == {"cases": 240, "reason": None}
    state = load_checkpoint(ensemble).state
    labels, probabilities, _ = predicted(ensemble, tmp_path)
    mean = np.mean([predicted(one, tmp_path)[1] for one in members], axis=0)
    patients = np.repeat(np.arange(120), 2)
    kind, fitted = kind_of(state), state["fitted_on_validation"]
    expected = fit_on_validation(kind, labels, patients, mean, state["config"]["training"])
    assert state["threshold"] == pytest.approx(kind.choose_threshold(labels, mean), abs=1e-6)
    bounds = [fitted["temperature"][name] for name in ("low", "high")]
    assert bounds == pytest.approx([expected["temperature"][name] for name in ("low", "high")], rel=0.05)
    assert fitted["conformal"]["quantile"] == pytest.approx(expected["conformal"]["quantile"], abs=1e-5)
    assert (fitted["cases"], fitted["patients"]) == (240, 120)
    assert probabilities == pytest.approx(mean, abs=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "damage", "reason"),
    [
        ({"val": 8}, None, "have different validation cases"),
        ({"data__fold": {"k": 3, "index": 1, "repeat": 0, "seed": 0}}, None, "left out different folds"),
        ({}, lambda run: shutil.rmtree(run / "metrics"), "of member 2 are missing"),
        (
            {},
            lambda run: (run / "metrics" / "validation.json").write_text(
                json.dumps({"source": {"checkpoint_digest": "of an earlier epoch"}})
            ),
            "of member 2 are missing",
        ),
    ],
    ids=["other cases", "folds", "not kept", "of another checkpoint"],
)
def test_where_no_cases_are_left_out_by_all_nothing_is_fitted(tmp_path, changes, damage, reason):
    fold = {"data__fold": {"k": 3, "index": 0, "repeat": 0, "seed": 0}} if "data__fold" in changes else {}
    members = [trained(tmp_path / "a", 1, **fold), trained(tmp_path / "b", 2, **changes)]
    if damage is not None:
        damage(tmp_path / "b" / "run")
    ensemble, result = combined(tmp_path, members)
    assert result["fitted_on_validation"]["cases"] is None
    assert reason in result["fitted_on_validation"]["reason"]
    state = load_checkpoint(ensemble).state
    thresholds = [load_checkpoint(one).state["threshold"] for one in members]
    assert state["threshold"] == pytest.approx(np.mean(thresholds))
    assert reason in state["fitted_on_validation"]["conformal"]["reason"]
    with pytest.raises(TrainerError) as caught:
        predicted(ensemble, tmp_path, calibrated=True)
    assert caught.value.code == "TEMPERATURE_UNAVAILABLE" and reason in caught.value.message
