"""The file LICENSES.md: what is known about the licenses of the parts of a package."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import metadata
from typing import Any

from medloom_trainer.export.package.environment import PACKAGES
from medloom_trainer.model.timm_import import import_timm

_UNKNOWN = "unknown to Medloom; check the source before you share the package"


def licenses(state: Mapping[str, Any]) -> bytes:
    """state: of the checkpoint."""
    rows = [
        ("`medloom_model.py`, `example.py` and the other files of Medloom", "Apache-2.0"),
        ("Trained weights (`model.onnx`, `model.safetensors`)", "not stated; their authors choose it"),
        *dict.fromkeys(_pretrained(config) for config in _configs(state) if config["model"]["pretrained"]),
    ]
    if state.get("fine_tuned_from"):
        rows.append(("The trained model from which the training started", _UNKNOWN))
    rows += [(_named(package), _license_of(package)) for package in PACKAGES]
    lines = [f"| {part} | {license} |" for part, license in rows]
    text = ["# Licenses", "", "| Part | License |", "|---|---|", *lines, "", _NOTE, ""]
    return "\n".join(text).encode()


_NOTE = """\
The text of Apache-2.0 is at <https://www.apache.org/licenses/LICENSE-2.0>. The libraries are not part of the
package; pip installs them from `requirements.txt`. The license of pretrained weights may restrict the use of
weights that were trained from them."""


def _configs(state: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Configurations of the trainings: of each member of an ensemble."""
    ensemble = state.get("ensemble")
    return [state["config"]] if ensemble is None else [member["config"] for member in ensemble["members"]]


def _pretrained(config: Mapping[str, Any]) -> tuple[str, str]:
    """Pretrained weights of a backbone. timm states the license of those that it publishes."""
    name, source = config["model"]["vision_backbone"], config["model"]["pretrained"]
    if source is not True:
        return f"Pretrained weights of `{name}` from a file", _UNKNOWN
    import_timm()
    from timm.models import get_pretrained_cfg

    published = get_pretrained_cfg(name)
    stated = None if published is None else published.license
    return f"Pretrained weights of `{name}`, published by timm", _one_line(stated or "") or _UNKNOWN


def _named(package: str) -> str:
    return f"{metadata(package)['Name']} {metadata(package)['Version']}"


def _license_of(package: str) -> str:
    facts = metadata(package).json
    stated = [facts.get(key) for key in ("license_expression", "license")]
    return next((_one_line(str(text)) for text in stated if text), _UNKNOWN)


def _one_line(text: str) -> str:
    return text.strip().partition("\n")[0].replace("|", "/")
