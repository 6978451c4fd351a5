"""Ends a process together with the one that started it, even during a computation."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

PARENT = "MEDLOOM_PARENT_PID"
"""Set by a parent whose end must also end this process: a task does not notice the end of its input."""
_PR_SET_PDEATHSIG = 1


def end_with_parent(by: signal.Signals = signal.SIGKILL) -> None:
    """Linux only: on other systems the running work is finished first. by: the signal that this process
    receives."""
    parent = os.environ.pop(PARENT, None)
    if parent is None or sys.platform != "linux":
        return
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, by)
    if os.getppid() != int(parent):  # the parent had ended before the request was made
        os._exit(1)
