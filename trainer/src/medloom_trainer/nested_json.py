"""JSON that may be nested too deeply to be parsed."""

from __future__ import annotations

import gc
import json
from typing import Any


def parse_nested(text: str, **hooks: Any) -> Any:
    """`json.loads` without the garbage collector, which would run the finalizers of other objects at the
    limit of recursion, where they fail. RecursionError if the text is nested too deeply; ValueError if it is
    not JSON.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        return json.loads(text, **hooks)
    finally:
        if was_enabled:
            gc.enable()
