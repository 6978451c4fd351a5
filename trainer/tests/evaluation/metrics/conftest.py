import pytest


@pytest.fixture(scope="module", autouse=True)
def intervals_as_in_use(all_replicates: None) -> None:
    """What is tested here includes how often patients are drawn."""
