"""The network that the state of a checkpoint, or the document of an exported model, describes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from medloom_trainer.data.types import ColumnLayout, TableLayout
from medloom_trainer.model.combined import CombinedNetwork, MemberInputs
from medloom_trainer.model.ensemble import EnsembleNetwork, build_network
from medloom_trainer.model.network import MultimodalNetwork

Network = MultimodalNetwork | EnsembleNetwork | CombinedNetwork


def network_of(description: Mapping[str, Any]) -> Network:
    """description: config (complete), layout, num_views, num_outputs, task; for several combined models also
    "ensemble" with the same of each member. The weights are random.
    """
    members = description.get("ensemble", {}).get("members")
    if members is None:
        return _own_network(description)
    common = {key: description[key] for key in ("num_outputs", "task")}
    networks = [_own_network({**member, **common}) for member in members]
    inputs = [_inputs_of(member, description["label_normalization"]) for member in members]
    return CombinedNetwork(networks, inputs, description["task"])


def _own_network(description: Mapping[str, Any]) -> MultimodalNetwork | EnsembleNetwork:
    config = description["config"]
    return build_network(
        {**config, "model": {**config["model"], "pretrained": False}},
        layout=layout_from_json(description["layout"]),
        num_views=description["num_views"],
        num_outputs=description["num_outputs"],
        task=description["task"],
    )


def _inputs_of(member: Mapping[str, Any], common: Mapping[str, float] | None) -> MemberInputs:
    """common: mean and standard deviation of the number that the combined network predicts; None without
    one."""
    own, scale, shift = member["label_normalization"], 1.0, 0.0
    if own is not None and common is not None:
        scale = own["std"] / common["std"]
        shift = (own["mean"] - common["mean"]) / common["std"]
    return MemberInputs(
        columns=member["first"]["columns"],
        values=member["first"]["values"],
        codes=member["first"]["codes"],
        layout=layout_from_json(member["layout"]),
        image_normalization=member["image_normalization"],
        scale=scale,
        shift=shift,
    )


def layout_to_json(layout: TableLayout) -> dict[str, Any]:
    """Return a table layout as JSON for the state of a checkpoint."""
    return {
        "columns": [vars(column) for column in layout.columns],
        "num_values": layout.num_values,
        "num_codes": layout.num_codes,
    }


def layout_from_json(value: dict[str, Any]) -> TableLayout:
    """Inverse of `layout_to_json`."""
    columns = tuple(ColumnLayout(**column) for column in value["columns"])
    columns = tuple(
        column if column.means is None else replace(column, means=tuple(column.means)) for column in columns
    )
    return TableLayout(columns, value["num_values"], value["num_codes"])
