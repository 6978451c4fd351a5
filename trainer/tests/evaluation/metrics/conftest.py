import pytest


@pytest.fixture(scope="module", autouse=True)
def intervals_as_in_use(all_replicates: None) -> None:
    """These tests include how often patients are drawn."""
