"""validity.md rule 3, second half: variables that predict the label without medical information cause a
warning, and no others do.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy.stats import mannwhitneyu, rankdata
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.metrics import roc_auc_score

from medloom_trainer.data.checks import association
from medloom_trainer.data.checks.acquisition import is_acquisition
from medloom_trainer.data.checks.association import area_under_curve, average_ranks
from medloom_trainer.data.checks.permutation_tests import (
    is_testable,
    normal_probability,
    permutation_probability,
)
from medloom_trainer.data.splits import group_cases, group_rows, keys_of_cases
from medloom_trainer.data.tables import Levels, make_table
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
    return {
        warning["code"]: warning["message"]
        for warning in prepared.summary["warnings"]
        if warning["code"] != "NO_PATIENT_COLUMN"
    }


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
        np.where(LABELS ^ (np.arange(200) == 7), "operated", "watched"),
        [f"{'XY'[label ^ (row == 7)]}{RNG.integers(3)}" for row, label in enumerate(LABELS)],
    ],
)
def test_a_column_that_is_the_label_in_disguise(work: Workspace, leak: Any) -> None:
    found = warnings_for(work, leak=leak)
    assert '"leak"' in found["LABEL_PREDICTED_BY_COLUMN"]


def test_a_column_that_never_varies_within_a_class(work: Workspace) -> None:
    biopsied = np.where((LABELS == 1) | (RNG.random(200) < 0.5), "True", "False")
    assert "is constant within 1" in warnings_for(work, biopsied=biopsied)["LABEL_PREDICTED_BY_COLUMN"]


def test_a_flag_that_agrees_with_the_label_in_most_cases(work: Workspace) -> None:
    flag = np.where(RNG.permutation(200) < 14, 1 - LABELS, LABELS)
    assert '"flag" alone predicts' in warnings_for(work, flag=flag)["LABEL_PREDICTED_BY_COLUMN"]
    marker = (LABELS * 2.1 + RNG.normal(0, 1, 200)).round(3)  # AUC .93, like that of genuine measurements
    assert warnings_for(work, marker=marker) == {}


def test_columns_that_do_not_stand_out_are_asked_about_together(work: Workspace) -> None:
    sure, strong = ((LABELS * skill + RNG.normal(0, 1, 200)).round(3) for skill in (4, 2))
    found = warnings_for(work, sure=sure, strong=strong)
    assert set(found) == {"LABEL_PREDICTED_BY_MANY_COLUMNS"}
    question = found["LABEL_PREDICTED_BY_MANY_COLUMNS"]
    assert '"sure" alone predicts' in question and '"strong"' not in question
    assert question.endswith("known before the label?")
    copies = {f"copy{number}": (LABELS * 6 + RNG.normal(0, 1, 200)).round(3) for number in range(3)}
    found = warnings_for(work, **copies)
    assert set(found) == {"LABEL_PREDICTED_BY_MANY_COLUMNS"}


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_easy_tables_are_asked_about_and_not_accused(work: Workspace, load: Any) -> None:
    """No column follows from the label: the classes are easy to distinguish."""
    data = load()
    columns = {name.replace(" ", "_"): data.data[:, column] for column, name in enumerate(data.feature_names)}
    found = warnings_for(work, data.target, **columns)
    assert "LABEL_PREDICTED_BY_COLUMN" not in found and "LABEL_PREDICTED_BY_MANY_COLUMNS" in found


def test_a_column_that_most_cases_agree_in_says_little_though_a_class_never_varies(work: Workspace) -> None:
    mostly = np.where((LABELS == 1) | (RNG.random(200) < 0.85), "True", "False")
    assert warnings_for(work, mostly=mostly) == {}


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
    assert "LABEL_PREDICTED_BY_COLUMN" in warnings_for(
        work, numbers, twin=numbers * 2 + np.random.default_rng(9).normal(1, 0.02, 200).round(4)
    )


def test_a_threshold_of_a_quantity_is_told_though_no_median_shows_it(work: Workspace) -> None:
    target = RNG.gamma(2, 1.5, 200).round(3)
    severe = (target >= 5).astype(int)
    grade = np.where(target < 1, "none", np.where(target < 6, "mild", "bad"))
    useful = target + RNG.normal(0, 2, 200).round(3)
    flag = np.where(target + RNG.normal(0, 2, 200) > 4, "yes", "no")
    found = warnings_for(work, target, severe=severe)
    assert '"severe" alone predicts' in found["LABEL_PREDICTED_BY_COLUMN"]
    assert '"grade" alone predicts' in warnings_for(work, target, grade=grade)["LABEL_PREDICTED_BY_COLUMN"]
    assert warnings_for(work, target, useful=useful, flag=flag) == {}


def test_a_quantity_with_a_monotonous_copy(work: Workspace) -> None:
    target = RNG.normal(0, 1, 200).round(4)
    found = warnings_for(work, target, copy=(-np.exp(target) + RNG.normal(0, 0.01, 200)).round(4))
    assert '"copy" alone predicts' in found["LABEL_PREDICTED_BY_COLUMN"]


@pytest.mark.parametrize("texts", [False, True])
def test_few_cases_of_a_class_are_tested_exactly(work: Workspace, texts: bool) -> None:
    labels = np.asarray([1] * 10 + [0] * 80)
    leak = (
        np.where(np.arange(90) < 11, "operated", "watched")
        if texts
        else labels * 3 + RNG.normal(0, 0.3, 90).round(3)
    )
    useful = labels + RNG.normal(0, 1, 90).round(3)
    group = RNG.choice(["a", "b", "c"], 90)
    assert '"leak"' in warnings_for(work, labels, leak=leak)["LABEL_PREDICTED_BY_COLUMN"]
    assert warnings_for(work, labels, useful=useful, group=group) == {}


def test_too_few_cases_for_any_test_are_said(work: Workspace) -> None:
    labels = [2] + [1] * 32 + [0] * 30
    found = warnings_for(work, labels, leak=labels)
    assert "class 2 (" in found["SHORTCUTS_NOT_CHECKED"] and "class 1" not in found["SHORTCUTS_NOT_CHECKED"]
    sparse = ["7" if row in (1, 40) else "" for row in range(63)]
    assert '"sparse"' in warnings_for(work, [1] * 33 + [0] * 30, sparse=sparse)["SHORTCUTS_NOT_CHECKED"]


def test_many_rows_of_few_patients_prove_no_more_than_the_patients(work: Workspace) -> None:
    rows = [
        {"patient_id": row // 15, "noise": RNG.normal(), "ward": f"{row // 60}", "label": row // 60}
        for row in range(120)
    ]
    work.table("train.csv", rows)
    prepared = work.prepare(model={"vision_backbone": "none"}, val_csv=None)
    assert codes(prepared.summary["warnings"]) == {"SHORTCUTS_NOT_CHECKED", "RARE_CLASSES"}


def test_chance_is_that_of_all_choices_and_of_scipy() -> None:
    event = np.asarray([True] * 6 + [False] * 9)
    score = np.asarray([3, 5, 6, 8, 9, 9, 1, 2, 2, 4, 5, 6, 1, 3, 7], dtype=float)
    ranks = rankdata(score)
    sums = np.asarray([sum(chosen) for chosen in combinations(ranks.tolist(), 6)])
    middle = 6 * ranks.mean()
    exact = np.mean(np.abs(sums - middle) >= abs(ranks[event].sum() - middle) - 1e-9)
    assert permutation_probability(event, ranks) == pytest.approx(exact, abs=0.02)
    large = RNG.random(200) < 0.4
    score = (large + RNG.normal(0, 2, 200)).round(1)
    known = mannwhitneyu(score[large], score[~large], method="asymptotic").pvalue
    assert normal_probability(large, rankdata(score)) == pytest.approx(known, rel=1e-9)


@pytest.mark.parametrize("decimals", [0, 1, 9])
def test_ranks_are_those_of_scipy(decimals: int) -> None:
    values = RNG.normal(0, 3, 200).round(decimals)
    np.testing.assert_array_equal(average_ranks(values), rankdata(values))
    assert average_ranks(values[:0]).shape == (0,)


def test_ranks_by_levels_and_by_shares_are_those_of_the_cases() -> None:
    values = np.where(RNG.random(200) < 0.2, np.nan, RNG.normal(0, 3, 200).round(1))
    known = ~np.isnan(values)
    np.testing.assert_array_equal(
        association._ranks_of_levels(Levels.of(values), known), average_ranks(values[known])
    )
    codes, event, folds = RNG.integers(0, 9, 200), RNG.random(200) < 0.3, RNG.integers(0, 5, 200)
    shares = association._out_of_fold_shares(codes, event, folds)
    rows = np.flatnonzero(known)
    np.testing.assert_array_equal(
        association._ranks_of_shares(codes, event, folds, rows), average_ranks(shares[rows])
    )


def test_groups_of_patients_are_those_of_their_keys() -> None:
    table = make_table("t.csv", {"patient": ["b", "a", "", "b", "", "a"]})
    expected = group_cases(keys_of_cases(table, None, "patient"))
    assert group_rows(table, "patient").tolist() == expected.tolist()
    assert group_rows(table, None).tolist() == group_cases(keys_of_cases(table, None, None)).tolist()


def test_whether_anything_can_be_told_depends_on_the_patients() -> None:
    told = {(1, 50): False, (2, 50): True, (0, 9): False, (5, 5): True, (4, 4): False, (9_000, 90_000): True}
    assert {sides: is_testable(*sides, level=0.01) for sides in told} == told


@pytest.mark.parametrize("ignored", [False, True])
def test_acquisition_is_named_and_measured_by_group(work: Workspace, ignored: bool) -> None:
    projection = np.where(LABELS & (RNG.random(200) < 0.8), "AP", "PA")
    rows = [
        {"age": 20 + row * 7 % 50, "Projection": projection[row], "label": label}
        for row, label in enumerate(LABELS.tolist())
    ]
    work.table("train.csv", rows)
    ignore = {"ignore_columns": ["Projection"]} if ignored else {}
    prepared = work.prepare(model={"vision_backbone": "none"}, **ignore)
    [found] = [one for one in prepared.summary["warnings"] if one["code"] != "NO_PATIENT_COLUMN"]
    assert found["code"] == "LABEL_PREDICTED_BY_ACQUISITION"
    assert '"Projection"' in found["message"] and "does not remove the shortcut" in found["message"]
    assert set(prepared.val.subgroups["Projection"].tolist()) == {"AP", "PA"}


def test_the_number_of_images_is_acquisition(work: Workspace) -> None:
    rows = [
        {
            "first": work.image(f"i/{row}.png", row),
            "second": work.image(f"i/{row}b.png", 900 + row) if label and row % 10 else "",
            "age": 20 + row % 50,
            "label": label,
        }
        for row, label in enumerate(LABELS[:120].tolist())
    ]
    work.table("train.csv", rows)
    prepared = work.prepare()
    messages = {found["code"]: found["message"] for found in prepared.summary["warnings"]}
    assert "the number of images of a case" in messages["LABEL_PREDICTED_BY_ACQUISITION"]
    assert "LABEL_PREDICTED_BY_IMAGE_SIZE" not in messages
    assert set(prepared.val.subgroups["number of images"].tolist()) == {"1", "2"}


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("view_position", True), ("ViewPosition", True), ("site", True), ("hospital_id", True),
        ("scanner model", True), ("DeviceName", False), ("anatom_site", False), ("body_site", False),
        ("age", False), ("tumor site", False),
    ],
)  # fmt: skip
def test_what_is_named_like_acquisition(name: str, told: bool) -> None:
    assert is_acquisition(name) is told


def test_image_size_that_tells_the_label(work: Workspace) -> None:
    def rows(size_of: Any) -> list[dict[str, Any]]:
        return [
            {"image": work.image(f"i/{row}.png", row, size_of(label)), "age": 20 + row % 50, "label": label}
            for row, label in enumerate(LABELS[:120].tolist())
        ]

    work.table("train.csv", rows(lambda label: (20 + 4 * label, 20)))
    prepared = work.prepare()
    assert "LABEL_PREDICTED_BY_IMAGE_SIZE" in codes(prepared.summary["warnings"])
    assert set(prepared.val.subgroups["image size"].tolist()) == {"20 x 20", "24 x 20"}
    work.table("train.csv", rows(lambda label: (20, 20)))
    assert "LABEL_PREDICTED_BY_IMAGE_SIZE" not in codes(work.prepare().summary["warnings"])


def test_area_under_the_curve_is_that_of_scikit_learn() -> None:
    scores = RNG.integers(0, 9, 200).astype(float)
    assert area_under_curve(LABELS == 1, scores) == pytest.approx(roc_auc_score(LABELS, scores), abs=1e-12)
