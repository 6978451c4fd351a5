import { CASE_ERRORS } from './case-errors.js'
import { CASE_FINDINGS } from './cases.js'
import { CLUSTER_STATES } from './clusters.js'
import { CUSTOM_NODE_PROBLEMS } from './custom-nodes.js'
import { IMAGE_FAULTS } from './images.js'
import { WORKFLOW_ISSUES } from './issues.js'
import { JOB_ERRORS } from './jobs.js'
import { METRIC_PHRASES } from './metrics.js'
import { NOTES } from './notes.js'
import { RECIPE_FAULTS } from './recipe-faults.js'
import { RECIPE_STEPS } from './recipe-steps.js'
import { RECIPE_ISSUES } from './recipes.js'
import { REQUEST_ERRORS } from './requests.js'
import { ROLE_REASONS } from './roles.js'
import { SETTING_ISSUES } from './settings.js'
import { STORED_ERRORS } from './stored.js'
import { STUDY_ISSUES } from './studies.js'
import { STUDY_RESULTS } from './study-results.js'
import { TABLE_FORMAT_FAULTS } from './table-formats.js'
import { TABLE_FAULTS } from './tables.js'
import { TEMPLATE_QUESTIONS } from './templates.js'
import { TRAINING_ERRORS } from './training.js'
import { WARNING_DETAILS } from './warnings.js'

/**
 * The phrases of service messages in English, by code: the summary of a value, the phase of a task, the method of an interval, an item that
 * a removal deletes. A message is a list of phrases, so that the page can write it in the reader's language. `{name}` is a value; a phrase
 * with a `count` has a form for 1.
 */
const VALUES = {
  name: '{name}',
  cases: { one: '{count} case', other: '{count} cases' },
  patients: { one: '{count} patient', other: '{count} patients' },
  image_columns: { one: '{count} image column', other: '{count} image columns' },
  features: { one: '{count} feature', other: '{count} features' },
  labels: { one: '{count} label', other: '{count} labels' },
  classes: { one: '{count} class', other: '{count} classes' },
  time_and_event: 'a time and an event',
  columns: { one: '{count} column', other: '{count} columns' },
  files: { one: '{count} file', other: '{count} files' },
  predictions: { one: '{count} prediction', other: '{count} predictions' },
  cases_left_out: { one: '{count} case excluded', other: '{count} cases excluded' },
  predictions_left_out: { one: '{count} excluded', other: '{count} excluded' },
  fitted_on: { one: 'fitted on {count} case', other: 'fitted on {count} cases' },
  by_classes: '{count} by {count} classes',
  no_matrix: 'none (the task is {task})',
  cases_as: { one: '{count} case as {format}', other: '{count} cases as {format}' },
  predictions_as: { one: '{count} prediction as {format}', other: '{count} predictions as {format}' },
  layers: { one: '{count} layer', other: '{count} layers' },
  parameters: { one: '{count} parameter', other: '{count} parameters' },
  known_parameters: {
    one: '{count} parameter; some parts are not determined yet',
    other: '{count} parameters; some parts are not determined yet',
  },
  networks: { one: '{count} network', other: '{count} networks' },
  encoder_of_table: '{encoder} of the table',
  backbone_and_encoder: '{backbone} and {encoder} of the table',
  images_only: 'images only',
  epochs: { one: '{count} epoch', other: '{count} epochs' },
  best_of_epochs: { one: 'best of {count} epoch', other: 'best of {count} epochs' },
  best: 'best',
  batches_of: 'batches of {size}',
  metric: '{metric} {value}',
  no_metric: 'no metrics available',
  repeated_evaluation: 'evaluation {number} of the model on this data',
  plots: { one: '{count} plot', other: '{count} plots' },
  plots_not_defined: { one: '{count} not defined', other: '{count} not defined' },
  megabytes: '{size} MB',
  largest_change: 'predictions differ by at most {change}',
} as const

