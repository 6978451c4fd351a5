"""DataAugmentation: methods of augmentation, recorded as settings; the training loop applies them."""

from __future__ import annotations

from medloom_trainer.cases.node_task import NodeTask, Outputs
from medloom_trainer.cases.preprocessing import record_image_settings


def run(task: NodeTask) -> Outputs:
    return record_image_settings(task)
