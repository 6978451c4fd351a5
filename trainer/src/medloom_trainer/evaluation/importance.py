"""Importance of the inputs for the predictions: contract Importance.

Permutation importance (Breiman 2001; Fisher, Rudin and Dominici 2019): the decrease of the main metric if one
column is exchanged between patients while everything else stays the same. The images of a case count as one
column. In addition, the results without the images and without the table. Importance describes what this
model uses, not what causes the outcome.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from medloom_trainer.contract.phrases import phrase, with_phrases
from medloom_trainer.data.types import Cases, ImageStore, TableLayout
from medloom_trainer.evaluation.feature_bank import (
    CombinedBank,
    FeatureBank,
    backbone_of,
    bank_of,
    bytes_per_view,
)
from medloom_trainer.evaluation.postprocessing import shown_predictions
from medloom_trainer.evaluation.result import case_places
from medloom_trainer.evaluation.subgroups import MIN_EVENTS, MIN_PATIENTS
from medloom_trainer.inference.checkpoint import Checkpoint
from medloom_trainer.inference.stored_network import layout_from_json
from medloom_trainer.metrics.arrays import FloatArray
from medloom_trainer.metrics.score_drops import MainScore, ScoreDrops
from medloom_trainer.metrics.statistics.clusters import Clusters
from medloom_trainer.outcomes import OutcomeKind, kind_of
from medloom_trainer.outcomes.kind import Threshold

_MAX_CASES = 2000
_MAX_BYTES = 1 << 30
"""Limit for the cached features of views."""
_NO_METRIC = phrase("no_metric_of_importance")

Progress = Callable[[str, float], None]


@dataclass(frozen=True)
class Explained:
    """Importance of the inputs of a model, and the cases with single inputs removed."""

    result: dict[str, Any]
    """Contract Importance."""
    table: dict[str, list[Any]] | None
    """Every case without images and without the table, column → cells; None if the model reads only one of
    the two."""


def explain(
    checkpoint: Checkpoint,
    cases: Cases,
    store: ImageStore | None,
    result: Mapping[str, Any],
    *,
    repeats: int,
    device: str,
    progress: Progress,
) -> Explained:
    """cases: those of `result`, an evaluation of this checkpoint. repeats: exchanges of each column. Uses at
    most _MAX_CASES of the cases, from patients drawn at random."""
    state = checkpoint.state
    kind, seed = kind_of(state), int(state["config"]["training"]["seed"])
    found: dict[str, Any] = {
        "metric": None,
        "repeats": repeats,
        "seed": seed,
        "num_cases": 0,
        "inputs": [],
        "ablation": [],
        "predictions": None,
        **with_phrases({"reason": _refusal(kind, cases)}),
    }
    if found["reason"] is not None:
        return Explained(found, None)
    subject = _Subject.from_checkpoint(checkpoint, cases, store, result, torch.device(device), progress)
    score = subject.score(subject.predictions)
    if score is None:
        return Explained(found | with_phrases({"reason": _NO_METRIC}), None)
    drops = ScoreDrops(score, Clusters.from_patients(subject.cases.patients, len(subject.cases.rows)), seed)
    inputs = [*subject.columns, *([None] if subject.reads_images else [])]
    entries = []
    for number, column in enumerate(inputs):
        progress(
            phrase("exchanging_input", number=number + 1, total=len(inputs)), 0.2 + 0.8 * number / len(inputs)
        )
        entries.append(subject.importance(column, drops, repeats, seed))
    ablation, table = subject.ablation(drops)
    return Explained(
        found
        | {
            "metric": score.metric,
            "num_cases": len(subject.cases.rows),
            "inputs": sorted(entries, key=lambda entry: entry["drop"], reverse=True),
            "ablation": ablation,
        },
        table,
    )


def _refusal(kind: OutcomeKind, cases: Cases) -> str | None:
    labels = np.asarray(cases.labels)
    clusters = Clusters.from_patients(cases.patients, len(labels))
    if clusters.count < MIN_PATIENTS:
        return phrase("fewer_patients", needed=MIN_PATIENTS)
    classes = kind.class_patients(labels, clusters)
    if classes is not None and min(classes) < MIN_EVENTS:
        return phrase("class_with_fewer_patients", needed=MIN_EVENTS)
    return None


@dataclass(frozen=True)
class _Subject:
    """A model with cached features of its cases."""

    kind: OutcomeKind
    cases: Cases
    result: Mapping[str, Any]
    bank: FeatureBank | CombinedBank
    layout: TableLayout
    reads_table: bool
    reads_images: bool
    predictions: FloatArray

    @staticmethod
    def from_checkpoint(
        checkpoint: Checkpoint,
        cases: Cases,
        store: ImageStore | None,
        result: Mapping[str, Any],
        device: torch.device,
        progress: Progress,
    ) -> _Subject:
        state = checkpoint.state
        network = checkpoint.build_network()
        network.to(device, memory_format=torch.channels_last)  # type: ignore[call-overload]
        width, height = state["config"]["data"]["image_size"]
        per_case = bytes_per_view(network, (width, height)) * max(1, int(state["num_views"]))
        limit = min(_MAX_CASES, _MAX_BYTES // per_case) if per_case else _MAX_CASES
        cases = _sample(cases, limit, int(state["config"]["training"]["seed"]))
        bank = bank_of(
            network,
            cases.slots,
            store,
            image_normalization=state["image_normalization"],
            device=device,
            batch_size=state["config"]["training"]["batch_size"],
            after_batch=lambda: progress(phrase("showing_images"), 0.1),
        )
        subject = _Subject(
            kind_of(state),
            cases,
            result,
            bank,
            layout_from_json(state["layout"]),
            state["config"]["model"]["fusion_type"] != "none",
            backbone_of(network) is not None and cases.slots is not None,
            np.zeros(0),
        )
        return replace(subject, predictions=subject.predict(cases))

    @property
    def threshold(self) -> Threshold:
        """Threshold of the result."""
        return self.kind.threshold_of(self.result)

    @property
    def columns(self) -> list[str]:
        """Columns of the layout, each once: several combined models may each have a separate encoding."""
        return list(dict.fromkeys(column.name for column in self.layout.columns)) if self.reads_table else []

    def predict(self, cases: Cases) -> FloatArray:
        outputs = self.bank.predict(cases.values, cases.codes, cases.present, cases.slots)
        return shown_predictions(self.result, self.kind.predictions(outputs))

    def score(self, predictions: FloatArray) -> MainScore | None:
        labels = np.asarray(self.cases.labels)
        return MainScore.from_outcome(self.kind.measured(labels, predictions, self.threshold))

    def importance(self, column: str | None, drops: ScoreDrops, repeats: int, seed: int) -> dict[str, Any]:
        """Importance of a column of the layout; None: of the images."""
        scores = []
        for repeat in range(repeats):
            generator = np.random.default_rng([seed, repeat])
            partner = partners(self.cases.patients, len(self.cases.rows), generator)
            scores.append(self._score_of(_exchanged(self.cases, self.layout, column, partner)))
        name = "images" if column is None else column
        kind = "images" if column is None else "column"
        return {"name": name, "kind": kind, **drops.measure(scores)._asdict()}

    def ablation(self, drops: ScoreDrops) -> tuple[list[dict[str, Any]], dict[str, list[Any]] | None]:
        """Results without the images and without the table; empty if the model reads only one of them."""
        if not (self.reads_table and self.reads_images):
            return [], None
        labels, threshold = np.asarray(self.cases.labels), self.threshold
        places = case_places(self.cases)
        table: dict[str, list[Any]] = {
            "file": [file for file, _ in places],
            "row": [line for _, line in places],
            **self.kind.columns(labels, self.predictions, threshold),
        }
        entries = []
        for without, cases in (
            ("images", _without_images(self.cases)),
            ("table", _without_table(self.cases)),
        ):
            predictions = self.predict(cases)
            cells = self.kind.columns(labels, predictions, threshold)
            change, changed = self._change(predictions, table, cells)
            score = self._score_of(cases)
            entry = {"without": without, "mean_change": change, "changed": changed}
            entries.append(entry | drops.measure([score])._asdict())
            own = {name: column for name, column in cells.items() if not name.startswith("truth")}
            table |= {f"without {without}: {name}": column for name, column in own.items()}
        return entries, table

    def _change(
        self, after: FloatArray, before_cells: Mapping[str, list[Any]], cells: Mapping[str, list[Any]]
    ) -> tuple[float, float | None]:
        """Mean over the cases of the probability that moves to other classes (for several labels: the mean
        change of a probability), or of the absolute change of a number; and the share of cases whose class
        changes, None if a case has no single class."""
        gap = np.abs(after - self.predictions)
        if not self.kind.one_of_classes:
            return float(gap.mean()), None
        other = np.asarray(before_cells["predicted"]) != np.asarray(cells["predicted"])
        return float(gap.sum(axis=1).mean() / 2), float(other.mean())

    def _score_of(self, cases: Cases) -> MainScore:
        score = self.score(self.predict(cases))
        assert score is not None  # the kind of outcome has a score, and the labels are the same
        return score


def partners(
    patients: npt.NDArray[np.int64] | None, size: int, generator: np.random.Generator
) -> npt.NDArray[np.intp]:
    """(N,) the case from which each case takes a value: a case of another patient; each patient gives to one
    other. Cases of one patient take from different cases as far as possible.
    """
    member = Clusters.from_patients(patients, size).member
    order = np.argsort(member, kind="stable")
    counts = np.bincount(member)
    starts = np.cumsum(counts) - counts
    rank = np.empty(size, dtype=np.intp)
    rank[order] = np.arange(size) - np.repeat(starts, counts)
    # A shuffled circle: no patient keeps its own value.
    circle = generator.permutation(len(counts))
    giver = np.empty(len(counts), dtype=np.intp)
    giver[circle] = np.roll(circle, 1)
    source = giver[member]
    return order[starts[source] + rank % counts[source]]


def _exchanged(cases: Cases, layout: TableLayout, column: str | None, partner: npt.NDArray[np.intp]) -> Cases:
    if column is None:
        return replace(cases, slots=None if cases.slots is None else cases.slots[partner])
    values, codes, present = cases.values.copy(), cases.codes.copy(), cases.present.copy()
    for position, place in enumerate(layout.columns):
        if place.name != column:
            continue
        if place.kind == "embedding":
            codes[:, place.start] = codes[partner, place.start]
        else:
            span = slice(place.start, place.start + place.width)
            values[:, span] = values[partner, span]
        present[:, position] = present[partner, position]
    return replace(cases, values=values, codes=codes, present=present)


def _without_images(cases: Cases) -> Cases:
    return replace(cases, slots=None if cases.slots is None else np.full_like(cases.slots, -1))


def _without_table(cases: Cases) -> Cases:
    """Hide the table as modality dropout does."""
    return replace(cases, values=np.zeros_like(cases.values), present=np.zeros_like(cases.present))


def _sample(cases: Cases, limit: int, seed: int) -> Cases:
    """Draw patients at random, with all their cases, as long as their cases stay within the limit."""
    size = len(cases.rows)
    if size <= limit:
        return cases
    member = Clusters.from_patients(cases.patients, size).member
    counts = np.bincount(member)
    drawn = np.random.default_rng(seed).permutation(len(counts))
    sampled = drawn[np.cumsum(counts[drawn]) <= max(limit, 1)]
    rows = np.flatnonzero(np.isin(member, sampled))
    places = case_places(cases)
    return replace(
        cases,
        rows=cases.rows[rows],
        slots=None if cases.slots is None else cases.slots[rows],
        values=cases.values[rows],
        codes=cases.codes[rows],
        present=cases.present[rows],
        labels=None if cases.labels is None else cases.labels[rows],
        patients=None if cases.patients is None else cases.patients[rows],
        subgroups={},
        places=[places[row] for row in rows.tolist()],
        patient_ids=None,
        other_ids={},
    )
