"""Trains and evaluates models that read medical images and tables together."""

# Generated from packages/contracts by "npm run generate"; do not edit.
__version__ = "0.2.0"
