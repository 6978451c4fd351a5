"""Run the same graphs of empty nodes in Dask and Dagster, if they are installed.

python peers.py prints one JSON object per line: {"peer", "what", "milliseconds"} per node, or {"peer",
"skipped"}.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable

NODES = 1000


def chain(size: int) -> list[list[int]]:
    return [[] if i == 0 else [i - 1] for i in range(size)]


def lattice(size: int) -> list[list[int]]:
    return [[] if i < 10 else [i - 10, i - 19 if i % 10 == 9 else i - 9] for i in range(size)]


def nothing(*_: object) -> int:
    return 0


def quickest(attempts: int, work: Callable[[], object], nodes: int = NODES) -> float:
    """Milliseconds per node of the fastest of several attempts."""
    best = float("inf")
    for _ in range(attempts):
        begin = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - begin)
    return best * 1000 / nodes


def report(**facts: object) -> None:
    print(json.dumps(facts), flush=True)


def dask_graphs(feeders: list[list[int]]) -> object:
    from dask import delayed

    task = delayed(nothing, pure=False)
    made: list[object] = []
    for fed in feeders:
        made.append(task(*[made[i] for i in fed]))
    return made[-1]


def run_dask() -> None:
    import dask
    from dask.distributed import Client, LocalCluster

    peer = f"Dask {dask.__version__}"
    report(
        peer=peer,
        what="in process, chain",
        milliseconds=quickest(5, lambda: dask.compute(dask_graphs(chain(NODES)), scheduler="synchronous")),
    )
    report(
        peer=peer,
        what="in process, lattice",
        milliseconds=quickest(5, lambda: dask.compute(dask_graphs(lattice(NODES)), scheduler="synchronous")),
    )
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        client.submit(nothing).result()

        def separately() -> None:
            # Each node waits for the previous one: a workflow that reads every result before it continues.
            for _ in range(100):
                client.submit(nothing, pure=False).result()

        report(peer=peer, what="through a warm worker", milliseconds=quickest(3, separately, 100))


def run_dagster() -> None:
    from dagster import In, Nothing, Out, __version__, job, op

    @op(out=Out(Nothing))
    def first() -> None: ...

    @op(ins={"before": In(Nothing)}, out=Out(Nothing))
    def following() -> None: ...

    count = 100

    @job
    def nodes() -> None:
        value = first()
        for i in range(1, count):
            value = following.alias(f"n{i}")(value)

    quiet = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
    milliseconds = quickest(3, lambda: nodes.execute_in_process(run_config=quiet), count)
    report(peer=f"Dagster {__version__}", what="in process, chain", milliseconds=milliseconds)


if __name__ == "__main__":
    for name, run in (("Dask", run_dask), ("Dagster", run_dagster)):
        try:
            run()
        except Exception as error:  # a peer that does not run here is not our failure
            report(peer=name, skipped=f"{type(error).__name__}: {str(error)[:200]}")
