"""Checks: findings about the data that a user needs before a training, or during its preparation.

In:  a CSV or folder (`inspect`); the cases of a preparation.
Out: an inspection with its readiness checks; shortcuts to the label (`find_shortcuts`) and the groups of
     acquisition for the report (`with_acquisition_groups`); copies of images (`find_similar_images`);
     warnings about settings that have no effect (`preparation_warnings`), about classes with very few
     patients (`rare_class_warnings`), about rows with masks (`rows_with_masks`), about codes in image paths
     that may be patients (`warn_path_groups`), and about gaps that did not occur in training
     (`never_seen_missing`); a summary with counts of cases and missing values (`summarize`).
"""

from medloom_trainer.data.checks.inspection import inspect
from medloom_trainer.data.checks.mask_rows import rows_with_masks
from medloom_trainer.data.checks.path_groups import warn_path_groups
from medloom_trainer.data.checks.preparation import (
    complete_columns,
    find_shortcuts,
    is_measured,
    missing_values,
    never_seen_missing,
    preparation_warnings,
    summarize,
    with_acquisition_groups,
)
from medloom_trainer.data.checks.rare_classes import rare_class_warnings
from medloom_trainer.data.checks.shortcuts import Shortcuts
from medloom_trainer.data.checks.similar_images import (
    MOST_IMAGES,
    Thumbnails,
    alike,
    find_similar_images,
    thumbnail_of,
)
from medloom_trainer.data.checks.values import suspected_meanings

__all__ = [
    "MOST_IMAGES",
    "Shortcuts",
    "Thumbnails",
    "alike",
    "complete_columns",
    "find_shortcuts",
    "find_similar_images",
    "inspect",
    "is_measured",
    "missing_values",
    "never_seen_missing",
    "preparation_warnings",
    "rare_class_warnings",
    "rows_with_masks",
    "summarize",
    "suspected_meanings",
    "thumbnail_of",
    "warn_path_groups",
    "with_acquisition_groups",
]
