"""Linear models of the networks of an ensemble: the cases to which they are fitted, and their share."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression, Ridge

from medloom_trainer.contract.members import linear_share
from medloom_trainer.contract.spec import completed
from medloom_trainer.data.types import Cases, PreparedData
from medloom_trainer.inference.checkpoint import Checkpoint, load_checkpoint
from medloom_trainer.inference.predict import predict
from medloom_trainer.model.linear import LinearTable
from medloom_trainer.model.mixing import share_outputs
from medloom_trainer.training.members import linear
from testing.synthetic import LAYOUT, configuration, prepared, run

pytestmark = pytest.mark.usefixtures("quick_networks")

TABLE = {"vision_backbone": "none", "fusion_type": "concatenate", "epochs": 1, "batch_size": 8, "members": 3}


def data_of(task: str = "classification", *, folds: bool = True) -> PreparedData:
    data = prepared(train_cases=90, val_cases=30, num_views=0, task=task)
    fold = np.random.default_rng(3).permutation(np.arange(120) % 3)
    return replace(data, member_folds=fold if folds else None)


def trained(folder: Path, data: PreparedData, **settings: object) -> Checkpoint:
    run(folder, configuration(**{**TABLE, **settings}), data)
    return load_checkpoint(folder / "checkpoints" / "last")


def one_strength(monkeypatch: pytest.MonkeyPatch, strength: float) -> None:
    monkeypatch.setattr(linear, "STRENGTHS", (strength,))
    monkeypatch.setattr(linear, "_SETTLED", 1e-7)


def design(cases: Cases, center: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """A row in the form that the model reads: the scaled number, the others, indicators of codes and of
    existing values."""
    values = cases.values.astype(np.float64)
    values[:, :1] = (values[:, :1] - center) / scale
    codes = (cases.codes == np.arange(1, 5)).astype(np.float64)
    return np.hstack([values, codes, cases.present])


def both(data: PreparedData, part: str) -> np.ndarray:
    return np.concatenate([getattr(data.train, part), getattr(data.val, part)])


@pytest.mark.slow
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_it_is_the_penalized_model_of_the_cases_of_its_member(task, tmp_path, monkeypatch):
    """Compared with scikit-learn, fitted on everything except the fold of the member."""
    one_strength(monkeypatch, 2.0)
    data = data_of(task)
    checkpoint = trained(tmp_path, data, linear_share=1)
    cases = replace(data.train, **{part: both(data, part) for part in ("values", "codes", "present")})
    labels = both(data, "labels")
    for member, model in enumerate(checkpoint.build_network().linear_models):
        mine = data.member_folds != member
        numbers = cases.values[mine, :1].astype(np.float64)
        matrix = design(cases, numbers.mean(axis=0), numbers.std(axis=0))
        table = (torch.from_numpy(part) for part in (cases.values, cases.codes, cases.present))
        found = model(*table).detach().numpy()
        if task == "classification":
            # Two rows of coefficients for two classes: each has half of the difference.
            expected = LogisticRegression(C=4.0, max_iter=5000, tol=1e-9).fit(matrix[mine], labels[mine])
            np.testing.assert_allclose(
                found[:, 1] - found[:, 0], expected.decision_function(matrix), atol=2e-3
            )
        else:
            norm = data.label_normalization
            targets = (labels - norm["mean"]) / norm["std"]
            expected = Ridge(alpha=0.25).fit(matrix[mine], targets[mine])
            np.testing.assert_allclose(found[:, 0], expected.predict(matrix), atol=2e-3)


@pytest.mark.slow
def test_the_fold_of_a_member_does_not_teach_its_model(tmp_path, monkeypatch):
    one_strength(monkeypatch, 1.0)
    data = data_of()
    values = data.train.values.copy()
    values[data.member_folds[:90] == 1] += 3
    other = replace(data, train=replace(data.train, values=values))
    models = [
        trained(tmp_path / name, cases).build_network().linear_models
        for name, cases in {"one": data, "other": other}.items()
    ]
    same = [
        all(torch.equal(a, b) for a, b in zip(one.parameters(), two.parameters(), strict=True))
        for one, two in zip(*models, strict=True)
    ]
    assert same == [False, True, False]


@pytest.mark.slow
def test_the_penalty_is_the_one_that_predicts_best_what_members_leave_out(tmp_path, capsys, all_fits):
    """Labels that no column predicts: the strongest penalty. Labels that a column predicts: a weak one."""
    data = data_of()
    chosen = []
    for name, teaches in {"noise": False, "signal": True}.items():
        rng = np.random.default_rng(5)
        parts = {}
        for split in ("train", "val"):
            cases = getattr(data, split)
            told = cases.values[:, 0] > 0 if teaches else rng.random(len(cases.values)) > 0.5
            parts[split] = replace(cases, labels=told.astype(np.int64))
        trained(tmp_path / name, replace(data, **parts))
        chosen.append(float(capsys.readouterr().out.split("C = ")[1].split()[0]))
    assert chosen[0] <= 0.01 and chosen[1] >= 10


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_the_model_has_its_share_of_the_prediction(share, tmp_path):
    data = data_of(folds=False)
    checkpoint = trained(tmp_path, data, linear_share=share)
    network = checkpoint.build_network()
    assert len(network.linear_models) == (3 if share else 0)
    table = [torch.from_numpy(part) for part in (data.val.values, data.val.codes, data.val.present)]
    with torch.inference_mode():
        networks = [member(None, None, *table).softmax(dim=1) for member in network.networks]
        models = [model(*table).softmax(dim=1) for model in network.linear_models]
    expected = (1 - share) * torch.stack(networks).mean(dim=0)
    if models:
        expected = expected + share * torch.stack(models).mean(dim=0)
    found = predict(network, data.val, None, checkpoint_state=checkpoint.state)
    np.testing.assert_allclose(found, expected, atol=1e-6)


@pytest.mark.slow
def test_several_networks_have_it_by_default_and_one_has_none(tmp_path):
    data = data_of(folds=False)
    assert len(trained(tmp_path / "several", data).build_network().linear_models) == 3
    alone = trained(tmp_path / "one", data, members=1)
    assert not any(name.startswith(("linear", "members")) for name in alone.tensors("model"))
    assert alone.state["config"]["model"]["linear_share"] == 0


def test_models_of_older_versions_have_none():
    config = configuration(**TABLE)
    del config["model"]["linear_share"]
    assert linear_share(completed(config)) == 0


@pytest.mark.slow
def test_a_fine_tuning_begins_with_the_trained_model(tmp_path, monkeypatch):
    """The penalty shrinks towards it, not towards zero."""
    data = data_of(folds=False)
    first = trained(tmp_path / "first", data)
    one_strength(monkeypatch, 1e-9)
    folder = str(tmp_path / "first" / "checkpoints" / "last")
    other = data_of(folds=False)
    second = trained(tmp_path / "second", other, fine_tune_from=folder)
    models = (one.build_network().linear_models[0] for one in (first, second))
    (values, *_), (again, *_) = (list(model.parameters()) for model in models)
    assert values.abs().max() > 0.01
    torch.testing.assert_close(again, values, atol=1e-4, rtol=0)


def test_what_training_never_saw_says_nothing():
    model = LinearTable(LAYOUT, 2)
    for parameter in model.parameters():
        parameter.copy_(torch.randn_like(parameter))
    rest = (torch.zeros(1, 4), torch.zeros(1, 3, dtype=torch.bool))
    scores = model(rest[0], torch.zeros(1, 1, dtype=torch.long), rest[1])
    torch.testing.assert_close(scores[0], model.bias.data)


@pytest.mark.parametrize("task", ["multilabel", "survival"])
def test_labels_and_curves_are_averaged(task):
    first, second = torch.randn(2, 6, 4, generator=torch.Generator().manual_seed(0)).double()

    def shown(outputs: torch.Tensor) -> torch.Tensor:
        return outputs.sigmoid() if task == "multilabel" else (1 - outputs.sigmoid()).cumprod(dim=1)

    found = shown(share_outputs(first, second, 0.25, task=task))
    torch.testing.assert_close(found, 0.75 * shown(first) + 0.25 * shown(second))
