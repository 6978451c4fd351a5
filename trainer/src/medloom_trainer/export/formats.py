"""A checkpoint → one file of the chosen format, compared with the original before it is stored."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any, TypeVar

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.errors import TrainerError
from medloom_trainer.export.document import describe_model
from medloom_trainer.export.network import Array, ExportedNetwork, outputs_of
from medloom_trainer.export.parity import (
    TOLERANCE,
    batches_of,
    largest_difference,
    random_batches,
    require_same,
)
from medloom_trainer.export.quantization import LARGEST_CHANGE, quantize
from medloom_trainer.inference.checkpoint import Checkpoint

_T = TypeVar("_T")


@dataclass(frozen=True)
class Format:
    """An entry of the registry. The libraries of a format are imported when it is used."""

    suffix: str
    module: str
    write: str
    run: str | None
    """Computes predictions from the bytes; None if the file contains the network itself."""


FORMATS: dict[str, Format] = {
    "PyTorch": Format(".safetensors", "pytorch", "to_pytorch", None),
    "ONNX": Format(".onnx", "onnx", "to_onnx", "run_onnx"),
    "TorchScript": Format(".pt", "torchscript", "to_torchscript", "run_torchscript"),
}
"""Name in the catalog → format."""


@dataclass(frozen=True)
class Exported:
    """Exported model, verified against the original."""

    content: bytes
    document: dict[str, Any]
    change: float
    """Largest difference of a prediction from the original, on the cases or else on random inputs;
    regression: in standard deviations of the label."""


def export_model(
    checkpoint: Checkpoint,
    *,
    format: str,
    quantization: str = "none",
    cases: Mapping[str, Array] | None = None,
) -> Exported:
    """Write the trained network of `checkpoint`. format, quantization: names of the catalog. cases: name of
    the input → cases on which the quantization is tested (`validation_inputs`); None: random inputs, which
    are less informative.

    EXPORT_UNSUPPORTED if the network cannot be recorded in this format, or predicts differently there. The
    same checkpoint always gives the same bytes.
    """
    row = FORMATS[format]
    document = describe_model(
        checkpoint.state, checkpoint_digest=checkpoint.digest, quantization=quantization
    )
    original = ExportedNetwork(checkpoint.build_network(), document)
    network = original
    anything = random_batches(document)
    judged = anything if cases is None else batches_of(document, cases)
    if quantization != "none":
        network = copy.deepcopy(original)
        quantize(network.network, quantization)
        limit = LARGEST_CHANGE[quantization]
        what = f"quantization {quantization}"
        require_same(what, document, _runs(original), _runs(network), limit, judged)
    module = import_module(f"medloom_trainer.export.{row.module}")
    content = _recorded(format, partial(getattr(module, row.write), network, document))
    run: Callable[[Sequence[Array]], Array] = (
        _runs(network) if row.run is None else partial(getattr(module, row.run), content)
    )
    what = f"format {format}"
    compare = partial(require_same, what, document, _runs(network), run, TOLERANCE, anything)
    change = _recorded(format, compare)
    if network is not original:
        change = _recorded(format, partial(largest_difference, document, _runs(original), run, judged))
    return Exported(content, document, change)


def _runs(network: ExportedNetwork) -> Callable[[Sequence[Array]], Array]:
    return lambda inputs: outputs_of(network, inputs)


def _recorded(format: str, work: Callable[[], _T]) -> _T:
    """Return the result of `work`; any error of the libraries of a format means that the format is not
    possible."""
    try:
        return work()
    except (MemoryError, TrainerError):
        raise
    except Exception as error:
        message = phrase("not_exportable", format=format, error=type(error).__name__)
        raise TrainerError("EXPORT_UNSUPPORTED", message, phrase("choose_pytorch")) from error
