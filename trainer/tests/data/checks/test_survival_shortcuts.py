"""Columns that follow from the event, its time or the follow-up time, and genuine ones that look like
them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from medloom_trainer.data.checks.shortcuts import search_all_shortcuts
from medloom_trainer.data.tables import LabelScheme, Roles, leakage_targets, make_table

CASES = 400
SCHEME = LabelScheme(("days", "dead"), "survival", None)


def cohort(seed: int, share: float) -> tuple[dict[str, npt.NDArray[Any]], npt.NDArray[np.float64]]:
    """Patients who are included over ten years, with the same end of follow-up for all. share: of events."""
    random = np.random.default_rng(seed)
    marker, entry = random.normal(size=CASES), random.uniform(0, 10, CASES)
    hidden = random.exponential(np.exp(-0.7 * marker))
    left = 10.2 - entry
    scale = np.quantile(left / hidden, 1 - share)
    times = np.maximum(np.minimum(hidden * scale, left), 1 / 365)
    columns = {
        "age": random.normal(62, 11, CASES).round(1),
        "marker": marker.round(3),
        "year": (2010 + entry).astype(int),
        "sex": random.choice(["f", "m"], CASES),
    }
    return columns, np.stack([(times * 365).round() + 1, hidden * scale <= left], axis=1)


def accused(columns: dict[str, npt.NDArray[Any]], labels: npt.NDArray[np.float64]) -> dict[str, str]:
    table = make_table("t.csv", {name: [str(value) for value in cells] for name, cells in columns.items()})
    numeric = [name for name, cells in columns.items() if cells.dtype.kind in "if"]
    categorical = [name for name in columns if name not in numeric]
    roles = Roles(
        SCHEME.columns, None, None, (), tuple(numeric), tuple(categorical), ignored={}, kinds={}, reasons={}
    )
    questions = leakage_targets(labels, SCHEME)
    found = search_all_shortcuts(table, roles, (numeric, categorical), {}, questions, np.arange(CASES))
    return {one["code"]: one["message"] for one in found.warnings}


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_honest_columns_are_not_accused(share: float) -> None:
    """The year of inclusion predicts the follow-up time of cases without the event."""
    for seed in range(3):
        assert accused(*cohort(seed, share)) == {}


@pytest.mark.parametrize("share", [0.3, 0.95])
def test_a_copy_of_the_event_is_found_however_frequent_it_is(share: float) -> None:
    columns, labels = cohort(0, share)
    dead = labels[:, 1] == 1
    for copy in (dead.astype(int), np.where(dead, "no", "yes"), np.where(dead, "tumor", "lost")):
        found = accused({**columns, "status": copy}, labels)
        assert any('"status" alone predicts the event' in message for message in found.values())


def test_a_column_of_the_time_to_the_event_is_found() -> None:
    columns, labels = cohort(0, 0.5)
    soon = ((labels[:, 1] == 1) & (labels[:, 0] < 365)).astype(int)
    found = accused({**columns, "dead_in_a_year": soon}, labels)
    assert "whether the time to the event is above a cutoff" in found["LABEL_PREDICTED_BY_COLUMN"]


def test_what_rises_with_the_follow_up_is_found_though_few_have_the_event() -> None:
    columns, labels = cohort(0, 0.03)
    visits = (labels[:, 0] / 90 + np.random.default_rng(1).normal(0, 2, CASES)).round().astype(int)
    found = accused({**columns, "visits": visits}, labels)
    assert '"visits" increases with the follow-up time' in found["LABEL_PREDICTED_BY_COLUMN"]


@pytest.mark.parametrize("share", [0.1, 0.9])
def test_the_age_when_last_seen_is_found_beside_the_age(share: float) -> None:
    columns, labels = cohort(0, share)
    last = (columns["age"] + labels[:, 0] / 365.25).round(1)
    found = accused({**columns, "age_last_seen": last}, labels)
    assert set(found) == {"LABEL_PREDICTED_BY_MANY_COLUMNS"}
    assert '"age" and "age_last_seen" (R²' in found["LABEL_PREDICTED_BY_MANY_COLUMNS"]


def test_the_day_when_last_seen_is_found_beside_the_day_of_inclusion() -> None:
    columns, labels = cohort(0, 0.3)
    day = (np.random.default_rng(2).uniform(0, 3_650, CASES)).round()
    day[labels[:, 1] == 0] = 3_723 - labels[labels[:, 1] == 0, 0]
    found = accused({**columns, "day": day, "last_day": day + labels[:, 0]}, labels)
    assert '"day" and "last_day" (R² 1.00)' in found["LABEL_PREDICTED_BY_MANY_COLUMNS"]
