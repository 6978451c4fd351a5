"""Checking a training before it starts: what it would read and build, and how much memory that takes."""
