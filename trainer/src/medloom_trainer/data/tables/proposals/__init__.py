"""Proposals of recipes: a folder as it is → the recipe that makes one table of its files, the evidence for
each part of it, and the questions that only a person can answer."""

from medloom_trainer.data.tables.proposals.propose import propose_recipe

__all__ = ["propose_recipe"]
