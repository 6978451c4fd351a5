"""Whether cuDNN tries all its kernels for every new shape: that pays where shapes are few."""

from __future__ import annotations

from medloom_trainer.data.types import Cases
from medloom_trainer.model.ensemble import EnsembleNetwork
from medloom_trainer.model.network import MultimodalNetwork


def count_varies(network: MultimodalNetwork | EnsembleNetwork, cases: Cases) -> bool:
    """Whether batches of training `cases` show the backbone any number of images: views are missing or
    dropped, and BatchNorm learns from those that are there, so nothing may fill up (model/view_counts.py).
    """
    reader = network if isinstance(network, MultimodalNetwork) else network.image
    if reader is None or reader.backbone is None or not reader.backbone.learns_statistics:
        return False
    drops = reader.modality_dropout > 0 and reader.rest.table is not None
    return drops or (cases.slots is not None and bool((cases.slots < 0).any()))
