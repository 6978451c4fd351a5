"""Splits: groups of cases that belong together, the validation split, and the check that no patient is in two
splits.

In:  rows of each split with their labels (`TrainingTables`) and the digests of their images.
Out: `SplitCases` of training and validation that share no patient and no image (`divide_cases`), groups of
     cases that must stay together (`group_cases`), the cases that the networks of an ensemble learn from
     (`divide_among_members`), the folds of a study (`study_folds`), overlaps of two splits (`find_overlaps`),
     and digests by which the cases of a model are recognized in other data (`digest_keys`,
     `write_known_cases`, `read_known_cases`, `read_seen_cases`).
"""

from medloom_trainer.data.splits.divide import choose_validation, divide_cases
from medloom_trainer.data.splits.folds_of_study import study_folds
from medloom_trainer.data.splits.grouping import group_cases, group_rows, strata_of
from medloom_trainer.data.splits.leaks import find_overlaps, patients_alike
from medloom_trainer.data.splits.likely_patients import LikelyPatients, find_likely_patients
from medloom_trainer.data.splits.members import divide_among_members
from medloom_trainer.data.splits.split_cases import (
    SeenCases,
    SplitCases,
    digest_keys,
    key_digest,
    keys_of_cases,
    read_known_cases,
    read_seen_cases,
    store_version_of,
    write_known_cases,
)

__all__ = [
    "LikelyPatients",
    "SeenCases",
    "SplitCases",
    "choose_validation",
    "digest_keys",
    "divide_among_members",
    "divide_cases",
    "find_likely_patients",
    "find_overlaps",
    "group_cases",
    "group_rows",
    "key_digest",
    "keys_of_cases",
    "patients_alike",
    "read_known_cases",
    "read_seen_cases",
    "store_version_of",
    "strata_of",
    "study_folds",
    "write_known_cases",
]
