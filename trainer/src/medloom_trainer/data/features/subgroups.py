"""Groups that the report compares: sex, age band, site, and the columns that the user names. Bands are
fixed on the training split.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.tables import Table, is_missing, read_numbers

_SEX_NAMES = frozenset({"sex", "gender"})
_AGE_NAMES = frozenset({"age", "age_years", "age_at_scan", "age_at_diagnosis", "patient_age"})
_SITE_NAMES = frozenset(
    {"site", "center", "centre", "hospital", "institution", "scanner", "region", "body_site", "anatom_site"}
)
_AGE_EDGES = [18.0, 40.0, 60.0, 80.0]
MAX_GROUPS = 20
"""Rarer groups of a column are compared together, as "other"."""


def fit_subgroups(train: Table, named: Sequence[str]) -> list[dict[str, Any]]:
    """JSON: [{"name", "kind": "bands", "edges"} | {"name", "kind": "groups", "groups"}]."""
    fitted = []
    for column in train.columns:
        name = column.casefold()
        if column not in named and name not in _SEX_NAMES | _AGE_NAMES | _SITE_NAMES:
            continue
        numbers = read_numbers(train.cells[column], train.delimiter)
        known = numbers.values[np.isfinite(numbers.values)]
        if not numbers.texts and name in _AGE_NAMES:
            fitted.append({"name": column, "kind": "bands", "edges": _AGE_EDGES})
        elif not numbers.texts and len(np.unique(known)) > 10:
            edges = np.unique(np.percentile(known, [25, 50, 75])).tolist()
            fitted.append({"name": column, "kind": "bands", "edges": edges})
        else:
            counts = Counter(text for text in train.cells[column] if not is_missing(text))
            groups = [group for group, _ in counts.most_common(MAX_GROUPS)]
            fitted.append({"name": column, "kind": "groups", "groups": groups})
    return fitted


def find_subgroups(table: Table, fitted: list[dict[str, Any]]) -> dict[str, npt.NDArray[np.str_]]:
    """Column → (N,) group names, "" where unknown; columns that this table lacks are left out."""
    found = {}
    for subgroup in fitted:
        texts = table.cells.get(subgroup["name"])
        if texts is None:
            continue
        if subgroup["kind"] == "bands":
            numbers = read_numbers(texts, table.delimiter).values
            names = _band_names(subgroup["edges"])
            bands = np.searchsorted(subgroup["edges"], numbers, side="right")
            groups = [
                names[band] if known else "" for band, known in zip(bands, np.isfinite(numbers), strict=True)
            ]
        else:
            listed = set(subgroup["groups"])
            groups = ["" if is_missing(text) else text if text in listed else "other" for text in texts]
        found[subgroup["name"]] = np.asarray(groups, dtype=np.str_)
    return found


def _band_names(edges: Sequence[float]) -> list[str]:
    """[18, 40] → "< 18", "18 to < 40", "≥ 40"."""
    texts = [f"{edge:g}" for edge in edges]
    inner = [f"{low} to < {high}" for low, high in pairwise(texts)]
    return [f"< {texts[0]}", *inner, f"≥ {texts[-1]}"] if texts else ["all"]
