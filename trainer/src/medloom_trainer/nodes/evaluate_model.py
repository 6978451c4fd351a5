"""EvaluateModel: a trained model on test data. The values fitted in training are applied; nothing is
fitted."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from medloom_trainer.cases.case_set import CASE_ID, CaseSet, read_cases
from medloom_trainer.cases.catalog import is_chosen
from medloom_trainer.cases.checkpoint import open_checkpoint
from medloom_trainer.cases.leakage import check_test_data
from medloom_trainer.cases.node_task import Content, NodeTask, Outputs
from medloom_trainer.cases.outputs import placed_file
from medloom_trainer.cases.predictions import write_predictions
from medloom_trainer.contract.metric_catalogue import COMPARED_METRICS
from medloom_trainer.contract.phrases import Phrased, join, metric_name, phrase
from medloom_trainer.data.apply import column_of_split
from medloom_trainer.data.tables import make_table, split_words
from medloom_trainer.errors import TrainerError
from medloom_trainer.evaluation.case_ids import id_columns
from medloom_trainer.evaluation.comparison import predictions_name
from medloom_trainer.evaluation.evaluate import Measured, measure, prediction_device, trained_on_table
from medloom_trainer.evaluation.failure_images import failure_images
from medloom_trainer.evaluation.importance import Explained, explain
from medloom_trainer.evaluation.result import baseline_table, predictions_table
from medloom_trainer.folder_map import service_path
from medloom_trainer.inference.checkpoint import Checkpoint

_OF_CLASSES = ("classification", "multilabel")
"""Tasks for which the setting `metrics` chooses what is handed on."""


def run(task: NodeTask) -> Outputs:
    model, content = task.input("model"), task.input("test_dataset")
    if model["content"] != "trained_model":
        message = phrase("untrained_not_evaluated")
        raise TrainerError("INVALID_REQUEST", message, phrase("connect_trained_model"))
    task.progress(phrase("reading_checkpoint"), 0.0)
    checkpoint = open_checkpoint(task, model)
    cases = read_cases(task, content)
    # If no node divided the data, the table may contain the split of its cases.
    whole = content["split"] != "all"
    csv, split = service_path(task.open_blob(content["table"])), content["split"] if whole else "test"
    tested = cases if whole else _cases_of(cases, split, checkpoint.state["preprocessing"])
    leaks = check_test_data(task, model, checkpoint, content, tested)
    measured = measure(
        checkpoint,
        csv,
        image_root=None,
        split=split,
        roots=task.roots,
        cache_dir=task.cache_dir,
        device=prediction_device(task.device),
        calibrated=task.config["calibrated"],
        source={"csv": f"table {content['table']['sha256'][:16]}", "checkpoint": model["checkpoint"]},
        check=lambda found: [*leaks, *trained_on_table(checkpoint.state, found.digest, csv, split)],
        progress=task.progress,
        whole_table=whole,
        **_columns(checkpoint.state["preprocessing"], cases),
    )
    explained = _explained(task, checkpoint, measured)
    return _outputs(task, measured, cases, explained)


def _explained(task: NodeTask, checkpoint: Checkpoint, measured: Measured) -> Explained | None:
    """The importance of the inputs, if it is requested."""
    repeats = task.config["importance"]
    if repeats is None:
        return None
    return explain(
        checkpoint,
        measured.cases,
        measured.store,
        measured.result,
        repeats=repeats,
        device=prediction_device(task.device),
        progress=lambda message, fraction: task.progress(message, 0.9 + 0.1 * fraction),
    )


def _cases_of(cases: CaseSet, split: str, preprocessing: Mapping[str, Any]) -> CaseSet:
    """The cases that `measure` will read."""
    words = split_words(cases.table, column_of_split(cases.table, preprocessing))
    return cases if words is None else cases.take([row for row, word in enumerate(words) if word == split])


def _columns(preprocessing: Mapping[str, Any], cases: CaseSet) -> dict[str, str | None]:
    """Label and patient columns with their names in training, or else with those of this table, which no
    recipe has to make."""
    chosen: dict[str, str | None] = {"recipe": None} if "recipe" in preprocessing else {}
    for name, own in (("label_column", cases.label_column), ("patient_column", cases.patient_column)):
        if name == "label_column" and preprocessing.get("label_columns") is not None:
            continue  # several labels have the names of the training
        trained = preprocessing[name]
        chosen[name] = own if trained not in cases.table.cells and own is not None else trained
    return chosen


def _outputs(task: NodeTask, measured: Measured, cases: CaseSet, explained: Explained | None) -> Outputs:
    result = measured.result
    own = predictions_table(result, measured.kind, measured.cases, measured.predictions)
    table = {**own, **measured.columns}
    id_of_line = dict(zip(cases.table.lines.tolist(), cases.case_ids, strict=True))
    ids = [id_of_line[line] for line in measured.cases.rows.tolist()]
    others = [name for name in id_columns(measured.cases) if name != CASE_ID]
    predictions = {**_stored(task, ids, table), **({"id_columns": others} if others else {})}
    blob = predictions["table"]
    files = {}
    if task.config["save_predictions"]:
        result["predictions"] = f"predictions-{blob['sha256'][:8]}.csv"
        of_baselines = _files_of_baselines(task, measured, ids)
        ablation = _file_of_ablation(task, explained, ids)
        files = {"files": [placed_file("Predictions", blob, result["predictions"]), *of_baselines, *ablation]}
    if explained is not None:
        result["importance"] = explained.result
    if result["task"] not in _OF_CLASSES and is_chosen(task, "metrics"):
        named = ", ".join(COMPARED_METRICS[result["task"]])
        message = phrase("metrics_without_effect", task=result["task"], metrics=named)
        task.warn("SETTING_WITHOUT_EFFECT", message)
    for warning in result["warnings"]:
        task.warn(warning["code"], warning["message"])
    document = task.put_blob(_json(result), ".json")
    images = _images(task, measured)
    metrics = _headline(result, task.config["metrics"])
    matrix = {
        "content": "confusion_matrix",
        "classes": result["classes"],
        "matrix": result["confusion_matrix"],
    }
    shown = [
        phrase("metric", metric=metric_name(name), value=_rounded(value)) for name, value in metrics.items()
    ]
    return {
        "metrics": (
            {"content": "evaluation", "document": document, "metrics": metrics, **files, **images},
            join(*shown) if shown else phrase("no_metric"),
        ),
        "predictions": (predictions, phrase("predictions", count=len(ids))),
        "confusion_matrix": (matrix, _matrix_in_words(result)),
    }


def _stored(task: NodeTask, ids: Sequence[str], table: Mapping[str, Sequence[Any]]) -> Content:
    texts = {name: list(map(str, cells)) for name, cells in table.items() if name != CASE_ID}
    columns = {CASE_ID: list(ids), **texts}
    return write_predictions(task, make_table("predictions", columns))


def _files_of_baselines(task: NodeTask, measured: Measured, ids: Sequence[str]) -> list[Content]:
    """The predictions of each baseline, in the form of those of the model."""
    files = []
    for baseline, one in zip(measured.baselines, measured.result["baselines"], strict=True):
        table = baseline_table(measured.result, one, measured.kind, measured.cases, baseline)
        one["predictions"] = predictions_name(measured.result["predictions"], baseline.name)
        title = f"Predictions, {baseline.title}"
        files.append(placed_file(title, _stored(task, ids, table)["table"], one["predictions"]))
    return files


def _file_of_ablation(task: NodeTask, explained: Explained | None, ids: Sequence[str]) -> list[Content]:
    """Every case without images and without the table, if the model reads both."""
    if explained is None or explained.table is None:
        return []
    blob = _stored(task, ids, explained.table)["table"]
    name = f"ablation-{blob['sha256'][:8]}.csv"
    explained.result["predictions"] = name
    return [placed_file("Predictions without images or table", blob, name)]


def _images(task: NodeTask, measured: Measured) -> dict[str, Any]:
    """Images of the failure cases, for a report; stored among the artifacts of the service."""
    if measured.store is None:
        return {}
    images = failure_images(measured.result["failures"], measured.cases, measured.store)
    return {"failure_images": task.put_blob(_json(images), ".json")}


def _headline(result: Mapping[str, Any], chosen: Sequence[str]) -> dict[str, float | None]:
    """The chosen metrics, in the order of the config, with their names in an evaluation.

    Precision and recall are those of the positive class, or the means over all classes; null if one class has
    none. For several labels accuracy is that of all of them, and the others are means over them. Numbers and
    times to an event have separate metrics.
    """
    values: Mapping[str, float | None] = result["metrics"]
    if result["task"] not in _OF_CLASSES:
        return {name: values[name] for name in COMPARED_METRICS[result["task"]]}
    accuracy = values["subset_accuracy" if result["task"] == "multilabel" else "accuracy"]
    known = {"accuracy": accuracy, "f1_score": values["f1_score"], "auc": values["auc"]}
    for name, source in (("precision", "ppv"), ("recall", "sensitivity")):
        known[name] = values.get(source) if result["per_class"] is None else _mean(result, source)
    names = ("f1_score" if name == "f1" else name for name in chosen)
    return {name: known[name] for name in names}


def _mean(result: Mapping[str, Any], metric: str) -> float | None:
    values = [row["metrics"][metric] for row in result["per_class"]]
    return None if None in values else sum(values) / len(values)


def _matrix_in_words(result: Mapping[str, Any]) -> Phrased:
    if result["confusion_matrix"] is None:
        return phrase("no_matrix", task=result["task"])
    return phrase("by_classes", count=len(result["classes"]))


def _rounded(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"


def _json(value: Content) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode("utf-8")
