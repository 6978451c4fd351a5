"""BuildModel: backbone, fusion and aggregator → one model, built completely but without memory, and its
layers."""

from __future__ import annotations

from typing import Any

from medloom_trainer.cases.node_task import NodeTask, Outputs
from medloom_trainer.contract.codes import PhraseCode
from medloom_trainer.contract.members import member_count
from medloom_trainer.contract.phrases import Phrased, join, phrase
from medloom_trainer.contract.schemas import contract
from medloom_trainer.errors import TrainerError
from medloom_trainer.folder_map import service_path
from medloom_trainer.model.summary import summarize
from medloom_trainer.model.weights import find_weights

_PORTS = ("backbone_config", "fusion_config", "aggregator_config")


def run(task: NodeTask) -> Outputs:
    settings: dict[str, Any] = {}
    weights: dict[str, str] = {}
    for port in _PORTS:
        for value in task.inputs.get(port, []):
            settings |= value["settings"]
            weights |= {key: fact for key, fact in value["facts"].items() if key == "weights_sha256"}
    kind, num_classes = task.config["task_type"], task.config["num_classes"]
    settings["model.task"] = kind
    config = {
        "model": _complete("ModelConfig", "model", settings),
        # Set by preprocessing; its images are only available to this model in training.
        "data": {"image_size": settings.get("data.image_size")},
    }
    _refuse_what_cannot_be(config["model"])
    task.progress(phrase("building_model"), 0.2)
    _demand_weights(task, config["model"])
    summary = summarize(
        config,
        num_outputs=1 if kind == "regression" else num_classes,
        layout=None,
        num_views=None,
    )
    facts = {**summary, "task": kind, "num_classes": num_classes}
    plan = {"content": "model_plan", "settings": settings, "num_classes": num_classes, "task": kind}
    count: PhraseCode = "parameters" if summary["complete"] else "known_parameters"
    return {
        "model": (plan | weights, _in_words(config)),
        "model_summary": (
            {"content": "config", "settings": settings, "facts": facts},
            join(phrase("layers", count=len(summary["layers"])), phrase(count, count=summary["parameters"])),
        ),
    }


def _complete(definition: str, section: str, settings: dict[str, Any]) -> dict[str, Any]:
    """A part of the training configuration: defaults of the contract, and the settings of nodes."""
    keys = contract("spec")["$defs"][definition]["properties"]
    complete = {key: facts["default"] for key, facts in keys.items() if "default" in facts}
    prefix = f"{section}."
    return complete | {
        key.removeprefix(prefix): value for key, value in settings.items() if key.startswith(prefix)
    }


def _refuse_what_cannot_be(model: dict[str, Any]) -> None:
    """INVALID_CONFIG if parts are incompatible, with the same errors as in the training."""
    backbone, fusion = model["vision_backbone"], model["fusion_type"]
    if backbone == "none" and fusion == "none":
        message = phrase("model_without_inputs")
        raise TrainerError("INVALID_CONFIG", message, phrase("backbone_or_fusion"))
    if (model["members"] or 1) > 1 and backbone != "none" and fusion != "late":
        message = phrase("members_with_fusion", fusion=fusion)
        raise TrainerError("INVALID_CONFIG", message, phrase("members_or_strategy_late"))
    if backbone == "none" and fusion != "concatenate":
        message = phrase("fusion_without_backbone", fusion=fusion)
        raise TrainerError("INVALID_CONFIG", message, phrase("backbone_or_strategy"))
    attends = fusion in ("attention", "cross_attention") or model["tabular_encoder"] == "ft_transformer"
    attends = attends or (backbone != "none" and model["aggregator"] in ("attention", "cross_view"))
    width, heads = model["hidden_dim"], model["num_heads"]
    if attends and width % heads:
        message = phrase("width_not_of_heads", width=width, heads=heads)
        raise TrainerError("INVALID_CONFIG", message, phrase("use_width", width=-(-width // heads) * heads))


def _demand_weights(task: NodeTask, model: dict[str, Any]) -> None:
    """Raise WEIGHTS_UNAVAILABLE now, not at the start of the training."""
    pretrained, backbone = model["pretrained"], model["vision_backbone"]
    if pretrained and backbone != "none":
        named = isinstance(pretrained, str)
        find_weights(backbone, str(service_path(task.readable(pretrained))) if named else True)


def _in_words(config: dict[str, Any]) -> Phrased:
    model, count = config["model"], member_count(config)
    backbone, encoder = model["vision_backbone"], model["tabular_encoder"]
    if backbone == "none":
        networks = [phrase("networks", count=count)] if count > 1 else []
        return join(phrase("encoder_of_table", encoder=encoder), *networks)
    if model["fusion_type"] == "none":
        return join(backbone, phrase("images_only"))
    return join(phrase("backbone_and_encoder", backbone=backbone, encoder=encoder), model["fusion_type"])
