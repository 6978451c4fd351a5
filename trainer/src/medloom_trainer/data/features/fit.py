"""Values fitted on the training rows: the selection of columns, their scaling and encoding; the groups that
the report compares (sex, age band, site, and the columns that the user names); and the normalization of
images, (record scaled to 0..1 - mean) / std for each color.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.features.encoding import fit_table, lay_out
from medloom_trainer.data.features.selection import Selection, select_columns
from medloom_trainer.data.features.target_statistics import TargetCodes, code_targets
from medloom_trainer.data.splits import SplitCases
from medloom_trainer.data.tables import (
    LabelScheme,
    Table,
    TrainingTables,
    is_missing,
    read_numbers,
    targets_of,
)
from medloom_trainer.data.types import ImageStore, TableLayout
from medloom_trainer.errors import TrainerError

IMAGENET = {"mean": [0.485, 0.456, 0.406], "std": [0.229, 0.224, 0.225]}
"""Mean and standard deviation of the images that pretrained backbones were trained on (Deng et al. 2009, as
stated by torchvision).
"""

_BATCH = 32


_SEX_NAMES = frozenset({"sex", "gender"})
_AGE_NAMES = frozenset({"age", "age_years", "age_at_scan", "age_at_diagnosis", "patient_age"})
_SITE_NAMES = frozenset(
    {"site", "center", "centre", "hospital", "institution", "scanner", "region", "body_site", "anatom_site"}
)
_AGE_EDGES = [18.0, 40.0, 60.0, 80.0]
MAX_GROUPS = 20
"""Rarer groups of a column are compared together, as "other"."""


@dataclass(frozen=True)
class TableFit:
    """The fitted state, and the values needed to encode the same rows out of fold."""

    state: dict[str, Any]
    """JSON: the state of every column (encoding.py)."""
    layout: TableLayout
    """Position of each column in the encoded arrays."""
    targets: TargetCodes | None
    """None if the state was fitted elsewhere: it contains no information from these rows."""
    selection: Selection

    @classmethod
    def of_state(cls, state: dict[str, Any], layout: TableLayout) -> TableFit:
        """The state that another training has fitted."""
        numeric = tuple(column["name"] for column in state["columns"] if column["kind"] == "numeric")
        others = tuple(column["name"] for column in state["columns"] if column["kind"] != "numeric")
        return cls(state, layout, None, Selection(numeric, others, {}))


def fit_training_table(
    config: Mapping[str, Any],
    tables: TrainingTables,
    learning: SplitCases,
    groups: npt.NDArray[np.int64],
) -> TableFit:
    """Choose, scale and encode the columns, only by the cases that train. groups (N,): the group of each
    case, from `divide_among_members`. DATASET_INVALID if no column remains.
    """
    assert learning.labels is not None  # labels of the training split are always read
    fit = fit_features(
        learning.table,
        (tables.columns.numeric, tables.columns.categorical),
        learning.labels,
        tables.scheme,
        groups=groups,
        seed=config["training"]["seed"],
        settings=config["data"],
    )
    selection = fit.selection
    if selection.dropped and not (selection.numeric or selection.categorical):
        message = phrase("selection_excludes_all", count=len(selection.scores))
        raise TrainerError("DATASET_INVALID", message)
    fit.state["selection"] = {**config["data"]["feature_selection"], "scores": selection.scores}
    return fit


def fit_features(
    table: Table,
    columns: tuple[Sequence[str], Sequence[str]],
    labels: npt.NDArray[Any] | None,
    scheme: LabelScheme | None,
    *,
    groups: npt.NDArray[np.int64],
    seed: int,
    settings: Mapping[str, Any],
) -> TableFit:
    """columns: (numeric, categorical). labels: of these rows, with their scheme; None if unknown. groups
    (N,): rows that must not inform each other's target statistics. settings: missing_strategy,
    missing_indicator, scaling, categorical_encoding and feature_selection of the `data` configuration.
    """
    questions = [] if labels is None or scheme is None else targets_of(labels, scheme)
    targets = code_targets(questions, groups, seed)
    selection = select_columns(table, *columns, questions, settings["feature_selection"])
    state = fit_table(
        table,
        selection.numeric,
        selection.categorical,
        missing_strategy=settings["missing_strategy"],
        missing_indicator=settings["missing_indicator"],
        scaling=settings["scaling"],
        categorical_encoding=settings["categorical_encoding"],
        target=targets,
    )
    return TableFit(state, lay_out(state), targets, selection)


def fit_image_normalization(
    method: str, store: ImageStore, train_slots: npt.NDArray[np.int64], poll: Callable[[], None]
) -> dict[str, Any]:
    """→ {"mean": [3], "std": [3]}. imagenet: constants; zscore: mean and standard deviation of the training
    pixels; minmax: their range.

    Streams over the store: memory does not grow with the number of images. `poll` is called between
    batches.
    """
    slots = np.unique(train_slots[train_slots >= 0])
    if method == "imagenet" or not slots.size:
        return {key: list(values) for key, values in IMAGENET.items()}
    scale = 255.0 if store.depth == 8 else 65535.0
    total = np.zeros(3)
    squares = np.zeros(3)
    low, high, pixels = np.full(3, np.inf), np.full(3, -np.inf), 0
    for start in range(0, len(slots), _BATCH):
        poll()
        records = store.gather(slots[start : start + _BATCH, None])
        batch = records.reshape(-1, 3) / scale  # (pixels, 3) float64
        total += batch.sum(axis=0)
        squares += np.square(batch).sum(axis=0)
        low, high = np.minimum(low, batch.min(axis=0)), np.maximum(high, batch.max(axis=0))
        pixels += len(batch)
    if method == "minmax":
        mean, spread = low, high - low
    else:
        mean = total / pixels
        spread = np.sqrt(np.maximum(squares / pixels - np.square(mean), 0))
    return {"mean": mean.tolist(), "std": np.where(spread > 1e-6, spread, 1.0).tolist()}


def fit_subgroups(
    train: Table, named: Sequence[str], of_images: Mapping[str, Sequence[str]] | None = None
) -> list[dict[str, Any]]:
    """JSON: [{"name", "kind": "bands", "edges"} | {"name", "kind": "groups", "groups"}], with "of": "images"
    for a property of the images (acquisition.py). of_images: property → (N,) texts."""
    fitted = []
    for column in train.columns:
        name = column.casefold()
        if column in named or name in _SEX_NAMES | _AGE_NAMES | _SITE_NAMES:
            edges = _AGE_EDGES if name in _AGE_NAMES else None
            fitted.append(_fit_subgroup(column, train.cells[column], train.delimiter, edges))
    for name, texts in (of_images or {}).items():
        fitted.append({**_fit_subgroup(name, texts, ",", None), "of": "images"})
    return fitted


def _fit_subgroup(
    name: str, texts: Sequence[str], delimiter: str, age_edges: list[float] | None
) -> dict[str, Any]:
    numbers = read_numbers(texts, delimiter)
    known = numbers.values[np.isfinite(numbers.values)]
    if not numbers.texts and age_edges is not None:
        return {"name": name, "kind": "bands", "edges": age_edges}
    if not numbers.texts and len(np.unique(known)) > 10:
        edges = np.unique(np.percentile(known, [25, 50, 75])).tolist()
        return {"name": name, "kind": "bands", "edges": edges}
    counts = Counter(text for text in texts if not is_missing(text))
    return {"name": name, "kind": "groups", "groups": [group for group, _ in counts.most_common(MAX_GROUPS)]}


def find_subgroups(
    table: Table, fitted: list[dict[str, Any]], of_images: Mapping[str, Sequence[str]] | None = None
) -> dict[str, npt.NDArray[np.str_]]:
    """Column or property of the images → (N,) group names, "" if unknown; those that this table lacks are
    left out. of_images: see `fit_subgroups`.
    """
    found = {}
    for subgroup in fitted:
        own = subgroup.get("of") == "images"
        texts = ((of_images or {}) if own else table.cells).get(subgroup["name"])
        if texts is None:
            continue
        if subgroup["kind"] == "bands":
            numbers = read_numbers(texts, "," if own else table.delimiter).values
            names = _band_names(subgroup["edges"])
            bands = np.searchsorted(subgroup["edges"], numbers, side="right")
            groups = [
                names[band] if known else "" for band, known in zip(bands, ~np.isnan(numbers), strict=True)
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
