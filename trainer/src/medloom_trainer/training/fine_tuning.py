"""Fine-tuning: a new training that starts from the weights of a trained model, with the preprocessing that
they require. Optimizer, schedule, random numbers and the choice of the best epoch start from the
beginning.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from medloom_trainer.contract.members import linear_share, member_count, members_of
from medloom_trainer.contract.phrases import phrase
from medloom_trainer.contract.spec import Spec, kept_by_fine_tuning
from medloom_trainer.data.features import FittedPreparation
from medloom_trainer.data.splits import SeenCases, read_seen_cases
from medloom_trainer.errors import TrainerError
from medloom_trainer.folder_map import local
from medloom_trainer.inference.checkpoint import Checkpoint, load_checkpoint
from medloom_trainer.inference.checkpoint_files import refuse_links_out
from medloom_trainer.inference.stored_network import layout_from_json, layout_to_json
from medloom_trainer.outcomes import kind_of
from medloom_trainer.training.build import TrainingRun

_INFERRED: dict[str, Callable[[Mapping[str, Any]], Any]] = {
    "label_column": lambda state: state["preprocessing"]["label_column"],
    "label_columns": lambda state: state["preprocessing"].get("label_columns"),
    "image_columns": lambda state: state["preprocessing"]["image_columns"],
    "positive_class": lambda state: state["classes"][1],
    "numeric_columns": lambda state: _columns(state, numeric=True),
    "categorical_columns": lambda state: _columns(state, numeric=False),
    "task": lambda state: state["task"],
    "members": lambda state: member_count(state["config"]),
    "linear_share": lambda state: linear_share(state["config"]),
}
"""Keys that are null if they were inferred: the values that they represent, in the form written by the
service."""
_SETS = ("numeric_columns", "categorical_columns")
"""Keys whose order has no meaning: the model reads the columns in its own order."""


def fitted_preparation(spec: Spec) -> FittedPreparation | None:
    """The fitted state of the trained model that the configuration names, from its checkpoint or from the one
    that is resumed; None without a trained model.

    CHECKPOINT_NOT_FOUND, CHECKPOINT_CORRUPT, CHECKPOINT_MISMATCH if the configuration contradicts the trained
    model.
    """
    checkpoint = _checkpoint(spec)
    if checkpoint is None:
        return None
    state = checkpoint.state
    _refuse_other_configuration(state, spec.config)
    return FittedPreparation(
        preprocessing=state["preprocessing"],
        layout=layout_from_json(state["layout"]),
        image_normalization=state["image_normalization"],
        label_normalization=state["label_normalization"],
        seen=seen_cases(spec),
    )


def seen_cases(spec: Spec) -> SeenCases | None:
    """The cases that the trained model of a fine-tuning has seen; None if they are unknown, and without a
    trained model.
    """
    folder = _folder(spec)
    return None if folder is None else read_seen_cases(folder.parent.parent)


def with_origin(spec: Spec) -> Spec:
    """The spec with the trained model from which it starts, also if no service has looked it up."""
    if spec.fine_tuned_from is not None:
        return spec
    checkpoint = _checkpoint(spec)
    if checkpoint is None:
        return spec
    origin = checkpoint.state.get("fine_tuned_from") if spec.resume_from is not None else None
    return replace(spec, fine_tuned_from=origin or _origin(checkpoint))


def with_members(spec: Spec) -> Spec:
    """The spec with explicit values for the number of networks, their validation, and the share of the linear
    models: for a fine-tuning those of its trained model. A checkpoint contains them, so that it does not
    depend on later defaults.
    """
    config, checkpoint = spec.config, _checkpoint(spec)
    model = config["model"]
    if model["members"] is None and checkpoint is not None:
        model = {**model, "members": member_count(checkpoint.state["config"])}
    if model["linear_share"] is None and checkpoint is not None:
        model = {**model, "linear_share": linear_share(checkpoint.state["config"])}
    config = {**config, "model": model}
    members = members_of(config)
    model = {**model, "members": members.count, "linear_share": linear_share(config)}
    data = {**config["data"], "validation": members.validation}
    return replace(spec, config={**config, "data": data, "model": model})


def start_from_trained(run: TrainingRun) -> None:
    """Give the network the weights of the trained model; nothing else of its training. No effect without a
    trained model.

    CHECKPOINT_MISMATCH if they are not those with which the job was accepted, or do not fit the data.
    """
    checkpoint = _checkpoint(run.spec)
    if checkpoint is None:
        return
    accepted = (run.spec.fine_tuned_from or {}).get("checkpoint_digest")
    if accepted != checkpoint.manifest["files"]["model"]["sha256"]:
        raise TrainerError(
            "CHECKPOINT_MISMATCH",
            phrase("trained_checkpoint_replaced"),
            phrase("start_training_again"),
        )
    _refuse_other_configuration(checkpoint.state, run.spec.config)
    _refuse_other_inputs(checkpoint.state, run)
    run.components.network.load_state_dict(checkpoint.tensors("model"))
    if all("means" not in column for column in checkpoint.state["layout"]["columns"]):
        run.components.network.measure_missing_from_means()


def _folder(spec: Spec) -> Path | None:
    named = spec.config["model"]["fine_tune_from"]
    if named is None:
        return None
    if spec.resume_from is not None:  # it contains all of the trained model, which may no longer exist
        return spec.resume_from
    folder = local(named)
    return folder if folder.is_absolute() or not spec.roots else spec.roots[0] / folder


def _checkpoint(spec: Spec) -> Checkpoint | None:
    folder = _folder(spec)
    if folder is None:
        return None
    if spec.resume_from is None:
        # Check again: a link may have replaced what the service checked.
        refuse_links_out(folder, [*spec.roots, spec.run_dir.parent])
    checkpoint = load_checkpoint(folder)
    if "ensemble" in checkpoint.state:
        raise TrainerError(
            "CHECKPOINT_MISMATCH",
            phrase("trained_is_ensemble"),
            phrase("fine_tune_a_job"),
        )
    return checkpoint


def _origin(checkpoint: Checkpoint) -> dict[str, Any]:
    manifest = checkpoint.manifest
    return {
        "job_id": manifest["job_id"],
        "model_id": None,
        "epoch": manifest["epoch"],
        "checkpoint_digest": manifest["files"]["model"]["sha256"],
    }


def _refuse_other_configuration(state: Mapping[str, Any], config: Mapping[str, Any]) -> None:
    for part, key in kept_by_fine_tuning():
        value, before = config[part][key], state["config"][part][key]
        if value == before or _is_not_read(key, state) or _is_what_was_inferred(key, value, state):
            continue
        raise TrainerError(
            "CHECKPOINT_MISMATCH",
            phrase("setting_of_trained_differs", part=part, key=key, value=repr(value), before=repr(before)),
            phrase("same_architecture"),
        )


def _is_not_read(key: str, state: Mapping[str, Any]) -> bool:
    """An ablation leaves out the image or the table: its columns then have no meaning."""
    model = state["config"]["model"]
    if key == "image_columns":
        return bool(model["vision_backbone"] == "none")
    return key in _SETS and model["fusion_type"] == "none"


def _is_what_was_inferred(key: str, value: Any, state: Mapping[str, Any]) -> bool:
    if key not in _INFERRED:
        return False
    if key in ("members", "linear_share") and value is None:
        return True
    if key == "positive_class" and kind_of(state).positive_class is None:
        return value is None
    inferred = _INFERRED[key](state)
    if key in _SETS and value is not None:
        return sorted(value) == sorted(inferred)
    return bool(value == inferred)


def _columns(state: Mapping[str, Any], *, numeric: bool) -> list[str]:
    columns = state["preprocessing"]["table"]["columns"]
    return [column["name"] for column in columns if (column["kind"] == "numeric") == numeric]


def _refuse_other_inputs(state: Mapping[str, Any], run: TrainingRun) -> None:
    data = run.data
    now = {
        "classes": None if data.classes is None else list(data.classes),
        "layout": layout_to_json(data.layout),
        "num_views": data.num_views,
        "num_outputs": run.kind.num_outputs,
    }
    for name, value in now.items():
        before = layout_to_json(layout_from_json(state[name])) if name == "layout" else state[name]
        if value != before:
            raise TrainerError(
                "CHECKPOINT_MISMATCH",
                phrase("data_give_other", what=name),
                phrase("data_of_trained"),
            )