const METHODS = {
  wilson: 'Wilson',
  wilson_effective: 'Wilson, effective sample size',
  wilson_combined: 'Wilson, combined (MOVER)',
  wilson_overlap: 'Wilson of the overlap',
  wilson_effective_overlap: 'Wilson, effective sample size of the overlap',
  newcombe: 'Newcombe',
  newcombe_effective: 'Newcombe, effective sample size',
  delong: 'DeLong, logit scale',
  delong_of_patients: 'DeLong over patients, logit scale',
  delong_paired: 'DeLong, paired',
  mcnemar: 'McNemar, exact',
  logistic_likelihood: 'logistic likelihood',
  bootstrap: 'patient bootstrap, {replicates} replicates',
  bootstrap_t: 'patient bootstrap-t, {replicates} replicates',
  paired_bootstrap: 'paired patient bootstrap, {replicates} replicates',
  scale: '{scale} scale',
  no_method: 'none',
} as const

/** Reasons why an interval is missing or not reliable. */
const REASONS = {
  few_patients: { one: 'only {count} patient', other: 'only {count} patients' },
  few_of_a_class: { one: 'only {count} patient of a class', other: 'only {count} patients of a class' },
  too_few_to_resample: 'too few patients to resample',
  too_few_to_compare: 'too few patients to compare: fewer than {needed} in a class or with an event',
  too_few_patients_to_compare: 'too few patients to compare: fewer than {needed}',
  fewer_than_two_of_a_class: 'fewer than two patients of a class',
  undefined_in_most: 'undefined in most replicates',
  no_spread: 'no spread between replicates',
  no_standard_error: 'no finite standard error',
  no_cases: 'no cases to count',
  one_patient_only: 'all cases belong to one patient',
  proportion_without_interval: 'one of its proportions has no interval',
  biased: 'its estimate is biased upward if there are few cases, so it has no valid interval',
  biased_difference:
    'its estimate is biased upward if there are few cases, so its difference has no interval',
} as const

/** Reasons why a result of an evaluation is missing. */
const GAPS = {
  no_class_probabilities: 'the task does not predict class probabilities',
  uninformative_probabilities: 'on validation data, the probabilities contain no information about the class',
  separated_perfectly: 'no finite temperature: the validation cases are separated perfectly',
  temperature_not_different:
    'the fitted temperature {value} (95% CI {low} to {high}) is not significantly different from 1',
  predicted_by_single_networks:
    'new cases are predicted by the mean of all networks. No validation case is, so no temperature can be fitted',
  fitted_by_older_version:
    'the checkpoint was written by an older version, which fitted only the threshold on validation data',
  not_requested: 'not requested',
  no_sets_in_task: 'the task predicts neither a single class nor a number',
  few_validation_patients: {
    one: 'only {count} validation patient; {needed} are required',
    other: 'only {count} validation patients; {needed} are required',
  },
  few_validation_cases: {
    one: 'only {count} validation case; {needed} are required',
    other: 'only {count} validation cases; {needed} are required',
  },
  few_patients_of_rarer_class: {
    one: 'only {count} validation patient of the rarer class; {needed} are required',
    other: 'only {count} validation patients of the rarer class; {needed} are required',
  },
  few_cases_of_rarer_class: {
    one: 'only {count} validation case of the rarer class; {needed} are required',
    other: 'only {count} validation cases of the rarer class; {needed} are required',
  },
  few_patients_of_smaller_classes: {
    one: 'only {count} validation patient of all classes but the largest; {needed} are required',
    other: 'only {count} validation patients of all classes but the largest; {needed} are required',
  },
  few_cases_of_smaller_classes: {
    one: 'only {count} validation case of all classes but the largest; {needed} are required',
    other: 'only {count} validation cases of all classes but the largest; {needed} are required',
  },
  validation_of_one_class: 'the validation cases have only one class',
  no_threshold_above_chance: 'no threshold is better than chance on validation data',
  sensitivity_of_all_positive:
    'a sensitivity of {value} on validation data requires that every case is predicted positive',
  specificity_of_all_negative:
    'a specificity of {value} on validation data requires that every case is predicted negative',
  all_positive_as_cheap: 'on validation data, predicting every case as positive does not cost more',
  all_negative_as_cheap: 'on validation data, predicting every case as negative does not cost more',
  not_two_classes: 'the task does not have two classes with a positive class',
  one_class_only: 'the cases have only one class',
  no_patient_column: 'there is no patient column',
  one_row_per_patient: 'every patient has one row',
  rows_cannot_be_combined: 'predictions of the rows of a patient cannot be combined in this task',
  fewer_patients: 'fewer than {needed} patients',
  fewer_cases: 'fewer than {needed} cases',
  fewer_events: 'fewer than {needed} events',
  fewer_patients_with_event: 'fewer than {needed} patients with the event',
  fewer_patients_without_event: 'fewer than {needed} patients without the event',
  fewer_cases_without_event: 'fewer than {needed} cases without the event',
  fewer_patients_of_class: 'fewer than {needed} patients of a class',
  class_with_fewer_patients: 'a class has fewer than {needed} patients',
  class_with_fewer_cases: 'a class has fewer than {needed} cases',
  metric_only: 'only {metric}',
  no_case_with_value: 'no case has a value',
  fewer_patients_with_value: 'fewer than {needed} patients have a value',
  fewer_cases_with_value: 'fewer than {needed} cases have a value',
  constant_input: 'it is constant',
  no_shared_category: 'no category of these cases occurs in training',
  no_error_in_survival: 'the error of a single prediction is not defined for survival',
  equal_disagreement: 'too many cases have the same disagreement',
  no_metric_of_importance: 'it requires AUROC or mean absolute error, and this outcome has neither',
} as const

