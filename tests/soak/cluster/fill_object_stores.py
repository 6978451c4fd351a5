"""Fill the object store of every node of a Ray cluster, whose address is the first argument.

Prints the stored bytes of each node, and holds them until the standard input ends.
"""

import sys

import ray
from ray.exceptions import RayError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

SIZES = (4_000_000, 500_000, 110_000)
"""Object sizes in bytes. Objects smaller than 100 kB are sent inline with the calls of Ray."""


@ray.remote(num_cpus=0)
class Holder:
    def __init__(self):
        self.held = []

    def fill(self):
        for size in SIZES:
            try:
                while True:
                    self.held.append((ray.put(bytes(size)), size))
            except RayError:
                continue
        return sum(size for _, size in self.held)


ray.init(address=sys.argv[1], log_to_driver=False, logging_level="ERROR")
holders = [
    Holder.options(scheduling_strategy=NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)).remote()
    for node in ray.nodes()
]
print(*ray.get([holder.fill.remote() for holder in holders]), flush=True)
sys.stdin.read()
