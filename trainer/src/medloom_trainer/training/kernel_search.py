"""Decision of whether cuDNN tries all its kernels for every new shape, which saves time if there are few
shapes."""

from __future__ import annotations

from medloom_trainer.data.types import Cases
from medloom_trainer.model.ensemble import EnsembleNetwork
from medloom_trainer.model.network import MultimodalNetwork


def count_varies(network: MultimodalNetwork | EnsembleNetwork, cases: Cases) -> bool:
    """Return whether batches of training `cases` pass a varying number of images to the backbone: views are
    missing or dropped, and BatchNorm learns from the existing ones, so that padding is not possible
    (model/view_counts.py).
    """
    reader = network if isinstance(network, MultimodalNetwork) else network.image
    if reader is None or reader.backbone is None or not reader.backbone.learns_statistics:
        return False
    drops = reader.modality_dropout > 0 and reader.rest.table is not None
    return drops or (cases.slots is not None and bool((cases.slots < 0).any()))
