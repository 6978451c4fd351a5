"""Pairs of cases that leak: by patient, by file and by appearance, without names of patients."""

import json

import numpy as np
import pytest
from PIL import Image

from medloom_trainer.browse.leaks import leaks

ROLES = {"image": "image", "patient_id": "patient", "label": "label", "split": "split"}
DATA = {
    "image_size": [64, 64],
    "window": None,
    "slices": {"count": 1, "axis": "axial", "spread": "volume"},
}


def picture(seed):
    small = np.random.default_rng(seed).integers(0, 255, (8, 8, 3), dtype=np.uint8)
    return Image.fromarray(small).resize((64, 64), Image.Resampling.BICUBIC)


@pytest.fixture
def find(tmp_path):
    def found(rows, most_pairs=10):
        path = tmp_path / "table.csv"
        path.write_text("\n".join([",".join(ROLES), *rows]) + "\n")
        dataset = {
            "path": str(path),
            "image_root": None,
            "roles": ROLES,
            "classes": ["a", "b"],
            "roots": [str(tmp_path)],
            "cache_dir": str(tmp_path / "cache"),
        }
        params = {"dataset": dataset, "data": DATA, "most_pairs": most_pairs}
        return leaks(params, lambda message, fraction: None)

    for name, seed in (("one", 1), ("two", 2), ("three", 3)):
        picture(seed).save(tmp_path / f"{name}.png")
    picture(1).save(tmp_path / "copy.jpg", quality=80)
    (tmp_path / "twin.png").write_bytes((tmp_path / "two.png").read_bytes())
    Image.new("RGB", (64, 64)).save(tmp_path / "black.png")
    (tmp_path / "broken.png").write_bytes(b"no image")
    return found


def short(found):
    return {(pair["kind"], pair["first"]["row"], pair["second"]["row"]) for pair in found["pairs"]}


def test_each_kind_of_pair_is_found_by_row(find):
    found = find(
        [
            "one.png,Anna,a,train",
            "two.png,Berta,b,train",
            "copy.jpg,Clara,a,test",
            "twin.png,Dora,b,test",
            "three.png,Anna,a,test",
            "broken.png,Eva,b,train",
            "black.png,Fritz,a,train",
            "black.png,Gustav,a,test",
        ]
    )
    assert short(found) == {("patient", 0, 4), ("same", 1, 3), ("alike", 0, 2)}
    assert found["totals"] == {"patient": 1, "same": 1, "alike": 1}
    assert (found["images"], found["unreadable"], found["compared"]) == (7, 1, True)
    assert "Anna" not in json.dumps(found)
    assert "one.png" not in json.dumps(found)


def test_images_of_one_patient_may_look_alike(find):
    rows = [
        "one.png,Anna,a,train",
        "copy.jpg,Anna,b,train",
        "two.png,Berta,a,train",
        "twin.png,Berta,b,train",
    ]
    assert find(rows)["pairs"] == []


def test_without_a_patient_each_case_counts_as_one(find):
    found = find(["one.png,,a,train", "copy.jpg,,b,test", "two.png,,a,train", "twin.png,,b,train"])
    assert short(found) == {("alike", 0, 1), ("same", 2, 3)}


def test_images_that_show_nothing_are_no_pair(find):
    found = find(["black.png,A,a,train", "black.png,B,b,test"])
    assert (found["pairs"], found["images"], found["unreadable"]) == ([], 1, 0)


def test_pairs_of_two_splits_come_first_and_all_are_counted(find):
    rows = ["two.png,A,a,train", "twin.png,B,b,train", "one.png,C,a,train", "copy.jpg,D,b,val"]
    found = find(rows, most_pairs=1)
    assert short(found) == {("alike", 2, 3)}
    assert found["totals"] == {"patient": 0, "same": 1, "alike": 1}
