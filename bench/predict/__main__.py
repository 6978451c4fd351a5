"""The peers of bench/predict.ts: a plain PyTorch script, and AutoGluon if its packages are installed.

python bench/predict photo FILE                  writes a photo of 12 megapixels
python bench/predict measure FOLDER FILE ...     prints milliseconds by peer and kind of request, as JSON
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
from PIL import Image

HERE = Path(__file__).parent
PEERS = HERE.parents[1] / ".venv-peers"
SIZE = (4000, 3000)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python bench/predict")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("photo").add_argument("file", type=Path)
    measured = commands.add_parser("measure")
    measured.add_argument("folder", type=Path)
    measured.add_argument("photo", type=Path)
    measured.add_argument("--rounds", type=int, default=15)
    measured.add_argument("--side", type=int, default=224)
    options = parser.parse_args()
    if options.command == "photo":
        write_photo(options.file)
    else:
        print(json.dumps(measure(options)))
    return 0


def write_photo(file: Path) -> None:
    """A photo with the detail of a real one: noise that is enlarged, so that JPEG compresses it as usual."""
    noise = np.random.default_rng(0).integers(0, 255, (SIZE[1] // 8, SIZE[0] // 8, 3), dtype=np.uint8)
    Image.fromarray(noise).resize(SIZE, Image.Resampling.BICUBIC).save(file, quality=90)


def measure(options: argparse.Namespace) -> dict[str, object]:
    python = PEERS / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    peers = {
        "plain PyTorch": (Path(sys.executable), "of_script.py"),
        "AutoGluon": (python, "of_autogluon.py"),
    }
    return {name: _of_peer(*peer, options) for name, peer in peers.items()}


def _of_peer(python: Path, script: str, options: argparse.Namespace) -> object:
    """Milliseconds by kind of request, or the reason why there are none."""
    if not python.exists():
        return "its packages are not installed"
    command = [str(python), str(HERE / script), str(options.folder), str(options.photo)]
    command += [str(options.rounds), str(options.side)]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        lines = (done.stdout + done.stderr).strip().splitlines() or ["no reason"]
        return f"it failed: {lines[-1][:200]}"
    return json.loads(done.stdout.splitlines()[-1])


if __name__ == "__main__":
    sys.exit(main())
