"""The linear models that complement the networks of an ensemble: each is fitted to convergence on the cases
that train its network, with one common penalty, which predicts the left-out cases of the members best.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.types import Cases
from medloom_trainer.inference.batches import Indices
from medloom_trainer.inference.predict import StopRequested
from medloom_trainer.model.linear import LinearTable, linear_scores
from medloom_trainer.model.linear_fit import STRENGTHS, scaled_values, standardization
from medloom_trainer.outcomes.losses import CaseLoss
from medloom_trainer.training.build import TrainingRun
from medloom_trainer.training.members.learners import Learners

_ITERATIONS = 1000
_SETTLED = 1e-4
"""Relative to the mean loss: the largest gradient with respect to a coefficient at which a fit ends."""
_OF_BIAS = 1e-3
"""Penalty of an intercept: a class or an event that no training case has remains possible."""
_BIAS = 2
"""Its index among the parameters of `LinearTable`."""


def fit_linear_models(run: TrainingRun, learners: Learners) -> bool:
    """Fit the linear model of each member, starting from its current state. The penalty also shrinks it
    towards this state: zero, or the trained model of a fine-tuning. Return False if a stop was requested;
    nothing is changed then.
    """
    models, rows = learners.network.linear_models, learners.rows
    if not models:
        return True

    def after_step() -> None:
        run.events.step(phrase("fitting_linear_models"))
        if run.control.stops():
            raise StopRequested

    loss = run.kind.loss(run.loop, learners.targets)
    scaled = scaled_values(run.data.layout)
    count = len(models) if rows.folds else 1  # without folds they all learn from the same cases
    fits = [
        _Fit(models[member], learners.table, learners.targets, rows.training[member], scaled, loss)
        for member in range(count)
    ]
    try:
        losses = [fit.path(rows.validation[member], after_step) for member, fit in enumerate(fits)]
    except StopRequested:
        return False
    best = int(np.argmin(np.nan_to_num(np.sum(losses, axis=0), nan=np.inf)))
    print(f"linear models in addition to the networks: C = {STRENGTHS[best]:g}", flush=True)
    for member, model in enumerate(models):
        fits[member % count].give(model, best)
    return True


class _Rows(NamedTuple):
    """Cases in the form that one fit reads."""

    table: tuple[Tensor, Tensor, Tensor]
    """Scaled values (N, P) in double precision, codes (N, E), present (N, C)."""
    before: Tensor
    """(N, K) outputs of the model before it is fitted."""
    targets: Tensor


class _Fit:
    """Fit of one model: the difference from its current state, in coefficients of scaled values."""

    def __init__(
        self,
        model: LinearTable,
        table: Cases,
        targets: npt.NDArray[Any],
        training: Indices,
        scaled: Sequence[int],
        loss: CaseLoss,
    ) -> None:
        self._start = [parameter.detach().cpu().double() for parameter in model.parameters()]
        self._table, self._targets, self._loss = table, targets, loss
        self._center, self._scale = standardization(table.values[training].astype(np.float64), scaled)
        self._of_training = training
        self._path: list[list[Tensor]] = []
        """For each strength: the difference, in the order of the parameters."""

    def path(self, validation: Indices, after_step: Callable[[], None]) -> npt.NDArray[np.float64]:
        """Fit with each of the strengths, in the order of decreasing penalty. → loss of the validation
        cases, summed"""
        from scipy.optimize import minimize

        losses, rows, held = [], self._rows(self._of_training), self._rows(validation)
        found = np.zeros(sum(part.numel() for part in self._start))
        for strength in STRENGTHS:

            def objective(
                point: npt.NDArray[np.float64], c: float = strength
            ) -> tuple[float, npt.NDArray[np.float64]]:
                after_step()
                return self._objective(point, c, rows)

            settled = {"maxiter": _ITERATIONS, "gtol": _SETTLED, "ftol": 0.0}
            found = minimize(objective, found, jac=True, method="L-BFGS-B", options=settled).x
            self._path.append(self._parts(torch.from_numpy(found)))
            losses.append(float(self._losses(self._path[-1], held).sum()))
        return np.asarray(losses)

    def give(self, model: LinearTable, place: int) -> None:
        """Set `model` to the fit with that strength."""
        difference = self._path[place]
        scale, center = torch.from_numpy(self._scale), torch.from_numpy(self._center)
        of_values = difference[0] / scale[:, None]
        fitted = [start + part for start, part in zip(self._start, difference, strict=True)]
        fitted[0] = self._start[0] + of_values
        fitted[_BIAS] = fitted[_BIAS] - center @ of_values
        for parameter, value in zip(model.parameters(), fitted, strict=True):
            parameter.copy_(value)

    def _rows(self, rows: Indices) -> _Rows:
        table = self._table
        values = table.values[rows].astype(np.float64)
        codes, present = torch.from_numpy(table.codes[rows]), torch.from_numpy(table.present[rows])
        before = linear_scores(self._start, torch.from_numpy(values), codes, present)
        scaled = torch.from_numpy((values - self._center) / self._scale)
        return _Rows((scaled, codes, present), before, torch.from_numpy(self._targets[rows]))

    def _objective(
        self, point: npt.NDArray[np.float64], strength: float, rows: _Rows
    ) -> tuple[float, npt.NDArray[np.float64]]:
        """Mean loss of the cases plus the penalty, and the gradient of both."""
        whole = torch.from_numpy(point).requires_grad_()
        parts = self._parts(whole)
        weights = [_OF_BIAS if place == _BIAS else 1 / strength for place in range(len(parts))]
        penalties = [weight * part.square().sum() for weight, part in zip(weights, parts, strict=True)]
        losses = self._losses(parts, rows)
        total = (losses.sum() + sum(penalties) / 2) / len(losses)
        (slope,) = torch.autograd.grad(total, whole)
        return total.item(), slope.numpy()

    def _losses(self, parts: list[Tensor], rows: _Rows) -> Tensor:
        losses: Tensor = self._loss(rows.before + linear_scores(parts, *rows.table), rows.targets)
        return losses

    def _parts(self, whole: Tensor) -> list[Tensor]:
        sizes = [part.numel() for part in self._start]
        return [part.view_as(like) for part, like in zip(torch.split(whole, sizes), self._start, strict=True)]
