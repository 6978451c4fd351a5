"""The data that a node has fetched, by digest: fetched once for all trainings, up to a size limit. Data of a
running training are linked into its own view, and are never removed.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.errors import TrainerError
from medloom_trainer.remote.attempts import running_attempts


class Version(NamedTuple):
    """The current state of a file of the service."""

    root: str
    path: str
    size: int
    modified: str
    """In nanoseconds since 1970."""


_TABLES = """
CREATE TABLE IF NOT EXISTS versions
  (root TEXT, path TEXT, size INTEGER, modified TEXT, sha256 TEXT, PRIMARY KEY (root, path));
CREATE INDEX IF NOT EXISTS versions_of_content ON versions (sha256);
CREATE TABLE IF NOT EXISTS fetched_now
  (root TEXT, path TEXT, size INTEGER, modified TEXT, attempt TEXT, PRIMARY KEY (root, path, size, modified));
"""
_IS_VERSION = "root = ? AND path = ? AND size = ? AND modified = ?"


class NodeCache:
    """Cache in `folder`, used by several processes at a time; this one fetches for `attempt`."""

    def __init__(self, folder: Path, limit: int, attempt: str) -> None:
        """limit: bytes of all contents, including those that are being fetched."""
        self.folder = folder
        self.contents = folder / "contents"
        self.contents.mkdir(parents=True, exist_ok=True)
        self.limit = limit
        self.attempt = attempt
        self._index = sqlite3.connect(folder / "index.db", timeout=60, isolation_level=None)
        self._index.executescript(_TABLES)

    def close(self) -> None:
        self._index.close()

    def link(self, wanted: Mapping[Version, Path]) -> list[Version]:
        """Link each target to its version. → the versions whose contents do not exist here"""
        with self._transaction():
            return [version for version, target in wanted.items() if not self._link_version(version, target)]

    def claim(self, versions: Iterable[Version]) -> list[Version]:
        """Return the versions that this attempt has to fetch: other running attempts fetch the rest. To make
        room, contents that no training uses are removed, those with the oldest use first. DISK_FULL if
        trainings use too much.
        """
        with self._transaction():
            self._forget_dead()
            before = "INSERT OR IGNORE INTO fetched_now VALUES (?, ?, ?, ?, ?)"
            mine = [
                version
                for version in versions
                if self._index.execute(before, (*version, self.attempt)).rowcount > 0
            ]
            self._make_room()
            return mine

    def add(self, files: Iterable[tuple[Version, Version, Path, str, Path]]) -> None:
        """Store files that have arrived. For each: the requested version, the received one, the file, its
        digest, and the target to create.
        """
        with self._transaction():
            for requested, version, arrived, sha256, target in files:
                self._keep(version, arrived, sha256)
                self._index.execute(f"DELETE FROM fetched_now WHERE {_IS_VERSION}", requested)
                if not self._link(sha256, version, target):
                    raise FileNotFoundError(self._content(sha256))

    def release(self) -> None:
        """Release the claims: nothing more is fetched for this attempt."""
        self._index.execute("DELETE FROM fetched_now WHERE attempt = ?", (self.attempt,))

    def size(self) -> int:
        return sum(found.st_size for _, found in self._files())

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """A transaction of one process at a time: nothing is linked while another one makes room."""
        self._index.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._index.execute("ROLLBACK")
            raise
        self._index.execute("COMMIT")

    def _forget_dead(self) -> None:
        attempts = {row[0] for row in self._index.execute("SELECT DISTINCT attempt FROM fetched_now")}
        others = attempts - {self.attempt}
        for attempt in others - running_attempts(self.folder, others):
            self._index.execute("DELETE FROM fetched_now WHERE attempt = ?", (attempt,))

    def _make_room(self) -> None:
        known = list(self._files())
        ((coming,),) = self._index.execute("SELECT coalesce(sum(size), 0) FROM fetched_now")
        used = sum(found.st_size for _, found in known) + coming
        unused = sorted(
            (found.st_atime_ns, found.st_size, path) for path, found in known if found.st_nlink == 1
        )
        for _, size, path in unused:
            if used <= self.limit:
                return
            path.unlink(missing_ok=True)
            self._index.execute("DELETE FROM versions WHERE sha256 = ?", (path.name,))
            used -= size
        if used > self.limit:
            limit = f"{self.limit:,} of --node-cache"
            message = phrase("node_cache_full", used=used, limit=limit)
            remedy = phrase("larger_node_cache")
            raise TrainerError("DISK_FULL", message, remedy)

    def _files(self) -> Iterable[tuple[Path, os.stat_result]]:
        for folder in self.contents.iterdir():
            for path in folder.iterdir():
                with suppress(FileNotFoundError):
                    yield path, path.stat()

    def _keep(self, version: Version, arrived: Path, sha256: str) -> None:
        content = self._content(sha256)
        if _is_whole(content, version.size):  # the same bytes under another name, perhaps in use
            arrived.unlink()
        else:
            content.parent.mkdir(exist_ok=True)
            os.chmod(arrived, 0o444)
            os.replace(arrived, content)
        self._index.execute("INSERT OR REPLACE INTO versions VALUES (?, ?, ?, ?, ?)", (*version, sha256))

    def _link_version(self, version: Version, target: Path) -> bool:
        found = self._index.execute(f"SELECT sha256 FROM versions WHERE {_IS_VERSION}", version).fetchone()
        return found is not None and self._link(found[0], version, target)

    def _link(self, sha256: str, version: Version, target: Path) -> bool:
        content = self._content(sha256)
        if not _is_whole(content, version.size):
            return False
        target.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):
            os.link(content, target)
            os.utime(content, ns=(time.time_ns(), int(version.modified)))  # its last use
        return True

    def _content(self, sha256: str) -> Path:
        return self.contents / sha256[:2] / sha256


def limit_in_bytes(limit: Mapping[str, float], folder: Path) -> int:
    """limit: contract ExchangeOrder `node_cache`."""
    if "bytes" in limit:
        return int(limit["bytes"])
    return int(limit["share"] * shutil.disk_usage(folder).total)


def _is_whole(content: Path, size: int) -> bool:
    """Check the size, since this machine may have lost power during the write."""
    with suppress(FileNotFoundError):
        return content.stat().st_size == size
    return False
