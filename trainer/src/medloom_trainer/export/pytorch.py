"""Format PyTorch: one safetensors file. Its header contains the document, so no other file is needed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from safetensors.torch import save

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.contract.spec import completed
from medloom_trainer.errors import TrainerError
from medloom_trainer.export.document import METADATA_KEY, from_text, to_text
from medloom_trainer.export.network import ExportedNetwork
from medloom_trainer.export.quantization import quantize
from medloom_trainer.inference.stored_network import network_of


@dataclass(frozen=True)
class LoadedModel:
    """An exported model that runs in PyTorch."""

    document: dict[str, Any]
    network: ExportedNetwork
    """Expects the tensors of document["inputs"], in their order; in evaluation mode, on the CPU."""


def to_pytorch(network: ExportedNetwork, document: dict[str, Any]) -> bytes:
    """Return the safetensors file of a network, with the document in its metadata."""
    tensors = {
        name: tensor.detach().contiguous().clone() for name, tensor in network.network.state_dict().items()
    }
    return save(tensors, metadata={METADATA_KEY: to_text(document)})


def load_model(file: str | Path) -> LoadedModel:
    """Open a model that was exported as PyTorch. FILE_NOT_FOUND, or CHECKPOINT_CORRUPT if it is not such a
    file."""
    path = Path(file)
    if not path.is_file():
        raise TrainerError("FILE_NOT_FOUND", phrase("file_absent", file=path.name))
    try:
        with safe_open(path, framework="pt") as opened:
            document = from_text((opened.metadata() or {}).get(METADATA_KEY, ""), path.name)
            tensors = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118
    except (SafetensorError, OSError) as error:
        raise TrainerError("CHECKPOINT_CORRUPT", phrase("not_a_safetensors_file", file=path.name)) from error
    network = network_of(_completed(document))
    quantize(network, document["quantization"])
    try:
        network.load_state_dict(tensors)
    except RuntimeError as error:
        raise TrainerError(
            "CHECKPOINT_CORRUPT", phrase("weights_not_of_description", file=path.name)
        ) from error
    return LoadedModel(document, ExportedNetwork(network, document))


def _completed(document: dict[str, Any]) -> dict[str, Any]:
    """Add the default of every configuration key that is newer than the file."""
    made = {**document, "config": completed(document["config"])}
    if "ensemble" in document:
        members = [
            {**member, "config": completed(member["config"])} for member in document["ensemble"]["members"]
        ]
        made["ensemble"] = {**document["ensemble"], "members": members}
    return made
