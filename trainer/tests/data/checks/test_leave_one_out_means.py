"""Target encoding by the other cases of a group: the value of a case does not contain its own label, and yet
shows it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

from medloom_trainer.data.checks.association import associate_numbers, associate_values
from medloom_trainer.data.checks.label_means import is_mean_label
from medloom_trainer.data.checks.leave_one_out_means import MOST_GROUPINGS, means_of_other_cases
from testing.outcomes import outcomes
from testing.workspace import Workspace

CASES, WARDS = 400, 20


class Study(NamedTuple):
    ward: npt.NDArray[np.int64]
    labels: npt.NDArray[Any]
    others: npt.NDArray[Any]
    """Labels of other patients of the same wards."""

    @property
    def cells(self) -> dict[str, list[str]]:
        return {"ward": [f"ward {index}" for index in self.ward]}

    def mean_of_others(self, prior: float = 0.0) -> npt.NDArray[np.float64]:
        """prior: number of cases with the overall mean that are added to each ward."""
        sums, sizes = np.bincount(self.ward, self.labels), np.bincount(self.ward)
        added = prior * self.labels.mean()
        return (sums[self.ward] - self.labels + added) / (sizes[self.ward] - 1 + prior)


def study(seed: int, *, quantity: bool = False) -> Study:
    random = np.random.default_rng(seed)
    ward = random.integers(0, WARDS, CASES)
    if quantity:
        level = random.normal(0, 2, WARDS)[ward]
        return Study(ward, level + random.normal(size=CASES), level + random.normal(size=CASES))
    risk = random.beta(3, 4, WARDS)
    labels, others = ((random.random(CASES) < risk[ward]).astype(int) for _ in range(2))
    return Study(ward, labels, others)


@pytest.mark.parametrize("quantity", [False, True])
def test_a_ward_replaced_by_the_mean_of_its_other_cases(quantity: bool) -> None:
    for seed in range(5):
        one = study(seed, quantity=quantity)
        asked = outcomes(one.labels, None if quantity else 2)
        encoded = one.mean_of_others()
        assert not is_mean_label(encoded, asked)
        shrunk = one.mean_of_others(prior=10)
        numbers = {"plain": encoded, "shrunk": shrunk, "turned": 1 - encoded}
        found = means_of_other_cases(numbers, one.cells, asked).found
        assert found == {"plain": "ward", "shrunk": "ward"}
        training = np.random.default_rng(seed).permutation(CASES) < 300
        part = outcomes(one.labels[training], None if quantity else 2)
        wards = np.array(one.cells["ward"])[training].tolist()
        part_of = means_of_other_cases({"plain": encoded[training]}, {"ward": wards}, part)
        assert part_of.found == {"plain": "ward"}


@pytest.mark.parametrize("wards", [12, 200, 4_000])
@pytest.mark.parametrize("order", ["label", "ward"])
def test_a_large_sorted_table_is_searched_by_drawn_groups(wards: int, order: str) -> None:
    """The first cases would have one label, or belong to few wards."""
    cases, random = 40_000, np.random.default_rng(wards)
    ward = random.permutation(cases) % wards
    labels = (random.random(cases) < random.beta(3, 4, wards)[ward]).astype(int)
    place = np.argsort(labels if order == "label" else ward, kind="stable")
    one = Study(ward[place], labels[place], labels[place])
    numbers = {"plain": one.mean_of_others(), "noise": random.normal(size=cases)}
    assert means_of_other_cases(numbers, one.cells, outcomes(one.labels, 2)).found == {"plain": "ward"}


def test_the_limit_of_groupings_is_reported() -> None:
    one = study(0)
    cells = {f"ward {copy}": one.cells["ward"] for copy in range(MOST_GROUPINGS + 1)}
    asked = outcomes(one.labels, 2)
    assert not means_of_other_cases({}, cells, asked).is_complete
    assert means_of_other_cases({}, dict(list(cells.items())[1:]), asked).is_complete


def test_honest_columns_are_not_accused() -> None:
    for seed in range(20):
        one = study(seed)
        random = np.random.default_rng(100 + seed)
        rate = np.bincount(one.ward, one.others, WARDS) / np.bincount(one.ward, minlength=WARDS)
        numbers = {
            "rate of other patients": rate[one.ward],
            "marker": one.labels + random.normal(0, 0.3, CASES),
            "marker that falls": -one.labels + random.normal(0, 0.1, CASES),
            "marker in units of the ward": one.labels + 10.0 * one.ward + random.normal(0, 0.1, CASES),
            "falls in units of the ward": -one.labels + 10.0 * one.ward + random.normal(0, 0.1, CASES),
            "noise": random.normal(size=CASES),
        }
        assert means_of_other_cases(numbers, one.cells, outcomes(one.labels, 2)).found == {}
        assert all(
            not associate_values(values, outcomes(one.labels, 2), 0.95).auc for values in numbers.values()
        )


def test_its_values_show_the_label_although_their_order_does_not() -> None:
    one = study(0)
    asked = outcomes(one.labels, 2)
    assert associate_numbers(one.mean_of_others(), asked, 0.85).auc == 0
    assert associate_values(one.mean_of_others(), asked, 0.95).auc > 0.95


@pytest.mark.parametrize("with_ward", [True, False])
def test_a_preparation_asks_about_it(work: Workspace, with_ward: bool) -> None:
    one = study(0)
    rows = [
        {"rate": rate, "noise": noise, "label": label} | ({"ward": f"w{ward}"} if with_ward else {})
        for rate, noise, label, ward in zip(
            one.mean_of_others().tolist(),
            np.random.default_rng(0).normal(size=CASES).tolist(),
            one.labels.tolist(),
            one.ward.tolist(),
            strict=True,
        )
    ]
    work.table("train.csv", rows)
    val = work.table("val.csv", rows[:40])
    prepared = work.prepare(val_csv=str(val), model={"vision_backbone": "none"}, allow_leakage=True)
    [message] = [
        one["message"] for one in prepared.summary["warnings"] if one["code"] == "LABEL_PREDICTED_BY_COLUMN"
    ]
    assert message.startswith('"rate" has values that predict the label one by one (AUROC ')
