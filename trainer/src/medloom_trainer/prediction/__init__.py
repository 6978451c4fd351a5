"""Predictions of a trained model for cases without labels: the task `predict`."""