/** State of the components of the service. */
const COMPONENTS = {
  database_responds: 'responds',
  database_silent: 'does not respond; see the log of the service',
  free_space: '{size} free in the data folder',
  free_space_needed: '{size} free in the data folder, but a training can require {needed}. Free disk space.',
  no_data_folder: 'the data folder cannot be accessed',
  python_versions: 'Python {python}, PyTorch {pytorch}',
  workers_accept: 'accept tasks',
  jobs_started: 'jobs are started',
} as const

/** Details of warnings and of readiness checks. */
const DETAILS = {
  cases_not_shared: {
    one: '{count} case is excluded because not all models can read it',
    other: '{count} cases are excluded because not all models can read them',
  },
  times_not_shared:
    'The models have different time intervals. All are measured at the same times ({times}) up to {last}, the last time that all of them predict, with censoring weights estimated on these cases',
  patients_unknown:
    'There is no patient column, so each row counts as one patient. If patients have several rows, the intervals are too narrow.',
  epoch_chosen_on_split:
    'The epoch was chosen on this split, so its results are better than those on new patients will be.',
  epoch_and_threshold_chosen_on_split:
    'The epoch and threshold were chosen on this split, so its results are better than those on new patients will be.',
  no_split_column: '{table} has no split column, so all rows ({rows}) are used as the {split} split',
  split_not_used:
    'column "{column}" contains names of splits, but the rows are not divided by it; set data.split_column to "{column}"',
  unknown_split: {
    one: '{count} row has a value other than train, val and test in column "{column}" and is not used',
    other: '{count} rows have a value other than train, val and test in column "{column}" and are not used',
  },
  encoding_assumed:
    '{table} is not UTF-8 and was read as Windows-1252. If characters look wrong, save it as UTF-8.',
  positive_class_assumed:
    '"{positive}" of label "{column}" is used as the positive class because it comes after "{negative}" in order; to choose, set data.positive_class to "{positive}" or "{negative}"',
  class_names_merged: 'label "{column}" has classes with several spellings, which are merged: {classes}',
  labels_missing: 'labels are missing: {missing} of {labels} (number of cases: {columns})',
  few_events: {
    one: 'the event "{event}" was observed in only {events} of {count} training case',
    other: 'the event "{event}" was observed in only {events} of {count} training cases',
  },
  each_row_a_patient: 'there is no patient column, so each row counts as one patient',
  recipe_main_table: {
    one: '"{table}" is the main table: it names {count} image',
    other: '"{table}" is the main table: it names {count} images',
  },
  recipe_table: '"{table}" is the main table',
  recipe_unreadable: '"{table}" is skipped, because it cannot be read: {reason}',
  recipe_split_tables: {
    one: '{count} table is named after a split',
    other: '{count} tables are named after splits and have the same columns',
  },
  recipe_join: {
    one: '"{column}" identifies the rows of "{table}", and {count} row of the main table has such a value',
    other:
      '"{column}" identifies the rows of "{table}", and {count} rows of the main table have such a value',
  },
  recipe_not_joined: '"{table}" is skipped: none of its columns identifies rows of the main table',
  recipe_same_columns: '"{table}" is skipped: it has the columns of the main table',
  recipe_second_several:
    '"{table}" is skipped: "{other}", which is joined, also has several rows for a row of the main table',
  recipe_layout: 'the files have the published layout of {title}',
  recipe_masks: {
    one: '{count} file is a mask and is skipped',
    other: '{count} files are masks and are skipped',
  },
  recipe_unwritable:
    '"{name}" is skipped, because its name contains a backslash or a brace: rename it to use it',
  recipe_smaller_copies:
    'the folder "{folder}" is skipped: it has the same images as another folder, in smaller files',
  recipe_no_images: {
    one: 'no column names the {count} image of the folder',
    other: 'no column names the {count} images of the folder',
  },
  recipe_images: {
    one: '"{column}" names {count} file, by its name without the extension (number of folders: {folders})',
    other:
      '"{column}" names {count} files, by their names without the extension (number of folders: {folders})',
  },
  recipe_pattern: {
    one: '{count} of {total} images is in a folder of this form',
    other: '{count} of {total} images are in folders of this form',
  },
  recipe_dicom: {
    one: '{count} DICOM file, read as series by its header',
    other: '{count} DICOM files, read as series by their headers',
  },
  recipe_missing: {
    one: 'in "{column}", {count} cell contains a word for a missing value',
    other: 'in "{column}", {count} cells contain a word for a missing value',
  },
  recipe_one_hot: {
    one: 'exactly {count} column is positive in each row',
    other: 'exactly one of these {count} columns is positive in each row',
  },
  recipe_patient: {
    one: '"{column}" is the only ID that repeats: {count} value in {rows} rows',
    other: '"{column}" is the only ID that repeats: {count} values in {rows} rows',
  },
  recipe_patient_in_paths: {
    one: 'the paths in "{column}" contain codes of the form {form}: {count} code in {files} files',
    other: 'the paths in "{column}" contain codes of the form {form}: {count} codes in {files} files',
  },
  recipe_by_name: '"{column}" is recognized by its name and values',
  recipe_rows: {
    one: '{count} row repeats the images of another row with the same label',
    other: '{count} rows repeat the images of other rows with the same label',
  },
  recipe_ask_label: 'Which column is the label?',
  recipe_ask_endpoint: 'Is the outcome a follow-up time with its event?',
  time_with_event: '{time} with {event}',
  another_label: 'another column',
  recipe_endpoint: '"{time}" and "{event}" are named as the time and event of an endpoint',
  recipe_incomplete: 'rows without a value of "{event}" or without a time above 0 in "{time}" are excluded',
  recipe_list: {
    one: 'the texts of "{column}" are lists with {count} finding, separated by {delimiter}',
    other: 'the texts of "{column}" are lists with {count} findings, separated by {delimiter}',
  },
  recipe_ask_patient: 'Which column identifies the patient?',
  recipe_ask_rows: {
    one: 'The rows of {count} case have different labels. Which label does the case have?',
    other: 'The rows of {count} cases have different labels. Which label does such a case have?',
  },
  recipe_ask_joined_rows: {
    one: '{count} row of the main table has several rows in "{table}". Which of them describes the case?',
    other: '{count} rows of the main table have several rows in "{table}". Which of them describes the case?',
  },
  recipe_ask_codes: 'What do these values of "{column}" (number of rows) mean: {codes}?',
  recipe_rows_open: 'Which of several rows describes a case?',
  recipe_question_open: 'Not ready: a question of the recipe is open',
  recipe_listing: 'listing files',
  recipe_reading: 'reading tables',
  recipe_trying: 'trying the recipe',
  sentinel_suspected:
    'column "{column}" may encode missing values as numbers (number of cases): {values}; they are read as numbers',
  categories_may_be_missing:
    'column "{column}" has categories that may mean missing or uncertain (number of cases): {values}',
  none_is_missing: {
    one: 'in column "{column}", "None" is read as a missing value in {count} case, but may be a category',
    other: 'in column "{column}", "None" is read as a missing value in {count} cases, but may be a category',
  },
  dates_suspected: {
    one: 'column "{column}" may contain a date as {form} ({count} different number); it is read as a number',
    other:
      'column "{column}" may contain dates as {form} ({count} different numbers); they are read as numbers',
  },
  date_form_serial: 'Excel serial numbers',
  date_form_unix: 'seconds or milliseconds since 1970',
  date_form_month: 'years with months, such as 202401',
  date_form_day: 'digits, such as 31012024 or 240131',
  constant_column: 'column "{column}" has one value in all rows and is not used',
  empty_column: 'column "{column}" has no values and is not used',
  other_label_column: 'column "{column}" has a name like a label and is not used as an input',
  texts_normalized:
    '{table}: invisible characters or other forms of the same character were replaced (number of different texts): {columns}',
  sheets_not_read: '{table}: sheet "{sheet}" was read; other sheets were not: {sheets}',
  cell_errors: {
    one: '{table}: {count} cell contains an error such as #DIV/0! and is read as missing: {cells}',
    other: '{table}: {count} cells contain errors such as #DIV/0! and are read as missing: {cells}',
  },
  title_rows_skipped: {
    one: '{table}: {count} row above the column names was skipped',
    other: '{table}: {count} rows above the column names were skipped',
  },
  merged_cells_filled: {
    one: '{table}: {count} cell of a merged range received the value of the range',
    other: '{table}: {count} cells of merged ranges received the value of their range',
  },
  classes_may_be_missing:
    'label "{column}" has classes that may mean missing or uncertain (number of cases): {classes}',
  classes_are_lists: {
    one: 'label "{column}" contains lists of several findings in {count} case (different lists: {lists}); each list is one class',
    other:
      'label "{column}" contains lists of several findings in {count} cases (different lists: {lists}); each list is one class',
  },
  one_hot_siblings:
    'columns of the same one-hot group as the label "{column}" are not used as inputs: {columns}',
  other_findings: 'columns next to the labels with the same coding are not used as inputs: {columns}',
  findings_excluded:
    'findings that are all absent exactly where "{column}" is positive are not used as inputs: {columns}',
  other_endpoints:
    'times and events of other endpoints, and what is known only later, are not used as inputs: {columns}',
  possible_findings:
    'columns next to the label "{column}" look like other findings of the same cases and are not used as inputs: {columns}',
  second_readings:
    'columns with the classes of the label "{column}" that agree with it in most cases, like a second reading, are not used as inputs: {columns}',
  possible_copies:
    'columns that agree with "{column}" in nearly all cases may be copies of it, but are used as inputs: {columns}',
  event_copies: 'columns whose values determine the event "{column}" are not used as inputs: {columns}',
  label_copies:
    'columns whose values determine the label "{column}", or follow from it, are not used as inputs: {columns}',
  rescaled_copies: 'columns with "{column}" in another unit, or rounded, are not used as inputs: {columns}',
  mask_files_set_apart: {
    one: '{count} file is a mask of an image and is not a case (folder: {folders}).',
    other: '{count} files are masks of images and are not cases (folders: {folders}).',
  },
  rows_name_masks: {
    one: '{count} row names a mask of the image of another row in column "{column}", and counts as a case',
    other: '{count} rows name masks of the images of other rows in column "{column}", and count as cases',
  },
  masks_set_apart: 'column "{column}" contains masks and is not read as an image',
  rows_share_images: {
    one: '{rows} rows name the same {count} image, so each row counts as a case; images whose rows have different labels: {differing}',
    other:
      '{rows} rows name only {count} images, so each row counts as a case; images whose rows have different labels: {differing}',
  },
  rows_of_images_merged: {
    one: '{rows} rows name the same {count} image with the same label, and are read as one case',
    other:
      '{rows} rows name only {count} images with the same label for each image, and are read as {count} cases',
  },
  rows_of_images_differ: {
    one: '{rows} rows name the same {count} image with the same label, but differ in other columns: {columns}',
    other:
      '{rows} rows name only {count} images with the same label for each image, but differ in other columns: {columns}',
  },
  id_by_name: 'column "{column}" has a name like an ID and is not used',
  row_counter: 'column "{column}" is a row counter and is not used',
  texts_differ:
    'column "{column}" has a different text in almost every row ({texts} of {rows}) and is not used',
  repeated_codes: 'column "{column}" contains {codes} codes of the same form that repeat and is not used',
  groups_of_rows: {
    one: 'column "{column}" has {count} value for rows in which {columns} do not change, like the ID of a patient, and is not used',
    other:
      'column "{column}" has {count} values for rows in which {columns} do not change, like IDs of patients, and is not used',
  },
  person_column: 'column "{column}" may identify a person and is not used',
  possible_patients:
    'column "{column}" has values that repeat in a few rows each, in which {columns} do not change; if they identify patients, set data.patient_column',
  equal_groups: {
    one: 'column "{column}" has {count} value that repeats; if it identifies a patient, set data.patient_column',
    other:
      'column "{column}" has {count} values with the same number of rows each; if they identify patients, set data.patient_column',
  },
  repeated_ids:
    'column "{column}" contains repeated IDs and there is no patient column; if they identify patients, set data.patient_column',
  ids_kept_together:
    'rows with the same value of {columns} may be of one patient, so they are not divided between training and validation; set data.patient_column',
  paths_kept_together:
    'images with the same code in the paths of {columns} may be of one patient, so their cases are not divided between training and validation',
  patients_in_paths:
    'paths in column "{column}" contain codes such as "{form}" that may identify patients (images: {files}, different codes: {groups})',
  joined_pairs: 'Images of some rows, with identifiers masked: {pairs}.',
  no_label_column: 'No label column was found.',
  label_of_classes: 'Label "{column}" with {classes} classes.',
  label_of_number: 'Numeric label "{column}": regression.',
  label_may_be_grades:
    'Numeric label "{column}": regression, although it has only {values} different values.',
  label_of_event: 'Time "{time}" and event "{event}": survival.',
  labels_of_flags: '{columns} binary label columns: multi-label classification.',
  rare_classes: 'Classes with fewer than {needed} training cases: {classes}.',
  no_input_columns: 'No input columns were found.',
  input_columns: 'Columns: {images} image, {numeric} numeric, {categorical} categorical.',
  rows_as_patients: 'There is no patient column, so each row counts as one patient.',
  patient_column: 'Column "{column}" identifies the patients.',
  images_opened: {
    one: '{count} image file exists; opened: {opened}.',
    other: '{count} image files exist; opened: {opened}.',
  },
  few_training_cases: { one: 'Only {count} training case.', other: 'Only {count} training cases.' },
  values_missing: 'More than half of the values are missing in {columns}.',
  events_observed: 'The event "{event}" was observed in {events} of {cases} training cases.',
  few_events_per_column:
    'Fewer than {needed} training events per table column (events: {events}, columns: {columns}).',
  patients_in_both: {
    one: '{count} patient is in both {first} and {second}.',
    other: '{count} patients are in both {first} and {second}.',
  },
  images_in_both: {
    one: '{count} image is in both {first} and {second}.',
    other: '{count} images are in both {first} and {second}.',
  },
  shortcuts_not_checked:
    'Only {opened} of {files} images were opened, so it was not checked whether image size or depth predicts the label.',
} as const

