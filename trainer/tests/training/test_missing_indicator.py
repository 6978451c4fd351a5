"""validity.md rule 20: imputation by a statistic keeps an indicator, in every model and resumed training."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from medloom_trainer.contract.spec import completed
from medloom_trainer.data.apply import prepare_cases
from medloom_trainer.errors import TrainerError
from medloom_trainer.export import export_model, load_model, model_inputs
from medloom_trainer.export.network import outputs_of
from medloom_trainer.export.onnx import run_onnx
from medloom_trainer.export.torchscript import run_torchscript
from medloom_trainer.inference.checkpoint import load_checkpoint, save_checkpoint
from medloom_trainer.inference.predict import predict
from testing.export_models import operators_read_once
from testing.synthetic import StopsAfter, epochs_of, run
from testing.workspace import Workspace

TABLE_ALONE = {"vision_backbone": "none", "hidden_dim": 16}
MEAN = {"missing_strategy": "mean"}


def laboratory(work: Workspace, name: str, count: int, seed: int) -> Path:
    """A laboratory value that is not informative and mostly normal, but is ordered more often for ill
    patients. Its mean looks like a normal value: only an indicator distinguishes a filled value from it.
    """
    random = np.random.default_rng(seed)
    ill = np.arange(count) % 2 == 1
    ordered = random.random(count) < np.where(ill, 0.8, 0.2)
    return work.table(
        name,
        [
            {
                "patient_id": f"{seed}-{case}",
                "lactate": str(random.choice([-1, 0, 1], p=[0.1, 0.8, 0.1])) if ordered[case] else "",
                "age": f"{random.normal(60, 10):.2f}",
                "label": "ill" if ill[case] else "well",
            }
            for case in range(count)
        ],
    )


@pytest.fixture
def study(work: Workspace) -> Workspace:
    laboratory(work, "train.csv", 240, 1)
    laboratory(work, "val.csv", 160, 2)
    return work


def settings(work: Workspace, *, epochs: int = 1, **data: Any) -> dict[str, Any]:
    config = work.config(model=TABLE_ALONE, val_csv=str(work.folder / "val.csv"), **data)
    config["training"] |= {"epochs": epochs, "batch_size": 32, "learning_rate": 0.01}
    return config


def trained(work: Workspace, name: str, *, resume_from: Path | None = None, **options: Any) -> Path:
    config = settings(work, **options)
    run(work.folder / name, config, work.prepare_with(config), resume_from=resume_from)
    return work.folder / name / "checkpoints" / "last"


@pytest.mark.slow
def test_gaps_that_tell_the_label_are_learned_with_the_indicator_and_lost_without(study: Workspace) -> None:
    auc = {}
    for indicator in (True, False):
        config = settings(study, epochs=4, missing_indicator=indicator, **MEAN)
        folder = study.folder / str(indicator)
        run(folder, config, study.prepare_with(config))
        auc[indicator] = epochs_of(folder)[-1]["metrics"]["val_auc"]
    assert auc[True] > 0.75
    assert auc[True] > auc[False] + 0.1


def test_other_cases_are_told_of_where_training_was(study: Workspace) -> None:
    """Fitted on the training part: a column without gaps there has no indicator, and later gaps cause a
    warning."""
    study.table("new.csv", [{"lactate": "", "age": ""}, {"lactate": "1", "age": "60"}])
    prepared = study.prepare_with(settings(study, **MEAN))
    assert [(column.name, column.width) for column in prepared.layout.columns] == [("lactate", 2), ("age", 1)]
    found = prepare_cases(
        prepared.preprocessing,
        study.folder / "new.csv",
        image_root=None,
        split="test",
        roots=[study.folder],
        cache_dir=study.cache,
        progress=lambda message, fraction: None,
        whole_table=True,
        labels_required=False,
    )
    assert found.cases.values[:, 1].tolist() == [1, 0]
    (warning,) = [one for one in found.warnings if one["code"] == "MISSING_NEVER_SEEN"]
    assert '"age" (1)' in warning["message"] and "lactate" not in warning["message"]


@pytest.mark.slow
def test_stop_and_resume_equals_an_undisturbed_run(study: Workspace) -> None:
    config = settings(study, epochs=2, **MEAN)
    data = study.prepare_with(config)
    run(study.folder / "undisturbed", config, data)
    stopping = StopsAfter(study.folder, 3)
    run(study.folder / "stopped", config, data, control=stopping)
    trained(study, "resumed", epochs=2, resume_from=study.folder / "stopped/checkpoints/last", **MEAN)
    assert epochs_of(study.folder / "resumed") == epochs_of(study.folder / "undisturbed")


def older(folder: Path) -> Path:
    """The checkpoint in the form of a version without indicators."""
    checkpoint = load_checkpoint(folder)
    for column in checkpoint.state["preprocessing"]["table"]["columns"]:
        del column["indicator"]
    del checkpoint.state["config"]["data"]["missing_indicator"]
    save_checkpoint(
        folder,
        **{key: checkpoint.manifest[key] for key in ("job_id", "epoch", "metrics")},
        state=checkpoint.state,
        tensors={part: checkpoint.tensors(part) for part in ("model", "optimizer")},
    )
    return folder


@pytest.mark.slow
def test_a_training_of_an_older_version_predicts_and_goes_on_without_indicators(study: Workspace) -> None:
    folder = trained(study, "older", missing_indicator=False, **MEAN)
    data = study.prepare_with(settings(study, missing_indicator=False, **MEAN))

    def predictions() -> Any:
        saved = load_checkpoint(folder)
        network = saved.build_network()
        return predict(network, data.val, data.store, checkpoint_state=saved.state, batch_size=64)

    before = predictions()
    older(folder)
    assert load_checkpoint(folder).state["config"]["data"]["missing_indicator"] is False
    np.testing.assert_array_equal(predictions(), before)
    trained(study, "resumed", epochs=2, resume_from=folder, missing_indicator=False, **MEAN)
    with pytest.raises(TrainerError, match="missing_indicator is True") as caught:
        trained(study, "other", epochs=2, resume_from=folder, **MEAN)
    assert caught.value.code == "CHECKPOINT_MISMATCH"


@pytest.mark.slow
def test_where_no_value_is_filled_in_the_key_decides_nothing(study: Workspace) -> None:
    before = older(trained(study, "older"))
    trained(study, "resumed", epochs=2, resume_from=before)


def test_a_configuration_of_an_older_version_means_no_indicator() -> None:
    config = {"data": {"train_csv": "t.csv", "missing_strategy": "mean"}}
    assert completed(config)["data"]["missing_indicator"] is False
    config["data"]["missing_indicator"] = True  # type: ignore[assignment]
    assert completed(config)["data"]["missing_indicator"] is True


@pytest.mark.slow
def test_an_exported_model_is_told_of_gaps_by_numbers_and_codes(work: Workspace) -> None:
    rows = [
        {"x": "" if case % 3 == 0 else case, "c": "" if case % 4 == 0 else "ab"[case % 2], "label": case % 2}
        for case in range(40)
    ]
    work.table("train.csv", rows)
    work.table("val.csv", [{**row, "x": case} for case, row in enumerate(rows)])
    options: dict[str, Any] = {"missing_strategy": "median", "categorical_encoding": "label"}
    options |= {"numeric_columns": ["x"], "categorical_columns": ["c"]}
    saved = load_checkpoint(trained(work, "run", epochs=2, **options))
    with operators_read_once():
        exported = {name: export_model(saved, format=name) for name in ("PyTorch", "ONNX", "TorchScript")}
    gaps = work.table("new.csv", [{"x": "", "c": "a"}, {"x": 5, "c": ""}, {"x": 5, "c": "a"}])
    inputs = list(model_inputs(exported["ONNX"].document, gaps).values())
    state = saved.state["preprocessing"]["table"]["columns"]
    assert [column["indicator"] for column in state] == [True, True]
    (work.folder / "model.safetensors").write_bytes(exported["PyTorch"].content)
    expected = outputs_of(load_model(work.folder / "model.safetensors").network, inputs)
    np.testing.assert_allclose(run_onnx(exported["ONNX"].content, inputs), expected, atol=1e-5)
    np.testing.assert_allclose(run_torchscript(exported["TorchScript"].content, inputs), expected, atol=1e-5)
    assert len({tuple(row) for row in expected.tolist()}) == 3
