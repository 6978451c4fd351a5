"""The reported results of the best epoch equal those of an evaluation of the saved checkpoint: same network,
same arithmetic.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from medloom_trainer.contract.phrases import with_phrases
from medloom_trainer.evaluation.evaluate import evaluate
from medloom_trainer.exchange.control import Control
from medloom_trainer.exchange.events import Events
from medloom_trainer.inference.checkpoint import load_checkpoint
from medloom_trainer.inference.precision import autocast, full_precision
from medloom_trainer.jobs.job import run_job
from medloom_trainer.metrics.conformal import class_scores
from medloom_trainer.metrics.temperature import different_from_one, fit_temperature
from medloom_trainer.outcomes.classification import Classification
from medloom_trainer.outcomes.multilabel import Multilabel
from medloom_trainer.training.build import build_run
from medloom_trainer.training.distributed.group import Group
from medloom_trainer.training.validation_fit import fit_on_validation
from testing.checkpoints import evaluation_params
from testing.features import inputs, network
from testing.forked_group import forked_groups
from testing.synthetic import configuration, epochs_of, prepared, run, spec_of
from testing.trainer_process import write_spec

_OF_THE_CALL = (
    "source", "warnings", "predictions", "flow", "attempt", "split", "shift", "recalibration",
)  # fmt: skip
"""Parts of a result that describe its origin."""


@pytest.fixture(scope="module")
def tables(study) -> Path:
    """The study with a separate validation table."""
    header, *rows = (study / "train.csv").read_text().splitlines()
    for name, part in (("first", rows[:32]), ("rest", rows[32:])):
        (study / f"{name}.csv").write_text("\n".join([header, *part]) + "\n")
    return study


@pytest.mark.slow
@pytest.mark.usefixtures("quick_networks")
@pytest.mark.parametrize(
    "changes",
    [{"mixed_precision": "bf16"}, {"device": "cpu:2", "batch_size": 7}],
    ids=["bfloat16", "two processes with BatchNorm"],
)
def test_validation_says_what_evaluating_the_saved_checkpoint_says(tmp_path, tables, changes, signals):
    files = {"train_csv": str(tables / "first.csv"), "val_csv": str(tables / "rest.csv")}
    spec = write_spec(tmp_path / "run", tables, **files, seed=3, epochs=2, learning_rate=0.01, **changes)
    with forked_groups():
        assert run_job(spec) == 0
    reported = json.loads((tmp_path / "run" / "metrics" / "validation.json").read_text())
    params = evaluation_params(
        tmp_path / "run" / "checkpoints" / "best",
        files["val_csv"],
        tmp_path / "out",
        split="val",
        cache_dir=str(tables / "cache"),
    )
    measured = json.loads(json.dumps(evaluate(params, lambda message, fraction: None)))
    numbers = {name: value for name, value in measured.items() if name not in _OF_THE_CALL}
    assert_close({name: reported[name] for name in numbers}, numbers)
    best = json.loads((tmp_path / "run" / "result.json").read_text())["best"]
    assert best["metrics"]["val_auc"] == pytest.approx(measured["metrics"]["auc"], abs=1e-6)
    assert best["metrics"] == epochs_of(tmp_path / "run")[best["epoch"] - 1]["metrics"]


def assert_close(one: object, other: object, *, fitted: bool = False) -> None:
    """Equal, numbers to 1e-6. fitted: a line fitted to logits, which amplifies the last bit of a float32."""
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for key in one:
            assert_close(one[key], other[key], fitted=fitted or str(key).startswith("calibration_"))
    elif isinstance(one, list):
        assert len(one) == len(other)
        for pair in zip(one, other, strict=True):
            assert_close(*pair, fitted=fitted)
    elif isinstance(other, float):
        assert one == (pytest.approx(other, rel=1e-3) if fitted else pytest.approx(other, rel=1e-6, abs=1e-6))
    else:
        assert one == other


@pytest.mark.parametrize("fusion", ["concatenate", "attention"])
def test_the_head_computes_in_full_width_under_autocast(fusion):
    model = network(vision_backbone="none", fusion_type=fusion).eval()
    table = inputs(cases=64)[2:]
    with torch.no_grad(), autocast("bf16", torch.device("cpu")):
        logits = model(None, None, *table)
    assert logits.dtype == torch.float32
    assert (logits != logits.bfloat16()).float().mean() > 0.9


def test_full_precision_forbids_tensor_float_32_for_as_long_as_it_lasts():
    backends = (torch.backends.cudnn, torch.backends.cuda.matmul)
    before = [backend.allow_tf32 for backend in backends]
    with full_precision():
        assert not any(backend.allow_tf32 for backend in backends)
    assert [backend.allow_tf32 for backend in backends] == before


def test_the_processes_of_a_group_begin_with_the_same_weights_and_draw_their_own_numbers(tmp_path):
    """For the run that each process builds, before the processes communicate."""
    weights, draws = [], []
    for rank in (0, 1, 1):
        run_dir = tmp_path / f"{len(draws)}"
        run_dir.mkdir()
        with Events(run_dir, 1) as events:
            run = build_run(
                spec_of(tmp_path, configuration(vision_backbone="none", members=1, seed=4)),
                prepared(num_views=0),
                events=events,
                control=Control(tmp_path, 1),
                group=Group(rank, 2, torch.device("cpu"), None),
            )
        weights.append(torch.cat([p.detach().flatten() for p in run.components.network.parameters()]))
        draws.append(torch.rand(8))
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(draws[0], draws[1])
    assert torch.equal(draws[1], draws[2])


class TestWhatIsFittedOnValidation:
    """Stored in the checkpoint of its epoch."""

    def test_the_temperature_is_that_of_the_predictions_of_the_checkpoint(self, tmp_path):
        data = prepared(val_cases=120, num_views=0)
        config = configuration(vision_backbone="none", epochs=3, learning_rate=0.03)
        outcome = run(tmp_path, config, data)
        best = load_checkpoint(tmp_path / "checkpoints" / "best").state["fitted_on_validation"]
        expected = fit_temperature(data.val.labels, outcome.best_predictions, data.val.patients)
        assert best["temperature"] == with_phrases(different_from_one(expected)._asdict())
        assert (best["cases"], best["patients"]) == (120, 120)

    @pytest.mark.parametrize(
        ("data", "reason"),
        [
            (prepared(val_cases=60, num_views=0), "only 60 validation patients; 100 are required"),
            (
                replace(prepared(val_cases=120, num_views=0), member_folds=np.zeros(146, np.int64)),
                "no temperature can be fitted",
            ),
            (prepared(val_cases=40, num_views=0, task="regression"), "does not predict class probabilities"),
        ],
    )
    def test_where_it_cannot_be_had_there_is_a_reason(self, tmp_path, data, reason):
        run(tmp_path, configuration(vision_backbone="none", epochs=1), data)
        fitted = load_checkpoint(tmp_path / "checkpoints" / "best").state["fitted_on_validation"]
        assert fitted["temperature"]["value"] is None and reason in fitted["temperature"]["reason"]

    @pytest.mark.parametrize(
        ("cases", "rare", "reason"),
        [
            (99, 40, "only 99 validation cases; 100 are required"),
            (100, 40, None),
            (150, 9, "only 9 validation cases of the rarer class; 10 are required"),
            (150, 10, None),
        ],
    )
    def test_a_temperature_needs_100_cases_and_10_of_a_class(self, cases, rare, reason):
        labels = (np.arange(cases) < rare).astype(int)
        # Two thirds are correct with a probability of 0.98: far too certain at any size.
        yes = np.where(np.arange(cases) % 3 < 2, 0.02 + 0.96 * labels, 0.98 - 0.96 * labels)
        probabilities = np.stack([1 - yes, yes], axis=1)
        loop = configuration()["training"]
        fitted = fit_on_validation(Classification(("no", "yes")), labels, None, probabilities, loop)
        assert (fitted["temperature"]["value"] is not None) is (reason is None)
        assert reason is None or reason in fitted["temperature"]["reason"]

    def test_classes_that_are_rare_on_validation_fit_none(self):
        loop = configuration()["training"]
        labels = np.array([0] * 40 + [1] * 4)
        probabilities = np.tile([0.7, 0.3], (44, 1))
        fitted = fit_on_validation(Classification(("no", "yes")), labels, None, probabilities, loop)
        assert "only 4 validation cases of the rarer class" in fitted["temperature"]["reason"]
        fitted = fit_on_validation(Classification(("no", "yes")), labels * 0, None, probabilities, loop)
        assert fitted["temperature"]["reason"] == "the validation cases have only one class"
        assert fitted["threshold_reason"] == "the validation cases have only one class"
        flags = np.array([[1, 0], [0, 0], [1, -1]])
        found = Multilabel(("a", "b")).why_no_threshold(flags, np.array([[0.9, 0.1], [0.2, 0.3], [0.8, 0.5]]))
        assert found == "b: the validation cases have only one class"

    def test_operating_points_are_those_of_the_configuration(self, tmp_path):
        data = prepared(val_cases=60, num_views=0)
        rules = [{"rule": "specificity", "at_least": 0.8}, {"rule": "youden"}]
        config = configuration(vision_backbone="none", epochs=2, operating_points=rules)
        outcome = run(tmp_path, config, data)
        state = load_checkpoint(tmp_path / "checkpoints" / "best").state
        points = state["fitted_on_validation"]["operating_points"]
        assert [point["rule"] for point in points] == rules
        assert points[1]["threshold"] == state["threshold"]
        called = outcome.best_predictions[:, 1] >= points[0]["threshold"]
        assert points[0]["specificity"] == pytest.approx((~called[data.val.labels == 0]).mean())
        assert points[0]["specificity"] >= 0.8

    def test_several_classes_and_numbers_have_no_operating_points(self, tmp_path):
        for name, data in {"a": prepared(classes=3, num_views=0), "b": prepared(task="regression")}.items():
            run(tmp_path / name, configuration(vision_backbone="none", epochs=1), data)
            state = load_checkpoint(tmp_path / name / "checkpoints" / "best").state
            assert state["fitted_on_validation"]["operating_points"] == []

    @pytest.mark.parametrize("method", ["lac", "aps"])
    def test_conformal_sets_are_calibrated_as_the_configuration_says(self, tmp_path, method):
        data = prepared(val_cases=60, num_views=0, classes=3)
        conformal = {"alpha": 0.2, "method": method}
        config = configuration(vision_backbone="none", epochs=1, conformal=conformal)
        outcome = run(tmp_path, config, data)
        fitted = load_checkpoint(tmp_path / "checkpoints" / "best").state["fitted_on_validation"]
        scores = class_scores(outcome.best_predictions, method)[np.arange(60), data.val.labels]
        assert fitted["conformal"]["quantile"] == np.sort(scores)[48]  # of rank ceil(0.8 * 61)
        assert (fitted["conformal"]["alpha"], fitted["conformal"]["method"]) == (0.2, method)

    @pytest.mark.parametrize(
        ("conformal", "cases", "reason"),
        [
            (None, 60, "not requested"),
            ({"alpha": 0.1, "method": "lac"}, 12, "only 12 validation patients; 20 are required"),
            ({"alpha": 0.01, "method": "lac"}, 60, "only 60 validation patients; 99 are required"),
        ],
    )
    def test_where_there_are_no_sets_there_is_a_reason(self, tmp_path, conformal, cases, reason):
        config = configuration(vision_backbone="none", epochs=1, conformal=conformal)
        run(tmp_path, config, prepared(val_cases=cases, num_views=0))
        fitted = load_checkpoint(tmp_path / "checkpoints" / "best").state["fitted_on_validation"]
        assert fitted["conformal"]["quantile"] is None and fitted["conformal"]["reason"] == reason