/** Phases of a task or a node. */
const PHASES = {
  waiting: 'waiting',
  waiting_for_device: 'waiting for a device',
  reading: 'reading {name}',
  reading_table: 'reading the table',
  reading_tables: 'reading tables',
  reading_checkpoint: 'reading the checkpoint',
  reading_checkpoints: 'reading the checkpoints',
  reading_predictions: 'reading the predictions',
  reading_images: 'reading the images, {done} of {total}',
  finding_images: 'locating the images, {done} of {total}',
  finding_image_files: 'searching for images',
  examining_image_files: 'examining image files',
  examining_images: 'examining images',
  comparing_images: 'comparing the images',
  decoding_images: 'decoding images',
  finding_copies: 'searching for duplicate images',
  finding_leaks: 'checking for data leaks',
  finding_shortcuts: 'checking for shortcuts',
  finding_rows: 'searching for the rows',
  checking_table: { one: 'checking the table of {count} row', other: 'checking the table of {count} rows' },
  describing_columns: 'describing the columns',
  comparing_columns: 'comparing the columns with the label',
  arranging_columns: 'indexing the columns',
  preparing_table: 'preparing the table',
  prepared: 'prepared',
  fitting_normalization: 'fitting image normalization',
  fitting_preprocessing: 'fitting preprocessing on the training split',
  dividing_into_folds: 'splitting into folds',
  building_model: 'building the model',
  building_network: 'building the network',
  predicting: 'predicting',
  measuring: 'computing the metrics',
  comparing: 'comparing',
  comparing_variants: 'comparing the variants',
  showing_images: 'processing the images with the network',
  exchanging_input: 'permuting input {number} of {total}',
  resampling: 'resampling the patients of {name}',
  writing_table: 'writing the table',
  writing_report: 'writing the report',
  writing_ensemble: 'writing the ensemble',
  writing_model: 'writing {format} and comparing it with the original',
  epoch_of: 'epoch {epoch} of {total}',
  batch_of: 'batch {batch} of {total}',
  epoch_number: 'epoch {epoch}',
  doing_preparing: 'preparing',
  doing_training: 'training',
  doing_validating: 'validating',
  doing_checkpointing: 'checkpointing',
  doing_baselines: 'fitting the baselines',
  training_baseline: 'training the baseline {name}',
  fitting_baseline: 'fitting the baseline {name}',
  fitting_linear_models: 'fitting the linear models',
  waiting_for_nodes: {
    one: 'waiting for resources on {count} node of the cluster',
    other: 'waiting for resources on {count} nodes of the cluster',
  },
  fetching_data: 'fetching the data',
  files_fetched: { one: '{done} of {count} file', other: '{done} of {count} files' },
  fetched_by_another: {
    one: 'another training is fetching {count} file',
    other: 'another training is fetching {count} files',
  },
} as const

