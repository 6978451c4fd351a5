"""What most tests here share. Recording a graph takes seconds, so equal networks are recorded once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest
from torch import nn
from torch.onnx._internal.exporter._registration import ONNXRegistry

from medloom_trainer.export import Exported, export_model
from medloom_trainer.model.timm_import import import_timm
from medloom_trainer.training.checkpoint import Checkpoint
from testing.export_models import CNN, TRANSFORMER, checkpoint


@pytest.fixture(scope="package", autouse=True)
def short_backbones() -> Iterator[None]:
    """Backbones with one block of each kind: the others repeat them."""
    timm = import_timm()
    create = timm.create_model

    def short(name: str, **options: Any) -> nn.Module:
        if name == TRANSFORMER:
            return create(name, **options, depth=1)
        if name != CNN:
            return create(name, **options)
        network = create(name, **options, layers=(1, 1, 1, 1))
        network.layer3 = network.layer4 = nn.Identity()
        return network

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(timm, "create_model", short)
        yield


@pytest.fixture(scope="package", autouse=True)
def operators_read_once() -> Iterator[None]:
    """The exporter reads the source of its 500 operators anew for every network."""
    read = cache(ONNXRegistry.from_torchlib)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ONNXRegistry, "from_torchlib", staticmethod(read))
        yield


@pytest.fixture(scope="package")
def saved(tmp_path_factory) -> Callable[..., Checkpoint]:
    """`checkpoint` of models.py, once for the same changes."""
    return cache(lambda **changes: checkpoint(tmp_path_factory.mktemp("checkpoint"), **changes))


@pytest.fixture(scope="package")
def exported(saved) -> Callable[..., Exported]:
    """Export of `saved`, once for the same format and changes."""
    return cache(lambda format, **changes: export_model(saved(**changes), format=format))
