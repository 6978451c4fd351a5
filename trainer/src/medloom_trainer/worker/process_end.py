"""The end of a process whose work is done and written."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import NoReturn


def end_at_once(code: int) -> NoReturn:
    """Without taking the interpreter apart: with PyTorch loaded that takes a second of a core, and a forked
    process would copy the pages that it shares.
    """
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):  # on a full disk the process must end here all the same
            stream.flush()
    os._exit(code)
