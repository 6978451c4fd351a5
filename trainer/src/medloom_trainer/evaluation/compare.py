"""The task `compare`: several checkpoints and one table → comparison.json and predictions.csv.

Each model reads the table with its own preprocessing. The models are compared on the cases that all of them
read, and for survival at times that all of them predict.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from medloom_trainer.contract.phrases import join, phrase
from medloom_trainer.contract.run_directory import file_name
from medloom_trainer.contract.spec import RUN_SCHEMA_VERSION
from medloom_trainer.errors import TrainerError
from medloom_trainer.evaluation.case_ids import id_columns
from medloom_trainer.evaluation.evaluate import measure, prediction_device, seen_in_training
from medloom_trainer.evaluation.result import predictions_table, table_csv
from medloom_trainer.evaluation.shared_cases import MeasuredModel, on_shared_cases
from medloom_trainer.files import write_atomically, write_json
from medloom_trainer.inference.checkpoint import Checkpoint, load_checkpoint
from medloom_trainer.inference.checkpoint_files import refuse_links_out
from medloom_trainer.metrics.differences import Difference, PairedDifferences
from medloom_trainer.metrics.statistics.holm import holm

_RESULT_FILE = file_name("comparison_result")
_PREDICTIONS_FILE = "predictions.csv"
_OF_EVERY_MODEL = ("file", "row", "split", "patient", "truth")
"""Prefixes of the prediction columns that are the same for every model."""

Progress = Callable[[str, float], None]


def compare(params: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """Return the result that contracts declare for `compare`; the caller has checked params."""
    progress(phrase("reading_checkpoints"), 0.0)
    roots = [Path(root) for root in params["roots"]]
    checkpoints = []
    for model in params["models"]:
        folder = Path(model["checkpoint"])
        refuse_links_out(folder, [*roots, Path(params["data_dir"])])
        checkpoints.append(load_checkpoint(folder))
    names = [model["name"] for model in params["models"]]
    for name, checkpoint in zip(names[1:], checkpoints[1:], strict=True):
        _refuse_other_task(names[0], checkpoints[0].state, name, checkpoint.state)
    count = len(names)
    models = [
        _measure(params, number, checkpoint, roots, _part_of(progress, names[number], number, count))
        for number, checkpoint in enumerate(checkpoints)
    ]
    progress(phrase("comparing"), 0.97)
    models, warnings = on_shared_cases(models)
    result = {**_facts(params, models), "pairs": _pairs(models), "warnings": warnings}
    out_dir = Path(params["out_dir"])
    content = table_csv(_predictions(models))
    write_atomically(out_dir / _PREDICTIONS_FILE, lambda target: target.write(content))
    write_json(out_dir / _RESULT_FILE, result)
    return result


def _refuse_other_task(
    name: str, state: Mapping[str, Any], other_name: str, other: Mapping[str, Any]
) -> None:
    """Raise MODELS_NOT_COMPARABLE if one model predicts other classes than the other, or a number."""
    mine, others = state["classes"], other["classes"]
    if (state["task"], mine) == (other["task"], others):
        return
    mine, others = mine or [], others or []
    only = sorted(set(mine) ^ set(others))
    if state["task"] != other["task"]:
        what = phrase("tasks_differ", first=state["task"], second=other["task"])
    elif only:
        what = phrase("classes_in_one_only", classes=", ".join(only[:10]))
    else:
        what = phrase("class_order_differs", first=", ".join(mine), second=", ".join(others))
    raise TrainerError(
        "MODELS_NOT_COMPARABLE", join(phrase("list_and", first=name, last=other_name), what, mark="colon")
    )


def _part_of(progress: Progress, name: str, number: int, count: int) -> Progress:
    return lambda message, fraction: progress(
        join(name, message, mark="colon"), 0.95 * (number + fraction) / count
    )


def _measure(
    params: Mapping[str, Any], number: int, checkpoint: Checkpoint, roots: Sequence[Path], progress: Progress
) -> MeasuredModel:
    model, csv, split = params["models"][number], Path(params["csv"]), params["split"]
    measured = measure(
        checkpoint,
        csv,
        image_root=None if model["image_root"] is None else Path(model["image_root"]),
        split=split,
        roots=roots,
        cache_dir=Path(params["cache_dir"]),
        device=prediction_device(params["device"]),
        source={"csv": params["csv"], "checkpoint": model["checkpoint"]},
        check=lambda cases: seen_in_training(checkpoint, cases, csv, split),
        progress=progress,
    )
    seed = checkpoint.state["config"]["training"]["seed"]
    return MeasuredModel(
        model["name"], seed, measured.result, measured.kind, measured.cases, measured.predictions
    )


def _facts(params: Mapping[str, Any], models: Sequence[MeasuredModel]) -> dict[str, Any]:
    first = models[0].result
    shared = ("split", "task", "classes", "positive_class", "num_cases", "class_counts", "software")
    own = ("threshold", "threshold_reason", "metrics", "notes", "intervals", "roc", "warnings")
    patients = (model.result["num_patients"] for model in models)
    return {
        "schema_version": RUN_SCHEMA_VERSION,
        "csv": params["csv"],
        **{key: first[key] for key in shared},
        "num_patients": next((count for count in patients if count is not None), None),
        "models": [
            {
                "name": model.name,
                **{key: model.result["source"][key] for key in ("checkpoint", "checkpoint_digest", "digest")},
                **{key: model.result[key] for key in own},
            }
            for model in models
        ],
        "predictions": _PREDICTIONS_FILE,
    }


def _pairs(models: Sequence[MeasuredModel]) -> list[dict[str, Any]]:
    """Compare each model with each that follows it; the p values of a metric are adjusted for all of these
    pairs."""
    outcomes = [
        model.kind.measured(
            np.asarray(model.cases.labels), model.predictions, model.kind.threshold_of(model.result)
        )
        for model in models
    ]
    patients = next((model.cases.patients for model in models if model.cases.patients is not None), None)
    paired = PairedDifferences(outcomes, patients, seed=models[0].seed)
    found = [(a, b, paired.between(a, b)) for a, b in combinations(range(len(models)), 2)]
    adjusted = _adjusted([differences for _, _, differences in found])
    pairs = []
    for (a, b, differences), p_holm in zip(found, adjusted, strict=True):
        agreement = paired.agreement(a, b)
        pairs.append(
            {
                "first": models[a].name,
                "second": models[b].name,
                "differences": {
                    name: {**one, "p_holm": p_holm.get(name)} for name, one in differences.items()
                },
                "agreement": None if agreement is None else agreement._asdict(),
            }
        )
    return pairs


def _adjusted(pairs: Sequence[Mapping[str, Difference]]) -> list[dict[str, float]]:
    """For each pair: metric → p, adjusted over the pairs that have one."""
    found: list[dict[str, float]] = [{} for _ in pairs]
    for name in pairs[0]:
        tested = [(number, p) for number, pair in enumerate(pairs) if (p := pair[name]["p"]) is not None]
        for (number, _), p_holm in zip(tested, holm([p for _, p in tested]), strict=True):
            found[number][name] = p_holm
    return found


def _predictions(models: Sequence[MeasuredModel]) -> dict[str, list[Any]]:
    """Column → N cells: the columns that all models share, then the columns of each model under its name."""
    tables = [predictions_table(model.result, model.kind, model.cases, model.predictions) for model in models]
    ids = {name: cells for model in models for name, cells in id_columns(model.cases).items()}
    columns = {
        name: cells for name, cells in tables[0].items() if name.startswith(_OF_EVERY_MODEL) or name in ids
    }
    for table in tables[1:]:
        if not any(columns["patient"]):
            columns["patient"] = table["patient"]
    columns |= ids
    for model, table in zip(models, tables, strict=True):
        columns |= {f"{model.name}: {name}": cells for name, cells in table.items() if name not in columns}
    return columns
