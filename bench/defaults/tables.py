"""Tables that packages ship, each as a CSV with a column "label": baseline data, and the outcome. Follow-up
times are removed, because they would reveal the event. PAD-UFES-20 is added if its folder is given: only the
table, without the columns that reveal its label.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sklearn.datasets
from scipy.io import arff

MOST_ROWS = 2000
"""Larger tables are sampled evenly: the order of the contenders would not change."""

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Source:
    """A table of a package."""

    name: str
    title: str
    task: str
    read: Callable[[Path], Rows]
    """site-packages of the environment that contains the packages → rows; for PAD-UFES-20 its folder."""
    patient: str | None = None
    """Column of the patients, if some have several rows."""


def write_table(source: Source, packages: Path, folder: Path) -> Path:
    rows = source.read(packages)
    step = max(1.0, len(rows) / MOST_ROWS)
    chosen = [rows[int(number * step)] for number in range(min(len(rows), MOST_ROWS))]
    path = folder / f"{source.name}.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(chosen[0]))
        writer.writeheader()
        writer.writerows(chosen)
    return path


def _of_sklearn(load: Callable[[], Any]) -> Callable[[Path], Rows]:
    def read(_packages: Path) -> Rows:
        found = load()
        names = [str(name).replace(" ", "_") for name in found.feature_names]
        classes = getattr(found, "target_names", None)
        labels = [f"{classes[k]}" if classes is not None else k for k in found.target.tolist()]
        pairs = zip(found.data.tolist(), labels, strict=True)
        return [{**dict(zip(names, values, strict=True)), "label": label} for values, label in pairs]

    return read


def _of_survival(
    file: str, event: str, happened: Sequence[str], without: Sequence[str]
) -> Callable[[Path], Rows]:
    """An ARFF file of scikit-survival. event: its column, `happened` its values with an event."""

    def read(packages: Path) -> Rows:
        data, _ = arff.loadarff(packages / "sksurv" / "datasets" / "data" / file)
        names = data.dtype.names
        assert names is not None
        rows = [{name: _plain(row[name]) for name in names} for row in data]
        return _with_event(rows, event, happened, without)

    return read


def _of_lifelines(
    file: str, event: str, happened: Sequence[str], without: Sequence[str]
) -> Callable[[Path], Rows]:
    """A CSV file of lifelines."""

    def read(packages: Path) -> Rows:
        return _with_event(_read_lifelines(packages, file), event, happened, without)

    return read


def _number_of_lifelines(file: str, number: str, without: Sequence[str]) -> Callable[[Path], Rows]:
    """A CSV file of lifelines with a numeric label."""

    def read(packages: Path) -> Rows:
        left_out = ("", number, *without)
        return [
            {**{k: v for k, v in row.items() if k not in left_out}, "label": row[number]}
            for row in _read_lifelines(packages, file)
        ]

    return read


def _read_lifelines(packages: Path, file: str) -> Rows:
    with (packages / "lifelines" / "datasets" / file).open(encoding="utf-8", newline="") as opened:
        return list(csv.DictReader(opened))


def _read_pad(folder: Path) -> Rows:
    left_out = ("image", "lesion_id", "cancer", "split", "biopsed")
    with (folder / "data.csv").open(encoding="utf-8", newline="") as opened:
        return [{k: v for k, v in row.items() if k not in left_out} for row in csv.DictReader(opened)]


def _with_event(
    rows: Iterable[dict[str, Any]], event: str, happened: Sequence[str], without: Sequence[str]
) -> Rows:
    kept = []
    for row in rows:
        text = str(row[event])
        label = "event" if text in happened else "no event"
        kept.append({k: v for k, v in row.items() if k and k not in (event, *without)} | {"label": label})
    return kept


def _plain(value: Any) -> str:
    text = value.decode("utf-8") if isinstance(value, bytes) else repr(float(value))
    return "" if text in ("?", "nan") else text


YES = ("1", "1.0", "yes", "true", "True", "TRUE")
SOURCES: tuple[Source, ...] = (
    Source(
        "breast-cancer",
        "breast cancer, Wisconsin",
        "classification",
        _of_sklearn(sklearn.datasets.load_breast_cancer),
    ),
    Source("wine", "wine cultivars", "classification", _of_sklearn(sklearn.datasets.load_wine)),
    Source("diabetes", "diabetes progression", "regression", _of_sklearn(sklearn.datasets.load_diabetes)),
    Source(
        "aids",
        "AIDS trial (ACTG 320)",
        "classification",
        _of_survival("actg320.arff", "censor", YES, ("id", "time", "censor_d", "time_d")),
    ),
    Source(
        "light-chains",
        "free light chains",
        "classification",
        _of_survival("flchain.arff", "death", ("dead",), ("futime", "chapter")),
    ),
    Source(
        "gbsg2", "breast cancer, GBSG-2", "classification", _of_survival("GBSG2.arff", "cens", YES, ("time",))
    ),
    Source(
        "whas500",
        "heart attack, WHAS500",
        "classification",
        _of_survival("whas500.arff", "fstat", YES, ("lenfol",)),
    ),
    Source(
        "veterans",
        "veterans' lung cancer",
        "classification",
        _of_survival("veteran.arff", "Status", ("dead", *YES), ("Survival_in_days",)),
    ),
    Source(
        "lung", "lung cancer, NCCTG", "classification", _of_lifelines("lung.csv", "status", YES, ("time",))
    ),
    Source(
        "rossi", "recidivism, Rossi", "classification", _of_lifelines("rossi.csv", "arrest", YES, ("week",))
    ),
    Source(
        "kidney",
        "kidney transplants",
        "classification",
        _of_lifelines("kidney_transplant.csv", "death", YES, ("time",)),
    ),
    Source(
        "actg175",
        "AIDS trial (ACTG 175)",
        "classification",
        _of_lifelines("ACTG175.csv", "cens", YES, ("days", "pidnum", "cd420", "cd820", "cd496", "r")),
    ),
    Source(
        "actg175-cd4",
        "CD4 cells at 20 weeks (ACTG 175)",
        "regression",
        _number_of_lifelines(
            "ACTG175.csv", "cd420", ("days", "pidnum", "cd820", "cd496", "r", "cens", "offtrt")
        ),
    ),
    Source(
        "gse7390",
        "breast cancer, 76 genes (GSE7390)",
        "classification",
        _of_survival("breast_cancer_GSE7390-metastasis.arff", "e.tdm", YES, ("t.tdm",)),
    ),
    Source(
        "lupus",
        "lupus (Merrell 1955)",
        "classification",
        _of_lifelines(
            "merrell1955.csv",
            "dead",
            YES,
            (
                "id",
                "year_month_of_diagnosis",
                "year_month_of_last_observation",
                "time_between_diagnosis_and_last_observation_(years)",
            ),
        ),
    ),
    Source("larynx", "larynx cancer", "classification", _of_lifelines("larynx.csv", "death", YES, ("time",))),
    Source(
        "cgvhd",
        "bone marrow transplants",
        "classification",
        _of_survival(
            "cgvhd.arff",
            "stat",
            YES,
            ("survtime", "reltime", "agvhtime", "cgvhtime", "rcens", "agvh", "cgvh", "stnum"),
        ),
    ),
)
PAD = Source("pad", "PAD-UFES-20, the table alone", "classification", _read_pad, "patient_id")
