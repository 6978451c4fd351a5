"""How fast the training loop is, and what memory it takes, against two named peers in the same run.

    ours          the training loop of the trainer, train(), over its image store on the disk
    bare          a plain PyTorch loop over tensors that lie in memory already: the limit
    loader        the same model fed by torch's DataLoader with 2 workers, which decode the files in every epoch

ResNet-18 at 128 px, batch 32, AdamW, no augmentation, the same precision and memory format for all. Each
contender runs in a process of its own; contenders alternate over several rounds, and the reported ratio is the
median of the rounds' ratios, so that whatever else the machine does meets all of them alike. The first epoch is
a warm-up and is not counted.

The files are JPEGs of 1024 x 768 pixels, the size of a photo that was already reduced once; --photo 4032x3024 is
what a camera gives. The larger the file, the more a DataLoader decodes in every epoch. "ours over twice the data" shows that memory grows with the batch, not with the data.

    python bench/loop.py [--quick] [--photo WxH] [--device cuda] [--mixed-precision bf16] [--json figures.json]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from concurrent.futures import ProcessPoolExecutor
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import torch
from PIL import Image
from torch import Tensor, nn

from medloom_trainer.batches import ImageNormalizer
from medloom_trainer.control import Control
from medloom_trainer.data.prepare import prepare
from medloom_trainer.data.types import PreparedData
from medloom_trainer.distributed import Group, cores, read_device
from medloom_trainer.events import Events
from medloom_trainer.model.network import build_network
from medloom_trainer.optim import build_optimizer
from medloom_trainer.precision import autocast, choose_precision
from medloom_trainer.spec import Spec, contract_defaults
from medloom_trainer.train import train

SIDE = 128
BATCH = 32
LOADER_WORKERS = 2
PROFILES = {
    "full": {"cases": 512, "epochs": 3, "rounds": 3},
    "quick": {"cases": 64, "epochs": 3, "rounds": 3},
}
TARGETS = {"bare": 0.95, "loader": 2.0}


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare the loop with a bare one and a DataLoader.")
    parser.add_argument("--quick", action="store_true", help="a small data set")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--mixed-precision", default="off", choices=["auto", "off", "bf16", "fp16"])
    parser.add_argument(
        "--photo", type=photo_size, default=(1024, 768), metavar="WxH", help="pixels of the source files"
    )
    parser.add_argument("--json", type=Path, help="write the figures here too")
    parser.add_argument("--contender", choices=CONTENDERS, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--cases", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--epochs", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.contender:
        print(json.dumps(measure(options)))
        return 0
    return compare(options)


def photo_size(text: str) -> tuple[int, int]:
    width, height = text.split("x")
    return int(width), int(height)


def compare(options: argparse.Namespace) -> int:
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # as the trainer sets it, for every contender alike
    profile = PROFILES["quick" if options.quick else "full"]
    cases, epochs = profile["cases"], profile["epochs"]
    with tempfile.TemporaryDirectory(prefix="medloom-bench-") as temporary:
        folder = Path(temporary)
        seconds = make_study(folder, 2 * cases, options.photo)
        print(
            f"{2 * cases} photos of {options.photo[0]} x {options.photo[1]} made in {seconds:.0f} s",
            flush=True,
        )
        prepared = time.perf_counter()
        for count in (cases, 2 * cases):
            read_study(folder, count, options)
        prepared = time.perf_counter() - prepared
        print(f"decoded once into the store in {prepared:.0f} s (later runs reuse it)\n", flush=True)
        runs: dict[str, list[dict[str, float]]] = {name: [] for name in (*CONTENDERS, "larger")}
        for number in range(profile["rounds"]):
            order = list(runs) if number % 2 == 0 else list(runs)[::-1]
            for name in order:
                contender, count = ("ours", 2 * cases) if name == "larger" else (name, cases)
                figures = run_contender(contender, folder, count, epochs, options)
                runs[name].append(figures)
                print(
                    f"round {number + 1}  {name:<8} {figures['samples_per_second']:8.1f} samples/s",
                    flush=True,
                )
    result = summarise(runs, options, cases, epochs, prepared)
    show(result)
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    return 0


def run_contender(
    name: str, folder: Path, cases: int, epochs: int, options: argparse.Namespace
) -> dict[str, float]:
    command = [sys.executable, __file__, "--contender", name, "--folder", str(folder)]
    command += ["--cases", str(cases), "--epochs", str(epochs)]
    command += ["--device", options.device, "--mixed-precision", options.mixed_precision]
    answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    figures: dict[str, float] = json.loads(answer.stdout.splitlines()[-1])
    return figures


def measure(options: argparse.Namespace) -> dict[str, float]:
    """One contender, in this process: samples per second after the first epoch, and the peak of memory."""
    data = read_study(options.folder, options.cases, options)
    config = configuration(options.folder, options.cases, options)
    group = Group.join(read_device(options.device))
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS") or cores()))
    with PeakMemory() as memory:
        seconds = CONTENDERS[options.contender](data, config, group, options)
    figures = {"samples_per_second": len(data.train.values) / statistics.median(seconds), **memory.peaks()}
    if group.device.type == "cuda":
        figures["gpu_mib"] = torch.cuda.max_memory_allocated(group.device) / 2**20
    return figures


def ours(
    data: PreparedData, config: dict[str, Any], group: Group, options: argparse.Namespace
) -> list[float]:
    """Seconds of each epoch's training, read from the events that train() writes."""
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
    """A plain loop over tensors in memory, normalised beforehand."""
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
    """DataLoader that decodes the files in every epoch; its workers stay between epochs."""
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


