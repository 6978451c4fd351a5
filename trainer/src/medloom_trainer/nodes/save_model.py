"""SaveModel: a trained model → one file as PyTorch, ONNX or TorchScript, checked before it is stored."""

from __future__ import annotations

from medloom_trainer.cases.checkpoint import open_checkpoint
from medloom_trainer.cases.node_task import NodeTask, Outputs
from medloom_trainer.cases.outputs import keep_file
from medloom_trainer.contract.phrases import join, phrase
from medloom_trainer.errors import TrainerError
from medloom_trainer.export.file import export_judged
from medloom_trainer.export.formats import FORMATS


def run(task: NodeTask) -> Outputs:
    model = task.input("model")
    if model["content"] != "trained_model":
        message = phrase("untrained_without_weights")
        remedy = phrase("connect_model_to_save")
        raise TrainerError("EXPORT_UNSUPPORTED", message, remedy)
    name, quantization = task.config["format"], task.config["quantization"]
    task.progress(phrase("reading_checkpoint"), 0.05)
    checkpoint = open_checkpoint(task, model)
    task.progress(phrase("writing_model", format=name), 0.2)
    roots = [*task.roots, task.store]
    exported, doubt = export_judged(
        checkpoint, format=name, quantization=quantization, roots=roots, cache_dir=task.cache_dir
    )
    if doubt is not None:
        task.warn("PARITY_ON_RANDOM_INPUTS", doubt)
    files = keep_file(
        task,
        exported.content,
        kind="model_file",
        title=f"Model ({name})",
        name="model",
        suffix=FORMATS[name].suffix,
    )
    about = join(
        *(name,) if quantization == "none" else (name, quantization),
        phrase("megabytes", size=f"{len(exported.content) / 1e6:,.1f}"),
    )
    about = join(about, phrase("largest_change", change=f"{exported.change:.1g}"), mark="semicolon")
    return {"model_path": (files, about)}
