"""Every backbone as the cases of a test: by default the smallest of each family, in the full run all."""

from __future__ import annotations

import pytest
from _pytest.mark.structures import ParameterSet

from medloom_trainer.model.backbones import declared

_FIRST_OF_FAMILY = {backbone["family"]: name for name, backbone in reversed(declared().items())}


def every_backbone() -> list[ParameterSet]:
    return [
        pytest.param(name, marks=[] if name in _FIRST_OF_FAMILY.values() else pytest.mark.full)
        for name in declared()
    ]
