"""The network in its exported form: with normalization of the inputs, and with probabilities or original
units as outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from medloom_trainer.inference.stored_network import Network
from medloom_trainer.outcomes import kind_of

Array = npt.NDArray[Any]


class ExportedNetwork(nn.Module):
    """forward: the tensors of document["inputs"], in their order → probabilities (B, K), or predictions (B,)
    in the units of the label.

    No shape depends on the data, so the graph can be recorded.
    """

    def __init__(self, network: Network, document: Mapping[str, Any]) -> None:
        super().__init__()
        self.network = network
        self.names = [facts["name"] for facts in document["inputs"]]
        self.num_views: int = document["num_views"]
        normalization = document["image_normalization"]
        self.image_mean: Tensor
        self.image_std: Tensor
        for name in ("mean", "std"):
            per_color = torch.tensor(normalization[name]).view(3, 1, 1)
            self.register_buffer(f"image_{name}", per_color, persistent=False)
        self.activation = kind_of(document).activation
        self.eval()

    def forward(self, *inputs: Tensor) -> Tensor:
        given = dict(zip(self.names, inputs, strict=True))
        images = given.get("images")
        if images is not None:
            images = (images - self.image_mean) / self.image_std
        present = given.get("present")
        values = given.get("values")
        if values is None and present is not None:
            values = torch.zeros(present.shape[0], 0, device=present.device)
        table: Any = (values, given.get("codes"), present)
        output = self.network.forward_every_view(images, given.get("view_mask"), *table)
        return self.activation(output)


def sample_inputs(document: Mapping[str, Any], count: int, seed: int = 0) -> list[Array]:
    """Random inputs of the required shapes, with some missing views and values: the same for the same seed.
    They show whether two networks compute the same, not how well they predict.
    """
    generator = np.random.default_rng(seed)
    embedded = [column for column in document["layout"]["columns"] if column["kind"] == "embedding"]
    cardinalities = [column["cardinality"] for column in sorted(embedded, key=lambda column: column["start"])]
    made: list[Array] = []
    for facts in document["inputs"]:
        shape = (count, *facts["shape"][1:])
        if facts["name"] == "images":
            made.append(generator.random(shape, dtype=np.float32))
        elif facts["dtype"] == "bool":
            made.append(generator.random(shape) > 0.25)
        elif facts["name"] == "codes":
            made.append(generator.integers(0, np.array(cardinalities), shape))
        else:
            made.append(generator.standard_normal(shape, dtype=np.float32))
    return made


def outputs_of(network: nn.Module, inputs: Sequence[Array]) -> Array:
    """Run a network on CPU arrays and return its outputs, without gradients."""
    with torch.inference_mode():
        result: Tensor = network(*(torch.from_numpy(array) for array in inputs))
    return result.numpy()
