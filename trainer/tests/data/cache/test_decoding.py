"""Decoding in several processes. Whether decoders keep freed memory depends on what their process has freed
before: that test has one of its own."""

from __future__ import annotations

import io
import platform
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from medloom_trainer.data.cache.decoding import BLAKE2B_VERSION, NEWEST_VERSION, batches_of, digest_pixels
from medloom_trainer.data.images import ImageFile, ImageHeader, Pixels, decode_parts

pytestmark = pytest.mark.slow

SIDE = 1024
PAGES_OF_AN_IMAGE = SIDE * SIDE * 3 // resource.getpagesize()
PROGRAM = """
import resource, sys
from itertools import count
from pathlib import Path
from medloom_trainer.data.cache.decoding import StoreParams, decode_all
from medloom_trainer.data.images import identify

folder = Path(sys.argv[1])
files = list(identify(folder.glob("*.png"), folder, report=lambda done, total: None).values())
records = folder / "records.bin"
records.touch()
for some in (files[:40], files):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt
    assert len(list(decode_all(some, StoreParams(16, 16, 8, None), records, count(), 4))) == len(some)
    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc has such a setting")
def test_a_decoder_uses_the_memory_of_one_image_for_the_next(tmp_path: Path) -> None:
    encoded = io.BytesIO()
    Image.linear_gradient("L").resize((SIDE, SIDE)).convert("RGB").save(encoded, "PNG")
    for number in range(80):  # bytes after the image give each file a content of its own
        (tmp_path / f"{number}.png").write_bytes(encoded.getvalue() + bytes([number]))
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    few, many = map(int, done.stdout.split())
    assert many - few < 40 * PAGES_OF_AN_IMAGE


def batch_sizes(sides: list[int], workers: int = 2) -> list[int]:
    groups = [
        [ImageFile(Path(str(number)), str(number), ImageHeader(side, side, 3, 8))]
        for number, side in enumerate(sides)
    ]
    batches = list(batches_of(groups, workers))
    assert [group for batch in batches for group in batch] == groups
    return [len(batch) for batch in batches]


def test_small_images_are_passed_to_a_process_together_and_large_ones_alone() -> None:
    assert batch_sizes([64] * 1000) == [16] * 62 + [8]
    assert batch_sizes([4000] * 1000) == [1] * 1000
    assert batch_sizes([64] * 3 + [4000] + [64] * 996)[:3] == [3, 1, 16]


def test_few_images_are_divided_among_all_processes() -> None:
    assert batch_sizes([64] * 40) == [2] * 20
    assert batch_sizes([64] * 40, workers=16) == [1] * 40


def photo() -> Pixels:
    """More than two blocks of checksums."""
    return np.random.default_rng(0).integers(0, 256, (160, 300, 3), dtype=np.uint8)


def test_digests_of_pixels_never_change() -> None:
    """Stores and the known cases of models contain them."""
    assert digest_pixels(photo(), BLAKE2B_VERSION) == "9cd38c578318377c88ae56a934c7f6d7"
    assert digest_pixels(photo(), NEWEST_VERSION) == "620211246516b2902bae5b263b768678"


@pytest.mark.parametrize("version", [BLAKE2B_VERSION, NEWEST_VERSION])
def test_a_digest_depends_on_every_pixel_the_shape_and_the_depth(version: int) -> None:
    pixels = photo()
    digests = {digest_pixels(pixels, version)}
    places = range(0, pixels.size, 997)
    for place in places:
        changed = pixels.copy()
        changed.reshape(-1)[place] ^= 1 << place % 8
        digests.add(digest_pixels(changed, version))
    deep = pixels.reshape(160, 150, 6).view(np.uint16)
    others = (pixels.reshape(300, 160, 3), pixels[::-1], pixels[:, ::-1], pixels.reshape(160, 150, 6), deep)
    digests |= {digest_pixels(other, version) for other in others}
    assert len(digests) == 1 + len(places) + len(others)


@pytest.mark.parametrize("version", [BLAKE2B_VERSION, NEWEST_VERSION])
def test_two_files_that_show_the_same_image_have_one_digest(version: int) -> None:
    digests = set()
    for level in (1, 9):
        file = io.BytesIO()
        Image.fromarray(photo()).save(file, "PNG", compress_level=level)
        digests.add(digest_pixels(decode_parts(file.getvalue(), [None])[0], version))
    assert digests == {digest_pixels(photo(), version)}
    assert digest_pixels(np.full((160, 300, 3), 7, np.uint8), version) == ""
