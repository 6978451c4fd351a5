"""Check of whether trained models answer the same question from the same inputs, so that the mean of their
predictions is meaningful.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from medloom_trainer.contract.codes import PhraseCode
from medloom_trainer.contract.phrases import phrase
from medloom_trainer.errors import TrainerError

State = Mapping[str, Any]
_REMEDY = phrase("combine_same_models")


def require_same_task(names: Sequence[str], states: Sequence[State]) -> None:
    """MEMBERS_DIFFER with the first difference between the first model and another. names: as shown in the
    message; states: of their checkpoints."""
    for name, state in zip(names, states, strict=True):
        if "ensemble" in state:
            message = phrase("already_an_ensemble", model=name)
            raise TrainerError("MEMBERS_DIFFER", message, phrase("members_instead"))
    for name, state in zip(names[1:], states[1:], strict=True):
        for what, part_of in _QUESTION.items():
            mine, other = part_of(states[0]), part_of(state)
            if mine != other:
                message = phrase(
                    "members_differ_in",
                    what=phrase(what),
                    mine=_described(mine),
                    first=names[0],
                    other=_described(other),
                    second=name,
                )
                raise TrainerError("MEMBERS_DIFFER", message, _REMEDY_OF.get(what, _REMEDY))


_TIMES: Final = "part_time_intervals"
_QUESTION: dict[PhraseCode, Callable[[State], Any]] = {
    "part_task": lambda state: state["task"],
    "part_classes": lambda state: state["classes"],
    "part_label_column": lambda state: state["preprocessing"].get("label_column"),
    "part_label_columns": lambda state: state["preprocessing"].get("label_columns"),
    "part_time_column": lambda state: state["config"]["data"].get("time_column"),
    "part_event_column": lambda state: state["config"]["data"].get("event_column"),
    _TIMES: lambda state: (state["preprocessing"].get("survival") or {}).get("edges"),
    "part_kinds_of_input": lambda state: [
        kind
        for kind, key in (("images", "vision_backbone"), ("table", "fusion_type"))
        if state["config"]["model"][key] != "none"
    ],
    "part_image_columns": lambda state: state["preprocessing"]["image_columns"] if _sees(state) else None,
    "part_image_preprocessing": lambda state: state["preprocessing"]["images"] if _sees(state) else None,
    "part_number_of_views": lambda state: state["num_views"] if _sees(state) else None,
}
"""In the order in which differences are named."""
_REMEDY_OF = {
    _TIMES: phrase("times_of_training_cases"),
}


def _sees(state: State) -> bool:
    return bool(state["config"]["model"]["vision_backbone"] != "none")


def _described(value: Any) -> str:
    if value is None:
        return phrase("it_has_none")
    if isinstance(value, list):
        return ", ".join(f"{part:g}" if isinstance(part, float) else str(part) for part in value)[:200]
    return str(value)[:200]
