"""Settings that turn out to have nothing to do in the data at hand: not refused, because only the data say
so, but never silent. What the configuration alone tells is refused by the contract.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from medloom_trainer.contract.spec import contract_defaults
from medloom_trainer.data.assembly import Warnings
from medloom_trainer.data.cache.views import ImageTable, Views


def idle_settings(
    data: Mapping[str, Any], splits: Mapping[str, ImageTable], views: Mapping[str, Views]
) -> Warnings:
    """data: the part of the configuration. splits: before a validation split is taken out of training."""
    idle = []
    if "val" in splits and data["val_fraction"] != contract_defaults("DataConfig")["val_fraction"]:
        idle.append("data.val_fraction has no effect: the tables name the validation cases themselves")
    headers = [header for part in views.values() for row in part.headers for header in row]
    if data["window"] is not None and headers and all(header.channels != 1 for header in headers):
        idle.append("data.window has no effect: every image has colours, and a window is for one channel")
    return [{"code": "SETTING_WITHOUT_EFFECT", "message": message} for message in idle]
