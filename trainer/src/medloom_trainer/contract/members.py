"""Number of networks in a configuration, and the cases by which each of them chooses its epoch."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_OF_A_TABLE = 5
"""Default number, chosen by measurement (docs/decisions/0021-ensembles.md)."""
_LINEAR_SHARE = 0.5
"""Default share of a linear model in the prediction of each of several networks of the table, as measured
there."""
_BY_LABEL = ("univariate", "mutual_information")
_SEVERAL_PROCESSES = re.compile(r"cuda:\d+[,x]|cpu:(?!1$)")


@dataclass(frozen=True)
class Members:
    """The networks of the table."""

    count: int
    folds: bool
    """Each validates on its own fold of the training and validation cases, and trains on the rest; otherwise
    all train on the training cases and validate on the validation cases."""

    @property
    def validation(self) -> str | None:
        """Value of `data.validation`; None for one network."""
        if self.count == 1:
            return None
        return "folds" if self.folds else "split"


def members_of(config: Mapping[str, Any]) -> Members:
    """config: the training configuration, complete."""
    count, data = member_count(config), config["data"]
    validation = data["validation"]
    if validation is None:
        # A trained model, or a selection of columns by the label, has learned from cases that would validate.
        informed = data["feature_selection"]["method"] in _BY_LABEL
        validation = "split" if informed or config["model"]["fine_tune_from"] is not None else "folds"
    return Members(count, folds=count > 1 and validation == "folds")


def member_count(config: Mapping[str, Any]) -> int:
    """config: the training configuration; if there is no training yet, without its part "training". Several
    processes train one network.
    """
    model, device = config["model"], config.get("training", {}).get("device", "auto")
    if model["members"] is not None:
        return int(model["members"])
    table = model["fusion_type"] == "late" or model["vision_backbone"] == "none"
    return _OF_A_TABLE if table and _SEVERAL_PROCESSES.match(device) is None else 1


def is_ensemble(config: Mapping[str, Any]) -> bool:
    """Return whether several networks are trained separately and their predictions are combined."""
    return bool(config["model"]["fusion_type"] == "late" or member_count(config) > 1)


def linear_share(config: Mapping[str, Any]) -> float:
    """Share of a linear model in the prediction of each network of the table; 0 for a single network."""
    share = config["model"]["linear_share"]
    if not is_ensemble(config):
        return 0.0
    if share is not None:
        return float(share)
    return _LINEAR_SHARE if member_count(config) > 1 else 0.0
