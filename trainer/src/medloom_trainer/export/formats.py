"""A checkpoint → one file of the chosen format, compared with the original before it is kept."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any, TypeVar

from medloom_trainer.errors import TrainerError
from medloom_trainer.export.document import describe_model
from medloom_trainer.export.network import Array, ExportedNetwork, outputs_of
from medloom_trainer.export.parity import TOLERANCE, require_same
from medloom_trainer.export.quantization import LARGEST_CHANGE, quantize
from medloom_trainer.training.checkpoint import Checkpoint

_T = TypeVar("_T")


@dataclass(frozen=True)
class Format:
    """A row of the registry. What a format needs is imported when it is used."""

    suffix: str
    module: str
    write: str
    run: str | None
    """Computes predictions from the bytes; None where the file is the network itself."""


FORMATS: dict[str, Format] = {
    "PyTorch": Format(".safetensors", "pytorch", "to_pytorch", None),
    "ONNX": Format(".onnx", "onnx", "to_onnx", "run_onnx"),
    "TorchScript": Format(".pt", "torchscript", "to_torchscript", "run_torchscript"),
}
"""Name in the catalog → format."""


@dataclass(frozen=True)
class Exported:
    content: bytes
    document: dict[str, Any]
    change: float
    """Largest difference of a prediction from the original, on random inputs; regression: in deviations of
    the label."""


def export_model(checkpoint: Checkpoint, *, format: str, quantization: str = "none") -> Exported:
    """Write the trained network of `checkpoint`. format, quantization: names of the catalog.

    EXPORT_UNSUPPORTED when the network cannot be recorded in this format, or predicts something else there.
    The same checkpoint always gives the same bytes.
    """
    row = FORMATS[format]
    document = describe_model(
        checkpoint.state, checkpoint_digest=checkpoint.digest, quantization=quantization
    )
    original = ExportedNetwork(checkpoint.build_network(), document)
    network = original
    limit = 0.0
    if quantization != "none":
        network = copy.deepcopy(original)
        quantize(network.network, quantization)
        limit = LARGEST_CHANGE[quantization]
        require_same(f"quantization {quantization}", document, _runs(original), _runs(network), limit)
    module = import_module(f"medloom_trainer.export.{row.module}")
    content = _recorded(format, partial(getattr(module, row.write), network, document))
    run: Callable[[Sequence[Array]], Array] = (
        _runs(network) if row.run is None else partial(getattr(module, row.run), content)
    )
    compare = partial(require_same, f"format {format}", document, _runs(original), run, limit + TOLERANCE)
    change = _recorded(format, compare)
    return Exported(content, document, change)


def _runs(network: ExportedNetwork) -> Callable[[Sequence[Array]], Array]:
    return lambda inputs: outputs_of(network, inputs)


def _recorded(format: str, work: Callable[[], _T]) -> _T:
    """What `work` gives; whatever the libraries of a format raise means that they cannot do it."""
    try:
        return work()
    except (MemoryError, TrainerError):
        raise
    except Exception as error:
        message = f"this network cannot be recorded as {format} ({type(error).__name__})"
        raise TrainerError("EXPORT_UNSUPPORTED", message, "Choose the format PyTorch.") from error
