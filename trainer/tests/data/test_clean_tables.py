"""False alarms: in clean tables nothing is blocked, and no column is accused of predicting the label, apart
from the listed exceptions.

Tables of packages that are not installed are skipped. `pytest -s -m full tests/data/test_clean_tables.py`
prints what is blocked, what is warned of, and which columns are not used.
"""

from __future__ import annotations

import csv
import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from medloom_trainer.data.checks import inspect

OF_SCIKIT_LEARN = ("iris", "wine", "breast_cancer", "diabetes", "digits", "linnerud")
SLOW = ("digits",)
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
    header, rows = STAND_INS[name](np.random.default_rng(0)) if name in STAND_INS else loaded(name)
    path = folder / f"{name}.csv"
    with path.open("w", newline="", encoding="utf-8") as text:
        writer = csv.writer(text)
        writer.writerow(header)
        writer.writerows(rows)
    return path, {"label_column": "target"}


def loaded(name: str) -> tuple[list[str], list[list[Any]]]:
    datasets: Any = importlib.import_module("sklearn.datasets")
    found = getattr(datasets, f"load_{name}")()
    target = found.target if found.target.ndim == 1 else found.target[:, 0]
    rows = [[*row, label] for row, label in zip(found.data.tolist(), target.tolist(), strict=True)]
    return [*found.feature_names, "target"], rows


def zoo(random: np.random.Generator) -> tuple[list[str], list[list[Any]]]:
    """A class of animals that follows from their properties, with some exceptions."""
    flags = ("hair", "feathers", "eggs", "milk", "airborne", "aquatic", "toothed", "backbone", "breathes",
             "fins", "tail")  # fmt: skip
    kinds = {
        "mammal": (41, "hair milk toothed backbone breathes tail", 4),
        "bird": (20, "feathers eggs airborne backbone breathes tail", 2),
        "fish": (13, "eggs aquatic toothed backbone fins tail", 0),
        "insect": (8, "eggs airborne breathes", 6),
        "other": (19, "eggs aquatic", 0),
    }
    rows = []
    for kind, (count, properties, legs) in kinds.items():
        for _ in range(count):
            own = [int((name in properties.split()) != (random.random() < 0.04)) for name in flags]
            rows.append([*own, legs, int(random.integers(0, 2)), kind])
    return [*flags, "legs", "domestic", "target"], rows


def house_votes(random: np.random.Generator) -> tuple[list[str], list[list[Any]]]:
    """Votes of two parties: some nearly follow the party, others do not; some are missing."""
    yes = [(0.60, 0.19), (0.50, 0.51), (0.89, 0.13), (0.05, 0.99), (0.22, 0.95), (0.48, 0.90), (0.77, 0.24),
           (0.83, 0.15), (0.76, 0.12), (0.47, 0.56), (0.51, 0.13), (0.14, 0.87), (0.29, 0.86), (0.35, 0.98),
           (0.64, 0.09), (0.94, 0.66)]  # fmt: skip
    rows = []
    for party, count in enumerate((267, 168)):
        for _ in range(count):
            votes = ["y" if random.random() < chances[party] else "n" for chances in yes]
            rows.append([*("" if random.random() < 0.05 else vote for vote in votes), f"party {party}"])
    return [*(f"vote {number}" for number in range(1, 17)), "target"], rows


def ionosphere(random: np.random.Generator) -> tuple[list[str], list[list[Any]]]:
    """Echoes: those of a structure decay smoothly, others scatter."""
    rows = []
    for number in range(351):
        good = number % 3 > 0
        pulses = random.normal(0.75, 0.2, 16) if good else random.uniform(-1, 1, 16)
        decay = np.exp(-np.arange(16) / random.uniform(8, 40)) if good else np.ones(16)
        rows.append([*np.clip(pulses * decay, -1, 1).round(5).tolist(), "good" if good else "bad"])
    return [*(f"pulse {number}" for number in range(1, 17)), "target"], rows


STAND_INS = {"zoo": zoo, "house_votes": house_votes, "ionosphere": ionosphere}
"""Simulated tables like public ones whose label is a function of the columns, or nearly so."""
EASY, PAIRS = "the label may be easy to predict", "two columns together predict the label"
"""Starts of a question that names several columns, and of one that names pairs of columns."""
EXCEPTIONS: Mapping[str, set[str]] = {
    "iris": {EASY}, "wine": {EASY}, "breast_cancer": {EASY}, "digits": {EASY}, "house_votes": {EASY},
    "zoo": {EASY, PAIRS},
}  # fmt: skip
"""Name → the questions about a table: several of its columns alone, or for zoo also pairs of properties,
determine a class. All others have none."""


def checked(path: Path, outcome: Mapping[str, str]) -> dict[str, Any]:
    absent = dict.fromkeys(
        ("image_root", "label_column", "label_columns", "time_column", "event_column", "patient_column",
         "positive_class", "slices"),
    )  # fmt: skip
    return inspect({**absent, "path": str(path), "roles": {}, "ignore_columns": [], "roots": [], **outcome})


@pytest.mark.parametrize(
    "name",
    [
        *(pytest.param(name, marks=pytest.mark.full if name in SLOW else ()) for name in OF_SCIKIT_LEARN),
        *(pytest.param(name, marks=pytest.mark.full) for name in OF_FILES),
        *STAND_INS,
    ],
)
def test_a_clean_table_is_not_blocked_and_no_column_is_accused(name: str, tmp_path: Path) -> None:
    path, outcome = written(name, tmp_path)
    found = checked(path, outcome)
    checks = found["readiness"]["checks"]
    keys: dict[str, list[str]] = {"blocked": [], "warning": [], "ready": []}
    for check in checks:
        keys[check["status"]].append(check["key"])
    accused = [check for check in checks if check["key"].startswith("LABEL_PREDICTED_BY_")]
    unused = [one["name"] for one in found["columns"] if one["role"] in ("id", "constant", "ignored", "mask")]
    print(f"\n{name}: {found['num_cases']} cases; blocked {keys['blocked']}, warned {keys['warning']}, "
          f"not used {unused}; {[check['message'] for check in accused]}")  # fmt: skip
    assert keys["blocked"] == []
    assert {check["key"] for check in accused} <= {"LABEL_PREDICTED_BY_MANY_COLUMNS"}
    assert {check["message"].split(":")[0].split(", although")[0] for check in accused} == EXCEPTIONS.get(
        name, set()
    )
