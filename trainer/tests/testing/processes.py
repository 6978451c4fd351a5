"""Other processes of a test, which share nothing with the process of the test."""

import multiprocessing

FORKS = multiprocessing.get_context("forkserver")
"""Each process is a copy of a server that has imported the libraries once."""
FORKS.set_forkserver_preload(["medloom_trainer.data.prepare", "pytest"])
