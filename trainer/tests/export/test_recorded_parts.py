"""Every fusion and every aggregator computes the same in a recorded graph, with any views missing."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from medloom_trainer.export.network import outputs_of
from medloom_trainer.export.onnx import run_onnx, to_onnx
from medloom_trainer.export.torchscript import run_torchscript, to_torchscript
from testing.recorded_parts import DOCUMENT, RecordedParts, inputs_of

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("record", "run"),
    [
        # Recording them all takes as long as a hundred other tests.
        pytest.param(to_onnx, run_onnx, marks=pytest.mark.full, id="ONNX"),
        pytest.param(to_torchscript, run_torchscript, id="TorchScript"),
    ],
)
def test_a_graph_has_what_each_part_computes(record, run):
    torch.manual_seed(0)
    parts = RecordedParts().eval()
    content = record(parts, DOCUMENT)
    for count in (1, 4, 9):
        inputs = inputs_of(count)
        found, expected = run(content, inputs), outputs_of(parts, inputs)
        for number, name in enumerate(parts.names):
            np.testing.assert_allclose(found[:, number], expected[:, number], atol=1e-4, err_msg=name)
