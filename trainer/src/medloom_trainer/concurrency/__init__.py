"""Pauses between attempts, work at an interval, and locks of files. Nothing else in the trainer sleeps."""
