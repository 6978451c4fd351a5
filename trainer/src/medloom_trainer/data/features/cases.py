"""The cases of one split → Cases: applies the fitted state to their table."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from medloom_trainer.data.features.acquisition import image_properties
from medloom_trainer.data.features.encoding import Encoded, encode_table
from medloom_trainer.data.features.fit import find_subgroups
from medloom_trainer.data.splits import SplitCases, digest_keys, keys_of_cases
from medloom_trainer.data.tables import number_patients
from medloom_trainer.data.types import Cases


def encode_cases(
    split: SplitCases,
    patient: str | None,
    state: dict[str, Any],
    subgroups: list[dict[str, Any]],
    encoded: Encoded | None = None,
    ids: Sequence[str] = (),
) -> tuple[Cases, Encoded]:
    """→ the cases, and the findings of the encoding of their table. patient: the column. state, subgroups: as
    they were fitted. encoded: their table, if its rows were encoded together with others (`encode_table`).
    ids: columns with other ids of the cases, of which the table may lack some.
    """
    views = split.views
    properties = image_properties(None if views is None else views.headers)
    encoded = encode_table(split.table, state) if encoded is None else encoded
    cases = Cases(
        rows=split.table.lines,
        slots=views.slots if views is not None else None,
        values=encoded.values,
        codes=encoded.codes,
        present=encoded.present,
        labels=split.labels,
        patients=number_patients(split.table, patient),
        subgroups=find_subgroups(split.table, subgroups, properties),
        digest=_digest_split(split),
        # Digests of pixels as the model sees them, so a model without images only stores those of patients.
        keys=digest_keys(keys_of_cases(split.table, views.pixels if views is not None else None, patient)),
        places=[split.table.place(row) for row in range(len(split.table))],
        patient_ids=None if patient is None else split.table.cells[patient],
        other_ids={name: split.table.cells[name] for name in ids if name in split.table.cells},
    )
    return cases, encoded


def _digest_split(split: SplitCases) -> str:
    """sha256 over the cells of the rows and the contents of their images, each preceded by its length."""
    table, views = split.table, split.views
    digest = hashlib.sha256()

    def add(text: str) -> None:
        content = text.encode("utf-8", "surrogatepass")
        digest.update(len(content).to_bytes(8, "big") + content)

    for column in table.columns:
        add(column)
    for row in range(len(table)):
        for column in table.columns:
            add(table.cells[column][row])
        for file in views.files[row] if views is not None else ():
            add(file)
    return digest.hexdigest()
