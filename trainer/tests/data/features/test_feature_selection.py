"""Feature selection: fitted on training rows, applied to other data, ranked as in scikit-learn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.feature_selection import f_classif, f_regression

from medloom_trainer.data.apply import prepare_cases
from medloom_trainer.data.features.selection import select_columns
from medloom_trainer.data.tables import make_table
from medloom_trainer.errors import TrainerError
from testing.workspace import Workspace, asked

RNG = np.random.default_rng(0)
LABELS = RNG.integers(0, 3, 60)
STRONG = LABELS + 0.1 * RNG.normal(size=60)
WEAK = LABELS + 2.0 * RNG.normal(size=60)
NOISE = RNG.normal(size=60)
SITE = np.where(RNG.random(60) < 0.9, LABELS, 0)
TABLE = make_table(
    "t.csv",
    {
        "noise": list(map(str, NOISE)),
        "strong": list(map(str, STRONG)),
        "weak": list(map(str, WEAK)),
        "same": ["1"] * 30 + [""] * 30,
        "site": [f"s{site}" for site in SITE],
    },
)
NUMERIC = ("noise", "strong", "weak", "same")


def select(method: str, keep: int | None = None, labels: Any = LABELS, classes: int | None = 3) -> Any:
    settings = {"method": method, "keep": keep}
    return select_columns(TABLE, NUMERIC, ("site",), [asked(labels, classes)], settings)


def test_none_keeps_all_and_measures_nothing():
    chosen = select("none")
    assert (chosen.numeric, chosen.categorical, chosen.scores) == (NUMERIC, ("site",), {})


def test_variance_drops_columns_with_one_value():
    chosen = select("variance")
    assert chosen.dropped == ["same"]
    assert chosen.categorical == ("site",)


@pytest.mark.parametrize("method", ["univariate", "mutual_information"])
@pytest.mark.parametrize("labels", [LABELS, LABELS + 0.01 * RNG.normal(size=60)])
def test_ranks_what_tells_of_the_label_above_noise(method: str, labels: Any):
    chosen = select(method, 3, labels, 3 if labels.dtype.kind == "i" else None)
    assert (chosen.numeric, chosen.categorical) == (("strong", "weak"), ("site",))
    assert min(chosen.scores[name] for name in ("strong", "site")) > chosen.scores["noise"]


def test_univariate_scores_are_p_values_of_the_textbook_tests():
    scores = select("univariate", 1).scores
    _, p = f_classif(np.stack([NOISE, WEAK], axis=1), LABELS)
    assert [scores["noise"], scores["weak"]] == pytest.approx(-np.log10(p), rel=1e-9)
    counts = np.zeros((3, 3))
    np.add.at(counts, (SITE, LABELS), 1)
    p_site = stats.chi2_contingency(counts[counts.sum(axis=1) > 0], correction=False).pvalue
    assert scores["site"] == pytest.approx(-np.log10(p_site), rel=1e-9)
    _, p = f_regression(np.stack([NOISE, STRONG], axis=1), WEAK)
    scores = select("univariate", 1, WEAK, None).scores
    assert [scores["noise"], scores["strong"]] == pytest.approx(-np.log10(p), rel=1e-9)
    assert scores["same"] == 0


def test_a_p_value_too_small_for_a_number_ranks_first():
    exact = make_table("t.csv", {"same": list(map(str, LABELS)), "noise": list(map(str, NOISE))})
    chosen = select_columns(
        exact, ("noise", "same"), (), [asked(LABELS, 3)], {"method": "univariate", "keep": 1}
    )
    assert chosen.numeric == ("same",) and chosen.scores["same"] == 1e9


def test_more_than_there_are_keeps_all():
    assert select("univariate", 50).dropped == []


def test_a_training_fits_it_on_train_and_applies_it_elsewhere(tmp_path: Path):
    place = Workspace(tmp_path)
    rows = [
        {**row, "told": row["label"][0] if number else "b", "age": number}
        for number, row in enumerate(place.cases(24))
    ]
    val = [{**row, "told": "x"} for row in place.cases(8, first=100)]
    place.table("train.csv", rows)
    place.table("val.csv", val)
    selection = {"method": "univariate", "keep": 1}
    data = place.prepare(
        model={"vision_backbone": "none"}, val_csv=str(tmp_path / "val.csv"), feature_selection=selection
    )
    assert data.summary["categorical_columns"] == ["told"] and data.summary["numeric_columns"] == []
    assert data.summary["ignored_columns"]["age"] == "excluded by feature selection"
    assert [column.name for column in data.layout.columns] == ["told"]
    assert data.preprocessing["table"]["selection"]["scores"]["told"] > 1
    again = prepare_cases(
        data.preprocessing, "val.csv", image_root=None, split="val", roots=[tmp_path],
        cache_dir=place.cache, progress=lambda message, fraction: None,
    )  # fmt: skip
    assert again.cases.values.shape == data.val.values.shape


def test_nothing_left_is_refused(tmp_path: Path):
    place = Workspace(tmp_path)
    rows = [{"same": "7" if n % 2 else "", "label": "ab"[n % 2]} for n in range(20)]
    place.table("train.csv", rows)
    with pytest.raises(TrainerError) as caught:
        place.prepare(
            model={"vision_backbone": "none"}, feature_selection={"method": "variance", "keep": None}
        )
    assert caught.value.code == "DATASET_INVALID"
