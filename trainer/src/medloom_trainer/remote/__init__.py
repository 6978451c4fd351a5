"""A training on a machine without a common folder with the service: a separate process fetches the files that
it needs and sends those that it writes. The trainer itself does not use the network and never waits for
it.
"""
