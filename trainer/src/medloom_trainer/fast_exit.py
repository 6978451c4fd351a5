"""The end of a process whose work is finished and written."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import NoReturn


def exit_immediately(code: int) -> NoReturn:
    """Exit without shutting the interpreter down: with PyTorch loaded that takes a second of a core, and a
    forked process would copy the pages that it shares.
    """
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):  # the process must end here even if the disk is full
            stream.flush()
    os._exit(code)
