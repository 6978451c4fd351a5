"""A process with a registered parent ends with it, also during a computation."""

from __future__ import annotations

import subprocess
import sys

import psutil
import pytest

CHILD = """
from medloom_trainer.worker.parent import end_with_parent
end_with_parent()
print('up', flush=True)
while True: pass
"""
PARENT = f"""
import os, subprocess, sys, time
environment = {{**os.environ, "MEDLOOM_PARENT_PID": str(os.getpid())}}
child = subprocess.Popen([sys.executable, "-c", {CHILD!r}], env=environment)
print(child.pid, flush=True)
time.sleep(600)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process of the end of its parent")
def test_it_ends_with_the_process_that_started_it():
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        lines = {parent.stdout.readline().strip() for _ in range(2)}
        (pid,) = (int(line) for line in lines if line != "up")
        child = psutil.Process(pid)
        assert "up" in lines and child.is_running()
        parent.kill()
        parent.wait()
        psutil.wait_procs([child], timeout=30)
        assert not psutil.pid_exists(pid) or child.status() == psutil.STATUS_ZOMBIE


def test_a_process_whose_parent_has_gone_before_ends_at_once():
    code = "from medloom_trainer.worker.parent import end_with_parent; end_with_parent(); print('up')"
    environment = {"MEDLOOM_PARENT_PID": "1", "PATH": "", "PYTHONPATH": ":".join(sys.path)}
    ended = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=False)
    expected = (1, b"") if sys.platform == "linux" else (0, b"up\n")
    assert (ended.returncode, ended.stdout) == expected
