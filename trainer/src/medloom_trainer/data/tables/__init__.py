"""Tables: files of a dataset → strict tables of texts, the role of each column, the rows of each split, and
typed values.

In:  paths of CSV, Excel or JSON files, or a folder of a dataset; the `data` part of the configuration.
Out: `Table` (texts by column, with the line of each row), `Roles`, the rows of each split (`ImageTable`), the
     `LabelScheme` and its labels, numbers with their gaps; for a training all of them at once
     (`read_training_tables`). Nothing is guessed silently: unreadable content is refused with its row, and
     each assumption is a warning.

Cells remain texts until a column has a role: `00123` is an id, `NA` a site.
"""

from medloom_trainer.data.tables.cells import (
    MIDDLE,
    Axis,
    Slice,
    Slicing,
    image_stem,
    is_declared,
    is_missing,
    missing_mask,
    name_series,
    name_slice,
    present_texts,
    series_key,
    split_series,
    split_slice,
)
from medloom_trainer.data.tables.class_folders import class_files, mask_files
from medloom_trainer.data.tables.class_order import comparable_name
from medloom_trainer.data.tables.column_names import (
    SPLITS,
    nearest_name,
    require_column,
    split_column,
    split_name,
    split_words,
)
from medloom_trainer.data.tables.column_renames import proposed_names
from medloom_trainer.data.tables.column_texts import coded, counted, distinct_of, sorted_codes
from medloom_trainer.data.tables.dataset_source import read_folder, read_source
from medloom_trainer.data.tables.dates import suspected_form
from medloom_trainer.data.tables.flag_labels import refuse_constant_flags
from medloom_trainer.data.tables.folder_doubts import doubts_about, tables_below
from medloom_trainer.data.tables.image_names import named_images
from medloom_trainer.data.tables.key_names import are_whole_amounts, is_quantity, is_row_counter
from medloom_trainer.data.tables.labels import (
    LabelScheme,
    has_all_labels,
    learn_classes,
    learn_flags,
    learn_labels,
    learn_survival,
    may_be_grades,
    read_class_names,
    read_labels,
)
from medloom_trainer.data.tables.masks import masks_among
from medloom_trainer.data.tables.medmnist import npz_image
from medloom_trainer.data.tables.numbers import (
    AmbiguousNumberError,
    Levels,
    Notation,
    Numbers,
    are_codes,
    bounded,
    complete_rows,
    declared_notation,
    in_plain_notation,
    marks_of_column,
    read_as_trained,
    read_column,
    read_levels,
    read_numbers,
    sign_of_column,
    unmistakable,
    with_certain_point,
)
from medloom_trainer.data.tables.path_groups import groups_in_paths
from medloom_trainer.data.tables.proposals import propose_recipe
from medloom_trainer.data.tables.recipe.kept import kept_tables
from medloom_trainer.data.tables.recipe.missing_codes import input_codes, without_codes
from medloom_trainer.data.tables.recipe.patterns import Pattern
from medloom_trainer.data.tables.recipe.source import (
    SourceTable,
    read_main_table,
    read_source_table,
    with_settings,
)
from medloom_trainer.data.tables.roles import IDENTIFYING, Roles, infer_roles, role_settings
from medloom_trainer.data.tables.sentinels import suspected_numbers
from medloom_trainer.data.tables.shared_images import (
    MergedRows,
    defines_cases,
    find_merged_rows,
    find_shared_images,
    merge_shared_images,
    refuse_shared_images,
    rows_with_shared_images,
)
from medloom_trainer.data.tables.survival_labels import censored_steps, refuse_no_events
from medloom_trainer.data.tables.suspected_codes import count_none, suspected_values
from medloom_trainer.data.tables.table import (
    ImageTable,
    Table,
    count_patients,
    count_step,
    make_table,
    name_rows,
    number_patients,
    plain_table,
    stack,
    with_columns,
)
from medloom_trainer.data.tables.table_files import read_csv, read_table_file
from medloom_trainer.data.tables.targets import Target, leakage_targets, targets_of
from medloom_trainer.data.tables.training_tables import (
    TrainingTables,
    read_image_table,
    read_training_tables,
)

__all__ = [
    "IDENTIFYING",
    "MIDDLE",
    "SPLITS",
    "AmbiguousNumberError",
    "Axis",
    "ImageTable",
    "LabelScheme",
    "Levels",
    "MergedRows",
    "Notation",
    "Numbers",
    "Pattern",
    "Roles",
    "Slice",
    "Slicing",
    "SourceTable",
    "Table",
    "Target",
    "TrainingTables",
    "are_codes",
    "are_whole_amounts",
    "bounded",
    "censored_steps",
    "class_files",
    "coded",
    "comparable_name",
    "complete_rows",
    "count_none",
    "count_patients",
    "count_step",
    "counted",
    "declared_notation",
    "defines_cases",
    "distinct_of",
    "doubts_about",
    "find_merged_rows",
    "find_shared_images",
    "groups_in_paths",
    "has_all_labels",
    "image_stem",
    "in_plain_notation",
    "infer_roles",
    "input_codes",
    "is_declared",
    "is_missing",
    "is_quantity",
    "is_row_counter",
    "kept_tables",
    "leakage_targets",
    "learn_classes",
    "learn_flags",
    "learn_labels",
    "learn_survival",
    "make_table",
    "marks_of_column",
    "mask_files",
    "masks_among",
    "may_be_grades",
    "merge_shared_images",
    "missing_mask",
    "name_rows",
    "name_series",
    "name_slice",
    "named_images",
    "nearest_name",
    "npz_image",
    "number_patients",
    "plain_table",
    "present_texts",
    "propose_recipe",
    "proposed_names",
    "read_as_trained",
    "read_class_names",
    "read_column",
    "read_csv",
    "read_folder",
    "read_image_table",
    "read_labels",
    "read_levels",
    "read_main_table",
    "read_numbers",
    "read_source",
    "read_source_table",
    "read_table_file",
    "read_training_tables",
    "refuse_constant_flags",
    "refuse_no_events",
    "refuse_shared_images",
    "require_column",
    "role_settings",
    "rows_with_shared_images",
    "series_key",
    "sign_of_column",
    "sorted_codes",
    "split_column",
    "split_name",
    "split_series",
    "split_slice",
    "split_words",
    "stack",
    "suspected_form",
    "suspected_numbers",
    "suspected_values",
    "tables_below",
    "targets_of",
    "unmistakable",
    "with_certain_point",
    "with_columns",
    "with_settings",
    "without_codes",
]
