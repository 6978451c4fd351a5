"""The prepared store: each content is decoded once, however the run ends; damage is repaired; two writers
agree.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from medloom_trainer.data.cache import store_files
from medloom_trainer.data.cache.decoding import StoreParams
from medloom_trainer.data.cache.store import Preparation, prepare_images
from medloom_trainer.data.images import Depth, ImageFile, UnreadableImage, identify, notes_file
from testing.processes import FORKS
from testing.workspace import Workspace

PARAMS = StoreParams(20, 18, 8, None)


def silent(done: int, total: int) -> None:
    pass


def files_of(work: Workspace, count: int) -> list[ImageFile]:
    paths = [work.folder / work.image(f"images/{number}.png", number) for number in range(count)]
    return usable(identify(paths, work.cache, report=silent))


def usable(found: dict[Path, ImageFile | UnreadableImage]) -> list[ImageFile]:
    return [file for file in found.values() if isinstance(file, ImageFile)]


def run(work: Workspace, files: list[ImageFile], workers: int = 1, report: Any = silent) -> Preparation:
    return prepare_images(files, PARAMS, work.cache, workers=workers, report=report)


def shows(prepared: Preparation, file: ImageFile) -> bool:
    record = prepared.store.gather(np.asarray([[prepared.entries[file.digest].slot]]))[0, 0]
    return np.array_equal(record, np.asarray(Image.open(file.path)))


def folder_of(work: Workspace) -> Path:
    return work.cache / "prepared" / PARAMS.key


def test_the_second_run_decodes_nothing(work: Workspace) -> None:
    files = files_of(work, 5)
    assert run(work, files).decoded == 5
    again = run(work, files)
    assert again.decoded == 0
    assert all(shows(again, file) for file in files)


@pytest.mark.parametrize("workers", [2, 4])
def test_threads_and_processes_write_the_same_records(work: Workspace, workers: int) -> None:
    files = files_of(work, 40)
    prepared = run(work, files, workers=workers)
    assert prepared.decoded == 40
    assert all(shows(prepared, file) for file in files)


def test_one_content_under_two_names_is_decoded_once(work: Workspace) -> None:
    files_of(work, 1)
    shutil.copy(work.folder / "images/0.png", work.folder / "images/copy.png")
    paths = [work.folder / "images/0.png", work.folder / "images/copy.png"]
    files = usable(identify(paths, work.cache, report=silent))
    assert len(files) == 2
    assert run(work, files).decoded == 1


def test_a_touched_file_is_hashed_again_but_not_decoded_again(work: Workspace) -> None:
    run(work, files_of(work, 2))
    os.utime(work.folder / "images/0.png", (1, 1))
    assert run(work, files_of_existing(work, 2)).decoded == 0


def files_of_existing(work: Workspace, count: int) -> list[ImageFile]:
    paths = [work.folder / f"images/{number}.png" for number in range(count)]
    return usable(identify(paths, work.cache, report=silent))


def test_a_file_that_changed_is_seen_although_its_size_did_not(
    work: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("medloom_trainer.data.images.image_files.UNSETTLED_FILE_AGE", -1.0)
    path = work.folder / "image.png"
    found = []
    for value in (10, 200):
        Image.fromarray(np.full((64, 64), value, dtype=np.uint8)).save(path, "PNG", compress_level=0)
        (file,) = usable(identify([path], work.cache, report=silent))
        found.append((path.stat().st_size, file.digest))
    assert found[0][0] == found[1][0]
    assert found[0][1] != found[1][1]


def test_unchanged_files_are_not_read_again(work: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("medloom_trainer.data.images.image_files.UNSETTLED_FILE_AGE", -1.0)
    first = files_of(work, 3)
    monkeypatch.setattr(Path, "read_bytes", lambda self: pytest.fail("read again"))
    assert files_of_existing(work, 3) == first


def test_notes_hold_no_file_names(work: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("medloom_trainer.data.images.image_files.UNSETTLED_FILE_AGE", -1.0)
    path = work.folder / work.image("images/Jane_Roe.png", 1)
    run(work, usable(identify([path], work.cache, report=silent)))
    written = [file for file in work.cache.rglob("*") if file.is_file()]
    assert notes_file(work.cache) in written
    assert not any(b"Jane" in file.read_bytes() or "Jane" in file.name for file in written)


@pytest.mark.parametrize(
    "damage",
    [
        lambda line: line[: len(line) // 2],
        lambda line: line.replace(b",2,", b",0,"),
        lambda line: b"\xff\x00garbage\n",
        lambda line: b'{"digest": 1}\n',
    ],
)
def test_a_damaged_index_line_is_decoded_again(work: Workspace, damage: Any) -> None:
    files = files_of(work, 3)
    run(work, files)
    index = folder_of(work) / "index.jsonl"
    lines = index.read_bytes().splitlines(keepends=True)
    lines[2] = damage(lines[2])
    index.write_bytes(b"".join(lines))
    for decoded in (1, 0):
        prepared = run(work, files)
        assert prepared.decoded == decoded
        assert all(shows(prepared, file) for file in files)


def test_a_record_cut_short_is_decoded_again(work: Workspace) -> None:
    files = files_of(work, 3)
    run(work, files)
    records = folder_of(work) / "records.bin"
    os.truncate(records, records.stat().st_size - 7)
    for decoded in (1, 0):
        prepared = run(work, files)
        assert prepared.decoded == decoded
        assert all(shows(prepared, file) for file in files)


def test_what_was_finished_when_the_run_ended_stays(work: Workspace) -> None:
    files = files_of(work, 6)

    def stop_after_three(done: int, total: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(work, files, report=stop_after_three)
    assert run(work, files).decoded == 3


def test_the_index_never_names_a_record_that_is_not_on_the_disk(
    work: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = folder_of(work) / "index.jsonl"
    lines: list[int] = []

    def record_sync(descriptor: int) -> None:
        if os.readlink(f"/proc/self/fd/{descriptor}").endswith("records.bin"):
            lines.append(len(index.read_bytes().splitlines()))

    monkeypatch.setattr(store_files.os, "fsync", record_sync)
    run(work, files_of(work, 3))
    assert lines == [0]
    assert len(index.read_bytes().splitlines()) == 3


def prepare_in_child(work: Workspace, count: int, answers: Any) -> None:
    files = files_of_existing(work, count)
    prepared = run(work, files)
    answers.put((prepared.decoded, all(shows(prepared, file) for file in files)))


@pytest.mark.slow
def test_two_processes_at_once_share_the_work(work: Workspace) -> None:
    files_of(work, 30)
    answers = FORKS.Queue()
    children = [FORKS.Process(target=prepare_in_child, args=(work, 30, answers)) for _ in range(2)]
    for child in children:
        child.start()
    results = [answers.get(timeout=60) for _ in children]
    for child in children:
        child.join()
    assert sorted(decoded for decoded, _ in results) == [0, 30]
    assert all(right for _, right in results)
    index = (folder_of(work) / "index.jsonl").read_text().splitlines()
    assert len({json.loads(line)[1] for line in index}) == 30


def test_a_file_that_changed_since_it_was_looked_at_is_refused_and_leaves_no_hole(work: Workspace) -> None:
    files = files_of(work, 3)
    work.image("images/1.png", 99)
    prepared = run(work, files)
    assert {files[1].digest} == set(prepared.unreadable)
    assert "modified" in str(prepared.unreadable[files[1].digest])
    assert (folder_of(work) / "records.bin").stat().st_size == 2 * PARAMS.record_bytes


def test_missing_views_are_zero(work: Workspace) -> None:
    prepared = run(work, files_of(work, 2))
    batch = prepared.store.gather(np.asarray([[0, -1], [-1, 1]]))
    assert batch.shape == (2, 2, 18, 20, 3)
    assert not batch[0, 1].any() and not batch[1, 0].any()
    assert batch[0, 0].any() and batch[1, 1].any()


def test_16_bit_records(work: Workspace) -> None:
    path = work.folder / "deep.png"
    Image.fromarray(np.asarray([[0, 1000], [40000, 65535]], dtype=np.uint16)).save(path)
    files = usable(identify([path], work.cache, report=silent))
    params = StoreParams(2, 2, 16, None)
    prepared = prepare_images(files, params, work.cache, workers=1, report=silent)
    batch = prepared.store.gather(np.asarray([[0]]))
    assert batch.dtype == np.uint16
    assert batch[0, 0, :, :, 0].tolist() == [[0, 1000], [40000, 65535]]


@pytest.mark.parametrize("depth", [8, 16])
def test_gray_records_take_a_third_and_give_the_same_pixels(work: Workspace, depth: Depth) -> None:
    paths = [work.folder / f"gray {number}.png" for number in range(3)]
    for path, pixels in zip(paths, np.random.default_rng(0).integers(0, 256, (3, 18, 30)), strict=True):
        Image.fromarray(pixels.astype(np.uint8)).save(path)
    files = usable(identify(paths, work.cache, report=silent))
    gray, colors = (
        prepare_images(
            files, StoreParams(20, 18, depth, None, channels=channels), work.cache, workers=1, report=silent
        )
        for channels in (1, 3)
    )
    sizes = [
        (work.cache / "prepared" / prepared.store.params.key / "records.bin").stat().st_size
        for prepared in (gray, colors)
    ]
    assert 3 * sizes[0] == sizes[1]
    slots = np.asarray([[0, -1], [2, 1]])
    batch = gray.store.gather(slots)
    assert batch.shape == (2, 2, 18, 20, 3)
    np.testing.assert_array_equal(batch, colors.store.gather(slots))
    assert batch[0, 0].any()


def test_records_overwrite_what_was_in_the_block(work: Workspace) -> None:
    prepared = run(work, files_of(work, 2))
    slots = np.asarray([[0, -1], [-1, 1]])
    block = np.full((2, 2, *prepared.store.record_shape), 7, dtype=np.uint8)
    prepared.store.gather_into(slots, block)
    np.testing.assert_array_equal(block, prepared.store.gather(slots))
