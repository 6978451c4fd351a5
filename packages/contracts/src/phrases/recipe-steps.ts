/** Steps of a recipe in words. */
export const RECIPE_STEPS = {
  // Steps of a recipe, with what each did to the rows
  step_read: { one: '{count} row of "{table}"', other: '{count} rows of "{table}"' },
  step_dicom:
    'DICOM files that are not rows: damaged {damaged}, without an image {without_image}, localizers {localizers}; other files: {other_files}; series divided into several volumes: {divided}',
  step_missing: {
    one: '{count} cell with a code for missing values in {columns}',
    other: '{count} cells with a code for missing values in {columns}',
  },
  all_columns: 'all columns',
  and_other_columns: '{columns} and the other columns',
  codes_not_found: { one: '{count} code not found', other: '{count} codes not found' },
  step_join: 'joined with "{table}" by {columns}',
  rows_unmatched: { one: '{count} row without a match', other: '{count} rows without a match' },
  rows_unmatched_left_out: {
    one: '{count} row without a match excluded',
    other: '{count} rows without a match excluded',
  },
  rows_unused: { one: '{count} row of "{table}" not used', other: '{count} rows of "{table}" not used' },
  rows_equal: {
    one: '{count} row of "{table}" equal to another',
    other: '{count} rows of "{table}" equal to another',
  },
  keys_without_zeros: {
    one: '{count} key would match without leading zeros (numbers: true joins them)',
    other: '{count} keys would match without leading zeros (numbers: true joins them)',
  },
  keys_as_numbers: { one: '{count} key equal only as numbers', other: '{count} keys equal only as numbers' },
  step_images: {
    one: 'image column "{column}" names {count} file',
    other: 'image column "{column}" names {count} files',
  },
  of_them_not_found: '{count} of them not found',
  findings: { one: '{count} finding', other: '{count} findings' },
  uncertain_cells: { one: '{count} uncertain cell', other: '{count} uncertain cells' },
  code_means: '"{code}" is {meaning}',
  empty_means: 'an empty cell is {meaning}',
  rows_without_event: {
    one: '{count} row without an event or a time above 0 excluded',
    other: '{count} rows without an event or a time above 0 excluded',
  },
  columns_parsed: '{columns} parsed from "{column}"',
  patients_in_column: { one: '{count} patient in "{column}"', other: '{count} patients in "{column}"' },
  rows_without_patient: { one: '{count} row without a patient', other: '{count} rows without a patient' },
  step_split: 'split from {origin}: {counts}',
  rows_left_out: { one: '{count} row excluded', other: '{count} rows excluded' },
  listed_without_row: {
    one: '{count} listed value without a row: {values}',
    other: '{count} listed values without a row: {values}',
  },
  texts_of_form: {
    one: 'texts of the form {forms} ({count} rare text)',
    other: 'texts of the form {forms} ({count} rare texts)',
  },
  step_views: { one: '{count} case with the views {views}', other: '{count} cases with the views {views}' },
  columns_vary: 'columns that differ within a case excluded: {columns}',
  step_rows: {
    one: '{rows} of {count} case by rule {rule}',
    other: '{rows} of {count} cases by rule {rule}',
  },
  step_visits: {
    one: 'visits {visits}, {count} row of others excluded',
    other: 'visits {visits}, {count} rows of others excluded',
  },
  cases_disagree: {
    one: '{count} case whose rows disagree excluded',
    other: '{count} cases whose rows disagree excluded',
  },
  first_row_counts: 'columns that differ within a case have the text of its first row: {columns}',
  last_row_counts: 'columns that differ within a case have the text of its last row: {columns}',
  a_value: 'a value',
  a_missing_value: 'a missing value',
  classes_in_column: { one: '{count} class in "{column}"', other: '{count} classes in "{column}"' },
  classes_of_one_hot: {
    one: '{count} class in "{column}", from a one-hot group',
    other: '{count} classes in "{column}", from a one-hot group',
  },
  step_event: 'time "{time}" and event "{event}"',
  time_converted: 'converted from {unit} to {other}',
  rows_uncertain: {
    one: '{count} row with an uncertain label excluded',
    other: '{count} rows with an uncertain label excluded',
  },
  split_column: 'split column "{column}"',
} as const
