/** Reasons why a table or its labels cannot be used, and what to do about each. */
export const TABLE_FAULTS = {
  // Names
  not_a_class_similar:
    'data.positive_class: "{value}" is not a class of column "{column}"; did you mean "{near}"?',
  not_a_class:
    'data.positive_class: "{value}" is not a class of column "{column}"; its classes are {classes}',
  positive_needs_two: 'data.positive_class requires two classes, but column "{column}" has {classes}',
  remove_positive_class: 'Remove data.positive_class.',
  same_column_twice: '{first} and {second} refer to the same column "{column}"',
  column_absent: '{table} has no column "{column}" ({place})',
  column_absent_similar: '{table} has no column "{column}" ({place}); did you mean "{near}"?',
  no_label_recognized: '{table} has no recognizable label column; its columns are {columns}',
  // Labels
  flags_all_missing: '{without} of {cases} cases have none of the {labels} labels: {table}, {rows}',
  remove_or_fill_rows: 'Remove these rows, or fill in the known values.',
  flag_never_yes: 'label "{column}" is never yes in the training cases ({cases})',
  flag_never_no: 'label "{column}" is never no in the training cases ({cases})',
  not_among_labels: 'Remove "{column}" from data.label_columns.',
  flag_unknown: 'label "{column}" is neither yes nor no in {cases}: {table}, {rows}',
  flags_as_numbers: 'Use 1 or 0 (or yes/no, true/false), and leave unknown cells empty.',
  label_constant: 'label "{column}" has only one value, so there is nothing to learn',
  positive_of_number: 'label "{column}" is numeric, so data.positive_class does not apply',
  no_positive_or_classes: 'Remove it, or set model.task to "classification".',
  label_of_one_class: 'label "{column}" has only one class in {cases}, so there is nothing to learn',
  training_cases: { one: '{count} training case', other: '{count} training cases' },
  label_of_many_classes: 'label "{column}" has {classes} classes in {rows} rows, which is too many to learn',
  new_classes: {
    one: 'label "{column}" has {count} class in {split} that does not occur in the training split: {table}, {rows}',
    other:
      'label "{column}" has {count} classes in {split} that do not occur in the training split: {table}, {rows}',
  },
  label_missing: 'label "{column}" is missing in {missing} of {cases} cases: {table}, {rows}',
  label_mixed:
    'label "{column}" looks numeric, but is not a number in {bad} of {cases} cases (forms such as {forms}): {table}, {rows}',
  label_not_number: 'label "{column}" is not a number in {cases}: {table}, {rows}',
  time_not_number: 'column "{column}" is not a number in {cases}: {table}, {rows}',
  write_time_as_number: 'Write the time as a number, for example in days.',
  outcome_missing: 'column "{column}" is missing in {cases}: {table}, {rows}',
  remove_rows_without_time: 'Remove the rows without a time.',
  time_not_positive: 'column "{column}" is not above 0 in {cases}: {table}, {rows}',
  correct_time: 'Correct the time, or remove these rows.',
  event_unknown: 'column "{column}" is neither yes nor no in {cases}: {table}, {rows}',
  write_event_as_number: 'Write the event as 1 or 0 (or yes and no).',
  write_every_event: 'Write 1 if the event was observed and 0 if follow-up ended without it.',
  too_few_events: {
    one: 'the event "{event}" was observed {count} time in {cases} training cases, which is too few to learn',
    other:
      'the event "{event}" was observed {count} times in {cases} training cases, which is too few to learn',
  },
  events_at_two_times: 'Survival requires events at two or more different times.',
  // Files
  table_empty: '{table} is empty; its first row must contain the column names',
  header_field_empty: '{table}, row {row}: field {position} of the header is empty',
  header_repeats: '{table}, row {row}: column "{column}" occurs {count} times in the header',
  labels_in_one_file: 'every value of column "{column}" has a label in {table}, but not in {other}',
  same_value_labels: 'Add the same value labels to all files, or remove them from all files.',
  extension_unsupported:
    'the file extension "{extension}" is not supported; use CSV, Excel, JSON, Parquet, SPSS, Stata or SAS',
  not_decompressed: '{table} cannot be decompressed ({error})',
  not_in_encoding: '{table}, row {row}: the text is not valid {encoding}',
  set_encoding: 'Set the encoding of the file in LoadTabular, or save the file as UTF-8.',
  nul_character:
    '{table}, row {row}: a NUL character; this is not a text file, or is written in another encoding',
  save_as_utf8: 'Save the file as CSV in UTF-8.',
  not_a_csv: '{table} is {format}, not a CSV',
  format_excel: 'an Excel workbook or another ZIP archive',
  format_xls: 'an old Excel workbook (.xls)',
  format_compressed: 'compressed with {program}',
  format_of: 'a {program} file',
  format_of_vowel: 'an {program} file',
  format_sqlite: 'an SQLite database',
  format_lfs: 'a pointer of Git LFS instead of the file',
  pull_lfs: 'Run git lfs pull in the repository, or download the file itself.',
  format_markup: 'a web page or XML document',
  download_table:
    'Download the table itself; a web page may be a login or error page. Or save the table as CSV.',
  header_among_rows: {
    one: '{table}, row {rows}: {count} row repeats the column names, as if several files were put together',
    other:
      '{table}, rows {rows}: {count} rows repeat the column names, as if several files were put together',
  },
  remove_header_rows: 'Remove these rows.',
  summary_rows: {
    one: '{table}, row {rows}: {count} row at the end is a total, another summary or a footnote, not a case',
    other:
      '{table}, rows {rows}: {count} rows at the end are totals, other summaries or footnotes, not cases',
  },
  remove_summary_rows: 'Remove these rows from the table.',
  format_pdf: 'a PDF',
  format_image: 'an image',
  adopt_workbook:
    'Run medloom data adopt on the file, which writes a recipe that reads it. Or save the sheet as CSV.',
  save_sheet: 'Save the sheet as CSV or .xlsx.',
  decompress: 'Decompress it, and use the CSV that it contains.',
  export_csv: 'Export the table as CSV, and use that file.',
  adopt_file:
    'Run medloom data adopt on the file, which writes a recipe that reads it. Or export the table as CSV.',
  select_table_of_images: 'Select the table that names the images, or the folder that contains them.',
  file_absent: '{file} does not exist',
  file_unreadable: '{file} cannot be read ({error})',
  table_above_memory: '{table} has {size} bytes, but only tables of up to {limit} bytes fit into memory',
  header_without_rows: '{table} has a header but no rows',
  add_rows: 'Add a row for each case.',
  is_utf16: '{table} is UTF-16, not UTF-8',
  nul_byte: '{table}, row {row}: a NUL byte; this is not a text file',
  not_utf8_despite_mark:
    '{table}, row {row}: not UTF-8, although the file starts with a UTF-8 byte-order mark',
  neither_encoding: '{table}, row {row}: neither UTF-8 nor Windows-1252',
  ambiguous_delimiters: '{table}: {first} and {second} are both possible delimiters',
  delimiter_comma: 'comma',
  delimiter_semicolon: 'semicolon',
  delimiter_tab: 'tab',
  delimiter_bar: 'vertical bar',
  quote_delimiters: 'Quote the cells that contain one of them, or use a single delimiter.',
  quotes_wrong: '{table}, row {row} or the next row: {error}; check the quotes',
  too_many_fields:
    '{table}, row {row}: the number of fields is {found}, but the header has {expected}; field {field} is unexpected (a {delimiter} inside a cell must be quoted)',
  too_few_fields:
    '{table}, row {row}: the number of fields is {found}, but the header has {expected}; field {field} is missing (add it)',
  other_ragged_rows: 'other rows with a different number of fields: {rows}',
  header_too_wide: '{place}: the header has {columns} columns; the limit is {limit}',
  remove_columns: 'Remove columns that the model does not need, or split the table.',
  unit_differs: 'column "{column}" has the unit {unit} in {table}, but {trained} in the training',
  unit_unknown: 'column "{column}" has the unit {unit} in {table}, but none in the training',
  convert_unit: 'Convert the column to the unit of the training, and write the numbers alone.',
  numbers_ambiguous:
    'numbers in column "{column}" have two possible values, because their mark can be a decimal mark or group thousands: {table}, {rows}',
  write_one_value: 'Write them without groups of thousands, and not with three decimals.',
  too_few_columns:
    '{table} has {found} of the {count} columns that the model reads; it may be a table of another study. It lacks {columns}',
  rename_as_proposed: 'Check whether these columns are meant, and rename them: {names}.',
  rename_or_allow: 'Add the columns, or set allow_missing_columns to predict with missing values.',
  numeric_with_text: 'numeric column "{column}" contains text: {table}, {rows}',
  // Inputs and splits
  no_image_column: 'no column contains image files; set data.image_columns, or set vision_backbone to "none"',
  no_input_column:
    'no table columns remain as input; set input columns, or set fusion_type to "none" for an image-only model',
  all_rows_incomplete:
    'every row of {split} has missing values, so none remains; set missing_strategy to "token"',
  no_training_row: '{table}: no row has the value "train" in column "{column}"',
  several_tables: '{folder} contains several tables, and none is named after a split: {tables}',
  adopt_folder:
    'Run medloom data adopt on the folder, which proposes how they belong together. Or select one of the tables instead of the folder, or rename them to train.csv, val.csv and test.csv.',
  table_names_images: '{table} names {count} of the {total} images, so the subfolders may not be the classes',
  adopt_table_of_folder:
    'Run medloom data adopt on the folder, which proposes how the table and the images belong together. If the subfolders are the classes, move the table out of the folder.',
  folders_are_parts: 'the subfolders are named as parts of one dataset, not as classes: {folders}',
  adopt_or_make_classes:
    'Add a table with the columns image and label, or create one subfolder per class. Run medloom data adopt on the folder if it has other tables.',
  folders_are_pairs:
    'the subfolders "{first}" and "{second}" contain files with the same names, such as images and their masks, so they may not be classes',
  rename_masks_or_list:
    'If one of them contains masks, rename it to masks. Otherwise list the images in a table with the columns image and label.',
  two_tables_of_split: '{folder}: {first} and {second} are both named as the {split} split',
  move_one: 'Move or rename one of them.',
  nothing_in_folder:
    '{folder} contains neither a table (train.csv, val.csv, test.csv, or one CSV) nor images in a folder per class',
  adopt_other_formats:
    'Run medloom data adopt on the folder, which reads workbooks, other formats and subfolders.',
  image_not_displayed: 'the image cannot be displayed: {reason}',
} as const
