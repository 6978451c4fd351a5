"""A follow-up with its folder, and the tasks on it."""

import csv
import json
from datetime import datetime, timedelta
from pathlib import Path

from jsonschema import Draft202012Validator

from medloom_trainer.contract.schemas import task_schemas
from medloom_trainer.follow_up.coverage import follow_up_coverage
from medloom_trainer.follow_up.evaluate import follow_up_evaluate
from medloom_trainer.follow_up.outcomes import follow_up_outcomes
from testing.predictions import predicted

TASKS = {
    "follow_up_coverage": follow_up_coverage,
    "follow_up_outcomes": follow_up_outcomes,
    "follow_up_evaluate": follow_up_evaluate,
}


def time_of(day):
    """Noon of a day, counted from 1 January 2026."""
    return f"{datetime(2026, 1, 1, 12) + timedelta(days=day - 1):%Y-%m-%dT%H:%M:%S.000Z}"


class FollowUp:
    """A follow-up of windows of 30 days from 1 January 2026, inside a folder."""

    def __init__(self, checkpoint, folder, id_column=None):
        self.checkpoint, self.folder, self.id_column = Path(checkpoint), Path(folder), id_column
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "key").write_text("ab" * 32)

    def predict(self, rows, name="request", day=1, **changes):
        return predicted(
            self.checkpoint,
            rows=rows,
            prediction_id=name,
            requested_at=time_of(day),
            follow_ups=[{"folder": str(self.folder), "id_column": self.id_column}],
            **changes,
        )

    def add(self, rows, *, id_column="patient_id", label_columns=None, replace=False):
        """rows: cells of a table with the columns of the first one."""
        path = self.folder / "outcomes.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        return self.run(
            "follow_up_outcomes",
            **self._model(),
            path=str(path),
            id_column=id_column,
            label_columns=label_columns,
            replace=replace,
            cache_dir=str(self.folder / "cache"),
        )

    def coverage(self):
        return self.run("follow_up_coverage")

    def evaluate(self, development=None):
        return self.run("follow_up_evaluate", **self._model(), development=development)

    def run(self, task, **params):
        params |= {
            "folder": str(self.folder),
            "started_at": "2026-01-01T00:00:00.000Z",
            "window_days": 30,
        }
        schemas = task_schemas()[task]
        Draft202012Validator(schemas["params"]).validate(params)
        result = TASKS[task](params, lambda message, fraction: None)
        result = json.loads(json.dumps(result, allow_nan=False))
        Draft202012Validator(schemas["result"]).validate(result)
        return result

    def texts(self):
        """Everything that is stored."""
        return "".join(
            file.read_text(encoding="utf-8")
            for file in self.folder.rglob("*.json")
            if "cache" not in file.parts
        )

    def _model(self):
        roots = [str(self.checkpoint.parents[2]), str(self.folder)]
        return {"checkpoint": str(self.checkpoint), "data_dir": roots[0], "roots": roots}
