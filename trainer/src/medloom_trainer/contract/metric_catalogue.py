"""The catalogue of metrics that the contracts declare: contract/metric-catalogue.json."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

MetricScale = Literal["share", "positive", "below_one", "correlation", "real"]


@dataclass(frozen=True)
class Metric:
    """One row. The contracts define each field (`contracts/src/metrics/metric.ts`)."""

    name: str
    label: str
    tasks: tuple[str, ...]
    better: Literal["higher", "lower"] | None
    scale: MetricScale
    epoch: str | None = None
    fewest: Mapping[str, int] = field(default_factory=dict)

    @staticmethod
    def of_row(name: str, row: Mapping[str, Any]) -> Metric:
        return Metric(
            name,
            row["label"]["en"],
            tuple(row["tasks"]),
            row["better"],
            row["scale"],
            row.get("epoch"),
            row.get("fewest", {}),
        )


_DOCUMENT: dict[str, Any] = json.loads(
    (Path(__file__).parent / "metric-catalogue.json").read_text(encoding="utf-8")
)
METRICS: Mapping[str, Metric] = {name: Metric.of_row(name, row) for name, row in _DOCUMENT["metrics"].items()}
PRIMARY_METRIC: Mapping[str, str] = _DOCUMENT["primary"]
"""Task → the metric that decides which of two models is better."""
COMPARED_METRICS: Mapping[str, Sequence[str]] = _DOCUMENT["compared"]
"""Task → the metrics that readers compare first."""


def metric_of(name: str) -> Metric | None:
    """The row of a metric; `auc[2]`, the metric of one class, has that of `auc`."""
    return METRICS.get(name.partition("[")[0])


def epoch_metrics_of(task: str) -> dict[str, str]:
    """Metric of the validation split after an epoch → the metric of an evaluation with the same definition.

    Every task reports `val_accuracy` and `val_auc`; they are null where the task has no classes. The loss is
    left out: it does not follow from the predictions alone.
    """
    own = {row.epoch: name for name, row in METRICS.items() if row.epoch is not None and task in row.tasks}
    own.pop("val_loss", None)
    return {"val_accuracy": "accuracy", "val_auc": "auc"} | own


def lower_is_better(epoch_metric: str, catalogue: Mapping[str, Metric] = METRICS) -> bool:
    """Direction of improvement of a metric of an epoch, such as `val_mae`.

    @raises KeyError if the catalogue does not define it: an optimizer must not guess a direction.
    """
    for row in catalogue.values():
        if row.epoch == epoch_metric and row.better is not None:
            return row.better == "lower"
    raise KeyError(f"the catalogue of metrics has no direction of improvement for {epoch_metric}")
