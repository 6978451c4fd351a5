"""Splits: which cases belong together, which validate, and that nobody is in two splits.

In:  rows of each split with their labels and the digests of their images (`SplitCases`).
Out: training and validation cases that share no patient and no image (`take_validation`), groups of cases
     that must stay together (`group_cases`), leaks between splits (`check_leaks`), and what recognizes the
     cases of a model in other data (`digest_keys`, `write_known_cases`, `read_known_cases`).
"""

from medloom_trainer.data.splits.case_keys import (
    digest_keys,
    keys_of_cases,
    read_known_cases,
    write_known_cases,
)
from medloom_trainer.data.splits.divide import choose_validation, group_cases, strata_of
from medloom_trainer.data.splits.leaks import check_leaks
from medloom_trainer.data.splits.overlaps import find_overlaps
from medloom_trainer.data.splits.patient_ids import patients_alike
from medloom_trainer.data.splits.split_cases import SplitCases
from medloom_trainer.data.splits.validation import take_validation

__all__ = [
    "SplitCases",
    "check_leaks",
    "choose_validation",
    "digest_keys",
    "find_overlaps",
    "group_cases",
    "keys_of_cases",
    "patients_alike",
    "read_known_cases",
    "strata_of",
    "take_validation",
    "write_known_cases",
]
