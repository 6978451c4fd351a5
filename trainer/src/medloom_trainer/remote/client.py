"""Requests to the service. If it is unreachable, requests are repeated for days, since everything is on this
disk."""

from __future__ import annotations

import http.client
import json
import urllib.parse
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from medloom_trainer.concurrency.waiting import Backoff
from medloom_trainer.durations import (
    FIRST_RETRY_PAUSE,
    LONGEST_RETRY_PAUSE,
    REQUEST_TIMEOUT,
    UNREACHABLE_LIMIT,
)
from medloom_trainer.remote.order import Order

Body = bytes | None
_Result = TypeVar("_Result")


class AttemptEndedError(Exception):
    """The service accepts nothing from this attempt any more: it has ended, or a newer one has begun."""


class RefusedError(Exception):
    """The service permanently refuses a request."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


class _AwayError(Exception):
    """The service is temporarily unavailable."""


class _NotServiceError(_AwayError):
    """Another server between this machine and the service has answered."""


class Client:
    """For one thread: it keeps one connection. `alive` is called between attempts and may raise; `answered`
    is called after each response of the service. The client gives up after `patience` seconds without a
    response.
    """

    def __init__(
        self,
        order: Order,
        alive: Callable[[], None] = lambda: None,
        answered: Callable[[], None] = lambda: None,
        patience: float = UNREACHABLE_LIMIT,
    ) -> None:
        address = urllib.parse.urlsplit(order.url)
        self._is_secure = address.scheme == "https"
        self._host = address.netloc
        self._base = f"{address.path}/api/exchange/{order.job_id}/{order.attempt}"
        self._headers = {"authorization": f"Bearer {order.token}"}
        self._alive = alive
        self._on_response = answered
        self._patience = patience
        self._connection: http.client.HTTPConnection | None = None
        self._answered = False
        """A request of the current try has succeeded."""

    def get_json(self, path: str) -> Any:
        return self._repeated(lambda: self._json("GET", path))

    def post_json(self, path: str, value: Any) -> Any:
        body = json.dumps(value).encode()
        return self._repeated(lambda: self._json("POST", path, body, "application/json"))

    def put(self, path: str, offset: int, content: bytes) -> int:
        """→ the number of bytes that the service now has. After an interruption it continues from what has
        arrived: otherwise a connection that never lasts for the whole content would never finish.
        """
        arrived, broken = offset, False

        def send() -> int:
            nonlocal arrived, broken
            if broken:
                arrived = max(offset, self._put(path, offset, b""))
            broken = True
            return self._put(path, arrived, content[arrived - offset :])

        return self._repeated(send)

    def read(self, path: str, value: Any, take: Callable[[http.client.HTTPResponse], None]) -> None:
        """Let `take` read the response to a request for many bytes. OSError or HTTPException if it is
        interrupted: the caller handles what was read by then.
        """
        with self._closing_after_failure():
            response = self._request("POST", path, json.dumps(value).encode(), "application/json")
            take(response)
            response.read()

    def repeated(self, work: Callable[[], None]) -> None:
        """Repeat `work` until it is not interrupted. It continues where it stopped."""
        self._repeated(work)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _repeated(self, work: Callable[[], _Result]) -> _Result:
        backoff = Backoff(FIRST_RETRY_PAUSE, LONGEST_RETRY_PAUSE)
        while True:
            self._alive()
            self._answered = False
            try:
                return work()
            except (OSError, http.client.HTTPException, _AwayError) as error:
                if self._answered:  # a service that answers is not unreachable
                    backoff.reset()
                if backoff.elapsed > self._patience:
                    raise RefusedError("WORKER_LOST", "the service is unreachable") from error
                backoff.pause()

    def _put(self, path: str, offset: int, content: bytes) -> int:
        found = self._json("PUT", f"{path}?offset={offset}", content, "application/octet-stream")
        return int(found["offset"])

    def _json(self, method: str, path: str, body: Body = None, kind: str = "") -> Any:
        with self._closing_after_failure():
            return json.loads(self._request(method, path, body, kind).read())

    def _request(self, method: str, path: str, body: Body = None, kind: str = "") -> http.client.HTTPResponse:
        headers: Mapping[str, str] = {**self._headers, **({"content-type": kind} if kind else {})}
        connection = self._connected()
        connection.request(method, self._base + path, body, headers)
        response = connection.getresponse()
        if response.length is None and not response.chunked:
            # http.client treats a connection that ends within the headers as the end of the headers.
            raise _AwayError("the response ended within its headers")
        if response.status != 200:
            error = _error_of(response.status, response.read(65536))
            if not isinstance(error, _NotServiceError):
                self._on_response()
            raise error
        self._answered = True
        self._on_response()
        return response

    def _connected(self) -> http.client.HTTPConnection:
        if self._connection is None:
            kind = http.client.HTTPSConnection if self._is_secure else http.client.HTTPConnection
            self._connection = kind(self._host, timeout=REQUEST_TIMEOUT)
        return self._connection

    @contextmanager
    def _closing_after_failure(self) -> Iterator[None]:
        """Close the connection after a failure: the rest of a response would be read as the next one."""
        try:
            yield
        except BaseException:
            self.close()
            raise


def _error_of(status: int, content: bytes) -> Exception:
    try:
        error = json.loads(content)
        code, message = str(error["code"]), str(error["error"])
    except (ValueError, KeyError, TypeError):
        return _NotServiceError(f"status {status}")
    if code == "ATTEMPT_ENDED":
        return AttemptEndedError()
    if status >= 500:
        return _AwayError(code)
    return RefusedError(code, message)
