"""A process ends with its work: its output is complete, and the interpreter is not shut down."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

NOTICED = "import atexit\natexit.register(print, 'taken apart')\n"


def ended(arguments: list[str], tmp_path: Path) -> tuple[int, str, str]:
    """(exit code, stdout, stderr) of a Python process that reports a shutdown of its interpreter."""
    (tmp_path / "sitecustomize.py").write_text(NOTICED)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, *arguments]
    process = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    return process.returncode, process.stdout, process.stderr


def test_it_ends_at_once_with_its_code_and_all_it_said(tmp_path):
    program = (
        "import sys\n"
        "from medloom_trainer.fast_exit import exit_immediately\n"
        "print('said', end='')\n"
        "print('and logged', end='', file=sys.stderr)\n"
        "exit_immediately(3)\n"
    )
    assert ended(["-c", program], tmp_path) == (3, "said", "and logged")


def test_a_trainer_ends_so(tmp_path):
    code, output, errors = ended(["-m", "medloom_trainer"], tmp_path)
    assert (code, output) == (2, "") and errors.startswith("usage")
