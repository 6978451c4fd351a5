"""PredictCases: a trained model and cases without labels → predictions, each with its warnings or its error,
as in the task `predict`. Labels are not read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from medloom_trainer.cases.case_set import CASE_ID, CaseSet, read_cases
from medloom_trainer.cases.checkpoint import open_checkpoint
from medloom_trainer.cases.leakage import repeated_cases
from medloom_trainer.cases.node_task import Content, NodeTask, Outputs
from medloom_trainer.cases.predictions import write_predictions
from medloom_trainer.contract.codes import WarningCode
from medloom_trainer.contract.phrases import Phrased, listing, phrase
from medloom_trainer.csv_table import Cell
from medloom_trainer.data.each_case import prepare_each_case
from medloom_trainer.data.splits import store_version_of
from medloom_trainer.data.tables import ImageTable, make_table, require_column
from medloom_trainer.errors import TrainerError
from medloom_trainer.evaluation.evaluate import prediction_device
from medloom_trainer.prediction.answers import Answers, basis_of
from medloom_trainer.prediction.decision import Decision
from medloom_trainer.prediction.findings import ranges_unknown
from medloom_trainer.prediction.inputs import warnings_of_columns
from medloom_trainer.prediction.resident import Model
from medloom_trainer.prediction.training_cases import not_new, seen_in_training
from medloom_trainer.warnings import Warnings, warning

_FINDINGS_SHOWN = 5


def run(task: NodeTask) -> Outputs:
    given, content = _model(task), task.input("cases")
    task.progress(phrase("reading_checkpoint"), 0.0)
    model = Model.of(open_checkpoint(task, given))
    config = task.config
    decision = Decision.create(
        model.checkpoint.state, calibrated=config["calibrated"], operating_point=config["operating_point"]
    )
    cases = read_cases(task, content)
    trained_patient = model.checkpoint.state["preprocessing"]["patient_column"]
    patient = trained_patient if trained_patient in cases.table.cells else cases.patient_column
    answers, notices = _answer(task, model, decision, cases, patient)
    known = seen_in_training(answers.prepared, patient, model.seen) or _same_cases(
        task, given, model, content
    )
    task.warnings.extend([*known, *notices, *_found(answers)])
    predictions = write_predictions(task, make_table("predictions", _columns(answers, cases)))
    return {
        "predictions": (predictions, phrase("predictions", count=len(answers) - len(answers.errors))),
        "basis": _basis(basis_of(model, decision)),
    }


def _model(task: NodeTask) -> Content:
    """Checkpoint and digest of the model: a registered one, which the service has found, or the connected
    one."""
    registered: Content | None = task.config.get("registered")
    if registered is not None:
        return registered
    model = task.input("model")
    if model["content"] != "trained_model":
        message = phrase("untrained_not_predicting")
        raise TrainerError("INVALID_REQUEST", message, phrase("connect_trained_model"))
    return model


def _answer(
    task: NodeTask,
    model: Model,
    decision: Decision,
    cases: CaseSet,
    patient: str | None,
) -> tuple[Answers, Warnings]:
    """The answers, and the warnings about all cases."""
    preprocessing = model.checkpoint.state["preprocessing"]
    named = task.config["id_column"]
    if named is not None:
        require_column(cases.table, named, "id_column")
    prepared = prepare_each_case(
        preprocessing,
        ImageTable(cases.table, Path("/")),
        roots=task.roots,
        cache_dir=task.cache_dir,
        few=False,
        report=lambda message, fraction: task.progress(message, 0.05 + 0.45 * fraction),
        store_version=store_version_of(model.seen),
    )
    answers = Answers.create(
        prepared,
        model,
        decision,
        id_column=named or patient,
        device=prediction_device(task.device),
        progress=task.progress,
    )
    notices = warnings_of_columns(cases.table, preprocessing, [CASE_ID, named, patient])
    return answers, [*prepared.warnings, *notices, *ranges_unknown(preprocessing)]


def _basis(facts: dict[str, Any]) -> tuple[Content, Phrased]:
    count = facts["training_cases"]
    summary = phrase("name", name=facts["task"]) if count is None else phrase("training_cases", count=count)
    return {"content": "config", "settings": {}, "facts": facts}, summary


def _columns(answers: Answers, cases: CaseSet) -> dict[str, list[str]]:
    """The columns of the file of predictions after the case ids; without file and row if the cases are listed
    images."""
    rows = range(len(answers))
    columns = {name: cells(rows) for name, cells in answers.columns().items()}
    if cases.table.origin is None:
        del columns["file"], columns["row"]
    return {CASE_ID: cases.case_ids, **{name: _texts(cells) for name, cells in columns.items()}}


def _texts(cells: Sequence[Cell]) -> list[str]:
    return ["" if cell is None else str(cell) for cell in cells]


def _found(answers: Answers) -> Iterator[dict[str, Any]]:
    """One warning for each kind of finding, with the number of predicted cases; never a value of a case."""
    by_code: dict[WarningCode, list[Phrased]] = defaultdict(list)
    rows = answers.prepared.rows
    for one in answers.findings:
        count = sum(row not in answers.errors for row in rows[one.cases].tolist())
        if count:
            by_code[one.code].append(phrase("cases_with_finding", count=count, finding=one.message))
    for code, messages in by_code.items():
        yield warning(code, listing(messages, _FINDINGS_SHOWN, mark="semicolon"))
    if answers.errors:
        yield warning("CASES_NOT_PREDICTED", phrase("cases_failed", count=len(answers.errors)))


def _same_cases(task: NodeTask, given: Content, model: Model, content: Content) -> Warnings:
    """A warning about cases of the training table, which may have neither patients nor images. A registered
    model does not contain its tables."""
    if "train_table" not in given:
        return []
    split_column = model.checkpoint.state["preprocessing"]["split_column"]
    count = repeated_cases(task, given, split_column, content)
    return [not_new(phrase("cases_repeated", count=count))] if count else []
