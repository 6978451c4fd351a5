"""The same cases without the table or without the images."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from medloom_trainer.contract.members import linear_share, member_count
from medloom_trainer.data.types import Cases, ImageStore, PreparedData, TableLayout


def reduced_cases(name: str, cases: Cases, store: ImageStore | None) -> tuple[Cases, ImageStore | None]:
    """name: image_only or table_only. → the same rows in the same order."""
    if name == "table_only":
        return replace(cases, slots=None), None
    count = len(cases.rows)
    without = replace(
        cases,
        values=np.zeros((count, 0), dtype=np.float32),
        codes=np.zeros((count, 0), dtype=np.int64),
        present=np.zeros((count, 0), dtype=bool),
    )
    return without, store


def reduced_data(name: str, data: PreparedData) -> PreparedData:
    """The training data of the model, without the table or without the images."""
    train, store = reduced_cases(name, data.train, data.store)
    val, _ = reduced_cases(name, data.val, data.store)
    reduced = replace(data, train=train, val=val, store=store)
    if name == "table_only":
        return replace(reduced, num_views=0)
    return replace(reduced, layout=TableLayout((), 0, 0))


def reduced_config(name: str, config: dict[str, Any]) -> dict[str, Any]:
    """The same configuration without the table or without the images."""
    left_out: dict[str, Any] = {"modality_dropout": 0, "image_weight": 0.5}
    if name == "table_only":
        left_out |= {"vision_backbone": "none", "fusion_type": "concatenate", "pretrained": False}
        left_out |= {"members": member_count(config), "linear_share": linear_share(config)}
    else:
        left_out |= {"fusion_type": "none", "members": 1, "linear_share": 0}
    return {**config, "model": {**config["model"], **left_out}}
