"""Sends the files of a run that only grow: its events, its resource usage, and its log."""

from __future__ import annotations

import itertools
import json
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

from medloom_trainer.contract.run_directory import RunDirectory, file_name
from medloom_trainer.exchange.run_log import held
from medloom_trainer.remote.client import Client, RefusedError
from medloom_trainer.remote.run_files import RunFiles

_PIECE_BYTES = 1 << 20
_LAST = ("completed", "error")
"""The last events of an attempt."""
_PART = re.compile(re.escape(file_name("log_part")).replace(r"\{start\}", r"(\d+)"))


class Events:
    """Sends complete lines in their order. The files that a line names are at the service before the line.
    The result, which the last line also reports, is sent between that line and all previous ones.
    """

    def __init__(self, client: Client, path: Path, files: RunFiles) -> None:
        self._client = client
        self._path = path
        self._files = files
        self._offset = 0
        self._clear_until = 0
        """Position up to which all named files existed before files were last sent."""
        self._requested: tuple[int, int] | None = None
        """(request to send the files, position up to which it allows lines to be sent)."""

    def send(self, *, final: bool = False) -> bool:
        """Send the lines that may be sent. final: nothing is written any more, so an incomplete line is also
        sent. → True if nothing is left
        """
        content = _read(self._path, self._offset)
        whole = content if final else content[: content.rfind(b"\n") + 1]
        if self._requested is not None and self._files.is_done(self._requested[0]):
            self._clear_until, self._requested = self._requested[1], None
        ready = self._ready(whole)
        if ready:
            _put(self._client, "events", self._offset, whole[:ready])
            self._offset += ready
        if ready < len(whole) and self._requested is None:
            self._requested = self._clear(whole[ready:])
        return not whole

    def _ready(self, lines: bytes) -> int:
        """Number of bytes before the first line that has to wait."""
        end = 0
        for line in lines.splitlines(keepends=True):
            end += len(line)
            if self._offset + end > self._clear_until and _names_files(line):
                return end - len(line)
        return end

    def _clear(self, lines: bytes) -> tuple[int, int]:
        """Request the files that the lines name; for the very last line, only once it is the next one."""
        first, *others = lines.splitlines(keepends=True)
        if _type_of(first) in _LAST:
            self._files.release_result()
        upcoming = [first, *itertools.takewhile(lambda line: _type_of(line) not in _LAST, others)]
        return self._files.request(), self._offset + sum(len(line) for line in upcoming)


def _names_files(line: bytes) -> bool:
    return _type_of(line) in ("checkpoint", *_LAST) or "payload" in _parsed(line)


def _type_of(line: bytes) -> object:
    return _parsed(line).get("type")


def _parsed(line: bytes) -> dict[str, Any]:
    """Empty if the line is damaged, which the service reports."""
    with suppress(ValueError):
        event = json.loads(line)
        if isinstance(event, dict):
            return event
    return {}


class Resources:
    """Sends complete lines of the resource usage."""

    def __init__(self, client: Client, path: Path) -> None:
        self._client = client
        self._path = path
        self._offset = 0

    def send(self, *, final: bool = False) -> bool:
        content = _read(self._path, self._offset)
        whole = content if final else content[: content.rfind(b"\n") + 1]
        if whole:
            _put(self._client, "resources", self._offset, whole)
            self._offset += len(whole)
        return not whole


class Log:
    """Offsets count everything ever printed, by all attempts: those of this one start at `start`."""

    def __init__(self, client: Client, run_dir: Path, start: int) -> None:
        self._client = client
        self._run_dir = run_dir
        self._start = start
        self._offset = 0

    def send(self, *, final: bool = False) -> bool:
        with held(self._run_dir) as alone:
            if not alone:
                return False
            offset, content = _read_log(RunDirectory(self._run_dir).log, self._offset)
        if not content:
            return True
        _put(self._client, "log", self._start + offset, content)
        self._offset = offset + len(content)
        return False


def _put(client: Client, stream: str, offset: int, content: bytes) -> None:
    """Continue from the position of the service: after a power failure it may have less than it reported."""
    while True:
        try:
            client.put(f"/streams/{stream}", offset, content)
            return
        except RefusedError as error:
            if error.code != "UPLOAD_OFFSET":
                raise
        received = client.get_json("")["streams"][stream]
        if received < offset:
            raise RefusedError("UPLOAD_OFFSET", f"the service has lost a part of the {stream}")


def _read(path: Path, offset: int) -> bytes:
    """Read one piece, or one line that is longer."""
    with suppress(FileNotFoundError), path.open("rb") as file:
        content = os.pread(file.fileno(), _PIECE_BYTES, offset)
        if len(content) == _PIECE_BYTES and b"\n" not in content:
            file.seek(offset)
            return file.readline()
        return content
    return b""


def _size(path: Path) -> int:
    with suppress(FileNotFoundError):
        return path.stat().st_size
    return 0


def _read_log(path: Path, offset: int) -> tuple[int, bytes]:
    """(start, a piece): from `offset`, or from the next byte that is kept."""
    parts = sorted((int(match[1]), part) for part in _siblings(path) if (match := _PART.fullmatch(part.name)))
    end = parts[-1][0] + _size(parts[-1][1]) if parts else 0
    for start, part in [*parts, (end, path)]:
        if start + _size(part) > offset:
            begin = max(offset, start)
            with part.open("rb") as file:
                return begin, os.pread(file.fileno(), _PIECE_BYTES, begin - start)
    return offset, b""


def _siblings(path: Path) -> list[Path]:
    with suppress(FileNotFoundError):
        return list(path.parent.iterdir())
    return []
