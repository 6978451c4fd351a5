"""validity.md rule 3, second half: what predicts the label without medicine is warned of, and nothing else
is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from medloom_trainer.data.checks.shortcuts import area_under_curve
from testing.workspace import Workspace, codes

RNG = np.random.default_rng(0)
LABELS = RNG.integers(0, 2, 200)


def warnings_for(work: Workspace, labels: Any = LABELS, **columns: Any) -> dict[str, str]:
    rows = [
        {
            "noise": round(float(RNG.normal()), 4),
            **{name: cells[row] for name, cells in columns.items()},
            "label": label,
        }
        for row, label in enumerate(list(labels))
    ]
    work.table("train.csv", rows)
    prepared = work.prepare(model={"vision_backbone": "none"})
    return {warning["code"]: warning["message"] for warning in prepared.summary["warnings"]}


def test_honest_columns_are_not_accused(work: Workspace) -> None:
    useful = LABELS + RNG.normal(0, 1, 200).round(3)
    gaps = ["" if value else "yes" for value in RNG.random(200) < 0.3]
    region = RNG.choice(["a", "b", "c", "d"], 200)
    assert warnings_for(work, useful=useful, gaps=gaps, region=region) == {}


@pytest.mark.parametrize(
    "leak",
    [
        LABELS * 10 + RNG.normal(0, 1, 200).round(3),
        -LABELS * 10.0 + RNG.normal(0, 1, 200).round(3),
        np.where(LABELS, "operated", "watched"),
        [f"{'XY'[label]}{RNG.integers(3)}" for label in LABELS],
    ],
)
def test_a_column_that_is_the_label_in_disguise(work: Workspace, leak: Any) -> None:
    found = warnings_for(work, leak=leak)
    assert '"leak"' in found["LABEL_PREDICTED_BY_COLUMN"]


def test_a_column_that_never_varies_within_a_class(work: Workspace) -> None:
    biopsied = np.where((LABELS == 1) | (RNG.random(200) < 0.5), "True", "False")
    assert "never varies within 1" in warnings_for(work, biopsied=biopsied)["LABEL_PREDICTED_BY_COLUMN"]


def test_gaps_that_tell_the_label_are_named_together(work: Workspace) -> None:
    gap = (LABELS == 1) & (RNG.random(200) < 0.7)
    height, weight = (np.where(gap, "", RNG.integers(1, 99, 200).astype(str)) for _ in range(2))
    found = warnings_for(work, height=height, weight=weight)
    assert '"height", "weight"' in found["LABEL_PREDICTED_BY_MISSINGNESS"]


def test_one_class_of_several_and_regression(work: Workspace) -> None:
    labels = RNG.integers(0, 4, 200)
    leak = np.where(labels == 2, 5.0, 0) + RNG.normal(0, 0.5, 200).round(3)
    assert "class 2" in warnings_for(work, labels, leak=leak)["LABEL_PREDICTED_BY_COLUMN"]
    numbers = RNG.normal(0, 1, 200).round(4)
    assert "LABEL_PREDICTED_BY_COLUMN" in warnings_for(work, numbers, twin=numbers * 2 + 1)


def test_few_cases_prove_nothing(work: Workspace) -> None:
    labels = [1] * 10 + [0] * 60
    assert warnings_for(work, labels, leak=labels) == {}


def test_image_size_that_tells_the_label(work: Workspace) -> None:
    def rows(size_of: Any) -> list[dict[str, Any]]:
        return [
            {"image": work.image(f"i/{row}.png", row, size_of(label)), "age": 20 + row % 50, "label": label}
            for row, label in enumerate(LABELS[:120].tolist())
        ]

    work.table("train.csv", rows(lambda label: (20 + 4 * label, 20)))
    assert "LABEL_PREDICTED_BY_IMAGE_SIZE" in codes(work.prepare().summary["warnings"])
    work.table("train.csv", rows(lambda label: (20, 20)))
    assert "LABEL_PREDICTED_BY_IMAGE_SIZE" not in codes(work.prepare().summary["warnings"])


def test_area_under_the_curve_is_that_of_scikit_learn() -> None:
    scores = RNG.integers(0, 9, 200).astype(float)
    assert area_under_curve(LABELS == 1, scores) == pytest.approx(roc_auc_score(LABELS, scores), abs=1e-12)
