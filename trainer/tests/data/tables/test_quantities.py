"""Quantities that are not plain numbers are known by their form, and are not codes of patients."""

from __future__ import annotations

import pytest

from medloom_trainer.data.tables.quantities import quantity_kind


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        ([f"{120 + row}/{80 + row % 9}" for row in range(30)], "quantity_ratios"),
        ([f"1:{10 * 2**row}" for row in range(10)], "quantity_ratios"),
        ([f"{row % 24}:{row:02}" for row in range(30)], "quantity_times"),
        ([f"~{row}.5" for row in range(30)], "quantity_approximate"),
        ([f"{row}.5x10^3" for row in range(30)], "quantity_powers"),
        ([f"({row})" if row % 2 else f"{row}" for row in range(30)], "quantity_parentheses"),
        ([f"{row}%" if row % 2 else f"{row}" for row in range(30)], "quantity_units"),
        ([f"{row} mg" if row % 2 else f"{row} g" for row in range(30)], "quantity_units"),
        ([f"{row:03}Y" if row % 2 else f"{row:03}M" for row in range(30)], "quantity_units"),
        ([f"'{row}.5" for row in range(30)], "quantity_units"),
        ([f"{row}/{2000 + row % 20}" for row in range(30)], None),  # numbers of cases with their years
        ([f"{row}/0{row:02}" for row in range(30)], None),
        ([f"042_S_{row:04}" for row in range(30)], None),
        ([f"{8000 + row}/3" for row in range(30)], None),
        ([f"{row}A" for row in range(30)], None),
        ([f"{row % 9},{row + 100}" for row in range(30)], None),
        ([f"{row}" for row in range(30)], None),
        ([f"{row} cm" if row % 2 else "unclear" for row in range(30)], None),
    ],
)
def test_the_kind_of_quantities(texts: list[str], kind: str | None) -> None:
    assert quantity_kind(texts) == kind
