"""Recipes: files as people have them → the canonical table that everything else reads (data.recipe).

`source.py` is the one function that reads a source with or without a recipe; `compile.py` names the steps,
each of which has a module; `kept.py` keeps the result. Nothing in a recipe runs code.
"""
