"""Acquisition: whether properties of the acquisition of the images predict the label.

Leaving such a column out of the inputs does not help, because the pixels show it too. Therefore the metrics
within its strata are reported in addition to the total, whether the model reads the column or not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from medloom_trainer.contract.codes import PhraseCode
from medloom_trainer.contract.phrases import Phrased, join, phrase
from medloom_trainer.data.checks.association import (
    FEW_VALUES,
    Outcomes,
    Tested,
    associate_categories,
    associate_numbers,
)
from medloom_trainer.data.features import IMAGE_FORMAT, IMAGE_SIZE, NUMBER_OF_IMAGES, PIXELS_PER_IMAGE
from medloom_trainer.data.tables import Roles, Table, missing_mask, read_numbers
from medloom_trainer.warnings import Warnings, warning

_ACQUISITION_AUC = 0.7
_NAME = re.compile(
    r"(?:.*[_\-. ])?(?:projection|(?:view|patient|radiographic)[_ ]?position|view|device|scanner|machine"
    r"|manufacturer|vendor|camera|detector|station|modality|protocol|sequence|site|cent(?:er|re)|hospital"
    r"|institution|clinic|ward|kvp|exposure|field[_ ]?strength|slice[_ ]?thickness|pixel[_ ]?spacing|portable"
    r"|acquisition|source)(?:[_\-. ](?:id|name|model|type|code|number))?"
)
_ANATOMY = re.compile(r"(?:body|anatom\w*|tumou?r|lesion|biopsy|primary)[_\-. ]?(?:site|position|view)")
_NOT_COLUMNS = ("label", "patient", "split", "image", "mask", "constant")


@dataclass(frozen=True)
class Acquisition:
    """Columns and properties that predict the label."""

    columns: list[str]
    """Columns of the table."""
    properties: list[str]
    """Properties of the images (features/acquisition.py)."""
    warnings: Warnings


def is_acquisition(column: str) -> bool:
    """Return whether the name of the column denotes a property of the acquisition."""
    name = column.casefold()
    return _NAME.fullmatch(name) is not None and _ANATOMY.fullmatch(name) is None


def search_acquisition(
    table: Table, roles: Roles, properties: Mapping[str, Sequence[str]], outcomes: Outcomes
) -> Acquisition:
    """Search columns with a name of an acquisition property, ignored or not, and properties of the images."""
    columns = [name for name in table.columns if is_acquisition(name)]
    revealing, warnings = [], []
    for column in columns:
        if roles.kinds.get(column) in _NOT_COLUMNS:
            continue
        tested = _associate(table.cells[column], table.delimiter, outcomes)
        if tested.auc > _ACQUISITION_AUC:
            revealing.append(column)
            warnings.append(_warning_of("acquisition_column", tested, column=column))
    of_images: list[str] = []
    for name, code in _OF_IMAGES.items():
        if name in properties:
            tested = _associate(properties[name], ",", outcomes)
            if tested.auc > _ACQUISITION_AUC:
                of_images.append(name)
                warnings.append(_warning_of(code, tested))
    sizes = {
        name: _associate(properties[name], ",", outcomes)
        for name in (IMAGE_SIZE, PIXELS_PER_IMAGE)
        if name in properties
    }
    if sizes and (best := max(sizes, key=lambda name: sizes[name].auc)):
        tested = sizes[best]
        if tested.auc > _ACQUISITION_AUC:
            few = len(set(properties[IMAGE_SIZE])) <= 2 * FEW_VALUES
            of_images.append(IMAGE_SIZE if few else PIXELS_PER_IMAGE)
            warnings.append(warning("LABEL_PREDICTED_BY_IMAGE_SIZE", _predicts("image_size", tested)))
    return Acquisition(revealing, of_images, warnings)


_OF_IMAGES: Mapping[str, PhraseCode] = {NUMBER_OF_IMAGES: "number_of_images", IMAGE_FORMAT: "image_format"}


def _warning_of(code: PhraseCode, tested: Tested, **values: str) -> dict[str, Any]:
    return warning("LABEL_PREDICTED_BY_ACQUISITION", _predicts(code, tested, **values))


def _predicts(code: PhraseCode, tested: Tested, **values: str) -> Phrased:
    """Removing a property of the acquisition does not help: the pixels reveal it."""
    message = phrase(code, outcome=tested.name, auc=f"{tested.auc:.2f}", **values)
    return join(message, phrase("in_pixels"), mark="semicolon")


def _associate(texts: Sequence[str], delimiter: str, outcomes: Outcomes) -> Tested:
    numbers = read_numbers(texts, delimiter)
    if not numbers.texts and len(np.unique(numbers.values)) > FEW_VALUES:
        return associate_numbers(numbers.values, outcomes, _ACQUISITION_AUC)
    return associate_categories(texts, ~missing_mask(texts), outcomes, _ACQUISITION_AUC)
