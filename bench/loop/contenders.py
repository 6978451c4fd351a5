"""The contenders. Each trains the same model in a separate process, one epoch per turn; one only decodes all
images, as Medloom does before its first epoch.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from peak_memory import PeakMemory
from PIL import Image
from study import BATCH, SIDE, configuration, photo_name, prepare_study, read_study
from torch import Tensor, nn
from turns import Turns

from medloom_trainer.contract.spec import Spec
from medloom_trainer.data.images import Pixels
from medloom_trainer.data.types import PreparedData
from medloom_trainer.exchange.control import Control
from medloom_trainer.exchange.events import Events
from medloom_trainer.inference.batches import ImageNormalizer
from medloom_trainer.inference.devices import cores, read_device
from medloom_trainer.inference.precision import autocast, choose_precision
from medloom_trainer.model.network import build_one_network
from medloom_trainer.training.distributed.group import Group
from medloom_trainer.training.loop import train
from medloom_trainer.training.optimization.optimizer import build_optimizer, weights_of

LOADER_WORKERS = 2


def take_part(options: argparse.Namespace) -> None:
    """One contender, in this process."""
    data = read_study(options.folder, options.cases, options)
    config = configuration(options.folder, options.cases, options)
    group = Group.join(read_device(options.device))
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS") or cores()))
    with PeakMemory(group.device) as memory:
        turns = Turns(memory)
        CONTENDERS[options.contender].train(data, config, group, turns, options.folder)
        turns.report()


class TakingTurns(Events):
    """The trainer reports the start and the end of the training of an epoch; here it also waits for its turn,
    and for its checkpoint, which would otherwise be written during another contender's turn.
    """

    def __init__(self, run_dir: Path, turns: Turns) -> None:
        super().__init__(run_dir, 1)
        self.turns = turns
        self.saved = threading.Event()
        self.saved.set()

    def hold(self) -> None:
        self.saved.clear()
        super().hold()

    def release(self, report: Callable[[], object]) -> None:
        super().release(report)
        self.saved.set()

    def phase(self, phase: str, epoch: int) -> None:
        if phase == "training":
            self.saved.wait()
            self.turns.wait()
        if phase == "validating":
            self.turns.stop_clock()
        super().phase(phase, epoch)


def ours(data: PreparedData, config: dict[str, Any], group: Group, turns: Turns, folder: Path) -> None:
    """The trainer's loop over its image store on the disk; validation and checkpoints are not counted."""
    with tempfile.TemporaryDirectory(dir=folder) as temporary:
        run_dir = Path(temporary)
        spec = Spec(str(uuid.uuid4()), "bench", 1, run_dir, folder, (), None, config)
        with TakingTurns(run_dir, turns) as events:
            train(spec, data, events=events, control=Control(run_dir, 1), group=group)


def decoding(data: PreparedData, config: dict[str, Any], group: Group, turns: Turns, folder: Path) -> None:
    """Everything that happens before Medloom's first epoch, with an empty image store."""
    for _ in range(config["training"]["epochs"]):
        with tempfile.TemporaryDirectory(dir=folder) as cache:
            turns.wait()
            prepared = prepare_study(config, folder, Path(cache))
            turns.stop_clock()
            assert prepared.store is not None
            prepared.store.close()


def bare(data: PreparedData, config: dict[str, Any], group: Group, turns: Turns, folder: Path) -> None:
    """A plain loop over tensors in memory, normalized beforehand: the upper bound."""
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

    plain_loop(batches, data, config, device, turns)


def typical_pixels(photo: Image.Image) -> Pixels:
    """A typical first implementation: the photo is stretched with a bilinear filter."""
    return np.asarray(photo.convert("RGB").resize((SIDE, SIDE), Image.Resampling.BILINEAR))


