"""Short tasks for the service: one JSON line in, progress lines and one result or error line out, until the
input ends.

The contracts declare the tasks and their shapes (contract/tasks.schema.json). The modules of a task are
imported when the first such task comes, so that an inspection does not wait for PyTorch.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from medloom_trainer.allocator import (
    keep_freed_memory,
    return_accelerator_memory,
    return_freed_memory,
)
from medloom_trainer.contract.phrases import Phrased, phrase, with_phrases
from medloom_trainer.contract.schema_check import Check, compile_check
from medloom_trainer.contract.schemas import contract, task_schemas
from medloom_trainer.durations import PROGRESS_INTERVAL
from medloom_trainer.errors import TrainerError
from medloom_trainer.failure import Failure, failure_of
from medloom_trainer.files import need_service_folders
from medloom_trainer.memory_limit import limit_bytes
from medloom_trainer.nested_json import parse_nested
from medloom_trainer.worker.activity import watch_activity
from medloom_trainer.worker.memory import watch_memory
from medloom_trainer.worker.parent import end_with_parent

Progress = Callable[[str, float], None]

_log = logging.getLogger(__name__)


def main() -> int:
    """Serve the pipes of this process. Only replies are written to its stdout: everything else that is
    printed goes to stderr.
    """
    end_with_parent()
    replies = os.fdopen(os.dup(1), "wb")
    requests = os.fdopen(os.dup(0), "rb")
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    try:
        serve(requests, replies, report_activity=True)
        replies.close()
    except (BrokenPipeError, KeyboardInterrupt):
        _log.info("the service no longer reads the replies")
        os.dup2(os.open(os.devnull, os.O_WRONLY), replies.fileno())
    return 0


def serve(requests: BinaryIO, replies: BinaryIO, *, report_activity: bool = False) -> None:
    """Respond to each line of `requests` on `replies`, in order, until the input ends. No request ends the
    loop.
    """
    channel = _ReplyChannel(replies)
    limit = limit_bytes()
    keep_freed_memory()
    watch_memory(limit, partial(_end_out_of_memory, channel, limit))
    if report_activity:
        watch_activity(channel.send_activity)
    for line in requests:
        if not line.strip():
            continue
        channel.request_id = ""
        result: dict[str, Any] | None = None
        failure: Failure | None = None
        try:
            request = _read(line)
            channel.request_id = request["id"] if isinstance(request.get("id"), str) else ""
            task = _checked(request)
            with need_service_folders(_service_folders(request["params"])):
                result = TASKS[task](request["params"], _ThrottledProgress(channel))
            return_accelerator_memory()  # the service may now start another process that needs it
            channel.send({"type": "result", "result": result})
        except BrokenPipeError:
            raise
        except Exception as error:
            failure = failure_of(error)
            trace = f"\n{failure.trace}" if failure.trace else ""
            _log.error("%s: %s%s", failure.code, failure.message, trace)
        if failure is not None:  # its frames, which held tensors, are freed by now
            return_accelerator_memory()
            channel.send(with_phrases({"type": "error", **vars(failure)}))
        channel.request_id = ""
        result = None
        return_freed_memory()


class _ReplyChannel:
    """Replies to one request at a time; a second thread may also send."""

    def __init__(self, replies: BinaryIO) -> None:
        self.request_id = ""
        self._replies = replies
        self._writing = threading.Lock()

    def send_activity(self, active: bool, file: str | None) -> None:
        if not self.request_id:
            return
        with suppress(BrokenPipeError):  # the thread of the task notices it too
            self.send({"type": "activity", "active": active, "file": file})

    def send(self, message: dict[str, Any]) -> None:
        message = {"type": message["type"], "id": self.request_id, **message}
        line = json.dumps(message, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
        with self._writing:
            self._replies.write(line.encode("utf-8", "surrogatepass") + b"\n")
            self._replies.flush()


class _ThrottledProgress:
    """Forwards a new message at once, and the same message at most ten times a second."""

    def __init__(self, channel: _ReplyChannel) -> None:
        self._channel = channel
        self._message = ""
        self._time = 0.0

    def __call__(self, message: str, fraction: float) -> None:
        now = time.monotonic()
        if message == self._message and now - self._time < PROGRESS_INTERVAL:
            return
        self._message, self._time = message, now
        bounded = min(1.0, max(0.0, float(fraction)))
        self._channel.send(with_phrases({"type": "progress", "fraction": bounded, "message": message}))


def _end_out_of_memory(channel: _ReplyChannel, limit: int, used: int) -> None:
    """End the process, since the task cannot be interrupted; the service starts another."""
    message = phrase("worker_above_memory", used=f"{used / 2**20:,.0f}", limit=f"{limit / 2**20:,.0f}")
    remedy = phrase("less_data_or_memory")
    failure = failure_of(TrainerError("OUT_OF_MEMORY", message, remedy))
    _log.error("%s: %s", failure.code, failure.message)
    channel.send(with_phrases({"type": "error", **vars(failure)}))
    os._exit(1)


def _probe(params: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    from medloom_trainer.worker.probe import probe

    return probe()


def _software(params: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    from medloom_trainer.software import software_versions

    return dict(software_versions())


def _inspect(params: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    from medloom_trainer.data.checks import inspect

    return inspect(dict(params), progress)


def _propose_recipe(params: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    from medloom_trainer.data.tables import propose_recipe

    return propose_recipe(params, progress)


def _named_images(params: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    from medloom_trainer.data.tables import named_images

    return named_images(params)


def _check_training(params: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    from medloom_trainer.training.check.task import check_training

    return check_training(params, progress)


def _evaluate(params: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    from medloom_trainer.evaluation.evaluate import evaluate

    return evaluate(params, progress)


def _predict(params: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    from medloom_trainer.prediction.predict import predict

    return predict(params, progress)


def _model_inputs(params: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    from medloom_trainer.prediction.model_inputs import model_inputs

    return model_inputs(params, progress)


def _follow_up_outcomes(params: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    from medloom_trainer.follow_up.outcomes import follow_up_outcomes

    return follow_up_outcomes(params, progress)


def _follow_up_coverage(params: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    from medloom_trainer.follow_up.coverage import follow_up_coverage

    return follow_up_coverage(params, progress)


def _follow_up_evaluate(params: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    from medloom_trainer.follow_up.evaluate import follow_up_evaluate

    return follow_up_evaluate(params, progress)


def _compare(params: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    from medloom_trainer.evaluation.compare import compare

    return compare(params, progress)


def _node(params: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    from medloom_trainer.nodes import run_node

    return run_node(params, progress)


def _custom_nodes(params: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    from medloom_trainer.custom.declarations import custom_nodes

    return custom_nodes(params, progress)


def _custom_node(params: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    from medloom_trainer.custom.run import run_custom

    return run_custom(params, progress)


def _preview(params: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    from medloom_trainer.cases.views.preview import preview

    return preview(params, progress)


def _study_folds(params: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    from medloom_trainer.data.splits import study_folds

    return study_folds(params, progress)


def _study_results(params: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    from medloom_trainer.evaluation.study.results import study_results

    return study_results(params, progress)


def _study_suggest(params: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    from medloom_trainer.search.suggest import study_suggest

    return study_suggest(params, progress)


def _study_prune(params: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    from medloom_trainer.search.prune import study_prune

    return study_prune(params, progress)


def _ensemble(params: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    from medloom_trainer.training.combine import combine

    return combine(params, progress)


def _export(params: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    from medloom_trainer.export.file import export_file

    return export_file(params, progress)


def _cache_state(params: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    from medloom_trainer.data.cache import cache_state

    return cache_state(Path(params["cache_dir"]))


def _cache_clear(params: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    from medloom_trainer.data.cache import clear_cache

    return clear_cache(Path(params["cache_dir"]))


def _cases(params: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    from medloom_trainer.browse.cases import cases

    return cases(params, progress)


def _distribution(params: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    from medloom_trainer.browse.cases import distribution

    return distribution(params, progress)


def _images(params: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    from medloom_trainer.browse.images import images

    return images(params, progress)


def _preview_cases(params: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    from medloom_trainer.browse.preview import preview_cases

    return preview_cases(params, progress)


def _file_image(params: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    from medloom_trainer.browse.images import file_image

    return file_image(params, progress)


def _image_info(params: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    from medloom_trainer.browse.images import image_info

    return image_info(params, progress)


def _leaks(params: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    from medloom_trainer.browse.leaks import leaks

    return leaks(params, progress)


TASKS: dict[str, Callable[[Mapping[str, Any], Progress], dict[str, Any]]] = {
    "probe": _probe,
    "software": _software,
    "inspect": _inspect,
    "propose_recipe": _propose_recipe,
    "named_images": _named_images,
    "check_training": _check_training,
    "evaluate": _evaluate,
    "predict": _predict,
    "model_inputs": _model_inputs,
    "follow_up_outcomes": _follow_up_outcomes,
    "follow_up_coverage": _follow_up_coverage,
    "follow_up_evaluate": _follow_up_evaluate,
    "compare": _compare,
    "node": _node,
    "custom_nodes": _custom_nodes,
    "custom_node": _custom_node,
    "preview": _preview,
    "cases": _cases,
    "distribution": _distribution,
    "images": _images,
    "preview_cases": _preview_cases,
    "file_image": _file_image,
    "image_info": _image_info,
    "leaks": _leaks,
    "study_folds": _study_folds,
    "study_results": _study_results,
    "study_suggest": _study_suggest,
    "study_prune": _study_prune,
    "ensemble": _ensemble,
    "export": _export,
    "cache_state": _cache_state,
    "cache_clear": _cache_clear,
}


def _service_folders(params: Mapping[str, Any]) -> dict[Path, Path]:
    """Folders that the service made, with their data folder, for `need_service_folders`."""
    holders = (params, params.get("dataset") or {})
    made = [Path(holder[name]) for holder in holders for name in ("cache_dir", "store") if name in holder]
    if "run_dir" in params:
        made.append(Path(params["run_dir"]))
    return {folder: folder.parent for folder in made}


def _read(line: bytes) -> dict[str, Any]:
    try:
        request = parse_nested(line.decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise TrainerError("INVALID_JSON", phrase("line_not_json")) from error
    if not isinstance(request, dict):
        raise TrainerError("INVALID_REQUEST", phrase("request_not_object"))
    return request


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _checked(request: dict[str, Any]) -> str:
    """Return the task, after checking the request and its parameters against the contract."""
    _validate("request", contract("request"), _quick_check(None), request)
    task: str = request["task"]
    params = task_schemas()[task]["params"]
    _validate(f"params of {task}", params, _quick_check(task), request["params"])
    return task


def _validate(what: str, schema: Mapping[str, Any], check: Check | None, value: Any) -> None:
    if check is not None and check(value):
        return
    from jsonschema import Draft202012Validator

    problems = sorted(Draft202012Validator(schema).iter_errors(value), key=lambda problem: problem.json_path)
    if problems:
        listed = "; ".join(f"{problem.json_path[2:] or what}: {problem.message}" for problem in problems)
        raise TrainerError("INVALID_REQUEST", Phrased(f"{what}: {problems[0].message}"), Phrased(listed))


@cache
def _quick_check(task: str | None) -> Check | None:
    """Check for the parameters of a task; None: for the request itself."""
    if task is None:
        return compile_check(contract("request"))
    return compile_check(task_schemas()[task]["params"])
