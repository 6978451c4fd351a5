"""Sends the files of a run that are replaced: checkpoints, metrics, predictions, the result. A checkpoint is
sent as a whole, with its manifest last.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from medloom_trainer.contract.run_directory import RunDirectory, file_name, mirrored_paths
from medloom_trainer.durations import FILES_CHECK_INTERVAL
from medloom_trainer.remote.client import Client, RefusedError

_PIECE_BYTES = 8 << 20
_MANIFEST = file_name("manifest")

_State = tuple[int, int, int]
"""Size, modification time and inode of a file: if they differ, the content does."""


class _Part(NamedTuple):
    path: Path
    file: BinaryIO
    sha256: str
    size: int
    extends: dict[str, Any] | None = None
    """Digest and size of the beginning that the service has already received at this path."""


class _ChangedError(Exception):
    """The content is not, or no longer, the one that was announced."""


class RunFiles:
    """Files of one run directory. `watch` runs in a separate thread; others wait until the files that they
    refer to are sent."""

    def __init__(self, client: Client, run_dir: Path, attempt: int) -> None:
        self._client = client
        self._run = RunDirectory(run_dir)
        self._places = [run_dir / path for path in mirrored_paths(attempt)]
        self._sent: dict[Path, _State] = {}
        self._placed: dict[Path, dict[str, Any]] = {}
        self._requested = self._done = 0
        self._change = threading.Condition()
        self._ends = False
        self._result_may_go = False

    def request(self) -> int:
        """→ a number for `is_done`, which confirms that all files existing now are sent"""
        with self._change:
            self._requested += 1
            self._change.notify_all()
            return self._requested

    def release_result(self) -> None:
        """All events before the last one are at the service: the result can now be sent."""
        self._result_may_go = True

    def is_done(self, request: int) -> bool:
        with self._change:
            return self._done >= request

    def end(self) -> None:
        """`watch` returns once all requested files are sent."""
        with self._change:
            self._ends = True
            self._change.notify_all()

    def watch(self) -> None:
        while True:
            with self._change:
                if self._requested == self._done and self._ends:
                    return
                if self._requested == self._done:
                    self._change.wait(FILES_CHECK_INTERVAL)
                request = self._requested
            self._send_changed()
            with self._change:
                self._done = request

    def _send_changed(self) -> None:
        for path in self._found():
            if path.name == _MANIFEST:
                self._send_checkpoint(path)
            else:
                self._send_one(path)

    def _found(self) -> Iterator[Path]:
        """Files that may have changed, with the result last: if it exists, all others do."""
        # Files that precede the result exist by now, so the search below finds them.
        may_go = self._result_may_go
        files = [path for place in self._places for path in _files_in(place) if path != self._run.result]
        folders = {path.parent for path in files if path.name == _MANIFEST}
        for path in sorted(files):
            if path.name == _MANIFEST or path.parent not in folders:
                yield path
        if may_go and self._run.result.exists():
            yield self._run.result

    def _send_one(self, path: Path) -> None:
        """Send a file; one that changes during the transfer is sent again."""
        try:
            with path.open("rb") as file:
                state = _state(file)
                if self._sent.get(path) == state:
                    return
                part = _Part(path, file, *self._digests(path, file, state[0]))
                self._send(part)
        except FileNotFoundError:
            return  # replaced at this moment; found again at the next check
        except _ChangedError:
            return self._send_one(path)
        self._sent[path] = state
        self._placed[path] = {"size_bytes": part.size, "sha256": part.sha256}

    def _digests(self, path: Path, file: BinaryIO, size: int) -> tuple[str, int, dict[str, Any] | None]:
        """Digest and size of a file, and what it extends: of a history that grew by a line, only the line has
        to be sent.
        """
        digest = hashlib.sha256()
        before = self._placed.get(path)
        if before is not None and before["size_bytes"] <= size:
            _read_into(digest, file, before["size_bytes"])
        extended = before if before is not None and digest.hexdigest() == before["sha256"] else None
        _read_into(digest, file, size - file.tell())
        return digest.hexdigest(), size, extended

    def _send_checkpoint(self, manifest: Path) -> None:
        """Send the checkpoint that exists when its files are opened: the trainer may replace it meanwhile."""
        with ExitStack() as opened:
            try:
                file = opened.enter_context(manifest.open("rb"))
                state = _state(file)
                if self._sent.get(manifest) == state:
                    return
                content = file.read()
                parts = [
                    _Part(path, opened.enter_context(path.open("rb")), facts["sha256"], facts["size_bytes"])
                    for facts in json.loads(content)["files"].values()
                    for path in [manifest.parent / facts["file"]]
                ]
            except FileNotFoundError:
                return self._send_checkpoint(manifest) if manifest.exists() else None
            for part in parts:
                self._send(part)
            self._send(_Part(manifest, file, hashlib.sha256(content).hexdigest(), len(content)))
        self._sent[manifest] = state

    def _send(self, part: _Part) -> None:
        """Announce a file, send it from the position that the service has, and announce it again: then it is
        complete."""
        announced = {
            "path": self._run.relative(part.path),
            "size_bytes": part.size,
            "sha256": part.sha256,
            "extends": part.extends,
        }
        while True:
            try:
                state = self._client.post_json("/files", announced)
                if state["placed"]:
                    return
                self._send_pieces(part, state["offset"])
            except RefusedError as error:
                if error.code == "UPLOAD_DIGEST":
                    raise _ChangedError from error
                if error.code != "UPLOAD_OFFSET":  # after a restart of the service: use its position
                    raise

    def _send_pieces(self, part: _Part, offset: int) -> None:
        while offset < part.size:
            piece = os.pread(part.file.fileno(), min(_PIECE_BYTES, part.size - offset), offset)
            if not piece:
                raise _ChangedError
            offset = self._client.put(f"/files/{part.sha256}", offset, piece)


def _read_into(digest: hashlib._Hash, file: BinaryIO, size: int) -> None:
    while size > 0 and (piece := file.read(min(size, _PIECE_BYTES))):
        digest.update(piece)
        size -= len(piece)


def _files_in(place: Path) -> Iterator[Path]:
    """Regular files that are complete: unfinished ones start with a dot."""
    if place.is_file():
        yield place
    for folder, folders, names in os.walk(place):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            path = Path(folder, name)
            if not name.startswith(".") and path.is_file() and not path.is_symlink():
                yield path


def _state(file: BinaryIO) -> _State:
    found = os.fstat(file.fileno())
    return found.st_size, found.st_mtime_ns, found.st_ino