def same_pixels(photo: Image.Image) -> Pixels:
    """As Medloom: the photo keeps its shape, is resized with a bicubic filter, and is centered on black."""
    scale = min(SIDE / photo.width, SIDE / photo.height)
    size = round(photo.width * scale), round(photo.height * scale)
    whole = Image.new("RGB", (SIDE, SIDE))
    small = photo.convert("RGB").resize(size, Image.Resampling.BICUBIC)
    whole.paste(small, ((SIDE - size[0]) // 2, (SIDE - size[1]) // 2))
    return np.asarray(whole)


class Photos(torch.utils.data.Dataset[tuple[Tensor, ...]]):
    """Open a photo, resize it, to a tensor."""

    def __init__(
        self,
        data: PreparedData,
        folder: Path,
        normalization: dict[str, Any],
        pixels_of: Callable[[Image.Image], Pixels],
    ) -> None:
        self.cases = data.train
        self.folder = folder
        self.pixels_of = pixels_of
        self.mean = torch.tensor(normalization["mean"])[:, None, None]
        self.std = torch.tensor(normalization["std"])[:, None, None]

    def __len__(self) -> int:
        return len(self.cases.values)

    def __getitem__(self, index: int) -> tuple[Tensor, ...]:
        row = int(self.cases.rows[index]) - 2
        with Image.open(self.folder / photo_name(row)) as photo:
            pixels = self.pixels_of(photo)
        image = torch.from_numpy(pixels.copy()).permute(2, 0, 1).float().div(255).sub(self.mean).div(self.std)
        cases = self.cases
        columns = (cases.values[index], cases.codes[index], cases.present[index], cases.labels[index])
        return image.unsqueeze(0), *(torch.as_tensor(column) for column in columns)


def loader(
    data: PreparedData,
    config: dict[str, Any],
    group: Group,
    turns: Turns,
    folder: Path,
    pixels_of: Callable[[Image.Image], Pixels] = typical_pixels,
) -> None:
    """PyTorch's DataLoader, whose persistent workers decode the files in every epoch."""
    batches = torch.utils.data.DataLoader(
        Photos(data, folder, data.image_normalization, pixels_of),
        batch_size=BATCH,
        shuffle=True,
        num_workers=LOADER_WORKERS,
        persistent_workers=True,
        pin_memory=group.device.type == "cuda",
    )
    plain_loop(lambda: batches, data, config, group.device, turns)


def cached(data: PreparedData, config: dict[str, Any], group: Group, turns: Turns, folder: Path) -> None:
    """The same, but the photos are decoded once, before the first turn, and stay in memory as tensors."""
    started = time.perf_counter()
    photos = Photos(data, folder, data.image_normalization, typical_pixels)
    once = torch.utils.data.DataLoader(photos, batch_size=BATCH, num_workers=LOADER_WORKERS)
    columns = [torch.cat(parts) for parts in zip(*once, strict=True)]
    turns.decoding = time.perf_counter() - started
    batches = torch.utils.data.DataLoader(
        torch.utils.data.TensorDataset(*columns),
        batch_size=BATCH,
        shuffle=True,
        num_workers=LOADER_WORKERS,
        persistent_workers=True,
        pin_memory=group.device.type == "cuda",
    )
    plain_loop(lambda: batches, data, config, group.device, turns)


def plain_loop(
    batches: Any, data: PreparedData, config: dict[str, Any], device: torch.device, turns: Turns
) -> None:
    loop = config["training"]
    network = build_one_network(config, layout=data.layout, num_views=1, num_outputs=2)
    network.to(device, memory_format=torch.channels_last).train()  # type: ignore[call-overload]
    optimizer = build_optimizer(dict(network.named_parameters()), weights_of(network), loop, device)
    precision = choose_precision(loop["mixed_precision"], device)
    criterion = nn.CrossEntropyLoss()
    torch.backends.cudnn.benchmark = True
    for _ in range(loop["epochs"]):
        turns.wait()
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
        turns.stop_clock()


@dataclass(frozen=True)
class Contender:
    train: Callable[[PreparedData, dict[str, Any], Group, Turns, Path], None]
    title: str
    larger: bool = False
    """Over twice the data."""
    sleeps: bool = True
    """Waiting OpenMP threads sleep, as the trainer sets it; otherwise they spin, the default of PyTorch."""


CONTENDERS = {
    "ours": Contender(ours, "ours"),
    "decoding": Contender(decoding, "ours, decoding before the first epoch"),
    "larger": Contender(ours, "ours over twice the data", larger=True),
    "bare": Contender(bare, "bare loop, tensors in memory"),
    "loader": Contender(loader, "DataLoader, 2 workers decode, threads sleep"),
    "same": Contender(partial(loader, pixels_of=same_pixels), "DataLoader, 2 workers decode to our pixels"),
    "cached": Contender(cached, "DataLoader, photos decoded before the clock"),
    "ordinary": Contender(loader, "DataLoader, 2 workers decode", sleeps=False),
}
