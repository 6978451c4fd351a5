"""Intensity normalization is fitted on training images only."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt
import pytest

from medloom_trainer.data.features.fit import IMAGENET, fit_image_normalization


class Records:
    """An image store in memory."""

    def __init__(
        self, records: npt.NDArray[np.uint8] | npt.NDArray[np.uint16], depth: Literal[8, 16]
    ) -> None:
        self.records = records
        self.depth: Literal[8, 16] = depth
        self.most = 0

    def gather(self, slots: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8] | npt.NDArray[np.uint16]:
        self.most = max(self.most, slots.size)
        return self.records[slots]


@pytest.mark.parametrize("depth", [8, 16])
@pytest.mark.parametrize("method", ["zscore", "minmax", "imagenet"])
def test_fitted_on_the_slots_of_train(method: str, depth: Literal[8, 16]) -> None:
    top = 2**depth
    records = (
        np.random.default_rng(0).integers(0, top, (90, 4, 5, 3)).astype(np.uint8 if depth == 8 else np.uint16)
    )
    store = Records(records, depth)
    slots = np.concatenate([np.arange(70).reshape(35, 2), [[3, -1], [3, 3]]])
    found = fit_image_normalization(method, store, slots, lambda: None)
    unit = records[:70].reshape(-1, 3) / (top - 1)
    expected = {
        "zscore": (unit.mean(axis=0), unit.std(axis=0)),
        "minmax": (unit.min(axis=0), np.ptp(unit, axis=0)),
        "imagenet": (IMAGENET["mean"], IMAGENET["std"]),
    }[method]
    np.testing.assert_allclose([found["mean"], found["std"]], expected, rtol=1e-9)
    assert store.most <= 32  # memory grows with the batch, not with the dataset


def test_a_flat_image_keeps_a_deviation_of_one() -> None:
    store = Records(np.full((2, 4, 4, 3), 7, dtype=np.uint8), 8)
    assert fit_image_normalization("zscore", store, np.asarray([[0], [1]]), lambda: None)["std"] == [1.0] * 3
