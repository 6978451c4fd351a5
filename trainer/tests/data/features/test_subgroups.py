"""Groups for the report: by name, by band, and rare ones combined."""

from __future__ import annotations

import numpy as np

from medloom_trainer.data.features.fit import MAX_GROUPS, find_subgroups, fit_subgroups
from medloom_trainer.data.tables import Table


def table(**cells: list[str]) -> Table:
    rows = len(next(iter(cells.values())))
    return Table("t.csv", tuple(cells), cells, np.arange(rows) + 2, ",", "utf-8", "")


def test_sex_age_and_site_are_compared_unasked() -> None:
    train = table(Sex=["F", "M", ""], age=["17", "40", "NA"], site=["a", "b", "a"], grade=["1", "2", "3"])
    groups = find_subgroups(train, fit_subgroups(train, []))
    assert {name: values.tolist() for name, values in groups.items()} == {
        "Sex": ["F", "M", ""],
        "age": ["< 18", "40 to < 60", ""],
        "site": ["a", "b", "a"],
    }


def test_bands_and_groups_are_fixed_on_train() -> None:
    train = table(bmi=[str(number) for number in range(12)], ward=["x"] * 12)
    fitted = fit_subgroups(train, ["bmi", "ward"])
    groups = find_subgroups(table(bmi=["-5", "100"], ward=["x", "y"]), fitted)
    assert groups["bmi"].tolist() == ["< 2.75", "≥ 8.25"]
    assert groups["ward"].tolist() == ["x", "other"]


def test_rare_groups_stand_together() -> None:
    names = [f"g{number}" for number in range(MAX_GROUPS + 5)]
    train = table(ward=[*names, *names[:MAX_GROUPS]])
    groups = find_subgroups(train, fit_subgroups(train, ["ward"]))["ward"]
    assert (groups == "other").sum() == 5
