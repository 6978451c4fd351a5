"""A training in processes on several nodes of a Ray cluster. Nothing else in the trainer needs Ray."""
