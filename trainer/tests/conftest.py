import gc
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from medloom_trainer.evaluation.metrics import differences, intervals
from testing.checkpoints import configuration, write_checkpoint, write_table
from testing.node_runs import Nodes
from testing.workspace import Workspace

# How long an example takes says how busy the machine is, not whether the code is right.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

_RESAMPLING = {module: module._REPLICATES for module in (intervals, differences)}
"""Module → how often it draws the patients again."""


def pytest_collection_finish() -> None:
    """What the tests import stays: the collector does not look through it again and again."""
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def few_replicates() -> Iterator[None]:
    """Intervals are resampled less often: most of the time of an evaluation goes into them. Tests of the
    intervals themselves have `all_replicates`.
    """
    with pytest.MonkeyPatch.context() as patch:
        for module in _RESAMPLING:
            patch.setattr(module, "_REPLICATES", 100)
        yield


@pytest.fixture(scope="module")
def all_replicates(few_replicates: None) -> Iterator[None]:
    """Intervals are resampled as often as in use."""
    with pytest.MonkeyPatch.context() as patch:
        for module, replicates in _RESAMPLING.items():
            patch.setattr(module, "_REPLICATES", replicates)
        yield


@pytest.fixture(scope="session")
def binary_checkpoint(tmp_path_factory):
    """(checkpoint folder, training table)."""
    folder = tmp_path_factory.mktemp("binary")
    table = write_table(folder / "train.csv")
    return write_checkpoint(folder / "best", configuration(table), folder / "cache"), table


@pytest.fixture
def work(tmp_path: Path) -> Workspace:
    """A fresh folder with tables and images."""
    return Workspace(tmp_path)


@pytest.fixture
def nodes(tmp_path: Path) -> Nodes:
    """A fresh folder in which nodes are run."""
    return Nodes(tmp_path)
