import { z } from 'zod'
import { openCode } from './open-code.js'

/**
 * Warning codes: findings of a job, an evaluation or a node about its data or its result that are not failures.
 * docs/reference/warnings.md is generated from them.
 */
export interface CodeDeclaration {
  readonly meaning: string
  readonly remedy: string
}

const declare = (meaning: string, remedy: string): CodeDeclaration => ({ meaning, remedy })

export const WARNINGS = {
  // Leakage
  DATASET_LEAK: declare(
    'Patients or images are in two splits, and data.allow_leakage permits it.',
    'Split by patient; results on these splits are too optimistic.',
  ),
  LEAK_CHECK_INCOMPLETE: declare(
    'Some cases could not be compared between the splits.',
    'Restore the files that cannot be read, or evaluate a model whose training cases are recorded.',
  ),
  PATIENTS_ALIKE: declare(
    'Patient ids are the same but for case, white space, the way a number is written (12, 12.0, 00012), or the side that they name (12L, 12R).',
    'If they are the same patients, write the ids alike, so that leaks are found.',
  ),
  IMAGES_ALIKE: declare(
    'Images of different patients look the same: they may be copies in another format, quality or size, mirrored, turned, straightened or cropped.',
    'Look at the cases that the message names; remove copies, or give them the same patient id.',
  ),
  SHARED_PATIENTS: declare(
    'Several sources of a merge contain the same patient id.',
    'If they are different patients, make the ids differ before the merge.',
  ),
  EVALUATED_ON_TRAINING_DATA: declare(
    'The model was evaluated on cases that it was trained on.',
    'Evaluate on patients that were not part of the training.',
  ),
  CHOSEN_ON_THIS_SPLIT: declare(
    'The epoch, and the threshold where there is one, was chosen on this split.',
    'Report the metrics of a test split.',
  ),
  LABELS_MISSING: declare(
    'Of several labels some cells are empty.',
    'Fill in what is known; a cell that stays empty counts neither in the loss nor in a metric.',
  ),
  RARE_CLASSES: declare(
    'A class has fewer than five training patients, or no validation case.',
    'Collect more of it, or merge classes; read what is said of it with its interval.',
  ),
  FEW_EVENTS: declare(
    'The event happened in few training cases.',
    'Follow the patients longer, or read every number with its interval.',
  ),
  LABEL_PREDICTED_BY_COLUMN: declare(
    'A column predicts the label almost alone, or its values are the mean label of the cases that have them.',
    'Check whether the column follows from the label or was computed from it; if so, add it to data.ignore_columns.',
  ),
  LABEL_PREDICTED_BY_MANY_COLUMNS: declare(
    'Several columns, or one among other strong ones, predict the label by themselves, or two columns predict it together. Often the classes are simply easy to distinguish.',
    'Check that each column named is known before the label is; add those that follow from the label to data.ignore_columns.',
  ),
  LABEL_PREDICTED_BY_MISSINGNESS: declare(
    'Whether a column has a value predicts the label.',
    'Check why the values are missing; if that follows from the label, add the column to data.ignore_columns.',
  ),
  LABEL_PREDICTED_BY_IMAGE_SIZE: declare(
    'The size of the images predicts the label.',
    'Check whether the classes were acquired or exported differently; read the metrics within groups of image size, which the report lists.',
  ),
  LABEL_PREDICTED_BY_ACQUISITION: declare(
    'How the images were acquired (device, site, projection, their number or format) predicts the label.',
    'Leaving the column out does not remove the shortcut: the pixels show it. Read the metrics within its groups, which the report lists, and balance or match the cases by it.',
  ),
  SHORTCUTS_NOT_CHECKED: declare(
    'Some classes, columns or images could not be searched for shortcuts to the label.',
    'Look at what the message names by hand, or collect more patients.',
  ),
  FITTED_ON_ALL: declare(
    'The scaler shown was fitted on all cases, because the data are not split yet.',
    'Connect DataSplit before TabularPreprocess; the training itself fits on its training split only.',
  ),
  PROCESSED_VIEW: declare(
    'Processed values are shown, filtered by or exported: computed from the cases at hand, for people.',
    'Nothing. A training fits on its training part alone and never reads these numbers; filter above the preprocessing to compare the values of the file.',
  ),
  // Patients and cases
  NO_SPLIT_COLUMN: declare(
    'The evaluated table does not say which rows belong to the split, so all of them were measured as that split.',
    'Nothing if the table holds only that split; else add a column "split" that says train, val or test.',
  ),
  NO_PATIENT_COLUMN: declare(
    'No patient column is known, so each case counts as a patient of its own.',
    'Name the patient column (data.patient_column, or when the dataset is registered) if patients have several cases.',
  ),
  PATIENTS_UNKNOWN: declare(
    'Without a patient column, each case counts as one patient.',
    'Name the patient column if patients have several cases; otherwise intervals are too narrow.',
  ),
  REPEATED_IDS: declare(
    'The values of an id column repeat, and there is no patient column.',
    'Name the patient column in data.patient_column.',
  ),
  DUPLICATE_CASES: declare(
    'A case is in several sources of a merge and was kept once.',
    'Nothing, if the sources overlap on purpose.',
  ),
  CASE_IDS_RENAMED: declare(
    'Different cases of a merge had the same case id; a number was added to it.',
    'Make the ids of the sources differ to keep them as they are.',
  ),
  CASE_IDS_REPLACED: declare(
    'The column case_id has missing or repeated values; cases are named by file and row.',
    'Give each row its own case_id.',
  ),
  CASES_UNMATCHED: declare(
    'Rows without an image, or images without a row, were left out of a join.',
    'Check the case ids or file names of the rows and images left out.',
  ),
  // Columns and values
  POSITIVE_CLASS_ASSUMED: declare(
    'Which of two classes is the positive one was decided by their order alone.',
    'Set data.positive_class; sensitivity, specificity, PPV, NPV, AUPRC and F1 depend on it.',
  ),
  CLASS_NAMES_MERGED: declare(
    'The label spells a class in several ways, such as Yes and yes; they are read as one.',
    'Spell each class in one way; if they are different classes, rename them.',
  ),
  CONSTANT_COLUMN: declare('A column has one value, or none, and is not used.', 'Nothing, or remove it.'),
  ID_LIKE_COLUMN: declare(
    'A column looks like an identifier and is not used.',
    'If it is an input, name it in data.numeric_columns or data.categorical_columns.',
  ),
  OTHER_LABEL_COLUMN: declare(
    'A column is named like a label and is not used as an input.',
    'If it is an input, name it in data.numeric_columns or data.categorical_columns.',
  ),
  MIXED_COLUMN: declare(
    'A column mixes numbers with other texts, or decimal points with decimal commas.',
    'Correct the cells that the message names, or name the column in data.numeric_columns or data.categorical_columns.',
  ),
  CENSORED_NUMBERS: declare(
    'A column has bounds such as "89+", which are read as the bound itself.',
    'Decide whether the bound is an acceptable value.',
  ),
  INFINITE_NUMBERS: declare(
    'A column has infinite numbers, which are read as the largest or smallest value of training.',
    'Correct the cells that the message names if they are no measurements beyond a range.',
  ),
  SENTINEL_SUSPECTED: declare(
    'A column has a number such as -999 that may stand for a missing value; it is read as a number.',
    'Empty these cells if they mean "missing".',
  ),
  UNSEEN_CATEGORIES: declare(
    'A column has categories that the training split does not have.',
    'Check their spelling; the model treats them as unknown.',
  ),
  COLUMNS_ABSENT: declare(
    'The table lacks columns that the model reads; their values are read as missing.',
    'Add the columns, or correct their names in the table.',
  ),
  INPUTS_SHIFTED: declare(
    'Inputs of the evaluated cases differ clearly from those of the training.',
    'Read the table of the report on the training and these cases: the model extrapolates where they differ.',
  ),
  MISSING_NEVER_SEEN: declare(
    'Values or images are missing in columns that the training split has complete.',
    'The model reads them as the average case; train on data that have such gaps, or complete the values.',
  ),
  CSV_ENCODING_ASSUMED: declare(
    'The CSV is not UTF-8 and was read as Windows-1252.',
    'Save the file as UTF-8 if letters look wrong.',
  ),
  SPLIT_COLUMN_DISAGREES: declare(
    'The split column of a table names another split than the one the table is used for.',
    'Correct the split column, or remove it; all rows of the table are used.',
  ),
  UNKNOWN_SPLIT: declare(
    'The split column has values other than train, val and test; these rows are not used.',
    'Correct the values of the split column.',
  ),
  // Images and files
  IMAGES_UNREADABLE: declare(
    'Image files are missing or cannot be read and are treated as missing views.',
    'Restore the files that the message names.',
  ),
  VOLUMES_AS_SLICES: declare(
    'Volumes are read as several slices, each of them a view; the rest of a volume is not seen.',
    'Choose number, plane and spread of the slices in data.slices.',
  ),
  BLANK_IMAGES: declare(
    'Images have the same value in every pixel: they show nothing, and they are not compared between the splits.',
    'Leave them out, or choose other slices of a volume in data.slices.',
  ),
  FILES_LEFT_OUT: declare(
    'Files of another format in the folder were left out.',
    'Choose the format, or move the files, if they should be read.',
  ),
  BURNED_IN_IDENTITY: declare(
    'DICOM tags say that the pixels show the identity of the patient.',
    'Mask these images before they are shared or used.',
  ),
  TAGGED_IDENTITY: declare(
    'DICOM tags contain a name or a birth date.',
    'De-identify the files before they are shared.',
  ),
  // Settings and results
  NOT_BETTER_THAN_BASELINE: declare(
    'The model is not clearly better than a simple one, or worse.',
    'Prefer the simple model, or improve the other: more cases, fewer inputs, other settings, chosen on validation.',
  ),
  TOO_GOOD_TO_BE_TRUE: declare(
    'The model, or a simple model beside it, reaches a performance that is rare in medicine. It may be true: some questions are easy.',
    'Check that each input is known before the outcome (test results, treatments, dates, codes, file names), that no patient and no copy of an image is in two splits, and that the classes were acquired alike. Then confirm the result on data from another hospital.',
  ),
  BASELINE_UNAVAILABLE: declare(
    'A baseline that was asked for stands beside no result.',
    'Read the reason that the message names; resume the training, or train again, to fit the baseline.',
  ),
  FEW_PATIENTS: declare(
    'There are few patients, however many cases they have.',
    'Read intervals and comparisons as rough; evaluate on more patients.',
  ),
  SETTING_REPLACED: declare(
    'A setting of one node is replaced by that of another.',
    'Set it once if the replacement is not intended.',
  ),
  SETTING_WITHOUT_EFFECT: declare(
    'A setting of the configuration has no effect on these data.',
    'Remove the setting.',
  ),
  PARITY_ON_RANDOM_INPUTS: declare(
    'The quantized model could not be compared with the original on its validation cases, only on random inputs.',
    'Restore the tables and images of the training and run the node again, or export without quantization.',
  ),
  PLOT_NOT_DRAWN: declare(
    'A plot could not be drawn from the metrics that arrived.',
    'Read the reason, or remove the plot from plot_types.',
  ),
  CASES_NOT_SHARED: declare(
    'Some cases are read by one of the compared models and left out by another.',
    'All numbers of the comparison are of the cases that every model reads; compare on a table without such rows to see the others.',
  ),
  TIMES_NOT_SHARED: declare(
    'The compared survival models have other intervals of time.',
    'All numbers of the comparison are at times that every model predicts, so those of a model may differ a little from those of its own evaluation.',
  ),
  EVALUATED_ON_CPU: declare(
    'The evaluation ran on the CPU, because no place on an accelerator was free.',
    'Nothing; to evaluate faster, do so when a training has ended.',
  ),
  COMPILATION_FAILED: declare(
    'The backbone could not be compiled, so it is trained as it is.',
    'Read the reason that the message names, such as a compiler that is not installed, or set training.compile to "off".',
  ),
  CACHED_RESULT_UNUSABLE: declare(
    'A cached result could not be read, so the node ran again.',
    'Nothing; if it happens often, check the disk of the data folder.',
  ),
  RESULT_NOT_CACHED: declare(
    'The result of a node could not be written to the cache.',
    'Free disk space; the next run computes the node again.',
  ),
  UNSPECIFIED: declare(
    'An older version stored this warning without a code.',
    'Read the message, or run the node again.',
  ),
} as const satisfies Record<string, CodeDeclaration>

export type WarningCode = keyof typeof WARNINGS

/** A warning of a job, an evaluation or a node. */
export const Warning = z
  .object({
    code: openCode<WarningCode>('A code of docs/reference/warnings.md'),
    message: z.string(),
  })
  .meta({ id: 'Warning' })
export type Warning = z.infer<typeof Warning>
