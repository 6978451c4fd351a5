"""validity.md rules 1 and 5: fitted on train, applied to other data without refitting; missing values remain
missing."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from medloom_trainer.data.features.encoding import Encoded, encode_table, fit_table, lay_out
from medloom_trainer.data.features.target_statistics import SMOOTHING, TargetCodes, code_targets
from medloom_trainer.data.tables import Table
from medloom_trainer.errors import TrainerError
from testing.workspace import asked


def table(**cells: list[str]) -> Table:
    rows = len(next(iter(cells.values())))
    return Table("t.csv", tuple(cells), cells, np.arange(rows) + 2, ",", "utf-8", "")


NO_TARGET = TargetCodes(np.zeros((0, 1)), np.zeros(0, dtype=np.int64))


def fit(train: Table, numeric: Any = (), categorical: Any = (), **options: Any) -> dict[str, Any]:
    defaults = {"missing_strategy": "token", "missing_indicator": True, "scaling": "none"}
    chosen = {**defaults, "categorical_encoding": "onehot", **options}
    state = fit_table(train, numeric, categorical, **{"target": NO_TARGET, **chosen})
    loaded: dict[str, Any] = json.loads(json.dumps(state, allow_nan=False))  # a checkpoint stores it as JSON
    return loaded


def encode(train: Table, other: Table, numeric: Any = (), categorical: Any = (), **options: Any) -> Encoded:
    return encode_table(other, fit(train, numeric, categorical, **options))


@pytest.mark.parametrize(
    ("scaling", "expected"),
    [
        ("none", [2, 10]),
        ("standard", [-1 / np.sqrt(2), 5 / np.sqrt(2)]),
        ("minmax", [0, 2]),
        ("robust", [-0.5, 3.5]),
    ],
)
def test_scaling_is_fitted_on_train(scaling: str, expected: list[float]) -> None:
    train = (
        table(x=["2", "", "2", "4", "4", "6", "NA"])
        if scaling != "standard"
        else table(x=["2", "4", "6", "", "2", "4", "2", "4"])
    )
    state = fit(train, ["x"], scaling=scaling)
    center, scale = state["columns"][0]["center"], state["columns"][0]["scale"]
    known = np.asarray([float(x) for x in train.cells["x"] if x not in ("", "NA")])
    reference = {
        "none": (0, 1),
        "standard": (known.mean(), known.std()),
        "minmax": (known.min(), np.ptp(known)),
        "robust": (np.median(known), np.subtract(*np.percentile(known, [75, 25]))),
    }[scaling]
    assert (center, scale) == pytest.approx(reference)
    got = encode_table(table(x=["2", "10"]), state).values[:, 0]
    np.testing.assert_allclose(got, (np.asarray([2, 10]) - reference[0]) / reference[1], rtol=1e-6)


@pytest.mark.parametrize(
    ("train", "other", "message"),
    [
        (["5 mg", "7 mg"], ["5 g"], "unit g in t.csv, but mg in the training"),
        (["12 %", "7 %"], ["5 mg"], "unit mg in t.csv, but % in the training"),
        (["0.5", "0.7"], ["50 %"], "unit % in t.csv, but none in the training"),
    ],
)
def test_numbers_in_another_unit_are_refused(train: list[str], other: list[str], message: str) -> None:
    with pytest.raises(TrainerError, match=message):
        encode(table(dose=train), table(dose=other), ["dose"])
    same = encode(table(dose=train), table(dose=[train[0]]), ["dose"])
    alone = encode(table(dose=train), table(dose=[train[0].split()[0]]), ["dose"])
    assert same.values.tolist() == alone.values.tolist()


def test_another_split_never_moves_the_state() -> None:
    train, shifted = table(x=["1", "2", "3"], c=["a", "b", "a"]), table(x=["101", "102"], c=["z", "z"])
    state = fit(train, ["x"], ["c"], scaling="standard", missing_strategy="mean")
    before = json.dumps(state)
    encode_table(shifted, state)
    assert json.dumps(state) == before
    assert encode_table(shifted, state).values[:, 0].min() > 100


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.one_of(st.sampled_from(["", "NA", "inf"]), st.integers(-9, 9).map(str)), min_size=1, max_size=12
    )
)
def test_missing_stays_missing(cells: list[str]) -> None:
    encoded = encode(table(x=cells), table(x=cells), ["x"], scaling="standard")
    gone = np.asarray([cell in ("", "NA") for cell in cells])
    np.testing.assert_array_equal(encoded.present[:, 0], ~gone)
    assert not encoded.values[gone].any()
    assert encoded.missing == {"x": int(gone.sum())}
    assert np.isfinite(encoded.values).all()


@pytest.mark.parametrize(("strategy", "filled"), [("mean", 3.0), ("median", 2.0), ("mode", 2.0)])
def test_filling_uses_the_statistic_of_train(strategy: str, filled: float) -> None:
    train = table(x=["2", "2", "5", ""], c=["b", "a", "b", ""])
    encoded = encode(
        train,
        table(x=["", "9"], c=["", "a"]),
        ["x"],
        ["c"],
        missing_strategy=strategy,
        missing_indicator=False,
    )
    assert encoded.values[:, 0].tolist() == [filled, 9.0]
    assert encoded.values[:, 1:].tolist() == [[0, 1], [1, 0]]
    assert encoded.present.all()
    assert encoded.missing == {"x": 1, "c": 1}


WITH_GAPS = {"x": ["1", "2", "", "3"], "c": ["a", "", "b", "a"]}
COMPLETE = {"x": ["1", "2", "2", "3"], "c": ["a", "b", "b", "a"]}
LATER = {"x": ["", "9", "NA"], "c": ["b", "?", "new"]}


def indicators(train: dict[str, list[str]], **options: Any) -> tuple[int, list[list[float]]]:
    """(numbers of the row, those of its indicators) of LATER."""
    chosen = {"missing_strategy": "median", **options}
    without = encode(table(**train), table(**LATER), ["x"], ["c"], missing_indicator=False, **chosen)
    encoded = encode(table(**train), table(**LATER), ["x"], ["c"], **chosen)
    assert encoded.present.all() == (chosen["missing_strategy"] == "median")
    width = encoded.values.shape[1]
    told = [column for column in range(width) if column in (1, width - 1)]
    plain = [column for column in range(width) if column not in told]
    if width > without.values.shape[1]:
        np.testing.assert_array_equal(encoded.values[:, plain], without.values)
        return width, encoded.values[:, told].tolist()
    np.testing.assert_array_equal(encoded.values, without.values)
    return width, []


def test_an_indicator_says_where_a_statistic_was_filled_in() -> None:
    assert indicators(WITH_GAPS) == (5, [[1, 0], [0, 1], [1, 0]])


def test_an_indicator_is_decided_by_the_gaps_of_training_alone() -> None:
    assert indicators(COMPLETE) == (3, [])
    assert indicators({**COMPLETE, "x": ["", "", "", ""]}) == (3, [])
    state = fit(table(**{**COMPLETE, "x": WITH_GAPS["x"]}), ["x"], ["c"], missing_strategy="mean")
    assert [column["indicator"] for column in state["columns"]] == [True, False]


@pytest.mark.parametrize("strategy", ["token", "drop"])
def test_a_value_that_stays_missing_needs_no_indicator(strategy: str) -> None:
    assert indicators(WITH_GAPS, missing_strategy=strategy) == (3, [])


def test_a_missing_category_has_a_code_of_its_own() -> None:
    options: dict[str, Any] = {"missing_strategy": "mode", "categorical_encoding": "label"}
    for train, codes, cardinality in ((WITH_GAPS, [2, 3, 0], 4), (COMPLETE, [2, 1, 0], 3)):
        state = fit(table(**train), ["x"], ["c"], **options)
        assert encode_table(table(**LATER), state).codes[:, 0].tolist() == codes
        assert lay_out(state).columns[1].cardinality == cardinality


def test_target_statistics_have_an_indicator_beside_them() -> None:
    train = table(c=["a", "", "b", "a", "b", "b"])
    target = code_targets([asked(np.asarray([0, 1, 2, 0, 1, 2]), 3)], np.arange(6), seed=0)
    state = fit(
        train, categorical=["c"], categorical_encoding="target", target=target, missing_strategy="mode"
    )
    assert lay_out(state).columns[0].width == 4
    encoded = encode_table(table(c=["b", "", "new"]), state).values
    np.testing.assert_array_equal(encoded[0, :3], encoded[1, :3])
    assert encoded[:, 3].tolist() == [0, 1, 0]
    out_of_fold = encode_table(train, state, target).values
    assert out_of_fold[:, 3].tolist() == [0, 1, 0, 0, 0, 0]


def test_the_sign_of_infinities_and_the_indicator_have_numbers_of_their_own() -> None:
    train = table(x=["1", "3", "inf", ""])
    encoded = encode(train, table(x=["-inf", "", "1"]), ["x"], missing_strategy="mean")
    assert encoded.values.tolist() == [[1, -1, 0], [2, 0, 1], [1, 0, 0]]


def test_a_state_of_an_older_version_has_no_indicator() -> None:
    state = fit(table(**WITH_GAPS), ["x"], ["c"], missing_strategy="mean", missing_indicator=False)
    expected = encode_table(table(**LATER), state)
    for column in state["columns"]:
        del column["indicator"]
    older = encode_table(table(**LATER), state)
    assert lay_out(state).num_values == 3
    np.testing.assert_array_equal(older.values, expected.values)


def test_categories_unseen_in_training() -> None:
    train, other = table(c=["a", "b", "UNK"]), table(c=["b", "new", "", "UNK"])
    encoded = encode(train, other, categorical=["c"])
    assert encoded.values == pytest.approx(np.array([[0, 0, 1], [1 / 3, 1 / 3, 1 / 3], [0, 0, 0], [1, 0, 0]]))
    assert encoded.present[:, 0].tolist() == [True, True, False, True]
    assert [(w["code"], w["message"][-14:]) for w in encoded.warnings] == [
        ("UNSEEN_CATEGORIES", ": t.csv, row 3")
    ]
    codes = encode(train, other, categorical=["c"], categorical_encoding="label")
    assert codes.codes[:, 0].tolist() == [3, 0, 0, 1]
    assert codes.values.shape == (4, 0)


def test_the_layout_says_where_each_column_lives() -> None:
    train = table(x=["1", "2"], c=["a", "b"], d=["u", "u"])
    layout = lay_out(fit(train, ["x"], ["c", "d"]))
    assert [(c.name, c.kind, c.start, c.width) for c in layout.columns] == [
        ("x", "numeric", 0, 1), ("c", "onehot", 1, 2), ("d", "onehot", 3, 1),
    ]  # fmt: skip
    assert (layout.num_values, layout.num_codes) == (4, 0)
    layout = lay_out(fit(train, ["x"], ["c", "d"], categorical_encoding="label"))
    assert [(c.start, c.cardinality) for c in layout.columns] == [(0, 0), (0, 3), (1, 2)]
    assert (layout.num_values, layout.num_codes) == (1, 2)


def test_texts_in_a_numeric_column_are_refused_with_their_rows() -> None:
    with pytest.raises(TrainerError, match="rows 3, 4"):
        encode(table(x=["1", "2"]), table(x=["1", "secret", "secret"]), ["x"])


def test_bounds_and_infinities_are_warned_of() -> None:
    encoded = encode(table(x=["1", "2"]), table(x=["89+", "inf", "-inf"]), ["x"])
    assert encoded.values[:, 0].tolist() == [89, 2, 1]
    assert encoded.present.all() and encoded.missing == {"x": 0}
    assert {w["code"] for w in encoded.warnings} == {"CENSORED_NUMBERS", "INFINITE_NUMBERS"}


def test_infinities_of_training_keep_their_sign_as_a_number() -> None:
    encoded = encode(table(x=["1", "2", "inf"]), table(x=["inf", "-inf", "1", ""]), ["x"])
    assert encoded.values.tolist() == [[2, 1], [1, -1], [1, 0], [0, 0]]
    assert encoded.present[:, 0].tolist() == [True, True, True, False]


def target_example(labels: list[int], classes: int | None) -> tuple[Table, TargetCodes, dict[str, Any]]:
    train = table(c=["a", "a", "b", "b", "c", ""] * (len(labels) // 6))
    target = code_targets([asked(labels, classes)], np.arange(len(labels)), seed=0)
    return train, target, fit(train, categorical=["c"], categorical_encoding="target", target=target)


def test_target_statistics_are_smoothed_means_of_train() -> None:
    labels = [1, 1, 0, 0, 1, 0] * 10
    _, _, state = target_example(labels, 2)
    rate, spread = np.mean(labels), np.std(labels)
    got = encode_table(table(c=["a", "b", "c", "new", ""]), state).values[:, 0]
    shrunk = [(20 * 1 + SMOOTHING * rate) / (20 + SMOOTHING), SMOOTHING * rate / (20 + SMOOTHING)]
    np.testing.assert_allclose(got[:2], (np.asarray(shrunk) - rate) / spread, rtol=1e-5)
    assert got[3:].tolist() == [0, 0]


def test_a_training_row_never_sees_its_own_label() -> None:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 60)
    train, target, state = target_example(labels.tolist(), 2)
    before = encode_table(train, state, target).values
    fold = target.folds == target.folds[0]
    flipped = np.where(fold, 1 - labels, labels)
    codes = np.where(fold[:, None], 100.0, target.codes)
    after = encode_table(train, state, TargetCodes(codes, target.folds)).values
    np.testing.assert_array_equal(before[fold], after[fold])
    assert flipped.shape == labels.shape and not np.array_equal(before[~fold], after[~fold])


def test_folds_never_divide_a_patient() -> None:
    groups = np.random.default_rng(1).integers(0, 20, 200)
    folds = code_targets([asked(np.arange(200) % 2, 2)], groups, seed=0).folds
    assert all(len(set(folds[groups == group].tolist())) == 1 for group in range(20))


@pytest.mark.parametrize(("classes", "width"), [(2, 1), (3, 3), (None, 1)])
def test_one_number_per_class(classes: int | None, width: int) -> None:
    _, _, state = target_example([0, 1, 2, 1, 0, 1] * 4 if classes != 2 else [0, 1] * 12, classes)
    assert lay_out(state).columns[0].width == width
