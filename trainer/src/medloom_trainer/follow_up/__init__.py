"""Follow-ups: predictions that were collected over time, their outcomes, and what both show about a model."""
