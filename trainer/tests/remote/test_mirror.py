"""The end of an attempt whose service is unreachable."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from medloom_trainer.contract.run_directory import RunDirectory
from medloom_trainer.remote import mirror as module
from medloom_trainer.remote.client import Client, RefusedError
from medloom_trainer.remote.mirror import Mirror
from medloom_trainer.remote.order import Order
from medloom_trainer.remote.run import _Process


@pytest.fixture
def order() -> Iterator[Order]:
    """An order with an address at which nothing listens."""
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        yield Order(url=url, job_id="job", attempt=1, token="token")


@pytest.fixture
def _handlers() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("_handlers")
def test_an_attempt_that_is_terminated_does_not_wait_for_a_service_that_is_away(
    order: Order, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SILENCE_LIMIT", 0.0)
    mirror = Mirror(order, tmp_path, 0)
    process = _Process(mirror)
    RunDirectory(tmp_path).events(1).write_text("{}\n")
    mirror.start()
    os.kill(os.getpid(), signal.SIGTERM)
    mirror.finish(lambda: process.stopped)
    assert isinstance(mirror.failed, RefusedError)
    assert mirror.failed.code == "WORKER_LOST"


def test_a_service_that_stays_away_is_given_up(order: Order) -> None:
    with pytest.raises(RefusedError, match="WORKER_LOST"):
        Client(order, patience=0.0).get_json("")
