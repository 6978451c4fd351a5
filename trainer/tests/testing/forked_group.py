"""A group of processes that torchrun starts by forking the process of the test, which has imported
everything."""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import pytest
import torch
from torch.distributed.elastic.multiprocessing.subprocess_handler import SubprocessHandler

from medloom_trainer.__main__ import main

_FORK = multiprocessing.get_context("fork")


class _ForkedProgram:
    """The trainer with these arguments, with the interface of a process that torchrun monitors."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        assert tuple(command[:4]) == (sys.executable, "-u", "-m", "medloom_trainer")
        self._process = _FORK.Process(target=_train, args=(list(command[4:]), environment))
        self._process.start()
        self.pid = self._process.pid

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float) -> None:
        self._process.join(timeout)


def _train(arguments: list[str], environment: Mapping[str, str]) -> None:
    os.setsid()
    os.environ.update(environment)
    # The threads of OpenMP are not copied: a process that uses them would wait forever.
    torch.set_num_threads(1)
    sys.exit(main(arguments))


@contextmanager
def forked_groups() -> Iterator[None]:
    """Within this context, `launch` forks the processes of a group. Everything else is done by torchrun: the
    environment, the supervision of the processes and the report of a failure.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            SubprocessHandler, "_popen", lambda _, command, environment: _ForkedProgram(command, environment)
        )
        yield
