"""Times to an event: the follow-up time of each case, and whether the event happened at its end."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.codes import PhraseCode
from medloom_trainer.contract.phrases import Phrased, join, phrase
from medloom_trainer.data.tables.cells import is_missing
from medloom_trainer.data.tables.flag_labels import UNKNOWN, flag_of
from medloom_trainer.data.tables.numbers import read_numbers
from medloom_trainer.data.tables.table import Table, name_rows
from medloom_trainer.errors import TrainerError

FEWEST_EVENTS = 10
"""Number of training cases with the event below which there is a warning."""


def read_times(table: Table, time: str, event: str) -> npt.NDArray[np.float64]:
    """(N, 2) time, and 1 or 0 for the event. LABEL_INVALID with row numbers for every time that is missing,
    not a number or not above 0, and every event that is missing or neither yes nor no, all at once."""
    numbers = read_numbers(table.cells[time], table.delimiter)
    texts = sorted({*numbers.texts, *numbers.infinite, *numbers.censored})
    missing = sorted({*np.flatnonzero(np.isnan(numbers.values)).tolist()} - {*texts})
    early = np.flatnonzero(numbers.values <= 0).tolist()
    faults = [
        *_fault(table, time, texts, "time_not_number", "write_time_as_number"),
        *_fault(table, time, missing, "outcome_missing", "remove_rows_without_time"),
        *_fault(table, time, early, "time_not_positive", "correct_time"),
    ]
    flags = [UNKNOWN if is_missing(text) else flag_of(text) for text in table.cells[event]]
    neither = [row for row, flag in enumerate(flags) if flag is None]
    unknown = [row for row, flag in enumerate(flags) if flag == UNKNOWN]
    faults += [
        *_fault(table, event, neither, "event_unknown", "write_event_as_number"),
        *_fault(table, event, unknown, "outcome_missing", "write_every_event"),
    ]
    if faults:
        messages, remedies = zip(*faults, strict=True)
        message = join(*messages, mark="semicolon")
        raise TrainerError("LABEL_INVALID", message, join(*dict.fromkeys(remedies), mark="space"))
    return np.stack([numbers.values, np.asarray(flags, dtype=np.float64)], axis=1)


def refuse_no_events(labels: npt.NDArray[np.float64], event: str) -> None:
    """labels (N, 2): of the training rows. LABEL_INVALID unless two of them have the event, at different
    times."""
    if len(np.unique(labels[labels[:, 1] == 1, 0])) < 2:
        count = int(labels[:, 1].sum())
        message = phrase("too_few_events", event=event, count=count, cases=str(len(labels)))
        raise TrainerError("LABEL_INVALID", message, phrase("events_at_two_times"))


def censored_steps(
    times: npt.NDArray[np.float64], happened: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Kaplan-Meier curve of censoring: (times at which a case is censored, uncensored share from then). A
    case with the event at a time is no longer at risk of being censored then."""
    steps, index = np.unique(times, return_inverse=True)
    events = np.bincount(index, weights=happened, minlength=len(steps))
    every = np.bincount(index, minlength=len(steps))
    at_risk = every[::-1].cumsum()[::-1] - events
    share = np.divide(every - events, at_risk, out=np.zeros(len(steps)), where=at_risk > 0)
    values = np.cumprod(1 - share)
    changes = share > 0
    return steps[changes], values[changes]


def martingale_residuals(labels: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """(N, 2) → (N,) events beyond the Nelson-Aalen estimate for the same follow-up: one number with which a
    column can be compared (Therneau, Grambsch and Fleming 1990)."""
    times, happened = labels[:, 0], labels[:, 1]
    steps, index = np.unique(times, return_inverse=True)
    events = np.bincount(index, weights=happened, minlength=len(steps))
    at_risk = np.bincount(index, minlength=len(steps))[::-1].cumsum()[::-1]
    residuals: npt.NDArray[np.float64] = happened - np.cumsum(events / at_risk)[index]
    return residuals


def _fault(
    table: Table, column: str, rows: list[int], what: PhraseCode, remedy: PhraseCode
) -> list[tuple[Phrased, Phrased]]:
    """[(message, remedy)] about these rows; empty if there are none."""
    if not rows:
        return []
    cases, named = phrase("cases", count=len(rows)), name_rows(table, rows)
    return [(phrase(what, column=column, cases=cases, table=table.name, rows=named), phrase(remedy))]
