"""Carries the worker's protocol to the nodes of a Ray cluster: one process, any number of tasks."""
