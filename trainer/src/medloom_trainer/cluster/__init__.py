"""A training in processes on several nodes of a Ray cluster. Nothing else of the trainer needs Ray."""
