"""Titles of the baselines in texts."""

from __future__ import annotations

from medloom_trainer.data.types import Task

TABLE_BASELINES = ("logistic_regression", "cox_regression", "random_forest", "hist_gradient_boosting")
"""Baselines of contract Baselines that are fitted to the table."""
ABLATIONS = ("image_only", "table_only")
"""Baselines that are the model itself without one half of its inputs."""
_TITLES = {
    "logistic_regression": "logistic regression",
    "cox_regression": "Cox regression",
    "random_forest": "random forest",
    "hist_gradient_boosting": "gradient boosting",
    "image_only": "the image-only model",
    "table_only": "the table-only model",
}


def title_of(name: str, task: Task) -> str:
    """Return the title of a baseline for people; logistic regression predicts numbers as ridge regression."""
    if name == "logistic_regression" and task == "regression":
        return "ridge regression"
    return _TITLES[name]
