"""Many files in few responses, over several connections."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import NamedTuple

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.files import full_disk_named
from medloom_trainer.remote.client import Client
from medloom_trainer.remote.node_cache import Version

_CONNECTIONS = 4
_BATCH_FILES, _BATCH_BYTES = 128, 16 << 20
_BLOCK = 1 << 20
_LINE_BYTES = 1000


class Arrived(NamedTuple):
    """A complete file."""

    requested: Version
    version: Version
    """Its state when it was sent."""
    path: Path
    sha256: str


def transfer(
    versions: Sequence[Version], folder: Path, make_client: Callable[[], Client]
) -> Iterator[list[Arrived]]:
    """Yield the files in batches, as they arrive. Files that no longer exist are left out."""
    folder.mkdir(parents=True, exist_ok=True)
    batches = list(_batches(sorted(versions, key=lambda version: version.size)))
    with ThreadPoolExecutor(_CONNECTIONS) as pool:
        jobs = [pool.submit(_Batch(batch, folder, make_client).fetch) for batch in batches]
        try:
            for job in jobs:
                yield job.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _batches(versions: Iterable[Version]) -> Iterator[list[Version]]:
    batch: list[Version] = []
    size = 0
    for version in versions:
        if batch and (len(batch) == _BATCH_FILES or size + version.size > _BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(version)
        size += version.size
    if batch:
        yield batch


class _Batch:
    """Fetches a batch. What has arrived is kept if the connection breaks, including the beginning of a large
    file."""

    def __init__(self, versions: list[Version], folder: Path, make_client: Callable[[], Client]) -> None:
        self._remaining = list(versions)
        self._folder = folder
        self._make_client = make_client
        self._arrived: list[Arrived] = []
        self._partial: tuple[Path, Version] | None = None
        """Part of the first remaining file."""

    def fetch(self) -> list[Arrived]:
        client = self._make_client()
        try:
            client.repeated(lambda: self._fetch_rest(client))
        finally:
            client.close()
        return self._arrived

    def _fetch_rest(self, client: Client) -> None:
        if not self._remaining:
            return
        requested = [{"root": version.root, "path": version.path} for version in self._remaining]
        if self._partial is not None:
            requested[0] |= {"offset": self._partial[0].stat().st_size}  # type: ignore[dict-item]
        client.read("/data/files", {"files": requested}, self._take)

    def _take(self, response: HTTPResponse) -> None:
        while self._remaining:
            facts = json.loads(_line(response))
            if facts.get("missing"):
                self._remaining.pop(0)
                self._partial = None
                continue
            requested = self._remaining[0]
            version = requested._replace(size=facts["size_bytes"], modified=facts["modified"])
            path = self._begun(version)
            digest = self._receive(response, path, version.size)
            if _line(response).decode() != digest:
                path.unlink()
                self._partial = None
                raise HTTPException("a file was damaged in transit")
            self._arrived.append(Arrived(requested, version, path, digest))
            self._remaining.pop(0)
            self._partial = None

    def _begun(self, version: Version) -> Path:
        """The existing part of the file: of the same version, or empty."""
        if self._partial is not None:
            path, before = self._partial
            if before == version:
                return path
            path.unlink()
            self._partial = None
            raise HTTPException("a file was replaced during the transfer")
        path = self._folder / uuid.uuid4().hex
        path.touch()
        self._partial = (path, version)
        return path

    def _receive(self, response: HTTPResponse, path: Path, size: int) -> str:
        """Receive the rest of the file. → the digest of the whole file"""
        with full_disk_named(phrase("to_fetch_data")), path.open("a+b") as file:
            file.seek(0)
            digest = hashlib.file_digest(file, "sha256")
            while (remaining := size - file.tell()) > 0:
                block = response.read1(min(_BLOCK, remaining))  # available bytes, so that a break loses none
                if not block:
                    raise HTTPException("the response was truncated")
                file.write(block)
                digest.update(block)
        return digest.hexdigest()


def _line(response: HTTPResponse) -> bytes:
    line = response.readline(_LINE_BYTES)
    if not line.endswith(b"\n"):
        raise HTTPException("the response was truncated")
    return line[:-1]
