"""spec.json: the complete input of a training. The trainer checks its shape and adds nothing."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from medloom_trainer.contract.phrases import (phrase, Phrased)
from medloom_trainer.contract.schemas import contract
from medloom_trainer.errors import TrainerError

RUN_SCHEMA_VERSION = 1
"""Version of the versioned files of a run, equal to that in the contracts."""


@dataclass(frozen=True)
class Spec:
    """contract/spec.schema.json as Python values."""

    job_id: str
    job_name: str
    attempt: int
    run_dir: Path
    cache_dir: Path
    roots: tuple[Path, ...]
    resume_from: Path | None
    config: dict[str, Any]
    fine_tuned_from: dict[str, Any] | None = None
    """Contract FineTunedFrom: the trained model that the configuration names, as it was accepted."""
    baselines: tuple[str, ...] = ()
    """Simple models that are fitted in addition to the model."""
    places: tuple[dict[str, str], ...] = ()
    """Folders with another path on this machine than in the service, for folder_map.py."""
    part_of: Path | None = None
    """The run directory of the job, if this training is a part of it, such as a baseline."""

    @property
    def job_dir(self) -> Path:
        """Directory in which the attempts of the job are distinguished."""
        return self.part_of or self.run_dir


def read_spec(path: Path) -> Spec:
    """FILE_NOT_FOUND, INVALID_JSON or INVALID_CONFIG (naming the first wrong key) if it cannot be used."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise TrainerError("FILE_NOT_FOUND", phrase("file_absent", file=path.name)) from error
    except ValueError as error:
        raise TrainerError("INVALID_JSON", phrase("spec_not_json", file=path.name)) from error
    validator = Draft202012Validator(contract("spec"))
    wrong = min(validator.iter_errors(document), key=lambda issue: list(map(str, issue.path)), default=None)
    if wrong is not None:
        place = ".".join(map(str, wrong.path)) or path.name
        raise TrainerError("INVALID_CONFIG", Phrased(f"{place}: {wrong.message[:300]}"))
    return Spec(
        job_id=document["job_id"],
        job_name=document["job_name"],
        attempt=document["attempt"],
        run_dir=Path(document["run_dir"]),
        cache_dir=Path(document["cache_dir"]),
        roots=tuple(Path(root) for root in document["roots"]),
        resume_from=Path(document["resume_from"]) if document["resume_from"] else None,
        config=document["config"],
        fine_tuned_from=document.get("fine_tuned_from"),
        baselines=tuple(document.get("baselines", ())),
        places=tuple(document.get("places", ())),
    )


_PARTS = {"data": "DataConfig", "model": "ModelConfig", "training": "LoopConfig"}
"""Part of the configuration → its name in the contract."""


def contract_defaults(part: str) -> dict[str, Any]:
    """Every key of DataConfig, ModelConfig or LoopConfig with a default in the contract, including nested
    ones.

    For programs that call the trainer without the service, and to read what an older version wrote; the
    trainer itself never fills in anything.
    """
    return _defaults(contract("spec")["$defs"][part]["properties"])


def kept_by_fine_tuning() -> list[tuple[str, str]]:
    """(part, key) of the configuration that a fine-tuning has in common with its trained model."""
    return [
        (part, key)
        for part, name in _PARTS.items()
        for key, facts in contract("spec")["$defs"][name]["properties"].items()
        if facts.get("kept_by_fine_tuning")
    ]


def completed(config: dict[str, Any]) -> dict[str, Any]:
    """A training configuration of an older version, completed with every newer key: the default of a key
    describes the behavior before the key existed, or else its `before_it_existed`.
    """
    return {part: _laid_over(_before_they_existed(_PARTS[part]), keys) for part, keys in config.items()}


def _before_they_existed(part: str) -> dict[str, Any]:
    keys = contract("spec")["$defs"][part]["properties"]
    defaults = {key: facts["before_it_existed"] for key, facts in keys.items() if "before_it_existed" in facts}
    return contract_defaults(part) | defaults


def _laid_over(defaults: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    nested = {
        key: _laid_over(defaults[key], value)
        for key, value in given.items()
        if isinstance(value, dict) and isinstance(defaults.get(key), dict)
    }
    return defaults | given | nested


def _defaults(keys: dict[str, Any]) -> dict[str, Any]:
    found = {key: facts["default"] for key, facts in keys.items() if "default" in facts}
    return found | {
        key: _defaults(facts["properties"]) for key, facts in keys.items() if "properties" in facts
    }
