"""The checkpoint of a trained model."""

from __future__ import annotations

from pathlib import Path

from medloom_trainer.cases.node_task import Content, NodeTask
from medloom_trainer.contract.phrases import phrase
from medloom_trainer.errors import TrainerError
from medloom_trainer.inference.checkpoint import Checkpoint, load_checkpoint
from medloom_trainer.inference.checkpoint_files import refuse_links_out

_AGAIN = phrase("force_training_node")


def open_checkpoint(task: NodeTask, model: Content) -> Checkpoint:
    """The verified checkpoint of a trained model. CHECKPOINT_NOT_FOUND, or CHECKPOINT_CORRUPT if it is
    damaged or its weights are not those of the trained model.
    """
    folder = Path(model["checkpoint"])
    real = (task.data_dir / folder).resolve()
    if folder.is_absolute() or not real.is_relative_to(task.data_dir.resolve()):
        raise TrainerError("PATH_NOT_ALLOWED", phrase("checkpoint_outside_data"))
    try:
        refuse_links_out(real, [task.data_dir])
        checkpoint = load_checkpoint(real)
    except TrainerError as error:
        raise TrainerError(error.code, error.message, _AGAIN) from error
    weights = checkpoint.manifest["files"].get("model", {}).get("sha256")
    if weights != model["checkpoint_digest"]:
        message = phrase("checkpoint_replaced", checkpoint=real.name)
        raise TrainerError("CHECKPOINT_CORRUPT", message, _AGAIN)
    return checkpoint
