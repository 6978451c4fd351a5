"""A task runs where its inputs are if there is room, else where there is most room."""

from __future__ import annotations

import pytest

from medloom_trainer.worker.gateway.locations import Locations, blobs_of
from medloom_trainer.worker.gateway.placement import Start, Take, place

BIG, SMALL = {"sha256": "b" * 64, "size_bytes": 900, "suffix": ".csv"}, {"sha256": "c" * 64, "size_bytes": 5}


@pytest.mark.parametrize(
    ("idle", "room", "weights", "avoid", "expected"),
    [
        # An idle worker on the node with most of the inputs.
        (["a", "b"], {"a": 0, "b": 0}, {"a": 5, "b": 900}, (), Take("b")),
        # A new worker there is better than a warm one on another node.
        (["a"], {"a": 0, "b": 1}, {"a": 5, "b": 900}, (), Start("b")),
        # No room there: the node with the second most.
        (["a"], {"a": 0, "b": 0, "c": 9}, {"a": 5, "b": 900}, (), Take("a")),
        # No node has inputs: a warm worker, on the node with most room.
        (["a", "b"], {"a": 1, "b": 3}, {}, (), Take("b")),
        ([], {"a": 1, "b": 3}, {}, (), Start("b")),
        ([], {"a": 1, "b": 1}, {}, (), Start("a")),
        # Inputs of a lost node do not count.
        ([], {"a": 1}, {"gone": 900}, (), Start("a")),
        # A node on which a worker was lost is only used if there is no other.
        (["b"], {"a": 1, "b": 1}, {"b": 900}, ("b",), Start("a")),
        (["b"], {"b": 1}, {"b": 900}, ("b",), Take("b")),
        ([], {"a": 0, "b": -1}, {"a": 900}, (), None),
        ([], {}, {}, (), None),
    ],
)
def test_a_place(idle, room, weights, avoid, expected):
    assert place(idle, room, weights, avoid) == expected


def test_the_files_of_a_task_are_found_however_deep_they_are():
    params = {
        "dataset": [{"table": BIG, "splits": [{"table": SMALL}]}],
        "other": [{"sha256": None}, "text", 1],
    }
    assert dict(blobs_of(params)) == {"b" * 64: 900, "c" * 64: 5}


def test_a_node_has_what_it_read_or_wrote_and_the_oldest_is_forgotten():
    locations = Locations(max_digests=2)
    locations.note("a", ["x", "y"])
    locations.note("b", ["x"])
    assert locations.bytes_at({"x": 10, "y": 1, "z": 100}) == {"a": 11, "b": 10}
    locations.note("b", ["z"])
    assert locations.bytes_at({"x": 10, "y": 1, "z": 100}) == {"a": 10, "b": 110}
