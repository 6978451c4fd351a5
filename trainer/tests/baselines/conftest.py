from training.conftest import quick_networks, study

__all__ = ["quick_networks", "study"]
