"""The synthetic study of the bench: photos, tables, and the configuration that trains on them."""

from __future__ import annotations

import argparse
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from medloom_trainer.contract.spec import contract_defaults
from medloom_trainer.data.prepare import prepare
from medloom_trainer.data.types import PreparedData

SIDE = 128
BATCH = 32
VALIDATING = 2
"""Validation cases out of 32."""
TRAINED = 1 - VALIDATING / 32
"""Share of the cases."""

Size = tuple[int, int]
"""Width and height in pixels."""


def make_study(folder: Path, cases: int, photo: Size) -> float:
    """Photos, a table of half of the cases and a table of all. → seconds"""
    started = time.perf_counter()
    folder.mkdir()
    with ProcessPoolExecutor() as pool:
        list(pool.map(make_photo, [folder] * cases, range(cases), [photo] * cases, chunksize=16))
    for count in (cases // 2, cases):
        random = np.random.default_rng(0)
        lines = ["image,patient_id,age,site,split,label"]
        # Only a few cases are used for validation: the bench measures training.
        lines += [
            f"{photo_name(i)},p{i},{random.normal() + i % 2:.3f},{'abc'[i % 3]},"
            f"{'val' if i % 32 < VALIDATING else 'train'},{('no', 'yes')[i % 2]}"
            for i in range(count)
        ]
        (folder / f"{count}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return time.perf_counter() - started


def photo_name(number: int) -> str:
    return f"{number:06d}.jpg"


def make_photo(folder: Path, number: int, photo: Size) -> None:
    """Smooth colors with some grain: about as expensive to decode as a photo."""
    random = np.random.default_rng(number)
    coarse = Image.fromarray(random.integers(40 + 60 * (number % 2), 190, (12, 16, 3)).astype(np.uint8))
    smooth = np.asarray(coarse.resize(photo, Image.Resampling.BICUBIC)).astype(np.int16)
    grain = random.integers(-12, 13, smooth.shape, dtype=np.int16)
    pixels = np.clip(smooth + grain, 0, 255).astype(np.uint8)
    Image.fromarray(pixels).save(folder / photo_name(number), quality=88)


def read_study(folder: Path, cases: int, options: argparse.Namespace) -> PreparedData:
    return prepare_study(configuration(folder, cases, options), folder, folder / "cache")


def prepare_study(config: dict[str, Any], folder: Path, cache_dir: Path) -> PreparedData:
    return prepare(
        config,
        roots=[folder],
        cache_dir=cache_dir,
        progress=lambda message, fraction: None,
        should_stop=lambda: False,
    )


def configuration(folder: Path, cases: int, options: argparse.Namespace) -> dict[str, Any]:
    """The defaults of the contract, with the settings of the bench."""
    return {
        "data": {
            **contract_defaults("DataConfig"),
            "train_csv": str(folder / f"{cases}.csv"),
            "image_size": [SIDE, SIDE],
            "augmentation": "none",
        },
        "model": {
            **contract_defaults("ModelConfig"),
            "vision_backbone": "resnet18",
            "fusion_type": "concatenate",
            "task": "classification",
        },
        "training": {
            **contract_defaults("LoopConfig"),
            "epochs": options.epochs or 1,
            "batch_size": BATCH,
            "scheduler": "none",
            "mixed_precision": options.mixed_precision,
            "device": options.device,
        },
    }
