"""The answers of a model to rows of a table: a prediction with its warnings, or an error, for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import phrase, with_phrases
from medloom_trainer.csv_table import Cell
from medloom_trainer.data.each_case import CaseError, EachCase
from medloom_trainer.prediction.decision import FIELDS, Decision, Statements
from medloom_trainer.prediction.findings import Finding, by_case, findings_of, unlike_training
from medloom_trainer.prediction.inputs import REQUEST
from medloom_trainer.prediction.outputs import Outputs, outputs_of
from medloom_trainer.prediction.resident import Model

Progress = Callable[[str, float], None]


def basis_of(model: Model, decision: Decision) -> dict[str, Any]:
    """Contract PredictionBasis."""
    reference = model.checkpoint.state["preprocessing"].get("reference") or {}
    return {
        **decision.basis(),
        "checkpoint_digest": model.checkpoint.digest,
        "epoch": model.checkpoint.manifest.get("epoch"),
        "training_cases": reference.get("cases"),
        "training_patients": reference.get("patients"),
        "image_distance": None if model.image_reference is None else model.image_reference.facts(),
    }


@dataclass(frozen=True)
class Answers:
    """Predictions of N rows."""

    prepared: EachCase
    outputs: Outputs
    statements: Statements
    case_of_row: npt.NDArray[np.int64]
    """(N,) position of the case, -1 if the row was not prepared."""
    errors: Mapping[int, CaseError]
    """Row → error."""
    findings: Sequence[Finding]
    warnings: Sequence[Sequence[Mapping[str, Any]]]
    """The findings about each case."""
    id_column: str | None

    @staticmethod
    def create(
        prepared: EachCase,
        model: Model,
        decision: Decision,
        *,
        id_column: str | None,
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
        column = id_column or preprocessing["patient_column"]
        column = column if column in prepared.source.table.cells else None
        return Answers(prepared, outputs, statements, case_of_row, errors, findings, found, column)

    def __len__(self) -> int:
        return len(self.case_of_row)

    @property
    def identifiers(self) -> list[str]:
        """Columns of the table that identify the cases: the ids and the images."""
        views, cells = self.prepared.views, self.prepared.source.table.cells
        images = () if views is None else views.columns
        return [
            name for name in dict.fromkeys([self.id_column, *images]) if name is not None and name in cells
        ]

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

    def columns(self) -> dict[str, Callable[[range], Sequence[Cell]]]:
        """Columns of the file: name → function that returns the cells of a range of rows."""
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
            for name in self.identifiers
        }
        return {**named, **own, **last}

    def _warning_codes(self, row: int) -> str:
        if row in self.errors:
            return ""
        return "|".join(dict.fromkeys(one["code"] for one in self.warnings[self.case_of_row[row]]))

    def _error_text(self, row: int) -> str:
        error = self.errors.get(row)
        return "" if error is None else f"{error.code}: {error.message}"
