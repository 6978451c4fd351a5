"""Trains and evaluates models that read medical images and tables together."""

__version__ = "0.1.0"
