from training.conftest import prewarmed, quick_networks, signals, study

__all__ = ["prewarmed", "quick_networks", "signals", "study"]
