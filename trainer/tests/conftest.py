import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from medloom_trainer.baselines import boosting, forest
from medloom_trainer.baselines import linear as linear_baseline
from medloom_trainer.metrics import differences, intervals
from medloom_trainer.training.members import linear as linear_members
from testing.checkpoints import configuration, write_checkpoint, write_table
from testing.node_runs import Nodes
from testing.workspace import Workspace

# The time of an example depends on the load of the machine, not on the correctness of the code.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

_RESAMPLING = {module: module._REPLICATES for module in (intervals, differences)}
"""Module → its number of bootstrap replicates."""
_FITS = {
    (forest, "NUM_TREES"): (20, forest.NUM_TREES),
    (forest, "_TRIAL_TREES"): (3, forest._TRIAL_TREES),
    (boosting, "MAX_ROUNDS"): (20, boosting.MAX_ROUNDS),
    (linear_baseline, "STRENGTHS"): ((0.01, 0.1, 1.0), linear_baseline.STRENGTHS),
    (linear_members, "STRENGTHS"): ((0.01, 0.1, 1.0), linear_members.STRENGTHS),
}
"""(module, name of a limit of its fits) → the limit in tests, and the normal one."""


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


@pytest.fixture(scope="session", autouse=True)
def few_fits() -> Iterator[None]:
    """Fit baselines with fewer trees, and linear models with fewer penalties: the weakest ones take thousands
    of iterations. Tests of these models themselves use `all_fits`.
    """
    with pytest.MonkeyPatch.context() as patch:
        for (module, name), (few, _) in _FITS.items():
            patch.setattr(module, name, few)
        yield


@pytest.fixture(scope="module")
def all_fits(few_fits: None) -> Iterator[None]:
    """Use the normal number of trees and penalties."""
    with pytest.MonkeyPatch.context() as patch:
        for (module, name), (_, normal) in _FITS.items():
            patch.setattr(module, name, normal)
        yield


@pytest.fixture(scope="session", autouse=True)
def unsynchronized_files() -> Iterator[None]:
    """Do not wait for the disk: what has been synchronized differs only after a loss of power."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: None)
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
