"""A process that ends with the one that started it, even while it computes."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

PARENT = "MEDLOOM_PARENT_PID"
"""Set by a parent whose death is to end this process: a task does not see the end of its input."""
_PR_SET_PDEATHSIG = 1


def end_with_parent(by: signal.Signals = signal.SIGKILL) -> None:
    """Linux only: elsewhere what is in work is finished first. by: what this process gets then."""
    parent = os.environ.pop(PARENT, None)
    if parent is None or sys.platform != "linux":
        return
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, by)
    if os.getppid() != int(parent):  # it had died before the request was made
        os._exit(1)
