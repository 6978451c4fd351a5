"""Small real datasets on the disk, and the complete configuration that the service would send."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from jsonschema import Draft202012Validator
from PIL import Image

from medloom_trainer.contract.schemas import contract
from medloom_trainer.contract.spec import contract_defaults
from medloom_trainer.data.features import FittedPreparation
from medloom_trainer.data.prepare import prepare
from medloom_trainer.data.tables import Target
from medloom_trainer.data.types import PreparedData

DATA_DEFAULTS: dict[str, Any] = {
    **contract_defaults("DataConfig"),
    "image_size": [16, 16],
    "augmentation": "none",
}
MODEL_DEFAULTS: dict[str, Any] = {
    **contract_defaults("ModelConfig"),
    "vision_backbone": "resnet18",
    "fusion_type": "concatenate",
    "hidden_dim": 16,
    "dropout": 0.0,
    "members": 1,
}
LOOP_DEFAULTS: dict[str, Any] = {
    **contract_defaults("LoopConfig"),
    "epochs": 1,
    "batch_size": 4,
    "weight_decay": 0.0,
    "scheduler": "none",
    "mixed_precision": "off",
    "gradient_clip": None,
    "device": "cpu",
    "num_workers": 1,
    "operating_points": [],
    "conformal": None,
}

Rows = Sequence[dict[str, Any]]


def asked(labels: Any, classes: int | None) -> Target:
    """Question of the label of every row: (N,) with this number of classes, or numbers."""
    values = np.asarray(labels)
    return Target(np.arange(len(values)), values, None if classes is None else tuple("abcdef"[:classes]))


class Workspace:
    """A folder with tables and images, and calls of the data preparation on it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cache = folder / "cache"

    def table(self, name: str, rows: Rows) -> Path:
        path = self.folder / name
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, fieldnames=list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        return path

    def image(self, name: str, seed: int, size: tuple[int, int] = (20, 18)) -> str:
        """An image of noise, different for every seed; `size` is (width, height)."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        pixels = np.random.default_rng(seed).integers(0, 256, (size[1], size[0], 3), dtype=np.uint8)
        Image.fromarray(pixels).save(path)
        return name

    def cases(self, count: int, first: int = 0, per_patient: int = 2) -> list[dict[str, Any]]:
        """Rows with an image, a patient, a number, a category and a label of two classes."""
        rng = np.random.default_rng(first)
        return [
            {
                "image": self.image(f"images/{number}.png", number),
                "patient_id": f"P{number // per_patient}",
                "age": int(rng.integers(20, 90)),
                "site": ["arm", "leg", "face"][int(rng.integers(3))],
                "label": ["benign", "malignant"][int(rng.integers(2))],
            }
            for number in range(first, first + count)
        ]

    def config(self, *, model: dict[str, Any] | None = None, **data: Any) -> dict[str, Any]:
        config = {
            "data": {"train_csv": str(self.folder / "train.csv"), **DATA_DEFAULTS, **data},
            "model": {**MODEL_DEFAULTS, **(model or {})},
            "training": dict(LOOP_DEFAULTS),
        }
        _configuration_contract().validate(config)
        return config

    def prepare(self, *, model: dict[str, Any] | None = None, **data: Any) -> PreparedData:
        return self.prepare_with(self.config(model=model, **data))

    def prepare_with(
        self,
        config: dict[str, Any],
        should_stop: Callable[[], bool] = lambda: False,
        fitted: FittedPreparation | None = None,
    ) -> PreparedData:
        return prepare(
            config,
            roots=[self.folder],
            cache_dir=self.cache,
            progress=lambda message, fraction: None,
            should_stop=should_stop,
            fitted=fitted,
        )


@cache
def _configuration_contract() -> Draft202012Validator:
    schema = {"$ref": "#/$defs/TrainerConfig", "$defs": contract("spec")["$defs"]}
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def codes(warnings: list[dict[str, str]]) -> set[str]:
    return {warning["code"] for warning in warnings}
