"""A training on a machine that has no folder in common with the service: a process beside the trainer fetches
what it needs and sends what it writes. The trainer itself knows nothing of the network and never waits for
it.
"""
