"""One training job: from spec.json to exactly one terminal event. Returns the exit code of the process."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

import torch

from medloom_trainer.baselines.titles import ABLATIONS
from medloom_trainer.contract.phrases import phrase
from medloom_trainer.contract.spec import Spec, read_spec
from medloom_trainer.data.types import PreparationStopped, PreparedData
from medloom_trainer.errors import TrainerError
from medloom_trainer.exchange.control import Control
from medloom_trainer.exchange.events import Events, SilentEvents, has_ended
from medloom_trainer.exchange.gpu_usage import GpuUsage
from medloom_trainer.exchange.resources import measured
from medloom_trainer.exchange.run_log import held
from medloom_trainer.failure import Failure, failure_of, placed
from medloom_trainer.files import full_disk_named, loss_of, need_folder
from medloom_trainer.folder_map import map_folders
from medloom_trainer.inference.devices import DeviceRequest, cores, is_member, read_device
from medloom_trainer.jobs.results import describe_images, write_results
from medloom_trainer.training.distributed.group import Group, lost_peer
from medloom_trainer.training.distributed.launch import ProcessFailure, exit_failed, launch
from medloom_trainer.training.fine_tuning import fitted_preparation, seen_cases
from medloom_trainer.training.loop import Outcome, train
from medloom_trainer.warnings import Warnings

_LOST_PEER = TrainerError("WORKER_LOST", phrase("peer_lost"))
_STOPPED_EARLY = Outcome("stopped", phrase("stopped_on_request"), 0, {}, None, None, None)
"""Before the first batch: there is nothing to save."""


LaunchOnNodes = Callable[[Spec, Path, Control, Events], ProcessFailure | None]
"""Like `launch`, on several nodes of a cluster."""


_NOT_ITS_ATTEMPT = 75
"""Exit status of a process that was started for an attempt which another one has replaced: EX_TEMPFAIL of
sysexits.h.
"""


def run_job(spec_path: Path, on_nodes: LaunchOnNodes | None = None, *, attempt: int | None = None) -> int:
    """0: completed or stopped. 1: failed; the error event contains the reason.

    attempt: the attempt of this process, which may start so late that the spec belongs to another one: two
    processes would then write the events of that attempt.
    """
    started = time.monotonic()
    try:
        spec = read_spec(spec_path)
    except TrainerError as error:
        if not spec_path.parent.is_dir():  # the run directory has moved; a new one would hide it
            print(f"{error.code}: {error}", file=sys.stderr)
            return 1
        with _events_in_folder_of(spec_path) as events:
            return _fail(events, failure_of(error), epoch=0)
    if attempt not in (None, spec.attempt):
        print(f"spec.json belongs to attempt {spec.attempt}, not to attempt {attempt}", file=sys.stderr)
        return _NOT_ITS_ATTEMPT
    map_folders(spec.places)
    need_folder(spec.run_dir)
    control = Control(spec.run_dir, spec.attempt)
    control.listen_to_signals()
    events = Events(spec.run_dir, spec.attempt)
    try:
        if not is_member():  # the first process of a group keeps it for all
            events.keep_room()
        if on_nodes is not None:
            return _report_group(on_nodes(spec, spec_path, control, events), spec, events)
        request = read_device(spec.config["training"]["device"])
        if len(request.processes) > 1 and not is_member():
            return _report_group(launch(request, spec_path), spec, events)
        group = Group.join(request)
        if not group.is_first:
            events = SilentEvents(spec.run_dir, spec.attempt)
        torch.set_num_threads(_threads(group))
        with _measured(events, request) if group.is_first else nullcontext():
            outcome = _prepare_and_train(spec, events, control, group)
        events.completed(
            status=outcome.status,
            reason=outcome.reason,
            epoch=outcome.epoch,
            metrics=outcome.metrics,
            best=outcome.best,
            best_checkpoint=outcome.best_checkpoint,
            baseline_verdict=outcome.baseline_verdict,
            duration_seconds=time.monotonic() - started,
        )
        group.leave()
        return 0
    except Exception as error:
        failure = failure_of(_LOST_PEER if is_member() and lost_peer(error) else _cause(error, spec))
        return _fail(events, placed(failure, _folders(spec)), epoch=events.epoch)
    finally:
        events.close()


def _cause(error: Exception, spec: Spec) -> Exception:
    """The loss of the run directory, if other errors result from it."""
    return error if isinstance(error, TrainerError) else loss_of(spec.run_dir) or error


def _report_group(failed: ProcessFailure | None, spec: Spec, events: Events) -> int:
    """After a training in several processes, report a failure that none of them could report."""
    if has_ended(spec.run_dir, spec.attempt):
        return 0
    return 1 if failed is None else _fail(events, placed(failed.failure, _folders(spec)), epoch=failed.epoch)


def _folders(spec: Spec) -> dict[Path, str]:
    """Folders of the training, with their names in messages."""
    roots = {root: f"the root {root.name}" for root in spec.roots}
    return {**roots, spec.cache_dir: "the cache", spec.run_dir: "the run directory"}


def _measured(events: Events, request: DeviceRequest) -> AbstractContextManager[None]:
    """For a group, measure all processes: they descend from the one that started it."""
    root = os.getppid() if is_member() else os.getpid()
    path = events.directory.resources(events.attempt)
    return measured(path, root, GpuUsage(request.kind, request.processes), lambda: events.training_step)


def _prepare_and_train(spec: Spec, events: Events, control: Control, group: Group) -> Outcome:
    from medloom_trainer.data.splits import write_known_cases

    events.phase("preparing", 0)
    data = group.first_then_others(partial(_prepare, spec, events, control))
    # A vote, also if this process knows the answer: the end of a broken group is not a stop.
    if group.any(data is None or control.stops()) or data is None:
        return _STOPPED_EARLY
    events.doing(phrase("doing_network"))
    if group.is_first:
        _log_warnings(data)
        trained = data.train.keys
        if data.member_folds is not None:  # each validation case trains all members but one
            trained = trained.joined(data.val.keys)
        write_known_cases(spec.run_dir, trained, data.val.keys, seen_cases(spec))
    outcome = train(spec, data, events=events, control=control, group=group)
    if group.is_first and outcome.best is not None:
        outcome = _compare_with_baselines(spec, data, outcome, events, control, group)
        describe_images(spec, data, device=group.device, events=events)
    return outcome


def _compare_with_baselines(
    spec: Spec, data: PreparedData, outcome: Outcome, events: Events, control: Control, group: Group
) -> Outcome:
    """Write the results with the baselines of a finished training: first with those that take seconds, then
    again with those that take as long as the training.
    """
    from medloom_trainer.baselines.fit import fit_baselines

    verdict = None
    warnings: Warnings = []
    ends = outcome.status == "completed"
    for ablations in (False, True):
        if ablations and not (ends and set(spec.baselines) & set(ABLATIONS)):
            continue
        if ends:
            warnings += fit_baselines(
                spec,
                data,
                ablations=ablations,
                epoch=outcome.epoch,
                events=events,
                control=control,
                group=group,
            )
        verdict = write_results(spec, data, outcome, device=group.device, events=events, warnings=warnings)
    return replace(outcome, baseline_verdict=verdict)


def _prepare(spec: Spec, events: Events, control: Control) -> PreparedData | None:
    """None if a stop was requested meanwhile."""
    from medloom_trainer.data.prepare import prepare

    try:
        return prepare(
            spec.config,
            roots=spec.roots,
            cache_dir=spec.cache_dir,
            progress=_PreparationLog(events),
            should_stop=control.stops,
            fitted=fitted_preparation(spec),
        )
    except PreparationStopped:
        return None


def _log_warnings(data: PreparedData) -> None:
    """Print the warnings about the data, which the status also contains, for readers of the log."""
    with full_disk_named(phrase("to_write_log")):
        for found in data.summary["warnings"]:
            print(f"{found['code']}: {found['message']}", flush=True)


def _fail(events: Events, failure: Failure, *, epoch: int) -> int:
    # The log may be the reason why the disk is full.
    with suppress(OSError), held(events.directory.path):
        print(
            f"{failure.code}: {failure.message}",
            *([failure.trace] if failure.trace else []),
            sep="\n",
            file=sys.stderr,
            flush=True,
        )
    if is_member():
        exit_failed(failure, epoch)
    if not events.ended:
        events.error(failure, epoch=epoch)
    return 1


def _events_in_folder_of(spec_path: Path) -> Events:
    """Events for a spec that cannot be used, where the service reads them: in its folder, under the attempt
    that it names.
    """
    try:
        attempt = int(json.loads(spec_path.read_text(encoding="utf-8"))["attempt"])
    except (OSError, ValueError, KeyError, TypeError):
        attempt = 1
    return Events(spec_path.parent, max(1, attempt))


def _threads(group: Group) -> int:
    return int(os.environ.get("OMP_NUM_THREADS") or max(1, cores() // group.size))


class _PreparationLog:
    """Progress of the preparation: steps for the heartbeat, and at most one line per second in the log."""

    def __init__(self, events: Events) -> None:
        self.events = events
        self.last = 0.0
        self.seen = ("", 0.0)

    def __call__(self, message: str, fraction: float) -> None:
        if (message, fraction) != self.seen:  # it is also called while waiting for another writer
            self.seen = (message, fraction)
            self.events.step(message)
        now = time.monotonic()
        if now - self.last >= 1 or fraction >= 1:
            self.last = now
            with full_disk_named(phrase("to_write_log")):
                print(f"preparing {fraction:4.0%} {message}", flush=True)
