"""Check of whether trained models answer the same question from the same inputs, so that the mean of their
predictions is meaningful.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from medloom_trainer.errors import TrainerError

State = Mapping[str, Any]
_REMEDY = (
    "Combine models with the same task, label, classes in the same order, and kinds of input. If the "
    "variants of a study differ in these, choose one variant."
)


def require_same_task(names: Sequence[str], states: Sequence[State]) -> None:
    """MEMBERS_DIFFER with the first difference between the first model and another. names: as shown in the
    message; states: of their checkpoints."""
    for name, state in zip(names, states, strict=True):
        if "ensemble" in state:
            message = f"{name} is already an ensemble"
            raise TrainerError("MEMBERS_DIFFER", message, "Use its members instead.")
    for name, state in zip(names[1:], states[1:], strict=True):
        for what, part_of in _QUESTION.items():
            mine, other = part_of(states[0]), part_of(state)
            if mine != other:
                message = f"{what}: {_described(mine)} of {names[0]}, but {_described(other)} of {name}"
                raise TrainerError("MEMBERS_DIFFER", message, _REMEDY_OF.get(what, _REMEDY))


_TIMES = "time intervals"
_QUESTION: dict[str, Callable[[State], Any]] = {
    "task": lambda state: state["task"],
    "classes and their order": lambda state: state["classes"],
    "label column": lambda state: state["preprocessing"].get("label_column"),
    "label columns": lambda state: state["preprocessing"].get("label_columns"),
    "time column": lambda state: state["config"]["data"].get("time_column"),
    "event column": lambda state: state["config"]["data"].get("event_column"),
    _TIMES: lambda state: (state["preprocessing"].get("survival") or {}).get("edges"),
    "kinds of input": lambda state: [
        kind
        for kind, key in (("images", "vision_backbone"), ("table", "fusion_type"))
        if state["config"]["model"][key] != "none"
    ],
    "image columns": lambda state: state["preprocessing"]["image_columns"] if _sees(state) else None,
    "image preprocessing": lambda state: state["preprocessing"]["images"] if _sees(state) else None,
    "number of views": lambda state: state["num_views"] if _sees(state) else None,
}
"""In the order in which differences are named."""
_REMEDY_OF = {
    _TIMES: "The time intervals are fitted on the training cases of each model: combine models with the "
    "same training cases, for example those of several seeds."
}


def _sees(state: State) -> bool:
    return bool(state["config"]["model"]["vision_backbone"] != "none")


def _described(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, list):
        return ", ".join(f"{part:g}" if isinstance(part, float) else str(part) for part in value)[:200]
    return str(value)[:200]
