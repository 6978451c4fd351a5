"""Whether freed memory stays is a matter of the whole process: each case has one of its own."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

STEPS = 10
BLOCK = 48 << 20
PROGRAM = f"""
import resource, sys
import torch
from medloom_trainer.worker.allocator import keep_freed_memory

if sys.argv[1] == "kept":
    assert keep_freed_memory()

def step():
    blocks = [torch.ones({BLOCK} // 4) for _ in range(3)]

for _ in range(5):
    step()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range({STEPS}):
    step()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def page_faults(setting: str) -> int:
    done = subprocess.run([sys.executable, "-c", PROGRAM, setting], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc has such a setting")
def test_freed_memory_is_used_again() -> None:
    usual, kept = page_faults("usual"), page_faults("kept")
    assert usual > STEPS * 3 * 24  # every block anew, in pages of 2 MB at the most
    assert kept < usual / 10
