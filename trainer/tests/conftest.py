import gc
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from medloom_trainer.metrics import differences, intervals
from testing.checkpoints import configuration, write_checkpoint, write_table
from testing.node_runs import Nodes
from testing.workspace import Workspace

# The time of an example depends on the load of the machine, not on the correctness of the code.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

_RESAMPLING = {module: module._REPLICATES for module in (intervals, differences)}
"""Module → its number of bootstrap replicates."""


def pytest_collection_finish() -> None:
    """Keep everything that the tests import out of the garbage collection."""
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def few_replicates() -> Iterator[None]:
    """Use fewer replicates for intervals, which take most of the time of an evaluation. Tests of the
    intervals themselves use `all_replicates`.
    """
    with pytest.MonkeyPatch.context() as patch:
        for module in _RESAMPLING:
            patch.setattr(module, "_REPLICATES", 100)
        yield


@pytest.fixture(scope="module")
def all_replicates(few_replicates: None) -> Iterator[None]:
    """Use the normal number of replicates for intervals."""
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
    """An empty folder for tables and images."""
    return Workspace(tmp_path)


@pytest.fixture
def nodes(tmp_path: Path) -> Nodes:
    """An empty folder in which nodes are run."""
    return Nodes(tmp_path)
