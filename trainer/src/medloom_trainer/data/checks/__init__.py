"""Checks: what a person should know about the data before they train on it, or while it is prepared.

In:  a CSV or folder (`inspect`); the cases of a preparation.
Out: an inspection with its readiness checks; warnings about shortcuts to the label (`shortcut_warnings`) and
     about settings that have no effect (`ineffective_setting_warnings`); counts of missing values
     (`missing_by_part`).
"""

from medloom_trainer.data.checks.ineffective_settings import ineffective_setting_warnings
from medloom_trainer.data.checks.inspection import inspect
from medloom_trainer.data.checks.missing import missing_by_part
from medloom_trainer.data.checks.shortcuts import shortcut_warnings

__all__ = [
    "ineffective_setting_warnings",
    "inspect",
    "missing_by_part",
    "shortcut_warnings",
]
