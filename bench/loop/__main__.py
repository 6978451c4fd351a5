"""Measure the speed and memory of the training loop against peers in the same run (contenders.py).

ResNet-18 at 128 px, batch 32, AdamW, no augmentation, the same precision and memory format for all. Each
contender is a separate process; they train an epoch in turn (turns.py), and the reported ratio is the
median of the rounds' ratios. The first epoch of each is a warm-up and is not counted.

The larger the file, the more a DataLoader decodes in every epoch. Two sizes are measured: typical output of a
camera or a radiography detector, and photos that were already reduced once. "ours over twice the data" shows
that memory grows with the batch, not with the data. Exits with 1 if a limit is missed.

Medloom decodes once, before the clock starts; a typical DataLoader decodes in every epoch. Both are therefore
shown both ways: a DataLoader with previously decoded photos is among the contenders, and a second table
includes all decoding, for trainings of one epoch and of twenty. Medloom's decoding is a contender of its own,
which starts each turn with an empty store. Two DataLoaders decode: one stretches photos with a bilinear
filter, which is cheaper, the other makes the same pixels as Medloom.

    python bench/loop [--quick] [--rounds N] [--photo WxH]... [--device cuda] [--mixed-precision bf16]
                      [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
from pathlib import Path
from typing import Any

import torch
from contenders import CONTENDERS, take_part
from figures import (
    as_json,
    contender_medians,
    ratios,
    ratios_with_decoding,
    show,
    show_ratios,
    show_with_decoding,
    with_decoding,
)
from study import BATCH, SIDE, TRAINED, Size, make_study, read_study
from turns import Player

from medloom_trainer.inference.devices import cores

PHOTOS = [(4032, 3024), (1024, 768)]
PROFILES = {
    "full": {"cases": 256, "rounds": 9},
    "quick": {"cases": 64, "rounds": 9},
}


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare the loop with a bare one and a DataLoader.")
    parser.add_argument("--quick", action="store_true", help="a small dataset")
    parser.add_argument("--rounds", type=int, metavar="N", help="epochs that are counted (default: 9)")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--mixed-precision", default="off", choices=["auto", "off", "bf16", "fp16"])
    parser.add_argument(
        "--photo", type=photo_size, action="append", metavar="WxH", help="pixels of the source files"
    )
    parser.add_argument("--json", type=Path, help="write the figures here too")
    parser.add_argument("--contender", choices=CONTENDERS, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--cases", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--epochs", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.contender:
        take_part(options)
        return 0
    return compare(options)


def photo_size(text: str) -> Size:
    width, height = text.split("x")
    return int(width), int(height)


def compare(options: argparse.Namespace) -> int:
    results, missed = [], []
    for photo in options.photo or PHOTOS:
        runs = rounds(photo, options)
        contenders, rows = contender_medians(runs), ratios(runs)
        show(contenders)
        decoded = with_decoding(runs, round(profile_of(options)["cases"] * TRAINED))
        show_with_decoding(decoded)
        rows += ratios_with_decoding(runs)
        show_ratios(rows)
        missed += [f"{row.name} ({photo[0]} x {photo[1]})" for row in rows if not row.reached]
        files = f"JPEG {photo[0]} x {photo[1]}"
        figures = {"contenders": contenders, "ratios": as_json(rows), "with_decoding": decoded}
        results.append({"files": files, **figures})
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        document = {**circumstances(options), "results": results}
        options.json.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    if missed:
        print(f"missed: {'; '.join(missed)}", file=sys.stderr)
    return 1 if missed else 0


def rounds(photo: Size, options: argparse.Namespace) -> dict[str, list[dict[str, float]]]:
    """Measurements of every contender in every round."""
    cases = profile_of(options)["cases"]
    with tempfile.TemporaryDirectory(prefix="medloom-bench-") as temporary:
        folder = Path(temporary) / "study"
        seconds = make_study(folder, 2 * cases, photo)
        print(f"\n{2 * cases} photos of {photo[0]} x {photo[1]} made in {seconds:.0f} s", flush=True)
        for count in (cases, 2 * cases):
            read_study(folder, count, options)
        print("decoded once into the store (later runs reuse it)", flush=True)
        return play(folder, options)


def play(folder: Path, options: argparse.Namespace) -> dict[str, list[dict[str, float]]]:
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in CONTENDERS}
    players: dict[str, Player] = {}
    try:
        for name in CONTENDERS:
            print(f"warm-up   {CONTENDERS[name].title}", flush=True)
            players[name] = join(name, folder, options)
            players[name].turn()
        for number in range(profile_of(options)["rounds"]):
            for name in list(runs) if number % 2 == 0 else reversed(runs):
                figures = players[name].turn()
                images = cases_of(name, options) * (1 if name == "decoding" else TRAINED)
                speed = images / figures.pop("seconds")
                runs[name].append({"samples_per_second": speed, **figures})
                print(f"round {number + 1}  {CONTENDERS[name].title:<46}{speed:8.1f} samples/s", flush=True)
    finally:
        for player in players.values():
            player.leave()
    return runs


def join(name: str, folder: Path, options: argparse.Namespace) -> Player:
    command = [sys.executable, str(Path(__file__).parent), "--contender", name, "--folder", str(folder)]
    command += ["--cases", str(cases_of(name, options)), "--epochs", str(1 + profile_of(options)["rounds"])]
    command += ["--device", options.device, "--mixed-precision", options.mixed_precision]
    environment = dict(os.environ)
    if CONTENDERS[name].sleeps:
        environment.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    return Player(command, environment)


def cases_of(name: str, options: argparse.Namespace) -> int:
    return profile_of(options)["cases"] * (2 if CONTENDERS[name].larger else 1)


def profile_of(options: argparse.Namespace) -> dict[str, int]:
    profile = PROFILES["quick" if options.quick else "full"]
    return {**profile, "rounds": options.rounds or profile["rounds"]}


def circumstances(options: argparse.Namespace) -> dict[str, Any]:
    return {
        "machine": {"processor": platform.machine(), "cores": cores(), "torch": torch.__version__},
        "settings": {
            "backbone": "resnet18",
            "pixels": SIDE,
            "batch": BATCH,
            **profile_of(options),
            "device": options.device,
            "mixed_precision": options.mixed_precision,
        },
    }


if __name__ == "__main__":
    sys.exit(main())
