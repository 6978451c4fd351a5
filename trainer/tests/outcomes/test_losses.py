"""Losses of single cases, class weights and smoothing."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from medloom_trainer.contract.schemas import contract
from medloom_trainer.errors import TrainerError
from medloom_trainer.outcomes.classification import Classification
from medloom_trainer.outcomes.losses import LOSSES
from medloom_trainer.outcomes.regression import Regression
from testing.synthetic import configuration

LABELS = np.array([0, 0, 0, 1, 2, 2])
CLASSES = ("a", "b", "c")
OUTPUTS = torch.randn(6, 3, generator=torch.Generator().manual_seed(0))


def loss_of(task="classification", labels=LABELS, **changes):
    loop = configuration(**changes)["training"]
    kind = Classification(CLASSES) if task == "classification" else Regression(mean=0, std=1)
    return kind.loss(loop, labels)


def per_case(**changes):
    return loss_of(**changes)(OUTPUTS, torch.from_numpy(LABELS))


def test_every_loss_of_the_contract_exists():
    assert {"auto", *LOSSES} == set(
        contract("spec")["$defs"]["LoopConfig"]["properties"]["loss_function"]["enum"]
    )


def test_auto_is_cross_entropy_for_classes_and_the_squared_error_for_numbers():
    expected = F.cross_entropy(OUTPUTS, torch.from_numpy(LABELS), reduction="none")
    torch.testing.assert_close(per_case(), expected)
    numbers = torch.tensor([1.0, -2.0])
    squares = loss_of(task="regression", labels=numbers.numpy())(torch.zeros(2, 1), numbers)
    torch.testing.assert_close(squares, torch.tensor([1.0, 4.0]))


@pytest.mark.parametrize(
    ("name", "expected"), [("mse", [0.25, 9.0]), ("mae", [0.5, 3.0]), ("huber", [0.125, 2.5])]
)
def test_losses_for_numbers(name, expected):
    losses = loss_of(task="regression", labels=np.zeros(2), loss_function=name)(
        torch.tensor([[0.5], [3.0]]), torch.zeros(2)
    )
    torch.testing.assert_close(losses, torch.tensor(expected))


def test_focal_is_cross_entropy_times_the_squared_doubt():
    plain, focal = per_case(), per_case(loss_function="focal")
    torch.testing.assert_close(focal, (1 - (-plain).exp()) ** 2 * plain)


def test_label_smoothing():
    expected = F.cross_entropy(OUTPUTS, torch.from_numpy(LABELS), reduction="none", label_smoothing=0.2)
    torch.testing.assert_close(per_case(label_smoothing=0.2), expected)


def test_balanced_weights_make_classes_count_the_same_and_average_one():
    weights = loss_of(class_weights="balanced").class_weights
    counts = np.bincount(LABELS)
    np.testing.assert_allclose(weights.numpy() * counts, [2, 2, 2], rtol=1e-6)


def test_named_weights_keep_their_ratio_and_average_one_over_the_cases():
    weights = loss_of(class_weights={"c": 30, "a": 10, "b": 10}).class_weights
    assert weights[2] / weights[0] == pytest.approx(3)
    assert float(weights[LABELS].mean()) == pytest.approx(1)
    torch.testing.assert_close(per_case(class_weights={"a": 1, "b": 1, "c": 3}), per_case() * weights[LABELS])


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"class_weights": {"a": 1, "b": 1, "c": 1, "d": 2}}, "unknown classes: d"),
        ({"class_weights": {"a": 1, "b": 1}}, "has no weights for: c"),
        ({"loss_function": "mse"}, "requires a numeric label"),
        ({"task": "regression", "loss_function": "focal"}, "requires a categorical label"),
        ({"task": "regression", "class_weights": "balanced"}, "class_weights"),
        ({"task": "regression", "label_smoothing": 0.1}, "label_smoothing"),
    ],
)
def test_what_does_not_fit_the_task_is_refused(changes, place):
    task = changes.pop("task", "classification")
    with pytest.raises(TrainerError) as caught:
        loss_of(task=task, **changes)
    assert caught.value.code == "INVALID_CONFIG"
    assert place in caught.value.message
