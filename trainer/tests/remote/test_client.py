"""Requests over connections that break."""

from __future__ import annotations

import itertools
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPResponse

import pytest

from medloom_trainer.remote import client as module
from medloom_trainer.remote.client import Client
from medloom_trainer.remote.order import Order

_BODY = json.dumps({"offset": 12}).encode()
_HEAD = b"HTTP/1.1 200 OK\r\nconnection: close\r\n"
_LENGTH = _HEAD + b"content-length: %d\r\ndate: today\r\n\r\n%s" % (len(_BODY), _BODY)
_CHUNKED = _HEAD + b"transfer-encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(_BODY), _BODY)


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FIRST_RETRY_PAUSE", 0.0)


@pytest.mark.parametrize("response", [_LENGTH, _CHUNKED], ids=["length", "chunks"])
def test_a_response_that_breaks_off_anywhere_is_asked_for_again(response: bytes) -> None:
    with _service(response) as (client, answered):
        assert client.put("/streams/log", 0, b"twelve bytes") == 12
        assert len(answered[-1]) > response.index(_BODY)


@pytest.mark.parametrize("response", [_LENGTH, _CHUNKED], ids=["length", "chunks"])
def test_content_is_taken_of_whole_headers_only(response: bytes) -> None:
    taken = []

    def take(found: HTTPResponse) -> None:
        if content := found.read():
            taken.append(content)

    with _service(response) as (client, _):
        client.repeated(lambda: client.read("/data/files", {}, take))
    assert set(taken) == {_BODY}


@contextmanager
def _service(response: bytes) -> Iterator[tuple[Client, list[bytes]]]:
    """Each connection gets one byte more of the response than the previous one, until it gets all of it."""
    answered: list[bytes] = []
    ends = itertools.chain(range(len(response)), itertools.repeat(len(response)))
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            for end in ends:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection, connection.makefile("rb") as request:
                    length = 0
                    while (line := request.readline().strip()) != b"":
                        if line.lower().startswith(b"content-length:"):
                            length = int(line.split(b":")[1])
                    request.read(length)
                    connection.sendall(response[:end])
                    answered.append(response[:end])

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        port = server.getsockname()[1]
        client = Client(Order(url=f"http://127.0.0.1:{port}", job_id="job", attempt=1, token="token"))
        yield client, answered
        client.close()
