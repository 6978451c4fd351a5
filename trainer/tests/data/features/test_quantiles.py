"""scaling "quantile": scikit-learn's definition, fitted on training rows, stored as JSON."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from sklearn.preprocessing import QuantileTransformer, StandardScaler

from medloom_trainer.data.features.encoding import encode_table, fit_table, lay_out
from medloom_trainer.data.features.quantiles import fit_quantiles, normal_scores
from medloom_trainer.data.features.target_statistics import TargetCodes
from medloom_trainer.data.tables import Table

COLUMNS: dict[str, np.ndarray[Any, np.dtype[np.float64]]] = {
    "skewed": np.random.default_rng(1).lognormal(2, 2, 437),
    "ties": np.random.default_rng(2).poisson(1.3, 200).astype(float),
    "two values": np.array([0.0, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1]),
    "constant": np.full(30, 4.25),
    "few": np.array([3.0, -1e12, 7, 3]),
    "one": np.array([5.0]),
    "many": np.random.default_rng(3).normal(size=20_000),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_scores_are_those_of_scikit_learn(name: str) -> None:
    known = COLUMNS[name]
    count = min(max(10, known.size // 5), 1000, known.size)
    transformer = QuantileTransformer(n_quantiles=count, output_distribution="normal", subsample=None)
    transformer.fit(known[:, None])
    span = np.ptp(known) + 1
    tried = [known, np.linspace(known.min() - span, known.max() + span, 999), known[:50] + 1e-8]
    anything = np.concatenate(tried)
    expected = np.clip(transformer.transform(anything[:, None])[:, 0], -3, 3)
    quantiles = json.loads(json.dumps(fit_quantiles(known), allow_nan=False))
    np.testing.assert_allclose(normal_scores(anything, quantiles), expected, rtol=0, atol=1e-9)


def fit(cells: list[str], strategy: str = "token") -> dict[str, Any]:
    state = fit_table(
        table(cells), ["x"], [], missing_strategy=strategy, missing_indicator=True, scaling="quantile",
        categorical_encoding="onehot", target=TargetCodes(np.zeros((0, 1)), np.zeros(0, dtype=np.int64)),
    )  # fmt: skip
    return dict(json.loads(json.dumps(state, allow_nan=False)))


def table(cells: list[str]) -> Table:
    return Table("t.csv", ("x",), {"x": cells}, np.arange(len(cells)) + 2, ",", "utf-8", "")


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_is_standardized_again_and_its_gaps_are_no_numbers(name: str) -> None:
    known = COLUMNS[name]
    cells = ["", *[repr(number) for number in known.tolist()]]
    state = fit(cells)
    transformer = QuantileTransformer(
        n_quantiles=min(max(10, known.size // 5), 1000, known.size),
        output_distribution="normal", subsample=None,
    )  # fmt: skip
    scores = np.clip(transformer.fit_transform(known[:, None]), -3, 3)
    expected = StandardScaler().fit_transform(scores)[:, 0]
    encoded = encode_table(table(cells), state)
    np.testing.assert_allclose(encoded.values[1:, 0], expected, atol=1e-6)
    assert encoded.values[0, 0] == 0 and not encoded.present[0, 0]


def test_values_beyond_training_take_its_largest_score_and_move_nothing() -> None:
    state = fit([str(number) for number in range(100)])
    before = json.dumps(state)
    values = encode_table(table(["-1e9", "0", "99", "1e300", "inf", "-inf", ""]), state).values[:, 0]
    assert values[0] == values[1] == values[5] and values[2] == values[3] == values[4]
    assert values[1] == -values[2] and values[6] == 0
    assert json.dumps(state) == before


def test_a_filled_value_is_scored_like_any_other() -> None:
    cells = [str(number**3) for number in range(1, 30)]
    state = fit([*cells, ""], "median")
    encoded = encode_table(table(["", str(15**3)]), state)
    assert encoded.values[0, 0] == encoded.values[1, 0] and encoded.present.all()
    assert encoded.values[:, 1].tolist() == [1, 0]


def test_a_column_without_any_number_stays_empty() -> None:
    state = fit(["", ""])
    encoded = encode_table(table(["", "7"]), state)
    assert lay_out(state).num_values == 1 and encoded.values[0, 0] == 0 and np.isfinite(encoded.values).all()
