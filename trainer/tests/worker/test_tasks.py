"""The task worker with the protocol of the service: a process, JSON lines in, JSON lines out."""

import io
import json
import os
import subprocess
import sys
import time

import pytest
from jsonschema import Draft202012Validator

from medloom_trainer.contract.schemas import task_schemas
from medloom_trainer.errors import TrainerError, catalog
from medloom_trainer.worker import tasks as worker
from testing.checkpoints import CONTRACT, evaluation_params, write_table
from testing.eventually import limit

REPLY = Draft202012Validator(json.loads((CONTRACT / "reply.schema.json").read_text()))
RESULTS = task_schemas()


def request(task, params, identity="1"):
    return json.dumps({"id": identity, "task": task, "params": params})


def serve(*lines):
    """Replies of a worker in this process."""
    replies = io.BytesIO()
    text = b"".join(line if isinstance(line, bytes) else line.encode() + b"\n" for line in lines)
    worker.serve(io.BytesIO(text), replies)
    return read(replies.getvalue())


def read(output):
    found = [json.loads(line) for line in output.splitlines()]
    for reply in found:
        REPLY.validate(reply)
    return found


def run(*lines):
    """Replies, stderr and exit code of a worker process."""
    process = subprocess.run(
        [sys.executable, "-m", "medloom_trainer", "worker"],
        input="".join(f"{line}\n" for line in lines).encode(),
        capture_output=True,
        timeout=limit(),
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    return read(process.stdout), process.stderr.decode(), process.returncode


@pytest.mark.slow
def test_a_process_answers_every_task_in_order_and_ends_with_its_input(binary_checkpoint, tmp_path):
    checkpoint, _ = binary_checkpoint
    table = write_table(tmp_path / "test.csv", seed=1)
    (tmp_path / "cache").mkdir()
    looked_at = {
        "path": str(table),
        "image_root": None,
        "label_column": None,
        "label_columns": None,
        "time_column": None,
        "event_column": None,
        "patient_column": None,
        "positive_class": None,
        "slices": None,
        "roles": {},
        "ignore_columns": [],
        "recipe": None,
        "roots": [str(tmp_path)],
    }
    replies, log, code = run(
        request("inspect", looked_at, "a"),
        "",
        "{broken",
        request("evaluate", evaluation_params(checkpoint, table, tmp_path / "out"), "b"),
        request("evaluate", evaluation_params(tmp_path / "none", table, tmp_path / "out"), "c"),
        request("probe", {}, "d"),
    )
    assert code == 0
    ended = [reply for reply in replies if reply["type"] not in ("progress", "activity")]
    assert [(reply["id"], reply["type"]) for reply in ended] == [
        ("a", "result"), ("", "error"), ("b", "result"), ("c", "error"), ("d", "result"),
    ]  # fmt: skip
    for reply, task in ((ended[0], "inspect"), (ended[2], "evaluate"), (ended[4], "probe")):
        Draft202012Validator(RESULTS[task]["result"]).validate(reply["result"])
    assert {reply["id"] for reply in replies if reply["type"] == "progress"} == {"a", "b", "c"}
    assert (ended[1]["code"], ended[3]["code"]) == ("INVALID_JSON", "CHECKPOINT_NOT_FOUND")
    assert (tmp_path / "out" / "evaluation.json").exists()
    assert "secret" not in log + json.dumps(replies)


@pytest.mark.slow
def test_what_libraries_print_does_not_reach_the_replies():
    program = (
        "import os, sys\n"
        "from medloom_trainer.worker import tasks as worker\n"
        "def loud(params, progress):\n"
        "    print('from Python'); os.write(1, b'from C\\n'); os.system('echo from a child')\n"
        "    assert os.read(0, 10) == b'', 'a task cannot eat the requests'\n"
        "    return {}\n"
        "worker.TASKS['probe'] = loud\n"
        "sys.exit(worker.main())\n"
    )
    lines = request("probe", {}, "a") + "\n" + request("probe", {}, "b") + "\n"
    process = subprocess.run(
        [sys.executable, "-c", program], input=lines.encode(), capture_output=True, timeout=limit()
    )
    assert [(reply["id"], reply["type"]) for reply in read(process.stdout)] == [
        ("a", "result"),
        ("b", "result"),
    ]
    for source in (b"from Python", b"from C", b"from a child"):
        assert source in process.stderr


@pytest.mark.slow
def test_a_service_that_has_ended_ends_the_worker_quietly():
    process = subprocess.Popen(
        [sys.executable, "-c", "import sys; from medloom_trainer.worker.tasks import main; sys.exit(main())"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdout.close()
    _, log = process.communicate(b"{broken\n{broken\n", timeout=limit())
    assert process.returncode == 0
    assert b"Traceback" not in log and b"Exception ignored" not in log


@pytest.mark.slow
def test_an_inspection_waits_for_neither_pytorch_nor_scipy():
    program = (
        "import sys\n"
        "import medloom_trainer.worker.tasks, medloom_trainer.data.checks\n"
        "sys.exit(not {'torch', 'timm', 'scipy'}.isdisjoint(sys.modules))\n"
    )
    assert subprocess.run([sys.executable, "-c", program], timeout=limit()).returncode == 0


@pytest.mark.parametrize(
    "line, identity",
    [
        (b"{broken\n", ""),
        (b"\xff\xfe\n", ""),
        (b'{"id":"1","task":"probe","params":{"a":NaN}}\n', ""),
        (b"[" * 100_000 + b"\n", ""),
    ],
    ids=["syntax", "not UTF-8", "NaN", "too deep"],
)
def test_what_is_not_json_is_refused_and_the_next_request_is_answered(line, identity, monkeypatch):
    monkeypatch.setitem(worker.TASKS, "probe", lambda params, progress: {})
    refused, answered = serve(line, request("probe", {}, "next"))
    assert (refused["id"], refused["code"]) == (identity, "INVALID_JSON")
    assert (answered["id"], answered["type"]) == ("next", "result")


@pytest.mark.parametrize(
    "document, place",
    [
        ([], "object"),
        ({"id": "1", "params": {}}, "task"),
        ({"id": "1", "task": "train", "params": {}}, "train"),
        ({"id": 1, "task": "probe", "params": {}}, "id"),
        ({"id": "1", "task": "probe", "params": {}, "more": 1}, "more"),
        ({"id": "1", "task": "probe", "params": {"more": 1}}, "more"),
        ({"id": "1", "task": "probe", "params": None}, "None"),
        ({"id": "1", "task": "inspect", "params": {"path": 3}}, "path"),
    ],
)
def test_a_request_against_the_contract_is_refused_by_name(document, place):
    (reply,) = serve(json.dumps(document))
    assert reply["code"] == "INVALID_REQUEST"
    assert place in reply["message"] + reply["details"]


class TestFailures:
    """Each has a code of the catalog; the message of an unexpected exception is not sent: it may quote a
    cell."""

    @pytest.mark.parametrize(
        "error, code",
        [
            (TrainerError("DATASET_INVALID", "no rows"), "DATASET_INVALID"),
            (MemoryError(), "OUT_OF_MEMORY"),
            (RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried…"), "OUT_OF_MEMORY"),
            (RuntimeError("CUDA out of memory. Tried to allocate 2 GiB"), "OUT_OF_MEMORY"),
            (OSError(28, "No space left on device"), "DISK_FULL"),
            (OSError(12, "Cannot allocate memory"), "OUT_OF_MEMORY"),
            (ValueError("could not convert string to float: 'Mary Miller'"), "TRAINER_FAILED"),
            (RecursionError("Mary Miller"), "TRAINER_FAILED"),
        ],
    )
    def test_each_has_its_code(self, error, code, monkeypatch, caplog):
        def fail(params, progress):
            raise error

        monkeypatch.setitem(worker.TASKS, "probe", fail)
        reply, again = serve(request("probe", {}), request("probe", {}))
        assert (reply["code"], again["code"]) == (code, code)
        assert reply["details"] == catalog()[code]["remedy"]
        foreseen = isinstance(error, TrainerError)
        assert reply["message"] == "no rows" if foreseen else type(error).__name__ in reply["message"]
        assert (reply["trace"] is None) == foreseen
        assert "Miller" not in json.dumps(reply) + caplog.text

    def test_torch_out_of_memory(self, monkeypatch):
        import torch

        def fail(params, progress):
            raise torch.OutOfMemoryError("CUDA out of memory")

        monkeypatch.setitem(worker.TASKS, "probe", fail)
        assert serve(request("probe", {}))[0]["code"] == "OUT_OF_MEMORY"

    def test_a_result_that_is_not_json_is_a_failure_not_a_broken_line(self, monkeypatch):
        monkeypatch.setitem(worker.TASKS, "probe", lambda params, progress: {"value": float("nan")})
        assert serve(request("probe", {}))[0]["code"] == "TRAINER_FAILED"

    def test_the_trace_names_files_from_their_package_on(self, monkeypatch):
        def fail(params, progress):
            raise ValueError

        monkeypatch.setitem(worker.TASKS, "probe", fail)
        trace = serve(request("probe", {}))[0]["trace"]
        assert "medloom_trainer/worker/tasks.py:" in trace and str(CONTRACT.parent) not in trace


def test_progress_is_sent_at_most_ten_times_a_second_and_each_message_at_once(monkeypatch):
    def task(params, progress):
        for step in range(10_000):
            progress("decoding", step / 10_000)
        progress("measuring", 7)
        time.sleep(0)
        return {}

    monkeypatch.setitem(worker.TASKS, "probe", task)
    started = time.monotonic()
    replies = serve(request("probe", {}))
    seconds = time.monotonic() - started
    sent = [reply["message"] for reply in replies if reply["type"] == "progress"]
    assert sent[0] == "decoding" and sent[-1] == "measuring"
    assert len(sent) <= 3 + 10 * seconds
    assert all(0 <= reply["fraction"] <= 1 for reply in replies if reply["type"] == "progress")


def test_the_tasks_are_those_of_the_contract():
    assert worker.TASKS.keys() == RESULTS.keys()


@pytest.mark.slow
def test_a_task_that_uses_too_much_memory_is_reported_before_the_machine_runs_out():
    program = (
        "from medloom_trainer.worker import tasks as worker\n"
        "def eat(params, progress):\n"
        "    eaten = []\n"
        "    while True:\n"
        "        eaten.append(b'x' * 2**24)\n"
        "worker.TASKS['probe'] = eat\n"
        "worker.main()\n"
    )
    request = json.dumps({"id": "7", "task": "probe", "params": {}}) + "\n"
    ended = subprocess.run(
        [sys.executable, "-c", program],
        input=request.encode(),
        capture_output=True,
        timeout=limit(),
        env={**os.environ, "MEDLOOM_WORKER_MEMORY": str(400 * 2**20)},
    )
    assert ended.returncode == 1
    [reply] = [reply for reply in read(ended.stdout) if reply["type"] != "activity"]
    assert (reply["type"], reply["id"], reply["code"]) == ("error", "7", "OUT_OF_MEMORY")
    assert "the limit of a worker is 400" in reply["message"] and "--worker-memory" in reply["details"]


@pytest.mark.parametrize("fails", [False, True])
def test_the_memory_of_an_accelerator_is_given_back_before_the_reply(fails, monkeypatch):
    torch = pytest.importorskip("torch")
    happened = []

    class Kept:
        def __del__(self):
            happened.append("freed")

    def probe(params, progress):
        kept = Kept()
        if fails:
            raise TrainerError("NODE_FAILED", f"with {type(kept).__name__} in its frame")
        return {"python_version": "3", "pytorch_version": "2", "packages": {}, "cuda": [], "mps": False}

    class Replies(io.BytesIO):
        def write(self, line):
            happened.append(json.loads(line)["type"])
            return super().write(line)

    monkeypatch.setitem(worker.TASKS, "probe", probe)
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: happened.append("given back"))
    worker.serve(io.BytesIO(request("probe", {}).encode() + b"\n"), Replies())
    assert happened == ["freed", "given back", "error" if fails else "result"]
