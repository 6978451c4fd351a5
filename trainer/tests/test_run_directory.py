"""Where the files of a run are is declared once, in the contracts."""

from pathlib import Path

import pytest

from medloom_trainer.contract.run_directory import run_path


def test_a_path_of_a_run_is_the_one_of_the_contract():
    run = Path("run")
    assert run_path(run, "events", attempt=2) == run / "events.2.jsonl"
    assert run_path(run, "manifest", name="best") == run / "checkpoints" / "best" / "checkpoint.json"


def test_a_path_outside_the_contract_does_not_exist():
    with pytest.raises(KeyError):
        run_path(Path("run"), "elsewhere")
    with pytest.raises(KeyError):
        run_path(Path("run"), "events")
