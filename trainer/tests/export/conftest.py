"""Backbones with one block of each kind: the others repeat them."""

from __future__ import annotations

import pytest

from export.models import CNN, TRANSFORMER
from medloom_trainer.model.timm_import import import_timm

SHORT = {CNN: {"layers": (1, 1, 1, 1)}, TRANSFORMER: {"depth": 1}}


@pytest.fixture(autouse=True)
def short_backbones(monkeypatch):
    timm = import_timm()
    create = timm.create_model
    monkeypatch.setattr(
        timm, "create_model", lambda name, **options: create(name, **options, **SHORT.get(name, {}))
    )
