"""Starts the processes of a training on several nodes. Ray Train places them and detects a lost one; it
receives nothing about batches and checkpoints, which the trainer handles.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from medloom_trainer.cluster.member import train_member
from medloom_trainer.concurrency.repetition import Repetition
from medloom_trainer.contract.phrases import Phrased, phrase
from medloom_trainer.contract.spec import Spec
from medloom_trainer.durations import CLUSTER_CHECK_INTERVAL
from medloom_trainer.errors import TrainerError
from medloom_trainer.exchange.control import Control
from medloom_trainer.exchange.events import Events
from medloom_trainer.failure import Failure, failure_of
from medloom_trainer.files import write_json
from medloom_trainer.inference.devices import processes_of_nodes
from medloom_trainer.training.distributed.launch import ProcessFailure

_NODE_LABEL = "ray.io/node-id"


def launch_on_nodes(spec: Spec, spec_path: Path, control: Control, events: Events) -> ProcessFailure | None:
    """Train in the processes that training.device names. → the failure that caused the others; None if they
    ended regularly or on request
    """
    device = spec.config["training"]["device"]
    found = processes_of_nodes(device)
    if found is None:
        raise TrainerError("DEVICE_UNAVAILABLE", phrase("device_names_no_nodes", device=device))
    try:
        import ray
    except ImportError as error:
        raise TrainerError("DEVICE_UNAVAILABLE", phrase("nodes_require_ray")) from error
    nodes, processes = found
    gpus = 1 if device.startswith("cuda") else 0
    cpus = (spec.config["training"]["num_workers"] or processes) / processes
    ray.init(log_to_driver=False, logging_level="WARNING")
    chosen = _nodes_with_room(nodes, {"CPU": cpus * processes, "GPU": gpus * processes}, control, events)
    if chosen is None:
        return None
    print(f"{processes} processes on each of {nodes} nodes: {', '.join(chosen)}", flush=True)
    labels = [{_NODE_LABEL: node} for node in chosen for _ in range(processes)]
    with _stops_passed_on(control):
        return _train(spec_path, labels, {"CPU": cpus, "GPU": gpus})


def _nodes_with_room(
    count: int, resources: dict[str, float], control: Control, events: Events
) -> list[str] | None:
    """Ids of nodes that each have these resources free, as soon as there are enough; None if a stop is
    requested before. Ray Train itself would place the processes on as few nodes as possible.
    """
    from ray.util.placement_group import placement_group, placement_group_table, remove_placement_group

    wanted = {name: amount for name, amount in resources.items() if amount > 0}
    group = placement_group([wanted] * count, strategy="STRICT_SPREAD")
    try:
        events.doing(phrase("waiting_for_nodes", count=count))
        while not group.wait(timeout_seconds=CLUSTER_CHECK_INTERVAL):
            events.step()
            if control.stops():
                return None
        return sorted(placement_group_table(group)["bundles_to_node_id"].values())
    finally:
        remove_placement_group(group)


def _train(
    spec_path: Path, labels: list[dict[str, str]], resources: dict[str, float]
) -> ProcessFailure | None:
    """labels: of the node of each process."""
    from ray.train import FailureConfig, RunConfig, ScalingConfig
    from ray.train.v2.api.data_parallel_trainer import DataParallelTrainer

    with TemporaryDirectory(prefix="medloom-group-") as folder:
        trainer = DataParallelTrainer(
            train_member,
            train_loop_config={"spec": str(spec_path), "run": str(uuid.uuid4())},
            scaling_config=ScalingConfig(
                num_workers=len(labels),
                use_gpu=resources["GPU"] > 0,
                resources_per_worker={name: amount for name, amount in resources.items() if amount > 0},
                label_selector=labels,
            ),
            # The service starts the group again, as its next attempt. Ray Train stores nothing here.
            run_config=RunConfig(
                name="group", storage_path=folder, failure_config=FailureConfig(max_failures=0)
            ),
        )
        try:
            trainer.fit()
        except Exception as error:
            return first_failure(error)
    return None


def first_failure(error: Exception) -> ProcessFailure:
    """The cause of the end of the group, from the errors that Ray Train has collected: a lost process or
    node; else the first failure that is not a consequence of another.
    """
    failures = getattr(error, "worker_failures", None)
    if not failures:
        return _lost(phrase("ray_ended_group", error=type(error).__name__))
    return min((_failure(rank, failure) for rank, failure in failures.items()), key=_precedence)


def _precedence(failed: ProcessFailure) -> tuple[int, int]:
    if failed.failure.code != "WORKER_LOST":
        return (1, failed.time_ns)
    return (0 if failed.time_ns == 0 else 2, failed.time_ns)


def _failure(rank: int, error: BaseException) -> ProcessFailure:
    # Ray Train wraps the errors that a process raises; any other error is about the process itself.
    own: Any = getattr(error, "_base_exc", error)
    reported = getattr(own, "failure", None)
    if isinstance(reported, dict):
        return ProcessFailure(Failure(**reported["failure"]), reported["epoch"], reported["time_ns"])
    return _lost(phrase("process_lost_with_node", number=rank + 1, error=type(own).__name__))


def _lost(message: Phrased) -> ProcessFailure:
    return ProcessFailure(failure_of(TrainerError("WORKER_LOST", message)), 0, 0)


@contextmanager
def _stops_passed_on(control: Control) -> Iterator[None]:
    """Write a stop to the file of requests: only this process receives the signal, and the processes of the
    group read the file."""

    def pass_on() -> bool:
        stops = control.stops()
        if stops:
            write_json(control.path, {"request": "stop"})
        return stops

    repetition = Repetition("stop of the group", pass_on, interval=CLUSTER_CHECK_INTERVAL)
    try:
        yield
    finally:
        repetition.end(timeout=CLUSTER_CHECK_INTERVAL)
