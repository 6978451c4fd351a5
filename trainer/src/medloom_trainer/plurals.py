"""Counts with their noun, for messages."""

from __future__ import annotations


def pluralize(count: int, noun: str, plural: str | None = None) -> str:
    """ "1 patient", "2 patients"; plural: if it is not the noun and "s"."""
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"
