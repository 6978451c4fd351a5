"""Random numbers: one seed for all generators, and their states as tensors, so that a checkpoint can store
them.
"""

from __future__ import annotations

import os
import random
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor

_WORDS = 624
"""Words of a Mersenne twister; Python and NumPy also store one position."""


def seed_everything(seed: int, *, deterministic: bool) -> None:
    """deterministic: kernels that give the same sums each time, also on a GPU; the CPU always does."""
    _seed_generators(seed)
    torch.backends.cudnn.benchmark = not deterministic
    torch.backends.cudnn.deterministic = deterministic
    if deterministic:
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch.use_deterministic_algorithms(deterministic, warn_only=True)


def seed_process(seed: int, rank: int) -> None:
    """Separate the streams of the processes of a group, each of which has called `seed_everything`: each
    draws its own dropout. The first one keeps the stream of a training in one process.
    """
    if rank > 0:
        _seed_generators(int(np.random.SeedSequence([seed, rank]).generate_state(1)[0]))


def _seed_generators(seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 (third-party code may draw from it)
    torch.manual_seed(seed)


def random_state(device: torch.device) -> dict[str, Tensor]:
    """Return the states of all random generators, as tensors for a checkpoint."""
    _, python, _ = random.getstate()
    _, words, position, _, _ = cast(tuple[Any, ...], np.random.get_state(legacy=True))  # noqa: NPY002
    state = {
        "python": torch.tensor(python, dtype=torch.int64),
        "numpy": torch.tensor([*words.tolist(), position], dtype=torch.int64),
        "torch": torch.get_rng_state(),
    }
    if device.type == "cuda":
        state["cuda"] = torch.cuda.get_rng_state(device)
    if device.type == "mps":
        state["mps"] = torch.mps.get_rng_state()
    return state


def restore_random_state(state: dict[str, Tensor], device: torch.device) -> None:
    """Restore the generators. Those of a device that the state does not contain keep their seed."""
    random.setstate((3, tuple(state["python"].tolist()), None))
    words, position = state["numpy"][:_WORDS].numpy().astype(np.uint32), int(state["numpy"][_WORDS])
    np.random.set_state(("MT19937", words, position, 0, 0.0))  # noqa: NPY002
    torch.set_rng_state(state["torch"])
    if device.type == "cuda" and "cuda" in state:
        torch.cuda.set_rng_state(state["cuda"], device)
    if device.type == "mps" and "mps" in state:
        torch.mps.set_rng_state(state["mps"])
