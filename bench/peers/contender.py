"""The contenders, and a contender as a monitored process.

A contender is called `python <script> FOLD EPOCHS SIDE OUT`. It writes OUT as JSON: classes, probabilities
(one row per row of test.csv), first_batch (seconds since the Unix epoch; null: unknown) and chosen (its
settings in words). It exits with code 3 and a line on the standard output if it cannot run here.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psutil
from sklearn.metrics import roc_auc_score

HERE = Path(__file__).parent
ENVIRONMENT = HERE.parents[1] / ".venv-peers"
CANNOT_RUN = 3
_LOOK_SECONDS = 0.1


@dataclass(frozen=True)
class Contender:
    title: str
    script: str
    own_environment: bool = False


CONTENDERS = {
    "medloom": Contender("Medloom, image and table", "medloom_peer.py"),
    "pytorch": Contender("plain PyTorch, DataLoader", "pytorch_peer.py"),
    "autogluon": Contender("AutoGluon MultiModal 1.6.3, from scratch", "autogluon_peer.py", True),
    "logistic": Contender("scikit-learn, logistic regression", "sklearn_peer.py"),
    "forest": Contender("scikit-learn, random forest", "sklearn_peer.py"),
}


@dataclass(frozen=True)
class Run:
    seconds: float
    """Including imports and the selection of settings."""
    first_batch: float | None
    """Seconds until the first batch was trained."""
    peak_mib: float
    """Peak of all of its processes together."""
    auc: float
    """Macro average of one class against the rest, on the test rows of the fold."""
    chosen: str


def take_part(name: str, fold: Path, *, epochs: int, side: int) -> Run | str:
    """→ measurements, or the reason why it does not take part."""
    contender = CONTENDERS[name]
    python = sys.executable
    if contender.own_environment:
        python = str(ENVIRONMENT / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
        if not Path(python).exists():
            return "its packages are not installed"
    out, log = fold / f"{name}.json", fold / f"{name}.log"
    command = [python, str(HERE / contender.script), str(fold), str(epochs), str(side), str(out), name]
    # Nothing is downloaded; waiting threads sleep, like those of the trainer.
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_WAIT_POLICY": "PASSIVE"}
    began = time.time()
    with log.open("w", encoding="utf-8") as file:
        process = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT, env=environment)
        peak = _watch(process)
    seconds = time.time() - began
    if process.returncode:
        lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines() or ["no reason"]
        return lines[-1] if process.returncode == CANNOT_RUN else f"it failed: {lines[-1][:200]}"
    report = json.loads(out.read_text(encoding="utf-8"))
    first = report["first_batch"]
    auc = _macro_auc(fold, report["classes"], np.array(report["probabilities"]))
    return Run(seconds, None if first is None else first - began, peak, auc, report["chosen"])


def _watch(process: subprocess.Popen[bytes]) -> float:
    """Peak memory in MiB until the process ends."""
    largest = 0
    while process.poll() is None:
        largest = max(largest, _resident(process.pid))
        time.sleep(_LOOK_SECONDS)
    return largest / 2**20


def _resident(pid: int) -> int:
    total = 0
    try:
        root = psutil.Process(pid)
        for one in (root, *root.children(recursive=True)):
            total += one.memory_info().rss
    except psutil.NoSuchProcess:
        pass
    return total


def _macro_auc(fold: Path, classes: list[str], probabilities: np.ndarray) -> float:
    with (fold / "test.csv").open(newline="", encoding="utf-8") as file:
        labels = np.array([row["label"] for row in csv.DictReader(file)])
    areas = [roc_auc_score(labels == name, probabilities[:, index]) for index, name in enumerate(classes)]
    return float(np.mean(areas))
