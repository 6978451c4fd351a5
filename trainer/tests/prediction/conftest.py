from training.conftest import quick_networks

__all__ = ["quick_networks"]
