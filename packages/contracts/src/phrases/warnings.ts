/** Details of warnings and of readiness checks, for one dataset, job or node. */
export const WARNING_DETAILS = {
  // Lists and places
  and_more: 'and {count} more',
  list_and: '{first} and {last}',
  rows_at: { one: 'row {rows}', other: 'rows {rows}' },
  row_in_file: '{row} of {file}',
  patients_of: { one: '{patients} of {count} patient', other: '{patients} of {count} patients' },
  did_you_mean: '"{column}" (did you mean "{near}"?)',
  in_brackets: '{text} ({more})',
  // Outcomes, as warnings about shortcuts name them
  outcome_label: 'the label',
  outcome_of_column: 'the label "{column}"',
  outcome_event: 'the event',
  outcome_time: 'the time to the event',
  outcome_follow_up: 'the follow-up time',
  outcome_class: 'class {name}',
  outcome_highest: 'the highest {percent}% of {outcome}',
  outcome_cutoff: 'whether {outcome} is above a cutoff',
  // Shortcuts and leaks
  alone_predicts: 'alone predicts {outcome} (AUROC {auc})',
  alone_correlates: 'alone predicts {outcome} (rank correlation {correlation})',
  constant_within: 'is constant within {classes}, but not elsewhere',
  agrees_with_mean:
    'has values that agree with the mean of {outcome} of their cases more closely than by chance',
  values_predict: 'has values that predict {outcome} one by one (AUROC {auc})',
  falls_within:
    'falls with {outcome} within each "{group}" and rises with it between them, as a mean over the other cases does',
  increases_with: 'increases with {outcome} (rank correlation {correlation})',
  column_predicts: '"{column}" {reason}',
  derived_from: '"{column}" {reason}; is it derived from {outcome}?',
  easy_to_predict:
    '{outcome} may be easy to predict: {columns}. Is each of these columns known before {outcome}?',
  missingness_predicts: 'missingness of {columns} predicts {outcome} (AUROC {auc})',
  unchecked_patients: 'not checked for shortcuts because there are too few patients: {outcomes}',
  unchecked_columns: 'not checked for shortcuts because too few patients have a value: {columns}',
  unchecked_groupings:
    'only the first {most} grouping columns were searched for means of {outcome} over the other cases',
  pairs_predict:
    'two columns together predict {outcome}, although neither does alone: {columns}. Is each of these columns known before {outcome}?',
  triples_predict:
    'three columns together predict {outcome}, although no two of them do: {columns}. Is each of these columns known before {outcome}?',
  pairs_limited: 'only the first {most} of {searched} columns were checked for pairs that predict {outcome}',
  triples_limited:
    'only the first {most} of {searched} columns were checked for triples that predict {outcome}',
  triples_tested: 'only the first {most} triples of columns that may predict {outcome} were checked',
  acquisition_column: 'the acquisition column "{column}" alone predicts {outcome} (AUROC {auc})',
  number_of_images: 'the number of images of a case alone predicts {outcome} (AUROC {auc})',
  image_format: 'the channels and bit depth of the images of a case alone predict {outcome} (AUROC {auc})',
  image_size: 'image size alone predicts {outcome} (AUROC {auc})',
  in_pixels: 'the pixels contain the same information, so removing the column does not remove the shortcut',
  size_not_checked: 'In a folder without a table, it is not checked whether image size predicts the class.',
  copies_not_searched:
    'there are {images} images, which is too many to search for copies in another format or size',
  aligned_too_few:
    'copies that are rotated by some degrees or cropped were not searched, because there are fewer than {needed} images',
  aligned_small:
    'copies that are rotated by some degrees or cropped were not searched, because the images have fewer than {side} pixels a side',
  aligned_uniform:
    'copies that are rotated by some degrees or cropped were not searched, because the images are too similar to distinguish a copy from another patient',
  alike_within: {
    one: '{count} case of {split} ({rows}) has a near-duplicate of an image of another patient in this split',
    other:
      '{count} cases of {split} ({rows}) have a near-duplicate of an image of another patient in this split',
  },
  alike_between: {
    one: '{count} case of {split} ({rows}) has a near-duplicate of an image of another patient in {other}; if it is a copy (in another format or size, mirrored, rotated or cropped), it is an undetected leak',
    other:
      '{count} cases of {split} ({rows}) have a near-duplicate of an image of another patient in {other}; if it is a copy (in another format or size, mirrored, rotated or cropped), it is an undetected leak',
  },
  patients_counted: { one: '{count} patient', other: '{count} patients' },
  images_counted: { one: '{count} image', other: '{count} images' },
  test_in_training: '{found} of the test data are in the training or validation data of this model',
  cases_in_training: {
    one: '{found} of these cases was in the training or validation data of this model.',
    other: '{found} of these cases were in the training or validation data of this model.',
  },
  table_of_training: 'This table is the {key} of the training of this model.',
  split_of_training: 'These cases are the {split} split of the training of this model.',
  no_new_patients: 'The metrics do not estimate its performance on new patients.',
  no_record_of_evaluated:
    'The checkpoint has no record of the patients and images on which the model was trained, so an overlap with these cases cannot be detected.',
  no_record_of_training:
    'The checkpoint has no record of the patients and images on which the model was trained, so an overlap with the validation and test data cannot be detected.',
  before_fine_tuning: 'the patients and images on which the model was trained before fine-tuning are unknown',
  fine_tuned_on: '{found} are in the training data of the model that is fine-tuned',
  patients_of_split: { one: '{count} patient of {split}', other: '{count} patients of {split}' },
  images_of_split: { one: '{count} image of {split}', other: '{count} images of {split}' },
  unread_training_images: {
    one: '{count} training image cannot be read, so leaks into the test data cannot be detected for it',
    other: '{count} training images cannot be read, so leaks into the test data cannot be detected for them',
  },
  unread_images: {
    one: '{count} image cannot be read, so leaks between the splits cannot be detected for it',
    other: '{count} images cannot be read, so leaks between the splits cannot be detected for them',
  },
  patients_repeated: {
    one: '{count} patient of {first} is also in {second} ({rows})',
    other: '{count} patients of {first} are also in {second} ({rows})',
  },
  images_repeated: {
    one: '{count} image of {first} is also in {second} ({rows})',
    other: '{count} images of {first} are also in {second} ({rows})',
  },
  ids_differ_in_case: {
    one: '{count} patient ID differs between {first} and {second} only in case or white space; if it is the same patient, this is an undetected leak: write the ID in the same way',
    other:
      '{count} patient IDs of {first} and {second} differ only in case or white space; if they are the same patients, this is an undetected leak: write their IDs in the same way',
  },
  ids_same_number: {
    one: '{count} patient ID is the same number in different formats in {first} and {second} (12, 12.0, 00012); if it is the same patient, this is an undetected leak: write the ID in the same way',
    other:
      '{count} patient IDs of {first} and {second} are the same number in different formats (12, 12.0, 00012); if they are the same patients, this is an undetected leak: write their IDs in the same way',
  },
  ids_written_differently: {
    one: '{count} patient ID of {split} is written in several ways that differ only in case or white space; each form counts as a different patient',
    other:
      '{count} patient IDs of {split} are written in several ways that differ only in case or white space; each form counts as a different patient',
  },
  ids_of_sides: {
    one: '{count} patient ID may denote the left and right side of the same patient, such as 12L and 12R; each side counts as a different patient and may be in another split',
    other:
      '{count} patient IDs may denote the left and right side of the same patient, such as 12L and 12R; each side counts as a different patient and may be in another split',
  },
  training_data: 'the training data',
  test_data: 'the test data',
  the_table: 'the table',
  // Evaluations and baselines
  inputs_differ: 'standardized mean difference from the training cases above {limit}: {inputs}',
  inputs_recoded:
    'none of the categories occurs in the training cases: {inputs}; check whether they are coded differently here',
  rare_performance:
    'The model reaches {metric} {value} (95% CI {low} to {high}), which is rare in medicine. Is the task this easy, or does an input reveal the label?',
  rare_baseline:
    'A baseline, {baseline}, reaches {metric} {value} (95% CI {low} to {high}), which is rare in medicine. Is the task this easy, or does an input reveal the label?',
  also_reached: 'This level is also reached by {baselines}.',
  check_images_first: 'Check the images first.',
  check_columns_first: 'Check the columns of the table first.',
  no_baseline_reaches: 'No baseline reaches this level: check the inputs that only the model reads.',
  cases_from_patients: 'There are {cases} from only {patients}.',
  model_compared: 'The model is {verdicts}.',
  not_compared: 'not compared with {baseline}: the {metric} difference has no interval ({reason})',
  better_than: 'better than {baseline}: {metric} difference {value} (95% CI {low} to {high})',
  not_different_from:
    'not significantly different from {baseline}: {metric} difference {value} (95% CI {low} to {high})',
  worse_than: 'worse than {baseline}: {metric} difference {value} (95% CI {low} to {high})',
  baseline_unavailable: 'The baseline {baseline} ({name}) is missing from the comparison: {reason}.',
  stopped_before: 'the job was stopped before it was fitted',
  stopped_during: 'the job was stopped while it was being trained',
  predicted_nan: 'it predicted NaN or infinity',
  logistic_regression: 'logistic regression',
  ridge_regression: 'ridge regression',
  cox_regression: 'Cox regression',
  random_forest: 'random forest',
  hist_gradient_boosting: 'gradient boosting',
  image_only_model: 'the image-only model',
  table_only_model: 'the table-only model',
  trained_with: '{title}, trained with {variant}',
  evaluated_on_cpu: 'No GPU slot was free (device {device}), so the evaluation ran on the CPU.',
  // Columns, values and images
  columns_absent: '{table} has no column {columns}; these values are read as missing',
  split_value_absent: '{table}: no row has the value {split} in column "{column}"; all rows are used',
  infinite_values:
    'column "{column}" contains infinite values, which are replaced by the largest or smallest training value: {rows}',
  bounds_as_values:
    'column "{column}" contains bounds such as "89+", which are read as the bound itself: {rows}',
  mixed_numbers: {
    one: 'column "{column}" contains numbers and other text in {mixed} of {count} case: {rows} (forms such as {forms})',
    other:
      'column "{column}" contains numbers and other text in {mixed} of {count} cases: {rows} (forms such as {forms})',
  },
  quantities: {
    one: 'column "{column}" contains {kind} in {mixed} of {count} case: {rows} (forms such as {forms})',
    other: 'column "{column}" contains {kind} in {mixed} of {count} cases: {rows} (forms such as {forms})',
  },
  mixed_decimals: {
    one: 'column "{column}" contains decimal points and decimal commas in {mixed} of {count} case: {rows} (forms such as {forms})',
    other:
      'column "{column}" contains decimal points and decimal commas in {mixed} of {count} cases: {rows} (forms such as {forms})',
  },
  and_not_used: 'and is not used',
  and_categories: 'and is read as categories',
  unseen_categories: '"{column}" has categories that do not occur in training: {rows}',
  missing_not_seen:
    '{table} has missing values in columns that are complete in training (number of cases): {columns}',
  few_of_classes: 'classes with fewer than {needed} training {unit}: {classes}',
  unit_cases: 'cases',
  unit_patients: 'patients',
  classes_not_validated: 'classes without validation cases, which validation cannot measure: {classes}',
  volumes_as_slices: {
    one: '{count} volume is read as {slices} {axis} slices, evenly spaced over its {extent}; each slice is a view (data.slices). Frames and series are sliced as acquired',
    other:
      '{count} volumes are read as {slices} {axis} slices, evenly spaced over their {extent}; each slice is a view (data.slices). Frames and series are sliced as acquired',
  },
  volumes_as_slice: {
    one: '{count} volume is read as 1 {axis} slice, from its {extent}; the slice is a view (data.slices). Frames and series are sliced as acquired',
    other:
      '{count} volumes are read as 1 {axis} slice, from their {extent}; each slice is a view (data.slices). Frames and series are sliced as acquired',
  },
  axis_axial: 'axial',
  axis_coronal: 'coronal',
  axis_sagittal: 'sagittal',
  extent_content: 'slices with content',
  extent_whole: 'whole extent',
  blank_images: {
    one: '{count} image is blank (all pixels have the same value)',
    other: '{count} images are blank (all pixels have the same value)',
  },
  images_unusable: {
    one: '{count} image file is missing or unreadable: {files}',
    other: '{count} image files are missing or unreadable: {files}',
  },
  no_image_found: {
    one: '{count} image file is missing or unreadable (no image was found; image paths are relative to the folder of the table unless image_root is set): {files}',
    other:
      '{count} image files are missing or unreadable (no image was found; image paths are relative to the folder of the table unless image_root is set): {files}',
  },
  cases_without_image: {
    one: '{count} case has no image: {cases}',
    other: '{count} cases have no image: {cases}',
  },
  image_in_row: '{file} row {row} ({column}): {reason}',
  row_of_file: '{file} row {row}',
  file_missing: 'is missing',
  file_not_opened: 'cannot be opened',
  as_missing_views: 'treated as missing views',
  // Settings
  points_without_effect:
    'training.operating_points has no effect: operating points require two classes, but this task has {outcomes}',
  val_fraction_without_effect: 'data.val_fraction has no effect: the tables define the validation cases',
  window_without_effect:
    'data.window has no effect: all images are in color, and a window applies to one channel',
  intensities_kept:
    'data.augmentation does not change brightness, contrast, gamma or noise: without data.window, the values of CT and NIfTI images are measurements',
  metrics_without_effect: 'metrics has no effect for the task {task}: {metrics} are used',
  augmentation_without_effect: 'augmentation has no effect: DataAugmentation upstream sets the methods',
  setting_overridden: '{key} was set by an upstream node and is overridden by {node}',
  setting_differs: '{key} differs between the sources; the value of the first source is used',
  not_compiled: 'the backbone could not be compiled and is trained without compilation: {reason}',
  parity_on_random:
    'the validation cases have changed or are missing, so the effect of rounding was measured on random inputs',
  // Nodes
  preview_of_stored: 'the table is too large to process for a preview, so the stored values are shown',
  fitted_for_display:
    'processed values are for display only and use {fitted} of {cases}; a model never reads them, because a training fits its preprocessing on its own training split',
  all_cases: { one: 'all {count} case', other: 'all {count} cases' },
  the_training_cases: { one: 'the {count} training case', other: 'the {count} training cases' },
  fitted_codes: 'codes of categories',
  fitted_means_of_label: 'means of the label',
  fitted_means: 'means',
  fitted_medians: 'medians',
  fitted_modes: 'most frequent values',
  fitted_scaling: 'scaling',
  fitted_selection: 'feature selection',
  rows_dropped: {
    one: '{count} row with missing values excluded (missing_strategy drop)',
    other: '{count} rows with missing values excluded (missing_strategy drop)',
  },
  columns_dropped: {
    one: '{count} column excluded by feature selection: {columns}',
    other: '{count} columns excluded by feature selection: {columns}',
  },
  source_without_patients:
    'one of the datasets has no patient column; each of its cases counts as one patient',
  duplicate_cases: {
    one: '{count} case of several sources was included once',
    other: '{count} cases of several sources were included once',
  },
  case_ids_renamed: {
    one: '{count} case had the ID of another case and received a new ID',
    other: '{count} cases had the ID of another case and received a new ID',
  },
  shared_patients: {
    one: '{count} patient ID in several sources: each ID counts as one patient across sources',
    other: '{count} patient IDs in several sources: each ID counts as one patient across sources',
  },
  cases_unmatched: {
    one: 'joined by "{key}": {count} case; excluded: {rows} without an image, {images} without a row',
    other: 'joined by "{key}": {count} cases; excluded: {rows} without an image, {images} without a row',
  },
  rows_counted: { one: '{count} row', other: '{count} rows' },
  case_ids_replaced:
    'column "{column}" has missing or duplicate values; cases are identified by their row instead',
  fitted_on_all:
    'the displayed scaler was fitted on all cases; a training fits its own scaler on its training split',
  other_formats: {
    one: '{count} file of another format excluded',
    other: '{count} files of another format excluded',
  },
  dicom_localizers: {
    one: '{count} DICOM file of a localizer next to a volume excluded',
    other: '{count} DICOM files of localizers next to a volume excluded',
  },
  series_divided: {
    one: '{count} DICOM series contains several volumes, such as time points, phases or echoes, and is read as {volumes} cases',
    other:
      '{count} DICOM series contain several volumes, such as time points, phases or echoes, and are read as {volumes} cases',
  },
  dicom_without_image: {
    one: '{count} DICOM file without an image or with a picture of the screen excluded',
    other: '{count} DICOM files without an image or with a picture of the screen excluded',
  },
  burned_in: {
    one: '{count} image tagged as having burned-in annotations',
    other: '{count} images tagged as having burned-in annotations',
  },
  named_persons: {
    one: '{count} image with a patient name or birth date in the tags',
    other: '{count} images with a patient name or birth date in the tags',
  },
  split_by_case: 'there is no patient column, so each case was assigned to a split independently',
  plot_not_drawn: '{plot} not drawn: {reason}',
  cache_unusable: 'the cached result cannot be used ({reason}); the node runs again',
  cache_unreadable: 'the cache cannot be read ({reason}); the node runs again',
  not_cached: 'the result cannot be cached: {reason}',
  // Readiness checks
  split_ignored:
    'Column "{column}" defines the split of each row, but "{column}" is ignored, so all rows are in one split.',
  split_of_files_ignored:
    'The file names define the split of each row, but "{column}" is ignored, so all rows are in one split.',
  no_training_rows: 'No row has the value "train" in column "{column}".',
  images_without_suffix: {
    one: 'Column "{column}" contains the name of {count} image file in {folder} without its file extension, so it is not read (different names: {names}).',
    other:
      'Column "{column}" contains the names of {count} image files in {folder} without their file extension, so they are not read (different names: {names}).',
  },
  folder_named: 'the folder "{folder}"',
  folder_of_images: 'the folder of the images',
  numeric_with_texts: 'Column "{column}" has the role numeric, but some values are not numbers: {rows}.',
  no_patient_id: {
    one: 'No patient ID in {count} case: {rows}.',
    other: 'No patient ID in {count} cases: {rows}.',
  },
  tables_not_read: 'These tables are not read because the folders define the classes: {tables}.',
  folders_without_patients: 'Folders do not show which images belong to the same patient.',
  only_one_class: 'There is only one class.',
  classes_of_folders: {
    one: '{count} class, one per subfolder.',
    other: '{count} classes, one per subfolder.',
  },
  few_images_of_classes: 'Classes with fewer than {needed} images: {classes}.',
  // Remedies of readiness checks
  do_mark_training_rows: 'Mark the training rows in that column, or put them into train.csv.',
  do_read_splits: 'Remove "{column}" from ignore_columns; a split column is never an input.',
  do_answer_question:
    'Answer it with --{question} of medloom data adopt or in recipe.{question}. If no answer is needed, remove it from recipe.open.',
  do_set_label: 'Set data.label_column.',
  do_set_task: 'If the values are grades or classes, set model.task to classification.',
  do_merge_rows:
    'Set data.recipe.rows to the rule for the label of an image (any, majority, first, last or all_agree), which medloom data adopt --rows writes. Or keep one row for each image.',
  do_merge_rows_or_ignore:
    'If these columns are not inputs, add them to data.ignore_columns. Otherwise set data.recipe.rows to the rule for the rows of an image, which medloom data adopt --rows writes.',
  do_merge_classes: 'Collect more cases, or merge classes.',
  do_merge_image_classes: 'Collect more images, or merge classes.',
  do_set_positive_class: 'Set positive_class (command line: --positive).',
  do_name_classes: 'If they are different classes, give them distinct names.',
  do_read_intervals: 'Interpret every result with its interval.',
  do_fill_labels: 'Fill in the known values; empty cells are excluded from the loss and the metrics.',
  do_set_inputs: 'Set input columns in the configuration.',
  do_write_paths: 'Write the paths with their extension into a column, for example "{example}".',
  do_correct_numbers: 'Correct the values, or set the role to categorical or ignored.',
  do_set_patient: 'If patients have several rows, set data.patient_column.',
  do_nothing_about_patients: 'Each of them counts as one patient.',
  do_restore_images: 'Restore the files, remove the rows, or set data.unreadable_images to "missing".',
  do_remove_rows: 'Remove the rows, or set data.unreadable_images to "missing".',
  do_remove_images: 'Remove these images.',
  do_expect_wide_intervals: 'Expect wide intervals, and use a batch_size well below this number.',
  do_ignore_columns: 'Add them to ignore_columns unless you know why the values are missing.',
  do_reduce_columns: 'Remove columns that are unlikely to matter, or expect wide intervals.',
  do_train_images: 'A training opens all images during preparation and checks it.',
  do_train: 'A training checks it during preparation.',
  do_correct_recipe: 'Check the keys and names in the recipe.',
  do_register_table: 'To train on the columns of a table, register that table.',
  do_make_csv: 'Create a CSV with the columns image, label and patient_id, and train on it.',
  do_make_folders: 'Create one subfolder per class.',
  do_separate_patients: 'Assign each patient to one split.',
  do_separate_images: 'Assign each image to one split.',
  files_changed:
    'The files have changed since the last inspection, so columns, counts and checks can be outdated',
  do_inspect_again: 'Inspect the dataset again.',
  files_not_found: '{path} does not exist or cannot be read',
  folder_without_files: '{path} is empty',
  do_restore_files:
    'Restore the files, or change the path or the image folder of the dataset to their new location.',
} as const
