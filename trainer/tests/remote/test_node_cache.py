"""The data of a node: up to a limit, each file once, and nothing that a training uses is removed."""

import hashlib
import os
from pathlib import Path

import pytest

from medloom_trainer.errors import TrainerError
from medloom_trainer.remote.attempts import take
from medloom_trainer.remote.layout import Layout
from medloom_trainer.remote.node_cache import NodeCache, Version, limit_in_bytes
from testing.processes import FORKS


class Training:
    """A training that runs on the node until it ends."""

    def __init__(self, node: Path, name: str, limit: int) -> None:
        self.layout = Layout(node, f"{name}.1")
        self.lock = take(self.layout)
        self.cache = NodeCache(node, limit, self.layout.name)

    def view(self, version: Version) -> Path:
        return self.layout.root("data") / version.path

    def link(self, *versions: Version) -> list[Version]:
        return self.cache.link({version: self.view(version) for version in versions})

    def fetch(self, *versions: Version) -> list[Version]:
        """→ what had to be fetched"""
        claimed = self.cache.claim(self.link(*versions))
        for version in claimed:
            self.cache.add([(version, version, *self.arrived(version), self.view(version))])
        return claimed

    def arrived(self, version: Version) -> tuple[Path, str]:
        content = content_of(version)
        path = self.layout.attempt / f"arrived-{version.path}"
        path.write_bytes(content)
        return path, hashlib.sha256(content).hexdigest()

    def end(self) -> None:
        self.cache.close()
        for path in sorted(self.layout.attempt.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        self.layout.attempt.rmdir()
        self.lock.close()


def version(name: str, size: int = 100) -> Version:
    return Version("root", name, size, "1000000000")


def content_of(version: Version) -> bytes:
    return version.path.encode().ljust(version.size, b".")


def used_at(node: Path, version: Version, seconds: int) -> None:
    digest = hashlib.sha256(content_of(version)).hexdigest()
    os.utime(node / "contents" / digest[:2] / digest, (seconds, 1))


A, B, C, D = (version(name) for name in "abcd")


def test_a_file_is_fetched_once_for_trainings_one_after_the_other(tmp_path: Path) -> None:
    first = Training(tmp_path, "first", 1000)
    assert first.fetch(A, B) == [A, B]
    first.end()
    second = Training(tmp_path, "second", 1000)
    assert second.fetch(A, B, C) == [C]
    assert second.view(A).read_bytes() == content_of(A)
    assert second.view(A).stat().st_mtime_ns == 1_000_000_000


def test_a_file_that_has_changed_is_fetched_anew(tmp_path: Path) -> None:
    first = Training(tmp_path, "first", 1000)
    first.fetch(A)
    changed = A._replace(modified="2000000000")
    assert Training(tmp_path, "second", 1000).link(changed) == [changed]


def test_what_was_used_longest_ago_makes_room(tmp_path: Path) -> None:
    first = Training(tmp_path, "first", 300)
    first.fetch(A, B, C)
    first.end()
    for used, seconds in ((A, 3000), (B, 1000), (C, 2000)):
        used_at(tmp_path, used, seconds)
    second = Training(tmp_path, "second", 300)
    assert second.fetch(D) == [D]
    assert second.cache.size() == 300
    assert second.link(A, B, C) == [B]


def test_what_a_training_uses_stays(tmp_path: Path) -> None:
    first = Training(tmp_path, "first", 300)
    first.fetch(A, B)
    used_at(tmp_path, A, 1000)
    used_at(tmp_path, B, 1000)
    second = Training(tmp_path, "second", 300)
    second.fetch(C)
    with pytest.raises(TrainerError, match="400 bytes of the limit of 300") as refused:
        second.fetch(D)
    assert refused.value.code == "DISK_FULL"
    assert second.link(A, B, C) == []
    assert [first.view(used).read_bytes() for used in (A, B)] == [content_of(A), content_of(B)]


def test_what_is_on_its_way_counts_for_the_limit(tmp_path: Path) -> None:
    first = Training(tmp_path, "first", 300)
    assert first.cache.claim([A, B]) == [A, B]
    second = Training(tmp_path, "second", 300)
    with pytest.raises(TrainerError, match="400 bytes of the limit of 300"):
        second.cache.claim([C, D])
    assert second.cache.claim([C]) == [C]


def test_what_another_training_fetches_is_not_fetched_again(tmp_path: Path) -> None:
    first = Training(tmp_path, "first", 1000)
    second = Training(tmp_path, "second", 1000)
    assert first.cache.claim([A, B]) == [A, B]
    assert second.cache.claim([A, B, C]) == [C]
    first.cache.add([(A, A, *first.arrived(A), first.view(A))])
    assert second.link(A, B) == [B]
    assert second.cache.claim([B]) == []
    # It ends without B.
    first.cache.release()
    assert second.cache.claim([B]) == [B]


def _fetch_and_die(node: Path) -> None:
    Training(node, "killed", 1000).cache.claim([A, B])
    os.kill(os.getpid(), 9)


def test_what_a_killed_training_was_fetching_is_fetched_by_the_next(tmp_path: Path) -> None:
    process = FORKS.Process(target=_fetch_and_die, args=(tmp_path,))
    process.start()
    process.join()
    assert Training(tmp_path, "next", 200).fetch(A, B) == [A, B]


def test_equal_contents_are_kept_once_although_one_is_in_use(tmp_path: Path) -> None:
    first = Training(tmp_path, "first", 1000)
    first.fetch(A)
    second = Training(tmp_path, "second", 1000)
    twin = version("twin")
    path, digest = second.arrived(A)
    second.cache.add([(twin, twin, path, digest, second.view(twin))])
    assert second.cache.size() == 100
    assert second.view(twin).samefile(first.view(A))
    first.end()
    second.fetch(B)
    assert second.view(twin).read_bytes() == content_of(A)


def test_a_content_that_is_shorter_than_it_was_is_fetched_anew(tmp_path: Path) -> None:
    first = Training(tmp_path, "first", 1000)
    first.fetch(A)
    content = first.view(A)
    first.end()
    (kept,) = (tmp_path / "contents").glob("*/*")
    kept.chmod(0o600)
    kept.write_bytes(b"cut")
    second = Training(tmp_path, "second", 1000)
    assert second.fetch(A) == [A]
    assert content != second.view(A)
    assert second.view(A).read_bytes() == content_of(A)


def test_the_limit_is_bytes_or_a_share_of_the_disk(tmp_path: Path) -> None:
    whole = limit_in_bytes({"share": 1.0}, tmp_path)
    assert limit_in_bytes({"bytes": 5}, tmp_path) == 5
    assert limit_in_bytes({"share": 0.5}, tmp_path) == whole // 2
