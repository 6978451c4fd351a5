"""The task `predict`: a checkpoint and new cases → predictions with their warnings and errors."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.each_case import FEWEST_COLUMNS, EachCase, prepare_each_case
from medloom_trainer.data.splits import SeenCases, store_version_of
from medloom_trainer.data.tables import require_column
from medloom_trainer.evaluation.evaluate import prediction_device
from medloom_trainer.follow_up.collect import Request, collect
from medloom_trainer.follow_up.records import FollowUpFolder
from medloom_trainer.inference.checkpoint_files import refuse_links_out
from medloom_trainer.prediction.answers import Answers, Progress, basis_of
from medloom_trainer.prediction.decision import Decision
from medloom_trainer.prediction.findings import ranges_unknown
from medloom_trainer.prediction.inputs import input_digests, read_new_cases, warnings_of_columns
from medloom_trainer.prediction.resident import Model, resident
from medloom_trainer.prediction.table_file import write_table
from medloom_trainer.prediction.training_cases import seen_in_training
from medloom_trainer.software import software_versions
from medloom_trainer.warnings import Warnings


def predict(params: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """Return the result that contracts declare for `predict`; the caller has checked params.

    A case that cannot be predicted has an error. Errors about all cases: those of the checkpoint and of the
    table, COLUMN_NOT_FOUND if they lack the inputs of the model, OPERATING_POINT_NOT_FOUND.
    """
    progress(phrase("reading_checkpoint"), 0.0)
    folder, roots = Path(params["checkpoint"]), [Path(root) for root in params["roots"]]
    # Check at each call: a link may have replaced what the service checked.
    refuse_links_out(folder, [*roots, Path(params["data_dir"])])
    device = prediction_device(params["device"])
    model = resident(folder, device)
    state = model.checkpoint.state
    decision = Decision.create(
        state, calibrated=params["calibrated"], operating_point=params["operating_point"]
    )
    cases = read_new_cases(params, state, roots)
    table = cases.source.table
    if params["id_column"] is not None:
        require_column(table, params["id_column"], "the id column")
    notices = warnings_of_columns(table, state["preprocessing"], [params["id_column"]])
    prepared = prepare_each_case(
        state["preprocessing"],
        cases.source,
        roots=roots,
        cache_dir=Path(params["cache_dir"]),
        few=params["rows"] is not None,
        fewest_columns=0 if params["allow_missing_columns"] else FEWEST_COLUMNS,
        report=lambda message, fraction: progress(message, 0.05 + 0.45 * fraction),
        store_version=store_version_of(model.seen),
        errors=cases.errors,
    )
    answers = Answers.create(
        prepared, model, decision, id_column=params["id_column"], device=device, progress=progress
    )
    file = _write_file(answers, params, progress)
    _collect(answers, model, params)
    returned = min(params["returned"], len(answers))
    return {
        "basis": basis_of(model, decision),
        "num_cases": len(answers),
        "num_failed": len(answers.errors),
        "predictions": [answers.prediction(row) for row in range(returned)],
        "file": file,
        "input_digests": input_digests(prepared, state["preprocessing"], returned),
        "warnings": [
            *_of_training(prepared, state["preprocessing"]["patient_column"], model.seen),
            *prepared.warnings,
            *notices,
            *ranges_unknown(state["preprocessing"]),
        ],
        "software": software_versions(),
    }


def _of_training(prepared: EachCase, patient: str | None, seen: SeenCases | None) -> Warnings:
    """Warnings about cases of the training, if anything could identify them."""
    patient = patient if patient in prepared.table.cells else None
    if patient is None and prepared.views is None:
        return []
    return seen_in_training(prepared, patient, seen)


def _write_file(answers: Answers, params: Mapping[str, Any], progress: Progress) -> str | None:
    """The name of the file; None if none is requested."""
    if params["out_dir"] is None:
        return None
    return write_table(
        Path(params["out_dir"]),
        params["format"],
        answers.columns(),
        len(answers),
        lambda fraction: progress(phrase("writing_table"), 0.85 + 0.15 * fraction),
    )


def _collect(answers: Answers, model: Model, params: Mapping[str, Any]) -> None:
    """Add the cases to the open follow-ups of the model."""
    for one in params["follow_ups"]:
        folder = FollowUpFolder(Path(one["folder"]))
        if not folder.exists:
            continue
        request = Request(
            name=params["prediction_id"],
            at=params["requested_at"],
            checkpoint_digest=model.checkpoint.digest,
            prepared=answers.prepared,
            predictions=answers.outputs.predictions,
            distances=answers.outputs.distances,
            failed=list(answers.errors),
        )
        collect(
            folder,
            request,
            model.checkpoint.state["preprocessing"],
            one["id_column"] or answers.id_column,
        )
