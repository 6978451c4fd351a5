"""The cases of one split and its encoded table → Cases."""

from __future__ import annotations

import hashlib
from typing import Any

from medloom_trainer.data.cache import Views
from medloom_trainer.data.features import Encoded, find_subgroups
from medloom_trainer.data.splits import SplitCases, digest_keys, keys_of_cases
from medloom_trainer.data.tables import Table, number_patients
from medloom_trainer.data.types import Cases


def assemble(
    split: SplitCases, encoded: Encoded, patient: str | None, subgroups: list[dict[str, Any]]
) -> Cases:
    """patient: the column. subgroups: as `fit_subgroups` gives them."""
    views = split.views
    return Cases(
        rows=split.table.lines,
        slots=views.slots if views is not None else None,
        values=encoded.values,
        codes=encoded.codes,
        present=encoded.present,
        labels=split.labels,
        patients=number_patients(split.table, patient),
        subgroups=find_subgroups(split.table, subgroups),
        digest=_digest_split(split.table, views),
        # Of pixels as the model sees them, so a model without images keeps patients alone.
        keys=digest_keys(keys_of_cases(split.table, views.pixels if views is not None else None, patient)),
    )


def _digest_split(table: Table, views: Views | None) -> str:
    """sha256 over the cells of the rows and the contents of their images, each with its length in front."""
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
