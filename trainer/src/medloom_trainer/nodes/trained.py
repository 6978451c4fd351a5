"""The checkpoint behind a trained model."""

from __future__ import annotations

from pathlib import Path

from medloom_trainer.checkpoint import Checkpoint, load_checkpoint
from medloom_trainer.errors import TrainerError
from medloom_trainer.nodes.task import Content, NodeTask


def open_checkpoint(task: NodeTask, model: Content) -> Checkpoint:
    """The verified checkpoint of a trained model. CHECKPOINT_CORRUPT when its weights are not those that the
    model was trained to.
    """
    folder = Path(model["checkpoint"])
    real = (task.data_dir / folder).resolve()
    if folder.is_absolute() or not real.is_relative_to(task.data_dir.resolve()):
        raise TrainerError("PATH_NOT_ALLOWED", "the checkpoint of the model lies outside the data folder")
    checkpoint = load_checkpoint(real)
    weights = checkpoint.manifest["files"].get("model", {}).get("sha256")
    if weights != model["checkpoint_digest"]:
        message = f"checkpoint {real.name} was replaced since the model was trained; train it again"
        raise TrainerError("CHECKPOINT_CORRUPT", message)
    return checkpoint
