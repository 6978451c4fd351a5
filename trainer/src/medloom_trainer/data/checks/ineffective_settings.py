"""Settings that have no effect on the data at hand: not refused, because only the data say so, but never
silent. What the configuration alone says is refused by the contract.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from medloom_trainer.contract.spec import contract_defaults
from medloom_trainer.data.images import ImageHeader
from medloom_trainer.data.types import Warnings
from medloom_trainer.warnings import warning


def ineffective_setting_warnings(
    data: Mapping[str, Any], headers: Iterable[ImageHeader], *, validation_is_given: bool
) -> Warnings:
    """data: that part of the configuration. headers: of every image. validation_is_given: by the tables."""
    found = []
    if validation_is_given and data["val_fraction"] != contract_defaults("DataConfig")["val_fraction"]:
        found.append("data.val_fraction has no effect: the tables name the validation cases themselves")
    if data["window"] is not None:
        channels = {header.channels for header in headers}
        if channels and 1 not in channels:
            found.append(
                "data.window has no effect: every image has colours, and a window is for one channel"
            )
    return [warning("SETTING_WITHOUT_EFFECT", message) for message in found]
