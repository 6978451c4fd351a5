"""Titles of the baselines in texts."""

from __future__ import annotations

from collections.abc import Mapping

from medloom_trainer.contract.codes import PhraseCode
from medloom_trainer.contract.phrases import Phrased, phrase
from medloom_trainer.data.types import Task

TABLE_BASELINES = ("logistic_regression", "cox_regression", "random_forest", "hist_gradient_boosting")
"""Baselines of contract Baselines that are fitted to the table."""
ABLATIONS = ("image_only", "table_only")
"""Baselines that are the model itself without one half of its inputs."""
_TITLES: Mapping[str, PhraseCode] = {
    "logistic_regression": "logistic_regression",
    "cox_regression": "cox_regression",
    "random_forest": "random_forest",
    "hist_gradient_boosting": "hist_gradient_boosting",
    "image_only": "image_only_model",
    "table_only": "table_only_model",
}


def title_of(name: str, task: Task) -> Phrased:
    """Return the title of a baseline for people; logistic regression predicts numbers as ridge regression."""
    if name == "logistic_regression" and task == "regression":
        return phrase("ridge_regression")
    return phrase(_TITLES[name])
