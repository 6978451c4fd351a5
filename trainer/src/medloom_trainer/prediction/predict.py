"""The task `predict`: a checkpoint and new cases → predictions with their warnings and errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import phrase, with_phrases
from medloom_trainer.csv_table import Cell
from medloom_trainer.data.each_case import CaseError, EachCase, prepare_each_case
from medloom_trainer.data.tables import require_column
from medloom_trainer.evaluation.evaluate import prediction_device
from medloom_trainer.inference.checkpoint_files import refuse_links_out
from medloom_trainer.prediction.decision import FIELDS, Decision, Statements
from medloom_trainer.prediction.findings import by_case, findings_of, ranges_unknown, unlike_training
from medloom_trainer.prediction.inputs import REQUEST, input_digests, read_new_cases, warnings_of_columns
from medloom_trainer.prediction.outputs import outputs_of
from medloom_trainer.prediction.resident import Model, resident
from medloom_trainer.prediction.table_file import write_table
from medloom_trainer.software import software_versions

Progress = Callable[[str, float], None]


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
    source = read_new_cases(params, state, roots)
    if params["id_column"] is not None:
        require_column(source.table, params["id_column"], "the id column")
    notices = warnings_of_columns(source.table, state["preprocessing"], params["id_column"])
    prepared = prepare_each_case(
        state["preprocessing"],
        source,
        roots=roots,
        cache_dir=Path(params["cache_dir"]),
        few=params["rows"] is not None,
        report=lambda message, fraction: progress(message, 0.05 + 0.45 * fraction),
    )
    answers = Answers.create(prepared, model, decision, params, device, progress)
    file = _write_file(answers, params, progress)
    returned = min(params["returned"], len(answers))
    return {
        "basis": {**decision.basis(), **_facts(model)},
        "num_cases": len(answers),
        "num_failed": len(answers.errors),
        "predictions": [answers.prediction(row) for row in range(returned)],
        "file": file,
        "input_digests": input_digests(prepared, state["preprocessing"], returned),
        "warnings": [*prepared.warnings, *notices, *ranges_unknown(state["preprocessing"])],
        "software": software_versions(),
    }


def _facts(model: Model) -> dict[str, Any]:
    reference = model.checkpoint.state["preprocessing"].get("reference") or {}
    return {
        "checkpoint_digest": model.checkpoint.digest,
        "epoch": model.checkpoint.manifest.get("epoch"),
        "training_cases": reference.get("cases"),
        "training_patients": reference.get("patients"),
        "image_distance": None if model.image_reference is None else model.image_reference.facts(),
    }


@dataclass(frozen=True)
class Answers:
    """Predictions of the N rows of a request."""

    prepared: EachCase
    statements: Statements
    case_of_row: npt.NDArray[np.int64]
    """(N,) position of the case, -1 if the row was not prepared."""
    errors: Mapping[int, CaseError]
    """Row → error."""
    warnings: Sequence[Sequence[Mapping[str, Any]]]
    """By case."""
    id_column: str | None

    @staticmethod
    def create(
        prepared: EachCase,
        model: Model,
        decision: Decision,
        params: Mapping[str, Any],
        device: str,
        progress: Progress,
    ) -> Answers:
        outputs = outputs_of(model, prepared, device, progress)
        statements = Statements(decision, outputs.predictions, outputs.members)
        case_of_row = np.full(len(prepared.source.table), -1, dtype=np.int64)
        case_of_row[prepared.rows] = np.arange(len(prepared.rows))
        errors = dict(prepared.errors)
        undefined = phrase("case_predicted_nan")
        for case in statements.undefined.tolist():
            errors.setdefault(int(prepared.rows[case]), CaseError("TRAINER_FAILED", undefined, None))
        preprocessing = model.checkpoint.state["preprocessing"]
        findings = findings_of(prepared, preprocessing)
        if outputs.distances is not None and model.image_reference is not None:
            findings += unlike_training(prepared, outputs.distances, model.image_reference)
        found = by_case(findings, len(prepared.rows))
        column = params["id_column"] or preprocessing["patient_column"]
        column = column if column in prepared.source.table.cells else None
        return Answers(prepared, statements, case_of_row, errors, found, column)

    def __len__(self) -> int:
        return len(self.case_of_row)

    def prediction(self, row: int) -> dict[str, Any]:
        """Contract Prediction."""
        table, error, case = self.prepared.source.table, self.errors.get(row), int(self.case_of_row[row])
        file, line = table.place(row)
        return {
            "row": line,
            "file": None if table.name == REQUEST else file,
            "id": None if self.id_column is None else table.cells[self.id_column][row] or None,
            **(dict.fromkeys(FIELDS) if error is not None else self.statements.of_case(case)),
            "warnings": [] if error is not None else list(self.warnings[case]),
            "error": None if error is None else with_phrases(vars(error)),
        }

    def columns(self, identifiers: Sequence[str]) -> dict[str, Callable[[range], Sequence[Cell]]]:
        """Columns of the file: name → function that returns the cells of a range of rows. identifiers:
        columns of the table."""
        table, cases = self.prepared.source.table, self.case_of_row
        stated = self.statements.columns

        def of_case(cells: Sequence[Any]) -> Callable[[range], Sequence[Cell]]:
            return lambda rows: [None if row in self.errors else cells[cases[row]] for row in rows]

        def of_table(texts: Sequence[str]) -> Callable[[range], Sequence[Cell]]:
            return lambda rows: texts[rows.start : rows.stop]

        own: dict[str, Callable[[range], Sequence[Cell]]] = {
            "file": lambda rows: [table.place(row)[0] for row in rows],
            "row": lambda rows: [table.place(row)[1] for row in rows],
        }
        last: dict[str, Callable[[range], Sequence[Cell]]] = {
            **{name: of_case(cells) for name, cells in stated.items()},
            "warnings": lambda rows: [self._warning_codes(row) for row in rows],
            "error": lambda rows: [self._error_text(row) for row in rows],
        }
        named = {
            name if name not in own and name not in last else f"input_{name}": of_table(table.cells[name])
            for name in identifiers
        }
        return {**own, **named, **last}

    def _warning_codes(self, row: int) -> str:
        if row in self.errors:
            return ""
        return "|".join(dict.fromkeys(one["code"] for one in self.warnings[self.case_of_row[row]]))

    def _error_text(self, row: int) -> str:
        error = self.errors.get(row)
        return "" if error is None else f"{error.code}: {error.message}"


def _write_file(answers: Answers, params: Mapping[str, Any], progress: Progress) -> str | None:
    """The name of the file; None if none is requested."""
    if params["out_dir"] is None:
        return None
    table = answers.prepared.source.table
    views = answers.prepared.views
    images = [] if views is None else list(dict.fromkeys(views.columns))
    identifiers = [column for column in dict.fromkeys([answers.id_column, *images]) if column in table.cells]
    return write_table(
        Path(params["out_dir"]),
        params["format"],
        answers.columns([column for column in identifiers if column is not None]),
        len(answers),
        lambda fraction: progress(phrase("writing_table"), 0.85 + 0.15 * fraction),
    )
