"""Format ONNX: one file with dynamic batch size, checked with ONNX Runtime before it is stored."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import onnx
import torch

from medloom_trainer.export.document import METADATA_KEY, to_text
from medloom_trainer.export.network import Array, ExportedNetwork, sample_inputs

_OPSET = 20


def to_onnx(network: ExportedNetwork, document: dict[str, Any]) -> bytes:
    """Return the ONNX file of a network with a dynamic batch dimension."""
    batch = torch.export.Dim("batch")
    examples = tuple(torch.from_numpy(array) for array in sample_inputs(document, 3))
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        program = torch.onnx.export(
            network,
            examples,
            dynamo=True,
            dynamic_shapes=(tuple({0: batch} for _ in examples),),
            input_names=[facts["name"] for facts in document["inputs"]],
            output_names=[facts["name"] for facts in document["outputs"]],
            opset_version=_OPSET,
            optimize=False,  # its rules drop an addition where every column is scattered to
            external_data=False,
            verbose=False,
        )
    assert program is not None
    model = program.model_proto
    _forget_where_it_was_made(model)
    model.producer_name = "medloom"
    onnx.helper.set_model_props(model, {METADATA_KEY: to_text(document)})
    content: bytes = model.SerializeToString(deterministic=True)
    return content


def run_onnx(content: bytes, inputs: Sequence[Array]) -> Array:
    """The first output of the model for `inputs`, by ONNX Runtime on the CPU."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = torch.get_num_threads()
    session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    names = [facts.name for facts in session.get_inputs()]
    (output, *_) = session.run(None, dict(zip(names, inputs, strict=True)))
    result: Array = output
    return result


def _forget_where_it_was_made(model: onnx.ModelProto) -> None:
    """Remove the source lines of each node, which the exporter stores with paths of this machine."""
    graphs: Iterable[Any] = (model.graph, *model.functions)
    for graph in graphs:
        graph.doc_string = ""
        del graph.metadata_props[:]
        for name in ("node", "value_info", "input", "output", "initializer"):
            for item in getattr(graph, name, ()):
                if not isinstance(item, str):
                    item.doc_string = ""
                    del item.metadata_props[:]
    del model.metadata_props[:]
    model.doc_string = ""
