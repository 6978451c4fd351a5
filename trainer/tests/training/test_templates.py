"""From a set as it was published to an evaluated model, with nothing but its template."""

from __future__ import annotations

from pathlib import Path

import pytest

from medloom_trainer.data.prepare import prepare
from medloom_trainer.data.tables.recipe.templates import recognize
from medloom_trainer.evaluation.evaluate import evaluate
from testing.checkpoints import evaluation_params
from testing.miniatures import ANSWERS, MINIATURES
from testing.synthetic import configuration, run

pytestmark = [pytest.mark.full, pytest.mark.usefixtures("quick_networks")]


@pytest.mark.parametrize("name", MINIATURES)
def test_a_set_is_trained_and_evaluated(tmp_path: Path, name: str) -> None:
    source = MINIATURES[name](tmp_path / "set")
    template = recognize(source)
    assert template is not None
    recipe = {**template.recipe, **ANSWERS.get(name, {})}
    data = template.settings.get("data", {})
    config = configuration(epochs=1, train_csv=str(source), recipe=recipe, **data)
    config["model"] |= template.settings.get("model", {})
    prepared = prepare(
        config, roots=[source], cache_dir=tmp_path / "cache", progress=lambda *_: None,
        should_stop=lambda: False,
    )  # fmt: skip
    outcome = run(tmp_path / "run", config, prepared)
    assert outcome.status == "completed"
    checkpoint = tmp_path / "run" / "checkpoints" / "best"
    words = recipe.get("split", {}).get("words", {"test": []})
    split = "test" if "test" in words else "val"
    params = evaluation_params(checkpoint, source, tmp_path / "out", roots=[str(source)], split=split)
    result = evaluate(params, lambda *_: None)
    assert result["num_cases"] > 0
