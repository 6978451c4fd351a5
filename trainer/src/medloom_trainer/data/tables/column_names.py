"""Meaning of names: of column names for their content, and of words for a split. Also the check that a named
column exists.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from itertools import chain
from typing import Any

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.tables.table import Table
from medloom_trainer.errors import TrainerError

LABEL_NAMES = (
    "label", "labels", "target", "class", "diagnosis", "diagnostic", "dx", "outcome", "ground_truth", "y",
)  # fmt: skip
"""In order of preference."""
PATIENT_NAMES = (
    "patientid", "patient", "subjectid", "subject", "participantid", "participant", "pid", "ptid",
    "patientnumber", "patientnum", "patientno", "patientnr", "patientkey", "patientcode",
    "subjectnumber", "subjectno", "medicalrecordnumber", "mrn", "usubjid", "subjid",
    "patientennr", "patientennummer", "patientenid", "patnr", "patid", "patientin",
    "idpatient", "numeropatient", "nopatient", "ipp",
    "paciente", "idpaciente", "pacienteid", "idpaziente", "paziente", "patientnummer",
    "patientidentifier", "subjectidentifier", "participantidentifier", "subjectnr", "participantno",
    "participantnumber", "dicompatientid", "codicepaziente", "nhsnumber", "uhid", "empi", "nhc", "seqn",
    "患者", "登记号", "病人编号", "患者编号", "患者id", "病人id", "病历号", "住院号", "患者番号",
    "환자번호", "환자id", "rid", "eid",
)  # fmt: skip
"""Names of a patient column, in order of preference, as `plain_name` writes them: English, German, French,
Spanish, Portuguese, Italian, Dutch, Chinese, Japanese, Korean, and those of ADNI (PTID, RID), UK Biobank
(eid), NHANES (SEQN) and hospitals (MRN, NHS number, UHID, EMPI, NHC)."""
AMBIGUOUS_PATIENT_NAMES = (
    "pid", "rid", "eid", "ipp", "mrn", "patientin", "subjectno", "subjectnr", "participantno", "nhsnumber",
    "uhid", "empi", "nhc", "seqn", "患者", "登记号",
)  # fmt: skip
"""Names that may mean something else: their values must be as many as ids."""
ID_NAME = re.compile(
    r"(?:.*[_\-. ])?(?:id|ids|uid|uuid|guid|key|mrn|accession|barcode|filename)|.*[a-z]I[Dd]|index|unnamed: 0"
)
"""Names that propose an id; its values decide (data/tables/identifiers.py). An index such as `Ki67-index` is
a measurement."""
_ENTITY = (
    r"patient(?:en|in)?|paciente|paziente|subject|participant|proband(?:en)?|person|member|client|respondent"
    r"|case|fall|study|studien?|record|dossier|chart|file|hospital|nhs|encounter|episode|admission|aufnahmen?"
    r"|visit|accession|sample|specimen|proben?|lesion|image|img|bild|slide|scan|exam|series|biopsy|donor|animal"
    r"|mouse|enrol?ment|registration|medicalrecord|historia|clinica"
)
_KEY = "ids?|uid|uuid|guid|no|nr|num|number|nummer|numero|número|key|identifier|kennung"
_CODE = "codes?|codice|codigo|código"
_OF = r"de|del|di|du|des|da|do"
_ENTITY_KEY = re.compile(
    rf".*(?:{_ENTITY})(?:{_KEY}|{_CODE}|barcode)|(?:{_KEY}|{_CODE})(?:{_OF})?(?:{_ENTITY})"
    r"|patient|subject|participant|proband|person|case|fall|dossier|pseudonym|kennung|uid|uuid|guid|ids?"
    r"|.*(?:患者|病人|受试者|住院|门诊|登记|病案|病历|检查|就诊|诊疗|환자).*|unnamed0|.*(?:mrn|accession|barcode|filename)"
)
"""Names of what has an id in every study, as `plain_name` writes them."""
_BARE_KEY = re.compile(rf"(?:.*[_\-. ])?(?:{_KEY}|nº|n°|№)\.?|.*(?:nummer|kennung)|.*[编番]号", re.IGNORECASE)
_QUANTITY = re.compile(
    r"(?:^|[_\-. ])"
    r"(?:count|rate|level|score|volume|pressure|weight|height|dose|ratio|percent|of)"
    r"(?:[_\-. ]|$)",
    re.IGNORECASE,
)


def names_id(column: str) -> bool:
    """Return whether a name proposes an id with certainty: of a patient, a case, a sample, an image."""
    plain = plain_name(column)
    return plain in PATIENT_NAMES or _ENTITY_KEY.fullmatch(plain) is not None


def may_name_id(column: str) -> bool:
    """Return whether a name may be that of an id: `HC_ID`, but also `heart_rate_id` and `platelet number`."""
    if names_id(column):
        return True
    named = any(ID_NAME.fullmatch(name) for name in (column, column.casefold()))
    return (named or _BARE_KEY.fullmatch(column) is not None) and not _QUANTITY.search(column)


PERSON_NAME = re.compile(
    r"(?:(?:patient|first|last|full|family|given|sur)[_ ]?name|name|initials|name[_ ]full"
    r"|(?:date[_ ]?of[_ ]?)?birth(?:[_ ]?date|day)?|dob|ssn|phone|email|e-mail|address|street|zip|postcode)"
)
AMBIGUOUS_PERSON_NAME = re.compile(r"name|address|street|zip|postcode|phone|birth")
"""Names that may mean something else: `address` with the values urban and rural, `birth` with a weight."""

SPLITS = ("train", "val", "test")
SPLIT_NAMES = ("split",)
"""Names of a split column, in any case."""
POSSIBLE_SPLIT_NAMES = (
    "set",
    "subset",
    "partition",
    "datasplit",
    "datasetsplit",
    "dataset",
    "phase",
    "usage",
)
"""Names, as `plain_name` writes them, of a column that is the split column if all its values name splits."""
SPLIT_WORDS = {
    "train": "train", "training": "train", "trn": "train",
    "val": "val", "valid": "val", "validation": "val", "validate": "val", "validating": "val", "dev": "val",
    "tune": "val", "tuning": "val",
    "test": "test", "testing": "test", "tst": "test",
    "holdout": "test", "hold-out": "test", "hold_out": "test", "held-out": "test", "held_out": "test",
    "训练": "train", "训练集": "train", "验证": "val", "验证集": "val", "测试": "test", "测试集": "test",
}  # fmt: skip

_ONE_COLUMN_KEYS = ("label_column", "time_column", "event_column", "patient_column", "split_column")
_ROLE_KEYS = (
    *_ONE_COLUMN_KEYS,
    "label_columns",
    "image_columns",
    "numeric_columns",
    "categorical_columns",
    "ignore_columns",
)
"""Keys of the `data` configuration that give a column its role."""


def check_names(table: Table, data: dict[str, Any]) -> None:
    """Check that every column named in the `data` configuration exists and has one role."""
    taken: dict[str, str] = {}
    for key in (*_ROLE_KEYS, "subgroup_columns"):
        for column in _named(data[key]):
            require_column(table, column, f"data.{key}")
    for key in _ROLE_KEYS:
        for column in _named(data[key]):
            if column in taken:
                keys = {"first": f"data.{taken[column]}", "second": f"data.{key}"}
                raise TrainerError("INVALID_CONFIG", phrase("same_column_twice", column=column, **keys))
            taken[column] = key


def require_column(table: Table, column: str, place: str) -> None:
    """COLUMN_NOT_FOUND with the nearest name; `place` is the key that names the column."""
    if column in table.cells:
        return
    near = nearest_name(table, column)
    facts = {"table": table.name, "column": column[:80], "place": place}
    message = (
        phrase("column_absent_similar", near=near, **facts) if near else phrase("column_absent", **facts)
    )
    raise TrainerError("COLUMN_NOT_FOUND", message)


def nearest_name(table: Table, column: str) -> str | None:
    """The column of a similar name, for one that the table lacks."""
    near = get_close_matches(column, table.columns, n=1)
    lowered = [name for name in table.columns if name.casefold() == column.casefold()]
    return next(iter([*lowered, *near]), None)


def _named(value: str | list[str] | None) -> list[str]:
    return [value] if isinstance(value, str) else value or []


def split_name(text: str) -> str:
    """`Training`, `valid`, `TEST` → train, val, test; any other word unchanged."""
    return SPLIT_WORDS.get(text.casefold(), text)


def split_words(table: Table, column: str | None) -> list[str] | None:
    """The split that each row names; None without such a column."""
    if column is None or column not in table.cells:
        return None
    return [split_name(text) for text in table.cells[column]]


def split_column(table: Table) -> str | None:
    """The first column with the name of a split column; else one whose name and values can only mean
    splits."""
    named = (column for column in table.columns if column.casefold() in SPLIT_NAMES)
    possible = (
        column
        for column in table.columns
        if plain_name(column) in POSSIBLE_SPLIT_NAMES and _names_splits(table.cells[column])
    )
    return next(chain(named, possible), None)


def _names_splits(texts: Sequence[str]) -> bool:
    """Return whether these are several splits, among them train, and nothing else."""
    words = {split_name(text) for text in texts}
    return "train" in words and len(words) > 1 and words <= set(SPLITS)


def plain_name(column: str) -> str:
    """A column name for comparison: `Patienten-Nr.` → "patientennr"."""
    return "".join(sign for sign in column.casefold() if sign.isalnum())
