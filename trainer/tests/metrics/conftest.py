import pytest


@pytest.fixture(scope="module", autouse=True)
def intervals_as_in_use(all_replicates: None) -> None:
    """These tests cover the number of bootstrap replicates."""
