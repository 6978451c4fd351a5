"""The layers of a network before there is data: built for real, on PyTorch's meta device, where tensors have
shapes and no memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from medloom_trainer.data.types import ColumnLayout, TableLayout
from medloom_trainer.model.network import MultimodalNetwork, build_network

Shape = list[str | int]

STAND_IN = TableLayout((ColumnLayout("column", "numeric", 0, 1, 0),), 1, 0)
"""A table of one number, while its columns are not known: what follows its encoder is the same for all."""
NOT_KNOWN = {
    "table": "The table encoder grows with the columns of the table, which the training data name.",
    "head": "The last layer grows with the classes, which the label says.",
    "aggregator": "learned_weight has one parameter for each image column that the training data name.",
}
TITLES = {
    "image": "image embedding",
    "image_tokens": "image embedding",
    "aggregator": "aggregator",
    "table": "table encoder",
    "fusion": "fusion",
    "head": "head",
}


def summarize(
    config: Mapping[str, Any], *, num_outputs: int | None, layout: TableLayout | None, num_views: int | None
) -> dict[str, Any]:
    """config: parts "model" and "data" of the training configuration, complete. None is: not known yet.

    → {"layers": [{"name", "kind", "output", "parameters", "trainable_parameters"}], "parameters",
    "trainable_parameters", "complete", "notes"}; numbers of a layer are null where they depend on what is not
    known, sums count the known ones. "output" is a shape, ["B", 512]: B cases, V views, C columns.
    Raises as `build_network`.
    """
    model = {**config["model"], "pretrained": False}
    has_image, has_table = model["vision_backbone"] != "none", model["fusion_type"] != "none"
    unknown = set()
    if has_table and layout is None:
        unknown.add("table")
    if num_outputs is None:
        unknown.add("head")
    if has_image and num_views is None and model["aggregator"] == "learned_weight":
        unknown.add("aggregator")
    width, height = config["data"]["image_size"]
    network = _build_without_memory(
        {**config, "model": model},
        layout=layout or STAND_IN,
        num_views=(num_views or 1) if has_image else 0,
        num_outputs=num_outputs or 2,
    )
    with torch.device("meta"):
        shapes = _dry_run(network, (height, width), num_views or 1, layout or STAND_IN)
    layers = []
    if network.backbone is not None:
        layers += _backbone_layers(network.backbone.network, shapes)
    for name, module in network.rest.named_children():
        output = _name_dimensions(name, shapes.get(module), network.rest.needs_tokens, name in unknown)
        layers.append(_layer(TITLES[name], module, output, known=name not in unknown))
    known = [layer for layer in layers if layer["parameters"] is not None]
    return {
        "layers": layers,
        "parameters": sum(layer["parameters"] for layer in known),
        "trainable_parameters": sum(layer["trainable_parameters"] for layer in known),
        "complete": not unknown,
        "notes": [NOT_KNOWN[name] for name in NOT_KNOWN if name in unknown],
    }


def _build_without_memory(config: Mapping[str, Any], **parts: Any) -> MultimodalNetwork:
    try:
        with torch.device("meta"):
            return build_network(dict(config), **parts).eval()
    except (
        NotImplementedError
    ):  # the widths of some networks are computed with tensors, which then need numbers
        return build_network(dict(config), **parts).to("meta").eval()


def _dry_run(
    network: MultimodalNetwork, size: tuple[int, int], num_views: int, layout: TableLayout
) -> dict[nn.Module, tuple[int, ...]]:
    """Module → shape of what it gave for one case."""
    shapes: dict[nn.Module, tuple[int, ...]] = {}

    def note(module: nn.Module, _: Any, output: Any) -> None:
        first = next((part for part in _parts(output) if isinstance(part, Tensor)), None)
        if first is not None:
            shapes[module] = tuple(first.shape)

    watched = [*network.rest.children()]
    if network.backbone is not None:
        watched += network.backbone.network.children()
    handles = [module.register_forward_hook(note) for module in watched]
    images = torch.zeros(1, num_views, 3, *size) if network.backbone is not None else None
    values = torch.zeros(1, layout.num_values)
    codes = torch.zeros(1, layout.num_codes, dtype=torch.long)
    present = torch.ones(1, len(layout.columns), dtype=torch.bool)
    with torch.no_grad():
        network(images, None, values, codes, present)
    for handle in handles:
        handle.remove()
    return shapes


def _backbone_layers(
    backbone: nn.Module, shapes: Mapping[nn.Module, tuple[int, ...]]
) -> list[dict[str, Any]]:
    """The parts of the backbone that have parameters; its own are those of tokens and positions."""
    layers = []
    own = list(backbone.parameters(recurse=False))
    if own:
        trainable = sum(parameter.numel() for parameter in own if parameter.requires_grad)
        count = sum(parameter.numel() for parameter in own)
        layers.append(_row("backbone", "tokens and positions", None, count, trainable))
    for name, module in backbone.named_children():
        if any(True for _ in module.parameters()):
            shape = shapes.get(module)
            output: Shape | None = None if shape is None else ["B·V", *shape[1:]]
            layers.append(_layer(f"backbone.{name}", module, output, known=True))
    return layers


def _name_dimensions(
    name: str, shape: tuple[int, ...] | None, has_tokens: bool, unknown: bool
) -> Shape | None:
    if shape is None:
        return None
    if name == "head":
        return ["B", "classes"] if unknown else ["B", *shape[1:]]
    if name in ("image", "image_tokens"):
        return ["B", "V", *shape[2:]]
    if name == "table" and has_tokens:
        return ["B", "C", *shape[2:]]
    return ["B", *shape[1:]]


def _layer(name: str, module: nn.Module, output: Shape | None, *, known: bool) -> dict[str, Any]:
    count = sum(parameter.numel() for parameter in module.parameters())
    trainable = sum(parameter.numel() for parameter in module.parameters() if parameter.requires_grad)
    kind = type(getattr(module, "method", module)).__name__
    return _row(name, kind, output, count if known else None, trainable if known else None)


def _row(
    name: str, kind: str, output: Shape | None, parameters: int | None, trainable: int | None
) -> dict[str, Any]:
    return {
        "name": name,
        "kind": kind,
        "output": output,
        "parameters": parameters,
        "trainable_parameters": trainable,
    }


def _parts(output: Any) -> list[Any]:
    return list(output) if isinstance(output, tuple | list) else [output]
