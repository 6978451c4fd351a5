"""Cases after preprocessing, for display: the result of the recorded settings on the current cases.

In:  a CaseSet and the settings that it carries.
Out: its table with processed values (`view_of`), the values fitted for that (`fit_table_of`), and the task
     `preview` of the worker (views/preview.py), with thumbnails of images. A training uses none of it.
"""

from medloom_trainer.cases.views.fit import FittedTable, fit_table_of, table_settings, training_rows
from medloom_trainer.cases.views.table import TableView, ViewColumn, view_of

__all__ = [
    "FittedTable",
    "TableView",
    "ViewColumn",
    "fit_table_of",
    "table_settings",
    "training_rows",
    "view_of",
]
