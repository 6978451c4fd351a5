"""False alarms: nothing is blocked in clean tables that packages contain.

Tables of packages that are not installed are skipped. `pytest -s -m full tests/data/test_clean_tables.py`
prints what is blocked, what is warned of, and which columns are not used.
"""

from __future__ import annotations

import csv
import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from medloom_trainer.data.checks import inspect

OF_SCIKIT_LEARN = ("iris", "wine", "breast_cancer", "diabetes", "digits", "linnerud")
OF_FILES: Mapping[str, tuple[str, str, Mapping[str, str]]] = {
    "gbsg2": ("lifelines", "gbsg2.csv", {"time_column": "time", "event_column": "cens"}),
    "rossi": ("lifelines", "rossi.csv", {"time_column": "week", "event_column": "arrest"}),
    "larynx": ("lifelines", "larynx.csv", {"time_column": "time", "event_column": "death"}),
    "lung": ("lifelines", "lung.csv", {"time_column": "time", "event_column": "status"}),
    "kidney_transplant": (
        "lifelines", "kidney_transplant.csv", {"time_column": "time", "event_column": "death"},
    ),
    "waltons": ("lifelines", "waltons_dataset.csv", {"time_column": "T", "event_column": "E"}),
    "fair": ("statsmodels", "fair/fair.csv", {"label_column": "affairs"}),
    "randhie": ("statsmodels", "randhie/randhie.csv", {"label_column": "mdvis"}),
    "heart": ("statsmodels", "heart/heart.csv", {"time_column": "survival", "event_column": "censors"}),
}  # fmt: skip
"""Name → (package, file in its folder of datasets, columns of the outcome)."""


def written(name: str, folder: Path) -> tuple[Path, Mapping[str, str]]:
    """The table of a package as a CSV, and the columns of its outcome."""
    if name in OF_FILES:
        package, file, outcome = OF_FILES[name]
        spec = importlib.util.find_spec(package)
        if spec is None or spec.origin is None:
            pytest.skip(f"{package} is not installed")
        return Path(spec.origin).parent / "datasets" / file, outcome
    datasets: Any = importlib.import_module("sklearn.datasets")
    loaded = getattr(datasets, f"load_{name}")()
    target = loaded.target if loaded.target.ndim == 1 else loaded.target[:, 0]
    path = folder / f"{name}.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*loaded.feature_names, "target"])
        writer.writerows(
            [*row, label] for row, label in zip(loaded.data.tolist(), target.tolist(), strict=True)
        )
    return path, {"label_column": "target"}


@pytest.mark.full
@pytest.mark.parametrize("name", [*OF_SCIKIT_LEARN, *OF_FILES])
def test_a_clean_table_is_not_blocked(name: str, tmp_path: Path) -> None:
    path, outcome = written(name, tmp_path)
    absent = dict.fromkeys(
        ("image_root", "label_column", "label_columns", "time_column", "event_column", "patient_column",
         "positive_class", "slices"),
    )  # fmt: skip
    found = inspect({**absent, "path": str(path), "roles": {}, "ignore_columns": [], "roots": [], **outcome})
    keys: dict[str, list[str]] = {"blocked": [], "warning": [], "ready": []}
    for check in found["readiness"]["checks"]:
        keys[check["status"]].append(check["key"])
    unused = [one["name"] for one in found["columns"] if one["role"] in ("id", "constant", "ignored", "mask")]
    print(f"\n{name}: {found['num_cases']} cases; blocked {keys['blocked']}, warned {keys['warning']}, "
          f"not used {unused}")  # fmt: skip
    assert keys["blocked"] == []
