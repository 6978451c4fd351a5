"""Cases as people see them behind preprocessing: what recorded settings come to on the cases at hand.

In:  a CaseSet and the settings that it carries.
Out: its table with processed values (`view_of`), what is fitted for that (`fit_table_of`), and the task
     `preview` of the worker (views/preview.py), with thumbnails of images. A training reads nothing of it.
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
