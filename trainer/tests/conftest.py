import pytest

from testing.checkpoints import configuration, write_checkpoint, write_table


@pytest.fixture(scope="session")
def binary_checkpoint(tmp_path_factory):
    """(checkpoint folder, training table)."""
    folder = tmp_path_factory.mktemp("binary")
    table = write_table(folder / "train.csv")
    return write_checkpoint(folder / "best", configuration(table), folder / "cache"), table
