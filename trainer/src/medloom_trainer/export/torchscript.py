"""Format TorchScript: a recorded graph that C++ and Python load without this project."""

from __future__ import annotations

import io
import re
import warnings
import zipfile
from collections.abc import Sequence
from typing import Any

import torch
from torch.jit import _recursive, _state

from medloom_trainer.export.document import METADATA_KEY, to_text
from medloom_trainer.export.network import Array, ExportedNetwork, outputs_of, sample_inputs

_MANGLED = re.compile(rb"___torch_mangle_(\d+)")


def to_torchscript(network: ExportedNetwork, document: dict[str, Any]) -> bytes:
    """Return the traced TorchScript file of a network, with the document as an extra file."""
    examples = tuple(torch.from_numpy(array) for array in sample_inputs(document, 3))
    _forget_classes()
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        record: Any = torch.jit.trace
        traced = record(network, examples, check_trace=False, _store_inputs=False)
        buffer = io.BytesIO()
        torch.jit.save(traced, buffer, _extra_files={f"{METADATA_KEY}.json": to_text(document)})
    return _portable(buffer)


def run_torchscript(content: bytes, inputs: Sequence[Array]) -> Array:
    """Run a TorchScript file on CPU arrays and return its outputs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        load: Any = torch.jit.load
        return outputs_of(load(io.BytesIO(content), map_location="cpu"), inputs)


def _forget_classes() -> None:
    """Clear the recorded classes: a class that an earlier export has recorded would get another name in this
    one."""
    torch._C._jit_clear_class_registry()
    _recursive.concrete_type_store = _recursive.ConcreteTypeStore()
    _state._clear_class_state()


def _portable(archive: io.BytesIO) -> bytes:
    """The archive without parts that depend on the process that wrote it: the tables of source lines name
    files of this machine, and the numbers in mangled class names increase with every export.
    """
    portable = io.BytesIO()
    with zipfile.ZipFile(archive) as source, zipfile.ZipFile(portable, "w", zipfile.ZIP_STORED) as target:
        names = [name for name in source.namelist() if not name.endswith((".debug_pkl", "serialization_id"))]
        texts = {name: source.read(name) for name in names if name.endswith((".py", ".pkl"))}
        numbers = {int(found) for text in texts.values() for found in _MANGLED.findall(text)}
        order = {number: place for place, number in enumerate(sorted(numbers))}

        def renumber(text: bytes) -> bytes:
            return _MANGLED.sub(lambda found: b"___torch_mangle_%d" % order[int(found[1])], text)

        for name in names:
            content = renumber(texts[name]) if name in texts else source.read(name)
            target.writestr(zipfile.ZipInfo(renumber(name.encode()).decode()), content)
    return portable.getvalue()
