"""Images of failure cases: limited in number and size, identified only by position."""

import base64
import io
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

from medloom_trainer.evaluation.failure_images import MAX_CASES, MAX_SIDE, MAX_VIEWS, failure_images


class Store:
    def __init__(self, records):
        self.records = records

    def gather(self, slots):
        return np.stack([[self.records[slot] for slot in views] for views in slots])


def cases(slots, places=None):
    slots = np.asarray(slots)
    return SimpleNamespace(rows=np.arange(len(slots)) + 2, slots=slots, places=places)


def failures(*rows, file=""):
    return [{"file": file, "row": row, "truth": "a", "predicted": "b", "confidence": 0.9} for row in rows]


def opened(view):
    return Image.open(io.BytesIO(base64.b64decode(view["png"])))


def test_missing_views_are_left_out_and_the_others_keep_their_number():
    store = Store([np.full((4, 4, 3), value, np.uint8) for value in (10, 20, 30)])
    found = failure_images(failures(3, 2), cases([[0, -1, 1], [-1, -1, 2], [-1, -1, -1]]), store)
    assert found["num_views"] == 3
    assert [[view["view"] for view in case] for case in found["cases"]] == [[3], [1, 3]]
    assert opened(found["cases"][0][0]).getpixel((0, 0)) == 30
    assert failure_images(failures(4), cases([[0], [0], [-1]]), store)["cases"] == [[]]


def test_a_row_is_one_of_its_file():
    store = Store([np.full((4, 4, 3), value, np.uint8) for value in (10, 20)])
    found = failure_images(failures(2, file="b.csv"), cases([[0], [1]], [("a.csv", 2), ("b.csv", 2)]), store)
    assert opened(found["cases"][0][0]).getpixel((0, 0)) == 20


def test_there_are_so_many_and_no_larger_than_a_thumbnail():
    store = Store([np.zeros((400, 200, 3), np.uint8)])
    found = failure_images(failures(*range(2, 32)), cases([[0] * 9] * 30), store)
    assert [len(case) for case in found["cases"]] == [MAX_VIEWS] * MAX_CASES
    assert opened(found["cases"][0][0]).size == (MAX_SIDE // 2, MAX_SIDE)


@pytest.mark.parametrize(
    ("pixels", "mode", "expected"),
    [
        (np.full((2, 2, 3), 7, np.uint8), "L", 7),
        (np.full((2, 2, 3), (1, 2, 3), np.uint8), "RGB", (1, 2, 3)),
        (np.full((2, 2, 3), 65535, np.uint16), "L", 255),
        (np.full((2, 2, 3), 255, np.uint16), "L", 0),
    ],
)
def test_depth_and_color(pixels, mode, expected):
    image = opened(failure_images(failures(2), cases([[0]]), Store([pixels]))["cases"][0][0])
    assert (image.mode, image.getpixel((1, 1)), image.size) == (mode, expected, (2, 2))
    assert image.info == {}


def test_a_model_of_the_table_alone_has_none():
    none = SimpleNamespace(rows=np.arange(3), slots=None, places=None)
    assert failure_images(failures(2), none, None) == {"schema_version": 1, "num_views": 0, "cases": []}
