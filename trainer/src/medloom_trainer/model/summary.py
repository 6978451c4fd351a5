"""The layers of a network without data: built completely on PyTorch's meta device, where tensors have shapes
but no memory.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from medloom_trainer.contract.members import is_ensemble, linear_share, member_count
from medloom_trainer.data.types import ColumnLayout, TableLayout
from medloom_trainer.model.backbones import declared
from medloom_trainer.model.ensemble import image_part, table_part
from medloom_trainer.model.linear import LinearTable
from medloom_trainer.model.network import MultimodalNetwork, build_one_network

_Shape = list[str | int]

_STAND_IN = TableLayout((ColumnLayout("column", "numeric", 0, 1, 0),), 1, 0)
"""Replaces a table with unknown columns by one number: the layers after its encoder are the same for all
tables."""
_STAND_IN_SIZES = ((32, 32), (224, 256))
"""(width, height) that replace an unknown image size: properties that differ between the two depend on it.
One is the smallest that every backbone accepts, because the windows of a transformer shrink with the
image."""
_NOT_KNOWN = {
    "table": (
        "The size of the table encoder depends on the table columns, which are known from the training data."
    ),
    "head": "The size of the last layer depends on the number of classes, which is known from the label.",
    "aggregator": "learned_weight has one parameter per image column, known from the training data.",
    "positions": "The size of position embeddings depends on the image size, which the preprocessing sets.",
}
_NOT_COUNTED = {"parameters": None, "trainable_parameters": None}
_BACKBONE = "backbone.network"
_TITLES = {
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
    """config: parts "model" and "data" of the training configuration, complete. None means not known yet,
    which is also possible for data.image_size. The members of an ensemble are identical: each of their layers
    is one row, with the parameters of all of them.

    → {"layers": [{"name", "kind", "output", "parameters", "trainable_parameters"}], "parameters",
    "trainable_parameters", "complete", "notes"}; numbers of a layer are null if they depend on unknown
    values, sums contain the known ones. "output" is a shape, ["B", 512]: B cases, V views, C columns; H rows
    and W columns of a map, or its P positions, while the image size is unknown. Errors as in
    `build_network`.
    """
    known: dict[str, Any] = {"num_outputs": num_outputs, "layout": layout, "num_views": num_views}
    if not is_ensemble(config):
        return _summarize_one(config, **known)
    count = member_count(config)
    parts = [
        _counted(
            _summarize_one(table_part(config), **known),
            count,
            f"{count} of table: " if count > 1 else "table: ",
        )
    ]
    if linear_share(config):
        parts.append(_counted(_summarize_linear(layout, num_outputs), count, f"{count} of table: "))
    if config["model"]["fusion_type"] == "late":
        parts.insert(0, _counted(_summarize_one(image_part(config), **known), 1, "image: "))
    return {
        "layers": [layer for part in parts for layer in part["layers"]],
        "parameters": sum(part["parameters"] for part in parts),
        "trainable_parameters": sum(part["trainable_parameters"] for part in parts),
        "complete": all(part["complete"] for part in parts),
        "notes": list(dict.fromkeys(note for part in parts for note in part["notes"])),
    }


def _summarize_linear(layout: TableLayout | None, num_outputs: int | None) -> dict[str, Any]:
    """Summary of the linear model of one network. It is fitted in one step, not by the optimizer."""
    unknown = [name for name, known in (("table", layout), ("head", num_outputs)) if known is None]
    model = LinearTable(layout or _STAND_IN, num_outputs or 2)
    output: _Shape = ["B", num_outputs or "classes"]
    row = _layer("linear model", model, output, model.named_parameters())
    return {
        "layers": [{**row, **_NOT_COUNTED} if unknown else row],
        "parameters": 0 if unknown else row["parameters"],
        "trainable_parameters": 0 if unknown else row["trainable_parameters"],
        "complete": not unknown,
        "notes": [_NOT_KNOWN[name] for name in unknown],
    }


def _counted(summary: dict[str, Any], count: int, prefix: str) -> dict[str, Any]:
    """Summary of `count` such networks."""
    numbers = ("parameters", "trainable_parameters")

    def times(facts: Mapping[str, Any]) -> dict[str, Any]:
        return {name: None if facts[name] is None else count * facts[name] for name in numbers}

    layers = [{**layer, "name": f"{prefix}{layer['name']}", **times(layer)} for layer in summary["layers"]]
    return {**summary, "layers": layers, **times(summary)}


def _summarize_one(
    config: Mapping[str, Any], *, num_outputs: int | None, layout: TableLayout | None, num_views: int | None
) -> dict[str, Any]:
    """Summary of one network."""
    model = config["model"]
    has_image, has_table = model["vision_backbone"] != "none", model["fusion_type"] != "none"
    unknown = set()
    if has_table and layout is None:
        unknown.add("table")
    if num_outputs is None:
        unknown.add("head")
    if has_image and num_views is None and model["aggregator"] == "learned_weight":
        unknown.add("aggregator")
    stand_ins = _STAND_IN_SIZES if has_image else _STAND_IN_SIZES[:1]
    known_size = config["data"]["image_size"]
    tried = _try(
        config,
        stand_ins if known_size is None else [known_size],
        layout=layout or _STAND_IN,
        num_views=(num_views or 1) if has_image else 0,
        num_outputs=num_outputs or 2,
    )
    if tried.sized:
        unknown.add("positions")
    layers = [*_backbone_layers(tried)] if has_image else []
    for name, module in tried.network.rest.named_children():
        shape = tried.shapes.get(f"rest.{name}")
        output = _name_dimensions(name, shape, tried.network.rest.needs_tokens, name in unknown)
        row = _layer(_TITLES[name], module, output, module.named_parameters())
        layers.append({**row, **_NOT_COUNTED} if name in unknown else row)
    known = [layer for layer in layers if layer["parameters"] is not None]
    return {
        "layers": layers,
        "parameters": sum(layer["parameters"] for layer in known),
        "trainable_parameters": sum(layer["trainable_parameters"] for layer in known),
        "complete": not unknown,
        "notes": [_NOT_KNOWN[name] for name in _NOT_KNOWN if name in unknown],
    }


@dataclass(frozen=True)
class _Tried:
    """A network, and its properties that do not depend on the image size."""

    network: MultimodalNetwork
    shapes: Mapping[str, _Shape]
    """Module → its output shape for one case."""
    sized: Collection[str]
    """Parameters that depend on the image size."""


def _try(
    config: Mapping[str, Any], sizes: Sequence[tuple[int, int]], *, layout: TableLayout, **parts: Any
) -> _Tried:
    """sizes: (width, height), one known size, or several that represent an unknown one."""
    networks: list[MultimodalNetwork] = []
    shapes: list[dict[str, tuple[int, ...]]] = []
    name = config["model"]["vision_backbone"]
    for size in sizes:
        sized = {
            "model": {**config["model"], "pretrained": False},
            "data": {**config["data"], "image_size": size},
        }
        if not networks or declared()[name]["takes_image_size"]:
            networks.append(_build_without_memory(sized, layout=layout, **parts))
        with torch.device("meta"):
            shapes.append(_dry_run(networks[-1], size, max(1, parts["num_views"]), layout))
    counted = [dict(network.named_parameters()) for network in networks]
    return _Tried(
        networks[0],
        {module: _common([found[module] for found in shapes]) for module in shapes[0]},
        {key for key in counted[0] if len({parameters[key].shape for parameters in counted}) > 1},
    )


def _common(shapes: Sequence[tuple[int, ...]]) -> _Shape:
    """Replace differing lengths by letters."""
    differ = [place for place, lengths in enumerate(zip(*shapes, strict=True)) if len(set(lengths)) > 1]
    letters = dict(zip(differ, "HW" if len(differ) == 2 else "P" * len(differ), strict=True))
    return [letters.get(place, length) for place, length in enumerate(shapes[0])]


def _build_without_memory(config: Mapping[str, Any], **parts: Any) -> MultimodalNetwork:
    try:
        with torch.device("meta"):
            return build_one_network(config, **parts).eval()
    except NotImplementedError:  # some networks compute their widths with tensors, which then need values
        return build_one_network(config, **parts).to("meta").eval()


def _dry_run(
    network: MultimodalNetwork, size: tuple[int, int], num_views: int, layout: TableLayout
) -> dict[str, tuple[int, ...]]:
    """Name of a module → shape of its output for one case."""
    shapes: dict[str, tuple[int, ...]] = {}

    def noting(name: str) -> Callable[[nn.Module, Any, Any], None]:
        def note(_module: nn.Module, _inputs: Any, output: Any) -> None:
            first = next((part for part in _parts(output) if isinstance(part, Tensor)), None)
            if first is not None:
                shapes[name] = tuple(first.shape)

        return note

    watched = {f"rest.{name}": module for name, module in network.rest.named_children()}
    if network.backbone is not None:
        children = network.backbone.network.named_children()
        watched |= {f"{_BACKBONE}.{name}": module for name, module in children}
    handles = [module.register_forward_hook(noting(name)) for name, module in watched.items()]
    width, height = size
    images = torch.zeros(1, num_views, 3, height, width) if network.backbone is not None else None
    values = torch.zeros(1, layout.num_values)
    codes = torch.zeros(1, layout.num_codes, dtype=torch.long)
    present = torch.ones(1, len(layout.columns), dtype=torch.bool)
    with torch.no_grad():
        network(images, None, values, codes, present)
    for handle in handles:
        handle.remove()
    return shapes


def _backbone_layers(tried: _Tried) -> Iterator[dict[str, Any]]:
    """The parts of the backbone that have parameters; its own parameters are those of tokens and positions.
    Parameters that depend on an unknown size are listed separately, without a count.
    """
    backbone = tried.network.get_submodule(_BACKBONE)

    def counted(name: str, module: nn.Module, **options: Any) -> list[tuple[str, nn.Parameter]]:
        named = module.named_parameters(prefix=name, **options)
        return [(key, parameter) for key, parameter in named if key not in tried.sized]

    own = counted(_BACKBONE, backbone, recurse=False)
    if own:
        kind = "tokens" if tried.sized else "tokens and positions"
        yield {**_layer("backbone", backbone, None, own), "kind": kind}
    for name, module in backbone.named_children():
        if any(True for _ in module.parameters()):
            shape = tried.shapes.get(f"{_BACKBONE}.{name}")
            output = None if shape is None else ["B·V", *shape[1:]]
            yield _layer(f"backbone.{name}", module, output, counted(f"{_BACKBONE}.{name}", module))
    if tried.sized:
        yield {"name": "backbone", "kind": "tables of positions", "output": None, **_NOT_COUNTED}


def _name_dimensions(name: str, shape: _Shape | None, has_tokens: bool, unknown: bool) -> _Shape | None:
    if shape is None:
        return None
    if name == "head":
        return ["B", "classes"] if unknown else ["B", *shape[1:]]
    if name in ("image", "image_tokens"):
        return ["B", "V", *shape[2:]]
    if name == "table" and has_tokens:
        return ["B", "C", *shape[2:]]
    return ["B", *shape[1:]]


def _layer(
    name: str, module: nn.Module, output: _Shape | None, counted: Iterable[tuple[str, nn.Parameter]]
) -> dict[str, Any]:
    parameters = [parameter for _, parameter in counted]
    return {
        "name": name,
        "kind": type(getattr(module, "method", module)).__name__,
        "output": output,
        "parameters": sum(parameter.numel() for parameter in parameters),
        "trainable_parameters": sum(p.numel() for p in parameters if p.requires_grad),
    }


def _parts(output: Any) -> list[Any]:
    return list(output) if isinstance(output, tuple | list) else [output]
