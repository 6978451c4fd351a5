"""The code of docs/guides/export.md, run from the first line to the last, as by a reader who follows it."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import numpy as np
import pytest

from medloom_trainer.export import FORMATS, export_model
from medloom_trainer.export.network import outputs_of
from medloom_trainer.export.tables import WRITERS
from medloom_trainer.inference.checkpoint import load_checkpoint
from medloom_trainer.metrics.temperature import with_temperature
from testing.checkpoints import configuration, write_checkpoint, write_table

pytestmark = pytest.mark.slow

GUIDE = Path(__file__).parents[3] / "docs" / "guides" / "export.md"


@pytest.mark.parametrize("classes", [("no", "yes"), None])
def test_the_code_of_the_guide_runs(tmp_path, monkeypatch, classes):
    table = write_table(tmp_path / "train.csv", regression=classes is None)
    saved = load_checkpoint(
        write_checkpoint(tmp_path / "best", configuration(table, model__members=1), tmp_path / "cache")
    )
    if classes:
        saved.state["fitted_on_validation"]["temperature"] = {"value": 2.0, "reason": None}
    for name, row in FORMATS.items():
        (tmp_path / f"model{row.suffix}").write_bytes(export_model(saved, format=name).content)
    write_table(tmp_path / "new-cases.csv", seed=1, rows=6, regression=classes is None)
    with (tmp_path / "predictions.csv").open("wb") as file:
        WRITERS["CSV"][1](file, ["case_id"], [["007"]])
    monkeypatch.chdir(tmp_path)
    text = GUIDE.read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)
    assert len(blocks) == 8
    if classes is None:  # a regression has neither classes nor a threshold
        blocks = [block for block in blocks if "probabilities" not in block]
    seen: dict = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        for block in blocks:
            exec(compile(block, GUIDE.name, "exec"), seen)
    expected = outputs_of(seen["model"].network, list(seen["arrays"].values()))
    np.testing.assert_allclose(seen["from_onnx"], expected, atol=1e-3)
    np.testing.assert_allclose(seen["from_torchscript"].numpy(), expected, atol=1e-3)
    assert seen["document"] == seen["model"].document
    assert seen["rows"] == [{"case_id": "007"}]
    if classes:
        assert seen["document"]["temperature"] == {"value": 2.0, "applied": False}
        calibrated = with_temperature(seen["probabilities"].numpy(), 2.0)
        np.testing.assert_allclose(seen["calibrated"].numpy(), calibrated, atol=1e-6)
        assert len(seen["certain"]) == len(seen["called"]) == 6 and set(seen["certain"]) <= set(classes)


def test_the_guide_names_every_format_and_its_file():
    text = GUIDE.read_text(encoding="utf-8")
    for name, row in FORMATS.items():
        assert f"| {name} | `{row.suffix}` |" in text
