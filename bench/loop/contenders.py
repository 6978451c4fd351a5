"""What is compared. Each contender trains the same model in a process of its own → seconds of every epoch but
the first.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from peak_memory import PeakMemory
from PIL import Image
from study import BATCH, SIDE, configuration, photo_name, read_study
from torch import Tensor, nn

from medloom_trainer.batches import ImageNormalizer
from medloom_trainer.control import Control
from medloom_trainer.data.types import PreparedData
from medloom_trainer.distributed import Group, cores, read_device
from medloom_trainer.events import Events
from medloom_trainer.model.network import build_network
from medloom_trainer.optim import build_optimizer
from medloom_trainer.precision import autocast, choose_precision
from medloom_trainer.spec import Spec
from medloom_trainer.train import train

LOADER_WORKERS = 2


def measure(options: argparse.Namespace) -> dict[str, float]:
    """One contender, in this process: samples per second after the first epoch, and the peak of memory."""
    data = read_study(options.folder, options.cases, options)
    config = configuration(options.folder, options.cases, options)
    group = Group.join(read_device(options.device))
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS") or cores()))
    with PeakMemory() as memory:
        seconds = CONTENDERS[options.contender].train(data, config, group, options)
    figures = {"samples_per_second": len(data.train.values) / statistics.median(seconds), **memory.peaks()}
    if group.device.type == "cuda":
        figures["gpu_mib"] = torch.cuda.max_memory_allocated(group.device) / 2**20
    return figures


def ours(
    data: PreparedData, config: dict[str, Any], group: Group, options: argparse.Namespace
) -> list[float]:
    """The trainer's loop over its image store on the disk; times come from the events that it writes."""
    with tempfile.TemporaryDirectory(dir=options.folder) as temporary:
        run_dir = Path(temporary)
        spec = Spec(str(uuid.uuid4()), "bench", 1, run_dir, options.folder, (), None, config)
        with Events(run_dir, 1) as events:
            train(spec, data, events=events, control=Control(run_dir, 1), group=group)
        lines = [json.loads(line) for line in (run_dir / "events.1.jsonl").read_text().splitlines()]
    phases = [(line["phase"], datetime.fromisoformat(line["timestamp"])) for line in lines if "phase" in line]
    spans = [
        (end - begin).total_seconds() for (name, begin), (_, end) in pairwise(phases) if name == "training"
    ]
    return spans[1:]


def bare(
    data: PreparedData, config: dict[str, Any], group: Group, options: argparse.Namespace
) -> list[float]:
    """A plain loop over tensors that lie in memory already, normalised beforehand: the limit."""
    assert data.store is not None and data.train.slots is not None
    device = group.device
    normalizer = ImageNormalizer(data.image_normalization, torch.device("cpu"))
    images = torch.cat(
        [
            normalizer.normalize(normalizer.unit(torch.from_numpy(data.store.gather(part))), 1)
            for part in np.array_split(data.train.slots, max(1, len(data.train.slots) // BATCH))
        ]
    ).to(device)
    columns = (data.train.values, data.train.codes, data.train.present)
    table = [torch.from_numpy(array).to(device) for array in columns]
    labels = torch.from_numpy(data.train.labels).to(device)

    def batches() -> Any:
        order = torch.randperm(len(labels), device=device)
        for start in range(0, len(labels), BATCH):
            chosen = order[start : start + BATCH]
            yield images[chosen], *(column[chosen] for column in table), labels[chosen]

    return plain_loop(batches, data, config, device)


class Photos(torch.utils.data.Dataset[tuple[Tensor, ...]]):
    """What people write first: open, convert, resize, to a tensor."""

    def __init__(self, data: PreparedData, folder: Path, normalization: dict[str, Any]) -> None:
        self.cases = data.train
        self.folder = folder
        self.mean = torch.tensor(normalization["mean"])[:, None, None]
        self.std = torch.tensor(normalization["std"])[:, None, None]

    def __len__(self) -> int:
        return len(self.cases.values)

    def __getitem__(self, index: int) -> tuple[Tensor, ...]:
        row = int(self.cases.rows[index]) - 2
        with Image.open(self.folder / photo_name(row)) as photo:
            pixels = np.asarray(photo.convert("RGB").resize((SIDE, SIDE), Image.Resampling.BILINEAR))
        image = torch.from_numpy(pixels.copy()).permute(2, 0, 1).float().div(255).sub(self.mean).div(self.std)
        cases = self.cases
        columns = (cases.values[index], cases.codes[index], cases.present[index], cases.labels[index])
        return image.unsqueeze(0), *(torch.as_tensor(column) for column in columns)


def loader(
    data: PreparedData, config: dict[str, Any], group: Group, options: argparse.Namespace
) -> list[float]:
    """Torch's DataLoader, whose workers decode the files in every epoch; they stay between epochs."""
    batches = torch.utils.data.DataLoader(
        Photos(data, options.folder, data.image_normalization),
        batch_size=BATCH,
        shuffle=True,
        num_workers=LOADER_WORKERS,
        persistent_workers=True,
        pin_memory=group.device.type == "cuda",
    )
    return plain_loop(lambda: batches, data, config, group.device)


def plain_loop(batches: Any, data: PreparedData, config: dict[str, Any], device: torch.device) -> list[float]:
    """Seconds of each epoch after the first."""
    loop = config["training"]
    network = build_network(config, layout=data.layout, num_views=1, num_outputs=2)
    network.to(device, memory_format=torch.channels_last).train()  # type: ignore[call-overload]
    optimizer = build_optimizer(network, loop, device)
    precision = choose_precision(loop["mixed_precision"], device)
    criterion = nn.CrossEntropyLoss()
    torch.backends.cudnn.benchmark = True
    seconds = []
    for _ in range(loop["epochs"]):
        started = time.perf_counter()
        for images, values, codes, present, labels in batches():
            moved = [
                tensor.to(device, non_blocking=True) for tensor in (images, values, codes, present, labels)
            ]
            flat = moved[0].flatten(0, 1).contiguous(memory_format=torch.channels_last)
            with autocast(precision, device):
                outputs = network(flat.unsqueeze(1), None, *moved[1:4])
            loss = criterion(outputs, moved[4])
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), loop["gradient_clip"])
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        float(loss.detach())  # waits for the device
        seconds.append(time.perf_counter() - started)
    return seconds[1:]


@dataclass(frozen=True)
class Contender:
    train: Callable[[PreparedData, dict[str, Any], Group, argparse.Namespace], list[float]]
    title: str
    larger: bool = False
    """Over twice the data."""
    sleeps: bool = True
    """Waiting threads of OpenMP sleep, as the trainer sets it; else they spin, as torch is installed."""


CONTENDERS = {
    "ours": Contender(ours, "ours"),
    "larger": Contender(ours, "ours over twice the data", larger=True),
    "bare": Contender(bare, "bare loop, tensors in memory"),
    "loader": Contender(loader, "DataLoader, 2 workers decode, threads sleep"),
    "ordinary": Contender(loader, "DataLoader, 2 workers decode", sleeps=False),
}
