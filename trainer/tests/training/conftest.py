from __future__ import annotations

import csv
import signal
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from testing.short_backbones import short_backbones
from testing.trainer_process import Prewarmed


@pytest.fixture(scope="module")
def quick_networks() -> Iterator[None]:
    with short_backbones():
        yield


@pytest.fixture(scope="module")
def study(tmp_path_factory) -> Path:
    """48 cases: an image that is brighter at the top for "yes", a number with gaps, a category."""
    folder = tmp_path_factory.mktemp("study")
    random = np.random.default_rng(0)
    rows = []
    for i in range(48):
        yes = i % 2
        pixels = random.integers(0, 120, (32, 32, 3)).astype(np.uint8)
        pixels[:16] += 60 * yes
        Image.fromarray(pixels).save(folder / f"{i}.png")
        age = round(float(random.normal() + yes), 3) if i % 6 else ""
        rows.append([f"{i}.png", f"p{i}", age, "abc"[i % 3], ["no", "yes"][yes]])
    with (folder / "train.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["image", "patient_id", "age", "site", "label"], *rows])
    return folder


@pytest.fixture(scope="session")
def prewarmed() -> Iterator[Prewarmed]:
    """The prewarmed trainer of a service, which imports once and makes the process of each job."""
    trainer = Prewarmed()
    yield trainer
    assert trainer.close() == (0, "")


@pytest.fixture
def signals() -> Iterator[None]:
    """A job in this process handles signals; the handlers are restored afterwards."""
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)
