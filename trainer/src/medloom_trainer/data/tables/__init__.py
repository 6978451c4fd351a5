"""Tables: files of a data set → strict tables of texts, the role of each column, the rows of each split, and
typed values.

In:  paths of CSV, Excel or JSON files, or a folder of a data set; the `data` part of the configuration.
Out: `Table` (texts by column, with the line of each row), `Roles`, the rows of each split (`ImageTable`), the
     `LabelScheme` and its labels, numbers with their gaps. Nothing is guessed silently: what cannot be read
     is refused with its row, what is assumed is a warning.

Texts stay texts until a column has a role: `00123` is an id, `NA` a site.
"""

from medloom_trainer.data.tables.cells import (
    complete_rows,
    is_missing,
    missing_mask,
    read_column,
    read_numbers,
    with_decimal_points,
)
from medloom_trainer.data.tables.class_folders import class_files, tables_in
from medloom_trainer.data.tables.column_names import require_column
from medloom_trainer.data.tables.dataset_source import read_folder, read_source
from medloom_trainer.data.tables.formats import read_csv, read_table_file
from medloom_trainer.data.tables.image_cells import MIDDLE, Slice, image_stem, name_slice, split_slice
from medloom_trainer.data.tables.labels import LabelScheme, has_all_labels, learn_labels, read_labels
from medloom_trainer.data.tables.patients import count_patients, count_step, number_patients
from medloom_trainer.data.tables.roles import Roles, infer_roles, role_settings
from medloom_trainer.data.tables.split_names import SPLITS, split_column, split_name, split_words
from medloom_trainer.data.tables.split_rows import (
    drop_incomplete,
    read_image_table,
    read_split_tables,
    select_splits,
)
from medloom_trainer.data.tables.table import ImageTable, Table, name_row, name_rows
from medloom_trainer.data.tables.table_ops import make_table, stack, with_columns

__all__ = [
    "MIDDLE",
    "SPLITS",
    "ImageTable",
    "LabelScheme",
    "Roles",
    "Slice",
    "Table",
    "class_files",
    "complete_rows",
    "count_patients",
    "count_step",
    "drop_incomplete",
    "has_all_labels",
    "image_stem",
    "infer_roles",
    "is_missing",
    "learn_labels",
    "make_table",
    "missing_mask",
    "name_row",
    "name_rows",
    "name_slice",
    "number_patients",
    "read_column",
    "read_csv",
    "read_folder",
    "read_image_table",
    "read_labels",
    "read_numbers",
    "read_source",
    "read_split_tables",
    "read_table_file",
    "require_column",
    "role_settings",
    "select_splits",
    "split_column",
    "split_name",
    "split_slice",
    "split_words",
    "stack",
    "tables_in",
    "with_columns",
    "with_decimal_points",
]
