"""Format TorchScript: a recorded graph that C++ and Python load without this project."""

from __future__ import annotations

import io
import warnings
import zipfile
from collections.abc import Sequence
from typing import Any

import torch
from torch.jit import _recursive, _state

from medloom_trainer.export.document import METADATA_KEY, to_text
from medloom_trainer.export.network import Array, ExportedNetwork, outputs_of, sample_inputs


def to_torchscript(network: ExportedNetwork, document: dict[str, Any]) -> bytes:
    examples = tuple(torch.from_numpy(array) for array in sample_inputs(document, 3))
    _forget_classes()
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        record: Any = torch.jit.trace
        traced = record(network, examples, check_trace=False, _store_inputs=False)
        buffer = io.BytesIO()
        torch.jit.save(traced, buffer, _extra_files={f"{METADATA_KEY}.json": to_text(document)})
    return _without_sources(buffer)


def run_torchscript(content: bytes, inputs: Sequence[Array]) -> Array:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        load: Any = torch.jit.load
        return outputs_of(load(io.BytesIO(content), map_location="cpu"), inputs)


def _forget_classes() -> None:
    """Classes recorded by an export before would change the names in this one, and so its bytes."""
    torch._C._jit_clear_class_registry()
    _recursive.concrete_type_store = _recursive.ConcreteTypeStore()
    _state._clear_class_state()


def _without_sources(archive: io.BytesIO) -> bytes:
    """Leave out the tables of source lines: they name files of this machine. Dates are the first of ZIP."""
    kept = io.BytesIO()
    with zipfile.ZipFile(archive) as source, zipfile.ZipFile(kept, "w", zipfile.ZIP_STORED) as target:
        for name in source.namelist():
            if not name.endswith(".debug_pkl"):
                target.writestr(zipfile.ZipInfo(name), source.read(name))
    return kept.getvalue()
