"""Checks of a training before it starts: its inputs, its model, and the memory that they need."""
