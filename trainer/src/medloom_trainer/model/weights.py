"""Sources of pretrained weights: a safetensors file that the user names, or the local cache of the Hugging
Face hub.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from torch import nn

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.errors import TrainerError
from medloom_trainer.folder_map import local
from medloom_trainer.model.timm_import import import_timm

_PICKLE_SUFFIXES = (".pth", ".pt", ".bin", ".ckpt", ".pkl", ".tar")


def create_pretrained(name: str, pretrained: bool | str, **options: Any) -> nn.Module:
    """The timm model `name` with all of its weights from a file, and without its classifier.

    pretrained: True (the published weights, if they are in the local hub cache) or the path of a safetensors
    file. WEIGHTS_UNAVAILABLE at once if the file is absent, of another format, or does not fit the model in
    every tensor: a part with random weights and no error would be worse than no weights.
    """
    path = find_weights(name, pretrained)
    classes = _classifier_rows(path, name)
    try:
        # With equal numbers of classes timm loads strictly: a missing or unknown tensor is an error.
        model: nn.Module = import_timm().create_model(
            name,
            pretrained=True,
            num_classes=classes,
            pretrained_cfg_overlay={"file": str(path), "num_classes": classes, "label_offset": 0},
            **options,
        )
    except (RuntimeError, SafetensorError, KeyError, ValueError) as error:
        raise TrainerError(
            "WEIGHTS_UNAVAILABLE",
            phrase("weights_of_other_model", file=path.name, backbone=name, reason=_first_line(error)),
        ) from error
    if classes:
        model.reset_classifier(0)  # type: ignore[operator]
    return model


def find_weights(name: str, pretrained: bool | str) -> Path:
    """The file that `create_pretrained` would read; WEIGHTS_UNAVAILABLE if it cannot be used."""
    return _published_file(name) if pretrained is True else _named_file(str(pretrained))


def _published_file(name: str) -> Path:
    import_timm()
    from huggingface_hub import try_to_load_from_cache
    from timm.models import get_pretrained_cfg

    published = get_pretrained_cfg(name)
    repository = published.hf_hub_id if published is not None else None
    if not repository:
        raise TrainerError("WEIGHTS_UNAVAILABLE", phrase("no_published_weights", backbone=name))
    cached = try_to_load_from_cache(repository, "model.safetensors")
    if not isinstance(cached, str):
        raise TrainerError(
            "WEIGHTS_UNAVAILABLE",
            phrase("weights_not_here", backbone=name, repository=repository),
            phrase("download_weights", repository=repository),
        )
    return Path(cached)


def _named_file(path: str) -> Path:
    file = local(path)
    if file.suffix.lower() in _PICKLE_SUFFIXES:
        raise TrainerError(
            "WEIGHTS_UNAVAILABLE",
            phrase("weights_are_pickle", file=file.name),
            phrase("convert_pickle"),
        )
    if file.suffix.lower() != ".safetensors":
        raise TrainerError("WEIGHTS_UNAVAILABLE", phrase("not_a_safetensors_name", file=file.name))
    if not file.is_file():
        raise TrainerError("WEIGHTS_UNAVAILABLE", phrase("weights_file_absent", file=file.name))
    return file


def _classifier_rows(path: Path, name: str) -> int:
    """Number of classes of the classifier in the file; 0 if the file contains none."""
    from timm.models import get_pretrained_cfg

    published = get_pretrained_cfg(name)
    own = published.classifier if published is not None else "fc"
    names = [own, *own] if isinstance(own, tuple) else [own]
    try:
        with safe_open(path, framework="pt") as file:
            keys = set(file.keys())
            for classifier in (*names, "head.fc", "head", "fc", "classifier"):
                if f"{classifier}.weight" in keys:
                    return int(file.get_slice(f"{classifier}.weight").get_shape()[0])
    except (SafetensorError, OSError, json.JSONDecodeError) as error:
        raise TrainerError(
            "WEIGHTS_UNAVAILABLE", phrase("not_readable_safetensors", file=path.name)
        ) from error
    return 0


def _first_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return " ".join(lines[:2])[:200]
