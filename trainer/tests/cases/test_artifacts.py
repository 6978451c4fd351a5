"""A missing or damaged file of the artifact store is detected, whatever its size, and made again."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from medloom_trainer.cases.node_task import NodeTask
from medloom_trainer.errors import TrainerError

CONTENTS = {"small": b"case_id\n1\n", "large": os.urandom(5 << 20)}


@pytest.fixture
def task(nodes) -> NodeTask:
    return NodeTask.from_params(nodes.params("FilterData", {}, {}), lambda message, fraction: None)


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def flip_unseen(path: Path) -> None:
    """Like a disk error: neither the length nor the modification time changes."""
    before = path.stat()
    flip(path)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize("damage", [flip, flip_unseen, Path.unlink, lambda path: path.write_bytes(b"")])
@pytest.mark.parametrize("size", CONTENTS)
def test_damage_is_found_and_removed(task, size, damage):
    blob = task.put_blob(CONTENTS[size], ".csv")
    assert task.open_blob(blob).read_bytes() == CONTENTS[size]
    damage(task.blob_path(blob))
    with pytest.raises(TrainerError) as caught:
        task.open_blob(blob)
    assert caught.value.code == "NODE_FAILED"
    assert "again" in caught.value.details
    assert not task.blob_path(blob).exists()


@pytest.mark.parametrize("size", CONTENTS)
def test_what_is_damaged_is_no_reason_not_to_write_it(task, size):
    blob = task.put_blob(CONTENTS[size], ".csv")
    flip_unseen(task.blob_path(blob))
    assert task.put_blob(CONTENTS[size], ".csv") == blob
    assert task.open_blob(blob).read_bytes() == CONTENTS[size]


def test_a_file_that_was_only_touched_is_the_same_file(task):
    blob = task.put_blob(CONTENTS["large"], ".csv")
    os.utime(task.blob_path(blob))
    assert task.open_blob(blob).read_bytes() == CONTENTS["large"]
