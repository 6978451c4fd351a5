"""Contenders take turns: each is a process that trains one epoch on request and waits while the others do.
Other load of the machine affects all of them alike, because it lasts longer than a turn.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

from peak_memory import PeakMemory


class Turns:
    """Turns of a contender in its own process: a line on the standard input grants a turn, a line on the
    standard output reports its seconds.
    """

    def __init__(self, memory: PeakMemory) -> None:
        self.memory = memory
        self.started = 0.0
        self.seconds: float | None = None
        self.decoding: float | None = None
        """Seconds of decoding before the first turn, for a contender that decodes only then."""

    def wait(self) -> None:
        """Report the previous turn, wait for the next, and start the clock."""
        self.report()
        if not sys.stdin.readline():
            raise SystemExit("the bench has gone")
        self.memory.watch()
        self.started = time.perf_counter()

    def stop_clock(self) -> None:
        """The time until the next turn is not counted."""
        self.seconds = time.perf_counter() - self.started

    def report(self) -> None:
        if self.seconds is not None:
            self.memory.rest()
            once = {} if self.decoding is None else {"decoding": self.decoding}
            print(json.dumps({"seconds": self.seconds, **once, **self.memory.peaks()}), flush=True)
            self.seconds = None


class Player:
    """A contender as the bench sees it."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )

    def turn(self) -> dict[str, Any]:
        """Seconds of one epoch, and the peaks of memory so far."""
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write("go\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"a contender ended with {self.process.wait()}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def leave(self) -> None:
        """Ends the process, even in the middle of a turn."""
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait()
