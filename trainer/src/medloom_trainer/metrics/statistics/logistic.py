"""Maximum-likelihood logistic regression with one or two coefficients, for many weightings of the same cases
at once."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from medloom_trainer.metrics.arrays import FloatArray

_MAX_STEPS = 100
_TOLERANCE = 1e-6
"""Newton's error is squared in the last step: from 1e-6 to 1e-12."""


def fit_logistic(
    design: FloatArray, offset: FloatArray, labels: FloatArray, weights: FloatArray, start: FloatArray
) -> FloatArray:
    """design (N, D), offset (N,), labels (N,) of 0/1, weights (R, N), start (D,) → coefficients (R, D).

    Newton's method; a step is halved until it reduces the norm of the gradient, which every Newton direction
    of a convex function does if the step is short enough. NaN if it does not converge. The caller ensures
    that a maximum exists.
    """
    num_rows, width = len(weights), design.shape[1]
    products = np.stack([design[:, i] * design[:, j] for i in range(width) for j in range(width)], axis=1)
    result = np.full((num_rows, width), np.nan)

    rows = np.arange(num_rows)
    reached = np.tile(start, (num_rows, 1))  # last accepted coefficients (R, D)
    direction = np.zeros((num_rows, width))
    length = np.zeros(num_rows)
    slopes = np.full(num_rows, np.inf)  # gradient norm at `reached`
    for _ in range(_MAX_STEPS):
        tried = reached + length[:, None] * direction
        probability = expit(tried @ design.T + offset)  # (R, N)
        gradient = (weights * (labels - probability)) @ design
        curvature = ((weights * probability * (1 - probability)) @ products).reshape(-1, width, width)
        norm = np.linalg.norm(gradient, axis=1)

        accepted = norm < slopes
        reached[accepted], slopes[accepted] = tried[accepted], norm[accepted]
        direction[accepted] = _solve(curvature[accepted], gradient[accepted])
        length = np.where(accepted, 1.0, length / 2)

        near = accepted & (np.abs(direction).max(axis=1) < _TOLERANCE)
        result[rows[near]] = reached[near] + direction[near]
        going = ~near & np.isfinite(direction).all(axis=1) & (length > 1e-12)
        if not going.any():
            break
        if not going.all():
            rows, weights, reached = rows[going], weights[going], reached[going]
            direction, length, slopes = direction[going], length[going], slopes[going]
    return result


def _solve(curvature: FloatArray, gradient: FloatArray) -> FloatArray:
    """Batched solution for D of 1 or 2; NaN if the matrix is singular."""
    if gradient.shape[1] == 1:
        bottom = curvature[:, 0, :]
        top = gradient
    else:
        (a, b), (_, d) = curvature[:, 0].T, curvature[:, 1].T
        bottom = (a * d - b * b)[:, None]
        first, second = gradient.T
        top = np.stack([d * first - b * second, a * second - b * first], axis=1)
    solution: FloatArray = np.divide(top, bottom, out=np.full(top.shape, np.nan), where=bottom > 0)
    return solution
