"""Some rows of a table with the files of their images, so that a wrong join is seen: an image whose name
contains the identifier of its row shows the same mask. If it does not, the form of the identifier is shown as
well, so that another spelling is seen. Names are masked like identifiers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from medloom_trainer.data.tables import Roles, Table, is_missing, name_rows, split_slice

_PAIRS = 10
_PART = re.compile(r"[^\W_]+")
_COMMON = 0.1
_FEWEST = 3
"""A part of the file names is shown if it occurs in a tenth of them, and in three: `view1`, `png`."""


def joined_pairs(table: Table, roles: Roles) -> str | None:
    """ "row 2: #1 → "#1_view1.png"; …" for ten rows over the whole table, or "#1 ("9") → "0009.png"" if the
    name does not contain the identifier; None without images or without a column of identifiers."""
    identifier = roles.patient or next((name for name, kind in roles.kinds.items() if kind == "id"), None)
    if not roles.images or identifier is None:
        return None
    ids, cells = table.cells[identifier], table.cells[roles.images[0]]
    files = ["" if is_missing(cell) else split_slice(cell)[0].replace("\\", "/") for cell in cells]
    numbers: dict[str, int] = {}
    for text in ids:
        numbers.setdefault(text, len(numbers) + 1)
    rows = [row for row, file in enumerate(files) if file and ids[row]]
    shown = rows[:: max(1, -(-len(rows) // _PAIRS))]
    names = [file.rsplit("/", 1)[-1] for file in files]
    common = _common_parts(names)
    pairs = []
    for row in shown:
        mask = f"#{numbers[ids[row]]}"
        name = _masked(names[row], ids[row], mask, common)
        own = mask if mask in name else f'{mask} ("{_form(ids[row])}")'
        pairs.append(f'{name_rows(table, [row])}: {own} → "{name}"')
    return "; ".join(pairs) or None


def _form(text: str) -> str:
    """9, a and A for digits and letters. Zeros at the start and the case remain, because spellings of one
    identifier often differ in them."""
    signs = ("9" if sign.isdigit() else "A" if sign.isupper() else "a" if sign.isalpha() else sign
             for sign in text)  # fmt: skip
    masked = "".join(signs)
    zeros = re.finditer(r"(?<!\d)0+(?=\d)", text)
    for found in zeros:
        masked = masked[: found.start()] + found[0] + masked[found.end() :]
    return masked


def _common_parts(names: Sequence[str]) -> Mapping[str, int]:
    distinct = set(names)
    counts = Counter(part for name in distinct for part in set(_PART.findall(name)))
    fewest = max(_FEWEST, _COMMON * len(distinct))
    return {part: count for part, count in counts.items() if count >= fewest}


def _masked(name: str, identifier: str, mask: str, common: Mapping[str, int]) -> str:
    """The name with a mask for the identifier, and the form of rare parts."""

    def of_part(found: re.Match[str]) -> str:
        part = found[0]
        return part if part in common else _form(part)

    pieces = re.split(rf"(?<![^\W_]){re.escape(identifier)}(?![^\W_])", name)
    return mask.join(_PART.sub(of_part, piece) for piece in pieces)