CONTENDERS = {"ours": ours, "bare": bare, "loader": loader}


class PeakMemory:
    """Largest resident memory while the block ran, with that of child processes, and what the block added to
    it.
    """

    def __enter__(self) -> PeakMemory:
        self.process = psutil.Process()
        self.before = self.largest = self._now()
        self.done = threading.Event()
        self.watcher = threading.Thread(target=self._watch, daemon=True)
        self.watcher.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.done.set()
        self.watcher.join()

    def peaks(self) -> dict[str, float]:
        return {"peak_mib": self.largest / 2**20, "added_mib": (self.largest - self.before) / 2**20}

    def _watch(self) -> None:
        while not self.done.wait(0.05):
            self.largest = max(self.largest, self._now())

    def _now(self) -> int:
        total = self.process.memory_info().rss
        for child in self.process.children(recursive=True):
            try:
                total += child.memory_info().rss
            except psutil.NoSuchProcess:
                continue
        return int(total)


def make_study(folder: Path, cases: int, photo: tuple[int, int]) -> float:
    """Photos and a table. → seconds"""
    started = time.perf_counter()
    with ProcessPoolExecutor() as pool:
        list(pool.map(make_photo, [folder] * cases, range(cases), [photo] * cases, chunksize=16))
    for count in (cases // 2, cases):
        random = np.random.default_rng(0)
        lines = ["image,patient_id,age,site,split,label"]
        # A few cases validate: the bench is about training.
        lines += [
            f"{photo_name(i)},p{i},{random.normal() + i % 2:.3f},{'abc'[i % 3]},"
            f"{'val' if i % 32 in (0, 1) else 'train'},{('no', 'yes')[i % 2]}"
            for i in range(count)
        ]
        (folder / f"{count}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return time.perf_counter() - started


def photo_name(number: int) -> str:
    return f"{number:06d}.jpg"


def make_photo(folder: Path, number: int, photo: tuple[int, int]) -> None:
    """Smooth colours with some grain: about as hard to decode as a photo."""
    random = np.random.default_rng(number)
    coarse = Image.fromarray(random.integers(40 + 60 * (number % 2), 190, (12, 16, 3)).astype(np.uint8))
    smooth = np.asarray(coarse.resize(photo, Image.Resampling.BICUBIC)).astype(np.int16)
    grain = random.integers(-12, 13, smooth.shape, dtype=np.int16)
    Image.fromarray(np.clip(smooth + grain, 0, 255).astype(np.uint8)).save(
        folder / photo_name(number), quality=88
    )


def read_study(folder: Path, cases: int, options: argparse.Namespace) -> PreparedData:
    return prepare(
        configuration(folder, cases, options),
        roots=[folder],
        cache_dir=folder / "cache",
        progress=lambda message, fraction: None,
        should_stop=lambda: False,
    )


def configuration(folder: Path, cases: int, options: argparse.Namespace) -> dict[str, Any]:
    """The defaults of the contract, and what the bench is about."""

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


def summarise(
    runs: dict[str, list[dict[str, float]]],
    options: argparse.Namespace,
    cases: int,
    epochs: int,
    prepared: float,
) -> dict[str, Any]:
    def median(name: str, key: str) -> float | None:
        values = [figures[key] for figures in runs[name] if key in figures]
        return round(statistics.median(values), 1) if values else None

    def ratio(name: str) -> float:
        pairs = zip(runs["ours"], runs[name], strict=True)
        return round(
            statistics.median(a["samples_per_second"] / b["samples_per_second"] for a, b in pairs), 3
        )

    keys = ("samples_per_second", "peak_mib", "added_mib", "gpu_mib")
    return {
        "machine": {"processor": platform.machine(), "cores": cores(), "torch": torch.__version__},
        "settings": {
            "backbone": "resnet18",
            "pixels": SIDE,
            "batch": BATCH,
            "cases": cases,
            "epochs": epochs,
            "rounds": len(runs["ours"]),
            "device": options.device,
            "mixed_precision": options.mixed_precision,
            "files": f"JPEG {options.photo[0]} x {options.photo[1]}",
        },
        "prepare_seconds": round(prepared, 1),
        "contenders": {name: {key: median(name, key) for key in keys} for name in runs},
        "ratios": {"ours / bare": ratio("bare"), "ours / data loader": ratio("loader")},
        "targets": {"ours / bare": TARGETS["bare"], "ours / data loader": TARGETS["loader"]},
    }


def show(result: dict[str, Any]) -> None:
    titles = {
        "ours": "ours",
        "larger": "ours over twice the data",
        "bare": "bare loop, tensors in memory",
        "loader": f"data loader, {LOADER_WORKERS} workers decode",
    }
    print(f"\n{'':<32}{'samples/s':>12}{'peak MiB':>12}{'added MiB':>12}{'GPU MiB':>12}")
    for name, title in titles.items():
        row = result["contenders"][name]
        cells = [row[key] for key in ("samples_per_second", "peak_mib", "added_mib", "gpu_mib")]
        print(f"{title:<32}" + "".join(f"{'-' if cell is None else cell:>12}" for cell in cells))
    for name, value in result["ratios"].items():
        target = result["targets"][name]
        print(f"{name}: {value} (target {target}: {'reached' if value >= target else 'missed'})")


if __name__ == "__main__":
    sys.exit(main())
