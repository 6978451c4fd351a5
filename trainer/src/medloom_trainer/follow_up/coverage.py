"""The task `follow_up_coverage`: how many of the collected cases have an outcome."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from medloom_trainer.follow_up.records import FollowUpFolder
from medloom_trainer.follow_up.stream import Stream, Windows, read_stream


def follow_up_coverage(params: Mapping[str, Any], progress: Callable[[str, float], None]) -> dict[str, Any]:
    """Return the result that contracts declare for `follow_up_coverage`."""
    folder, windows = FollowUpFolder(Path(params["folder"])), Windows.of_params(params)
    return coverage_of(read_stream(folder, windows, None), folder.outcomes(), windows)


def coverage_of(stream: Stream, outcomes: Mapping[str, Any], windows: Windows) -> dict[str, Any]:
    """Contract FollowUpCoverage."""
    known = np.asarray([one in outcomes for one in stream.ids], dtype=np.bool_)
    last = int(stream.windows.max(initial=-1))
    return {
        "predicted": len(stream),
        "with_outcome": int(known.sum()),
        "waiting": int((~known).sum()),
        **{name: stream.counts[name] for name in ("repeated", "without_id", "failed")},
        "windows": [
            {
                "window": number + 1,
                "start": windows.bounds(number)[0],
                "end": windows.bounds(number)[1],
                "predicted": int((stream.windows == number).sum()),
                "with_outcome": int(known[stream.windows == number].sum()),
            }
            for number in range(last + 1)
        ],
    }
