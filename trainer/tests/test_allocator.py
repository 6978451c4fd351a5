"""Whether freed memory is kept is a property of the whole process: each case has a separate one."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

STEPS_BEFORE, STEPS = 8, 7
"""The first steps determine the location of the blocks. A later one may need another location if part of it
is in use.
"""
BLOCK = 40 << 20
"""Larger than the largest threshold that glibc sets itself, which is 32 MB."""
PROGRAM = f"""
import os, resource
import torch
from medloom_trainer.allocator import keep_freed_memory

def step():
    blocks = [torch.ones({BLOCK} // 4) for _ in range(2)]

def page_faults():
    # The page faults of the step in the middle, in order of their number.
    counts = []
    for _ in range({STEPS_BEFORE} + {STEPS}):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        step()
        counts.append(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
    return sorted(counts[{STEPS_BEFORE}:])[{STEPS} // 2]

for setting in ("usual", "kept"):
    if os.fork() == 0:
        if setting == "kept":
            assert keep_freed_memory()
        print(setting, page_faults(), flush=True)
        os._exit(0)
    _, status = os.wait()
    assert status == 0
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc has such a setting")
def test_freed_memory_is_used_again() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    faults = {setting: int(count) for setting, count in map(str.split, done.stdout.splitlines())}
    assert faults["usual"] >= 2 * 20  # both blocks again, in pages of at most 2 MB
    assert faults["kept"] < faults["usual"] / 10