/** Items that a removal deletes, and what is no longer possible. */
const LOSSES = {
  lost_model: 'the model {model} with its checkpoints',
  lost_ensemble: 'the ensemble {model} with its record {job}; its members remain',
  lost_evaluations: 'its evaluations, {count} of them on a test split',
  lost_comparisons: 'the comparisons in which it is the first model',
  lost_alias: 'the alias {alias} refers to the previous model, if there is one',
  job_without_checkpoints: 'the job {job} can no longer be resumed; its log, curves and reports remain',
  node_trained_again: 'the node {node} of the workflow "{workflow}" is trained again when it is needed',
  lost_job: {
    one: 'the job "{job}" with its configuration, {count} message and its curves',
    other: 'the job "{job}" with its configuration, {count} messages and its curves',
  },
  lost_run_directory: 'its run directory: log, checkpoints, metrics and reports',
  lost_registration: 'the registration of "{dataset}" with its columns; {path} is not changed',
  lost_study: 'the study "{study}" with its results and reports',
  lost_follow_up: 'the follow-up "{name}" with its collected predictions and outcomes',
  lost_jobs: { one: '{count} job with its run directory', other: '{count} jobs with their run directories' },
  lost_models: {
    one: '{count} model with its checkpoints and evaluations',
    other: '{count} models with their checkpoints and evaluations',
  },
} as const

