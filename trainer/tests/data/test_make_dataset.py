"""The synthetic dataset: reproducible, divided by patient, and its best possible result is the stated one."""

from __future__ import annotations

import csv
import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from PIL import Image
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from testing.workspace import Workspace

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).parents[3] / "examples" / "make_dataset.py"


Make = Callable[..., dict[str, object]]


@pytest.fixture
def make(script: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Make:
    """Output of the script, run in this process with this folder and these options."""

    def made(out: Path, *options: str) -> dict[str, object]:
        monkeypatch.setattr(sys, "argv", [str(SCRIPT), str(out), *options])
        script.main()
        facts: dict[str, object] = json.loads(capsys.readouterr().out)
        assert facts == json.loads((out / "facts.json").read_text())
        return facts

    return made


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_dataset", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["make_dataset"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def quick_facts(script: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """The best result, which these tests do not read, is estimated from few cases."""
    few = partial(script.best_results, cases=200, draws=10)
    monkeypatch.setattr(script, "best_results", few)


def test_the_same_arguments_give_the_same_files(tmp_path: Path, make: Make) -> None:
    """Also those of another process."""
    options = ("--cases", "40", "--size", "16", "--views", "2", "--task", "regression")
    subprocess.run([sys.executable, str(SCRIPT), str(tmp_path / "a"), *options], check=True)
    make(tmp_path / "b", *options)
    make(tmp_path / "c", *options, "--seed", "1")
    files = sorted(file.relative_to(tmp_path / "a") for file in (tmp_path / "a").rglob("*") if file.is_file())
    assert all((tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes() for file in files)
    assert (tmp_path / "a/train.csv").read_bytes() != (tmp_path / "c/train.csv").read_bytes()
    rows = list(csv.DictReader((tmp_path / "a/train.csv").open()))
    assert rows[0]["image_1"] and any(row["image_2"] == "" for row in rows)


@pytest.mark.usefixtures("quick_facts")
@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
def test_it_can_be_trained_on_without_a_warning_about_its_data(
    work: Workspace, make: Make, task: str
) -> None:
    facts = make(work.folder, "--cases", "120", "--size", "32", "--task", task)
    tables = {f"{split}_csv": str(work.folder / f"{split}.csv") for split in ("train", "val", "test")}
    prepared = work.prepare(**tables, image_size=[32, 32])
    assert prepared.task == ("regression" if task == "regression" else "classification")
    assert prepared.summary["splits"]["train"]["cases"] == facts["cases"]["train"]  # type: ignore[index]
    assert (prepared.summary["numeric_columns"], prepared.summary["categorical_columns"]) == (
        ["age", "marker"], ["sex", "site"],
    )  # fmt: skip
    assert prepared.summary["warnings"] == []


def test_fusion_is_clearly_better_than_either_alone(script: ModuleType) -> None:
    for task in ("binary", "multiclass", "regression"):
        best = script.best_results(task, cases=4000, draws=200)
        assert best["both"] > max(best["image"], best["table"]) + 0.1


@pytest.mark.full
def test_no_model_of_the_causes_beats_the_best_result(script: ModuleType) -> None:
    """A logistic regression on the causes themselves, without gaps, reaches it and does not exceed it."""
    rng = np.random.default_rng(0)
    causes = script.draw_causes(rng, np.arange(20_000))
    event = np.asarray(script.draw_labels(rng, causes, "binary")) == "malignant"
    best = script.best_results("binary")
    columns = causes.matrix()
    for name, chosen, tolerance in (("image", [0, 1], 0.015), ("both", [0, 1, 2, 3, 4], 0.035)):
        fitted = LogisticRegression().fit(columns[:10_000, chosen], event[:10_000])
        auc = roc_auc_score(event[10_000:], fitted.predict_proba(columns[10_000:, chosen])[:, 1])
        assert abs(auc - best[name]) < tolerance


def test_the_image_shows_its_causes(script: ModuleType) -> None:
    def drawn(contrast: float, irregularity: float) -> np.ndarray:
        images = [
            script.draw_lesion(np.random.default_rng(seed), 48, contrast, irregularity) for seed in range(20)
        ]
        return np.stack(images).astype(float)[..., 1]

    darkest = [np.percentile(drawn(contrast, 0.5), 5) for contrast in (0.1, 0.5, 0.9)]
    assert darkest[0] > darkest[1] + 10 > darkest[2] + 20

    def border(images: np.ndarray) -> float:
        """Length of the border of the dark areas."""
        dark = images < 100
        return float((dark[:, 1:] != dark[:, :-1]).sum() + (dark[:, :, 1:] != dark[:, :, :-1]).sum())

    assert border(drawn(0.8, 0.9)) > 1.2 * border(drawn(0.8, 0.1))


@pytest.mark.usefixtures("quick_facts")
def test_images_open(tmp_path: Path, make: Make) -> None:
    make(tmp_path, "--cases", "30", "--size", "16", "--task", "regression")
    with Image.open(tmp_path / "images/case_00001.png") as image:
        assert (image.size, image.mode) == ((16, 16), "RGB")
