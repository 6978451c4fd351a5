"""The cache of prepared images stays below its limit: the least recently used store is removed, never one in
use, and however a process ends, stores are complete.
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from medloom_trainer.data.cache import store_limit
from medloom_trainer.data.cache.decoding import StoreParams
from medloom_trainer.data.cache.store import Preparation, prepare_images
from medloom_trainer.data.cache.store_limit import cache_state, clear_cache
from medloom_trainer.data.cache.store_locks import use_file
from medloom_trainer.data.images import ImageFile, identify
from testing.processes import FORKS
from testing.workspace import Workspace

COUNT = 4


def of_side(side: int) -> StoreParams:
    return StoreParams(side, side, 8, None)


def files_of(work: Workspace, first: int = 0, count: int = COUNT) -> list[ImageFile]:
    """Pictures, each drawn once: processes share them."""
    names = {number: f"images/{number}.png" for number in range(first, first + count)}
    for number, name in names.items():
        if not (work.folder / name).exists():
            work.image(name, number, (100, 100))
    paths = [work.folder / name for name in names.values()]
    found = identify(paths, work.cache, report=lambda done, total: None)
    return [file for file in found.values() if isinstance(file, ImageFile)]


def prepare(work: Workspace, side: int, files: list[ImageFile]) -> Preparation:
    return prepare_images(files, of_side(side), work.cache, workers=1, report=lambda done, total: None)


def made(work: Workspace, side: int, files: list[ImageFile], age: float) -> Path:
    """A store that was used `age` seconds ago and is not in use."""
    prepare(work, side, files).store.close()
    folder = work.cache / "prepared" / of_side(side).key
    then = use_file(folder).stat().st_mtime - age
    os.utime(use_file(folder), (then, then))
    return folder


FILES = 30_000
"""Bytes that the small files of a new store may use; less than any of these stores."""


def limit(work: Workspace, size: int) -> None:
    work.cache.mkdir(exist_ok=True)
    (work.cache / "limit.json").write_text(json.dumps({"limit_bytes": size}))


def size_of(*folders: Path) -> int:
    return sum(path.stat().st_blocks * 512 for folder in folders for path in folder.iterdir())


def shows(prepared: Preparation, file: ImageFile) -> bool:
    """Return whether the record is the image in the size of the store."""
    record = prepared.store.gather(np.asarray([[prepared.entries[file.digest].slot]]))[0, 0]
    side = record.shape[0]
    image = Image.open(file.path).resize((side, side), Image.Resampling.BICUBIC)
    return np.array_equal(record, np.asarray(image))


@pytest.mark.parametrize("written", [None, "{", '{"limit_bytes": "much"}'])
def test_without_a_limit_everything_stays(work: Workspace, written: str | None) -> None:
    files = files_of(work)
    folders = [made(work, side, files, 100) for side in (80, 84)]
    if written is not None:
        (work.cache / "limit.json").write_text(written)
    prepare(work, 88, files)
    assert all(folder.is_dir() for folder in folders)


def test_the_least_recently_used_goes_first_and_no_more_than_needed(work: Workspace) -> None:
    files = files_of(work)
    old, older, young = (made(work, side, files, age) for side, age in ((80, 200), (84, 300), (88, 100)))
    record = COUNT * of_side(92).record_bytes
    limit(work, size_of(old, young) + record + FILES)
    prepared = prepare(work, 92, files)
    assert [folder.is_dir() for folder in (old, older, young)] == [True, False, True]
    assert all(shows(prepared, file) for file in files)
    assert not list((work.cache / "prepared").glob(".gone-*"))


def test_using_a_store_again_makes_it_the_latest(work: Workspace) -> None:
    files = files_of(work)
    first, second = made(work, 80, files, 300), made(work, 84, files, 200)
    prepare(work, 80, files).store.close()
    limit(work, size_of(first) + COUNT * of_side(88).record_bytes + FILES)
    prepare(work, 88, files)
    assert [folder.is_dir() for folder in (first, second)] == [True, False]


def test_what_was_taken_away_is_decoded_again(work: Workspace) -> None:
    files = files_of(work)
    folder = made(work, 80, files, 100)
    limit(work, 0)
    prepare(work, 84, files).store.close()
    assert not folder.is_dir()
    again = prepare(work, 80, files)
    assert again.decoded == COUNT
    assert all(shows(again, file) for file in files)


def hold(work: Workspace, side: int, ready: Any, go: Any, answers: Any) -> None:
    """In another process: use a store, and compare every image on request."""
    files = files_of(work)
    prepared = prepare(work, side, files)
    ready.set()
    go.wait(60)
    answers.put(all(shows(prepared, file) for file in files))


@contextmanager
def held(work: Workspace, side: int) -> Iterator[tuple[Any, Any, Any]]:
    ready, go, answers = FORKS.Event(), FORKS.Event(), FORKS.Queue()
    child = FORKS.Process(target=hold, args=(work, side, ready, go, answers))
    child.start()
    try:
        assert ready.wait(60)
        yield child, go, answers
    finally:
        child.kill()
        child.join()


@pytest.mark.slow
def test_a_store_that_another_process_uses_stays_until_that_process_is_killed(work: Workspace) -> None:
    files = files_of(work)
    folder = made(work, 80, files, 0)
    limit(work, 0)
    with held(work, 80) as (child, go, answers):
        assert prepare(work, 84, files).decoded == COUNT
        assert clear_cache(work.cache)["kept"] == 1
        assert [store["in_use"] for store in cache_state(work.cache)["stores"]] == [True]
        go.set()
        assert answers.get(timeout=60)
        os.kill(child.pid, signal.SIGKILL)
        child.join()
        assert clear_cache(work.cache)["kept"] == 0
    assert not folder.exists()


def test_a_store_that_is_too_large_by_itself_begins_anew(work: Workspace) -> None:
    first, second = files_of(work), files_of(work, first=100)
    folder = made(work, 80, first, 100)
    limit(work, size_of(folder) + FILES)
    prepared = prepare(work, 80, second)
    assert prepared.decoded == COUNT
    assert all(shows(prepared, file) for file in second)
    assert (folder / "records.bin").stat().st_size == COUNT * of_side(80).record_bytes
    prepared.store.close()
    assert prepare(work, 80, first).decoded == COUNT


@pytest.mark.slow
def test_but_not_while_another_process_reads_it(work: Workspace) -> None:
    first, second = files_of(work), files_of(work, first=100)
    folder = made(work, 80, first, 0)
    limit(work, size_of(folder) + FILES)
    with held(work, 80) as (_, go, answers):
        prepared = prepare(work, 80, second)
        assert all(shows(prepared, file) for file in second)
        go.set()
        assert answers.get(timeout=60)
    assert (folder / "records.bin").stat().st_size == 2 * COUNT * of_side(80).record_bytes


def test_data_that_are_larger_than_the_limit_are_decoded_once_all_the_same(work: Workspace) -> None:
    limit(work, 1000)
    assert prepare(work, 96, files_of(work)).decoded == COUNT
    assert prepare(work, 96, files_of(work)).decoded == 0
    more = files_of(work, count=COUNT + 1)
    assert prepare(work, 96, more).decoded == 1


@pytest.mark.slow
def test_a_kill_while_a_store_is_removed_leaves_nothing_half(work: Workspace) -> None:
    files = files_of(work)
    folder = made(work, 80, files, 100)
    child = FORKS.Process(target=clear_and_die, args=(work.cache,))
    child.start()
    child.join(60)
    assert child.exitcode == -signal.SIGKILL
    assert not folder.exists()
    assert list((work.cache / "prepared").glob(".gone-*"))
    assert cache_state(work.cache)["stores"] == []
    assert not list((work.cache / "prepared").glob(".gone-*"))
    assert all(shows(prepare(work, 80, files), file) for file in files)


def clear_and_die(cache: Path) -> None:
    def remove_one_and_die(folder: Path) -> None:
        next(folder.iterdir()).unlink()
        os.kill(os.getpid(), signal.SIGKILL)

    store_limit.shutil.rmtree = remove_one_and_die
    clear_cache(cache)


def churn(work: Workspace, sides: list[int], rounds: int, answers: Any) -> None:
    os.fsync = lambda descriptor: None  # only the order between processes matters here, and this is faster
    right = True
    for number in range(rounds):
        files = files_of(work, first=10 * (number % 2))
        prepared = prepare(work, sides[number % len(sides)], files)
        right &= all(shows(prepared, file) for file in files)
        prepared.store.close()
    answers.put(right)


@pytest.mark.slow
@pytest.mark.parametrize("rounds", [10, pytest.param(30, marks=pytest.mark.full)])
def test_processes_that_remove_the_stores_of_each_other_read_the_right_images(
    work: Workspace, rounds: int
) -> None:
    files_of(work), files_of(work, first=10)
    limit(work, 3 * COUNT * of_side(84).record_bytes)
    answers = FORKS.Queue()
    turns = ([80, 84], [84, 80], [84, 88])
    children = [FORKS.Process(target=churn, args=(work, sides, rounds, answers)) for sides in turns]
    for child in children:
        child.start()
    assert [answers.get(timeout=120) for _ in children] == [True, True, True]
    for child in children:
        child.join()


def test_the_state_tells_what_is_kept(work: Workspace) -> None:
    assert cache_state(work.cache) == {"limit_bytes": None, "size_bytes": 0, "stores": []}
    assert clear_cache(work.cache) == {"cleared": 0, "freed_bytes": 0, "kept": 0}
    files = files_of(work)
    young, old = made(work, 80, files, 0), made(work, 84, files, 1000)
    limit(work, 10**9)
    told = cache_state(work.cache)
    assert (told["limit_bytes"], told["size_bytes"]) == (10**9, size_of(young, old))
    facts = [
        (store["image_size"], store["depth"], store["images"], store["in_use"]) for store in told["stores"]
    ]
    assert facts == [([80, 80], 8, COUNT, False), ([84, 84], 8, COUNT, False)]
    assert clear_cache(work.cache) == {"cleared": 2, "freed_bytes": told["size_bytes"], "kept": 0}
    assert cache_state(work.cache)["size_bytes"] == 0