export const PHRASES = {
  ...VALUES,
  ...METHODS,
  ...REASONS,
  ...GAPS,
  ...COMPONENTS,
  ...DETAILS,
  ...PHASES,
  ...LOSSES,
  ...WARNING_DETAILS,
  ...CASE_FINDINGS,
  ...ROLE_REASONS,
  ...RECIPE_STEPS,
  ...TEMPLATE_QUESTIONS,
  ...WORKFLOW_ISSUES,
  ...SETTING_ISSUES,
  ...STUDY_ISSUES,
  ...STUDY_RESULTS,
  ...RECIPE_ISSUES,
  ...IMAGE_FAULTS,
  ...TABLE_FAULTS,
  ...REQUEST_ERRORS,
  ...JOB_ERRORS,
  ...CLUSTER_STATES,
  ...STORED_ERRORS,
  ...TABLE_FORMAT_FAULTS,
  ...RECIPE_FAULTS,
  ...TRAINING_ERRORS,
  ...CASE_ERRORS,
  ...CUSTOM_NODE_PROBLEMS,
  ...NOTES,
  ...METRIC_PHRASES,
} as const satisfies Record<string, PhraseText>

/** Text of a phrase; with `one`, the form for a `count` of 1. */
export type PhraseText = string | { readonly one: string; readonly other: string }
export type PhraseCode = keyof typeof PHRASES
