import { z } from 'zod'
import { inEnglish } from '../phrases/format.js'
import { type Phrase, phrasesOf } from '../phrases/phrase.js'
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
    'Split by patient. Results on these splits are too optimistic.',
  ),
  LEAK_CHECK_INCOMPLETE: declare(
    'Some cases could not be compared between the splits.',
    'Restore the files that cannot be read, or evaluate a model whose training cases are recorded. If images were not searched for copies, review those of different patients manually.',
  ),
  PATIENTS_ALIKE: declare(
    'Some patient IDs differ only in letter case, white space, number format (12, 12.0, 00012) or laterality (12L, 12R).',
    'If they belong to the same patient, use one spelling, so that leaks are found.',
  ),
  IMAGES_ALIKE: declare(
    'Images of different patients are near-duplicates. They may be copies in another format, quality or size, or mirrored, rotated, straightened or cropped copies.',
    'Review the cases that the message names. Remove copies, or give them the same patient ID.',
  ),
  SHARED_PATIENTS: declare(
    'Several sources of a merge contain the same patient ID.',
    'If they are different patients, make the IDs unique before the merge.',
  ),
  EVALUATED_ON_TRAINING_DATA: declare(
    'The model was evaluated on cases that it was trained on.',
    'Evaluate on patients that were not part of the training.',
  ),
  CHOSEN_ON_THIS_SPLIT: declare(
    'The epoch and the decision threshold (if any) were chosen on this split.',
    'Report the metrics of a test split.',
  ),
  LABELS_MISSING: declare(
    'Some cells of the label columns are empty.',
    'Fill in the known values. An empty cell contributes neither to the loss nor to a metric.',
  ),
  RARE_CLASSES: declare(
    'A class has fewer than five training patients, or no validation case.',
    'Collect more cases of the class, or merge classes. Interpret its metrics together with their intervals.',
  ),
  FEW_EVENTS: declare(
    'The event occurred in few training cases.',
    'Extend the follow-up, and interpret every metric together with its interval.',
  ),
  LABEL_PREDICTED_BY_COLUMN: declare(
    'A single column predicts the label almost perfectly, or its values equal the mean label of the cases with that value.',
    'Check whether the column is a consequence of the label or was computed from it. If so, add it to data.ignore_columns.',
  ),
  LABEL_PREDICTED_BY_MANY_COLUMNS: declare(
    'Several columns each predict the label well, or two or three columns predict it together. Often the classes are simply easy to distinguish.',
    'Check that each column is known before the label. Add columns that are a consequence of the label to data.ignore_columns.',
  ),
  LABEL_PREDICTED_BY_MISSINGNESS: declare(
    'The missingness of a column predicts the label.',
    'Check why the values are missing. If the reason depends on the label, add the column to data.ignore_columns.',
  ),
  LABEL_PREDICTED_BY_IMAGE_SIZE: declare(
    'The size of the images predicts the label.',
    'Check whether the classes were acquired or exported differently. Read the metrics per group of image size in the report.',
  ),
  LABEL_PREDICTED_BY_ACQUISITION: declare(
    'The acquisition of the images (device, site, projection, number or format) predicts the label.',
    'Excluding the column does not remove the shortcut, because the pixels contain it. Read the metrics per group in the report, and balance or match the cases by this property.',
  ),
  SHORTCUTS_NOT_CHECKED: declare(
    'Some classes, columns or images could not be searched for shortcuts to the label.',
    'Check the items that the message names manually, or collect more patients.',
  ),
  FITTED_ON_ALL: declare(
    'The scaler in this view was fitted on all cases, because the data is not split yet.',
    'Connect DataSplit before TabularPreprocess. The training itself fits the scaler on the training split only.',
  ),
  PROCESSED_VIEW: declare(
    'Preprocessed values are shown, filtered or exported. They are computed from the current cases and are for inspection only.',
    'No action is needed. A training fits its preprocessing on the training split and never reads these values. To filter by the values of the file, place the filter before the preprocessing.',
  ),
  // Patients and cases
  NO_SPLIT_COLUMN: declare(
    'The evaluated table has no split column, so all of its rows were evaluated as that split.',
    'If the table contains only that split, no action is needed. Otherwise add a column "split" with the values train, val and test.',
  ),
  NO_PATIENT_COLUMN: declare(
    'No patient column is known, so each case counts as a separate patient.',
    'If patients have several cases, set the patient column in data.patient_column or when you register the dataset.',
  ),
  PATIENTS_UNKNOWN: declare(
    'Without a patient column, each case counts as a separate patient.',
    'If patients have several cases, set the patient column. Otherwise intervals are too narrow.',
  ),
  REPEATED_IDS: declare(
    'The values of a column repeat like IDs, and there is no patient column.',
    'If they identify patients, set data.patient_column. Otherwise ignore the warning.',
  ),
  SHEETS_NOT_READ: declare(
    'A workbook has several sheets with cells; the first visible one was read.',
    'If another sheet is meant, move it to the front, save it as CSV, or set sheet in a recipe (data.recipe).',
  ),
  PATIENTS_IN_PATHS: declare(
    'There is no patient column, but a code in the paths of the images groups them and may identify patients.',
    'Write this code into a patient column, or set the pattern of the patient in a recipe (data.recipe), so that all images of a patient are in one split.',
  ),
  DUPLICATE_CASES: declare(
    'A case is in several sources of a merge; one copy was kept.',
    'If the sources overlap on purpose, no action is needed.',
  ),
  CASE_IDS_RENAMED: declare(
    'Different cases of a merge had the same case ID; a number was appended to make the IDs unique.',
    'To keep the original IDs, make them unique across the sources.',
  ),
  CASE_IDS_REPLACED: declare(
    'The column case_id has missing or repeated values; cases are identified by file and row.',
    'Give each row a unique case_id.',
  ),
  CASES_UNMATCHED: declare(
    'A join excluded rows without an image or images without a row.',
    'Check the case IDs or file names of the excluded rows and images.',
  ),
  // Columns and values
  POSITIVE_CLASS_ASSUMED: declare(
    'The positive class was chosen by the order of the two classes.',
    'Set data.positive_class; sensitivity, specificity, PPV, NPV, AUPRC and F1 depend on it.',
  ),
  CLASS_NAMES_MERGED: declare(
    'The label column spells a class in several ways, such as Yes and yes; they are read as one class.',
    'Use one spelling for each class. If they are different classes, rename them.',
  ),
  CONSTANT_COLUMN: declare(
    'A column has only one value or no value and is not used.',
    'No action is needed. You can remove the column.',
  ),
  ID_LIKE_COLUMN: declare(
    'A column looks like an identifier and is not used.',
    'If it is an input, add it to data.numeric_columns or data.categorical_columns.',
  ),
  OTHER_LABEL_COLUMN: declare(
    'A column is named like a label, or looks like one: another column of a one-hot group, another finding, another endpoint, or a copy of the label in another coding. It is not used as an input.',
    'If it is an input, add it to data.numeric_columns or data.categorical_columns.',
  ),
  LABEL_COLUMN_SUSPECTED: declare(
    'Columns that are used as inputs may be labels themselves: other findings of the same cases, or a second reading or late copy of the label.',
    'If they are not known before the label, add them to data.ignore_columns; to predict several findings, set data.label_columns.',
  ),
  MIXED_COLUMN: declare(
    'A column mixes numbers with text or with different units, or decimal points with decimal commas.',
    'Correct the cells that the message names, or add the column to data.numeric_columns or data.categorical_columns.',
  ),
  CENSORED_NUMBERS: declare(
    'A column has censored values such as "89+", which are read as the bound itself.',
    'Check whether the bound is an acceptable value.',
  ),
  INFINITE_NUMBERS: declare(
    'A column has infinite values, which are read as the largest or smallest value of the training split.',
    'Correct the cells that the message names, unless they are outside the measuring range.',
  ),
  TEXT_NORMALIZED: declare(
    'A table contains invisible characters, several kinds of spaces, or accented characters in two forms. They were replaced by one form, so that equal-looking texts are equal.',
    'No action is needed, unless the message names a column whose texts should differ.',
  ),
  TITLE_ROWS_SKIPPED: declare(
    'Rows with a single cell above the column names of a workbook were skipped.',
    'No action is needed, unless the column names are in another row.',
  ),
  CELL_ERRORS: declare(
    'Cells of a workbook contain errors such as #DIV/0! or #N/A and are read as missing.',
    'Correct the formulas of the cells that the message names, or clear these cells.',
  ),
  MERGED_CELLS_FILLED: declare(
    'Merged cells of a workbook received the value of their range in each row.',
    'No action is needed, unless the value applies only to the first row of the range.',
  ),
  MASKS_SET_APART: declare(
    'A column or a folder contains masks of the images. They are not read as views or as cases.',
    'To read a column of masks as images, add it to data.image_columns; to load a folder of masks, select only that folder.',
  ),
  ROWS_NAME_MASKS: declare(
    'Some rows refer to masks of the images of other rows. Each row counts as a case.',
    'Remove these rows, or write the masks into a separate column next to their images.',
  ),
  ROWS_SHARE_IMAGES: declare(
    'Several rows name the same images, such as one row for each box, finding or reader. Rows of one image with the same label, patient and inputs become one case. Rows with different labels, or with different inputs of a model that reads the images, are refused.',
    'If these rows are different cases, name their patients. Otherwise no action is needed for merged rows; set data.recipe.rows to merge the others by a rule.',
  ),
  CLASS_MAY_BE_MISSING: declare(
    'The label has classes such as "Unknown", or -1 or 9 in addition to 0 and 1, that may mean a missing or uncertain value. The model learns them as classes.',
    'If they are not classes, remove these rows or assign the cases to a class.',
  ),
  CLASS_IS_A_LIST: declare(
    'The label contains lists of several findings, such as "Effusion|Mass". The model learns each list as a class.',
    'To predict each finding, make one column with 0 and 1 for each of them and set data.label_columns.',
  ),
  DATES_SUSPECTED: declare(
    'A numeric column may contain dates, such as Excel serial numbers or seconds since 1970; they are read as numbers.',
    'If they are dates, add the column to data.ignore_columns, or replace them by ages or intervals.',
  ),
  SENTINEL_SUSPECTED: declare(
    'A column has a number such as -999 that may represent a missing value; it is read as a number.',
    'If the number means "missing", clear these cells, or list it in missing of a recipe (data.recipe).',
  ),
  CATEGORY_MAY_BE_MISSING: declare(
    'A categorical column has categories such as "Not Collected" that may mean a missing value. The model reads them as categories.',
    'If they mean "missing", clear these cells, or list them in missing of a recipe (data.recipe).',
  ),
  NONE_READ_AS_MISSING: declare(
    'A column of words contains "None", which is read as a missing value.',
    'If "None" is a category, such as no symptom, rename it, or list the column in missing.columns of a recipe (data.recipe) without this text.',
  ),
  UNSEEN_CATEGORIES: declare(
    'A column has categories that are not in the training split.',
    'Check the spelling. The model treats these categories as unknown.',
  ),
  COLUMNS_ABSENT: declare(
    'Columns that the model reads are not in the table; their values are read as missing.',
    'Add the columns, or correct their names in the table.',
  ),
  INPUTS_SHIFTED: declare(
    'Inputs of the evaluated cases differ clearly from those of the training cases.',
    'Read the table in the report that compares them with the training cases. Where they differ, the model extrapolates.',
  ),
  MISSING_NEVER_SEEN: declare(
    'Values or images are missing in columns that are complete in the training split.',
    'The model reads missing values as the average. Train on data with such gaps, or fill in the values.',
  ),
  CSV_ENCODING_ASSUMED: declare(
    'The CSV is not UTF-8 and was read as Windows-1252.',
    'If letters look wrong, save the file as UTF-8.',
  ),
  SPLIT_COLUMN_DISAGREES: declare(
    'The split column of a table contradicts the split that the table is used for.',
    'Correct or remove the split column. All rows of the table are used.',
  ),
  SPLIT_NOT_USED: declare(
    'A column contains names of splits, but its own name does not suggest it. The rows are not divided by it, and it is not an input.',
    'To divide the rows by it, set data.split_column to this column, with the values train, val and test.',
  ),
  UNKNOWN_SPLIT: declare(
    'The split column has values other than train, val and test; these rows are not used.',
    'Correct the values of the split column.',
  ),
  // Images and files
  IMAGES_UNREADABLE: declare(
    'Image files are missing or cannot be read; they are treated as missing views.',
    'Restore the files that the message names.',
  ),
  VOLUMES_AS_SLICES: declare(
    'Each volume is read as several slices, one view per slice. The model does not see the rest of the volume.',
    'Set the number, plane and spread of the slices in data.slices.',
  ),
  BLANK_IMAGES: declare(
    'Images are blank (every pixel has the same value). They are not compared between the splits.',
    'Remove the blank images, or choose other slices of the volume in data.slices.',
  ),
  SERIES_DIVIDED: declare(
    'A DICOM series contains several volumes, such as time points, phases or echoes. Each volume is a case.',
    'Choose one volume of each series in the table, or name the patient, so that volumes of one patient stay in one split.',
  ),
  FILES_LEFT_OUT: declare(
    'Files of other formats in the folder were skipped.',
    'To read them, choose their format or move them to another folder.',
  ),
  BURNED_IN_IDENTITY: declare(
    'DICOM tags state that the pixels show the identity of the patient.',
    'Mask these images before they are shared or used.',
  ),
  TAGGED_IDENTITY: declare(
    'DICOM tags contain a name or a birth date.',
    'De-identify the files before they are shared.',
  ),
  // Settings and results
  NOT_BETTER_THAN_BASELINE: declare(
    'The model is worse than a simple model, or the difference is inconclusive.',
    'If the model is worse, use the simple model, or improve this one with more cases, fewer inputs, or other settings chosen on the validation split. If the difference is inconclusive, neither model is shown to be better: test on more patients before you choose.',
  ),
  TOO_GOOD_TO_BE_TRUE: declare(
    'The performance of the model, or of a simple baseline, is unusually high for medical data. It can be genuine: some tasks are easy.',
    'Check that each input is known before the outcome (test results, treatments, dates, codes, file names), that no patient and no copy of an image is in two splits, and that images of all classes were acquired in the same way. Then confirm the result on data from another hospital.',
  ),
  BASELINE_UNAVAILABLE: declare(
    'A requested baseline is missing from the results.',
    'Read the reason in the message. Resume or repeat the training to fit the baseline.',
  ),
  FEW_PATIENTS: declare(
    'There are few patients, even if there are many cases.',
    'Treat intervals and comparisons as approximate, and evaluate on more patients.',
  ),
  SETTING_REPLACED: declare(
    'A setting of one node is replaced by the setting of another node.',
    'If this is not intended, set the value in one node only.',
  ),
  SETTING_WITHOUT_EFFECT: declare(
    'A setting of the configuration has no effect on this data.',
    'Remove the setting.',
  ),
  PARITY_ON_RANDOM_INPUTS: declare(
    'The quantized model was compared with the original on random inputs, because its validation cases are not available.',
    'Restore the tables and images of the training and run the node again, or export the model without quantization.',
  ),
  PLOT_NOT_DRAWN: declare(
    'A plot could not be drawn from the available metrics.',
    'Read the reason in the message, or remove the plot from plot_types.',
  ),
  CASES_NOT_SHARED: declare(
    'Some cases are read by one of the compared models but excluded by another.',
    'The comparison uses the cases that every model reads. To include the other cases, complete their rows.',
  ),
  TIMES_NOT_SHARED: declare(
    'The compared survival models have different time intervals.',
    'The comparison uses the times that every model predicts, so metrics may differ slightly from those of the evaluation of each model.',
  ),
  EVALUATED_ON_CPU: declare(
    'The evaluation ran on the CPU, because no GPU slot was free.',
    'No action is needed. To evaluate faster, wait until a training ends.',
  ),
  COMPILATION_FAILED: declare(
    'The backbone could not be compiled and is trained without compilation.',
    'Fix the cause in the message, such as a missing compiler, or set training.compile to "off".',
  ),
  CACHED_RESULT_UNUSABLE: declare(
    'A cached result could not be read; the node ran again.',
    'No action is needed. If it happens often, check the disk of the data folder.',
  ),
  RESULT_NOT_CACHED: declare(
    'The result of a node could not be written to the cache.',
    'Free disk space. The next run computes the node again.',
  ),
  // Predictions
  INPUT_MISSING: declare(
    'A value or an image of a case is missing. The message names the column and what the model reads instead.',
    'Provide the value. If it is unknown, check whether the model is accurate for cases without it.',
  ),
  VALUE_OUTSIDE_TRAINING: declare(
    'A number is smaller or larger than all values of its column in the training split.',
    'Check the value. The model extrapolates for this case.',
  ),
  UNIT_SUSPECTED: declare(
    'A number is outside the training values and about a thousand times the training median, or a thousandth of it.',
    'Check the unit of the value, such as mg instead of g, and convert it to the unit of the training.',
  ),
  IMAGE_UNLIKE_TRAINING: declare(
    'The image differs more from the training images than most validation images do.',
    'View the image. The model may be wrong for images of another kind, device, body part or quality.',
  ),
  ACQUISITION_UNSEEN: declare(
    'A site, a scanner or another group of a predicted case does not occur in the training.',
    'Evaluate the model on cases of this group before you rely on its predictions.',
  ),
  IMAGE_BLANK: declare('All pixels of an image have the same value.', 'View the image, and export it again.'),
  CASES_NOT_PREDICTED: declare(
    'Some cases have no prediction, because a value or an image cannot be used.',
    'Correct the values that the column "error" of the predictions names, and predict these cases again.',
  ),
  PREDICTED_TRAINING_CASES: declare(
    'Some of the predicted cases were in the training or validation data of the model.',
    'Do not use these predictions to judge the model. Evaluate it on patients that were not part of the training.',
  ),
  LABELS_IGNORED: declare(
    'The cases contain the label column. Predictions do not read it.',
    'No action is needed. To compare predictions with labels, evaluate the model.',
  ),
  COLUMNS_NOT_READ: declare(
    'The cases contain columns that the model does not read.',
    'Check the names if one of them should be an input.',
  ),
  TRAINING_RANGES_UNKNOWN: declare(
    'The checkpoint of an older version does not contain the range of its training values, so values outside it are not reported.',
    'Train the model again with this version.',
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
    message_phrases: phrasesOf('message'),
    proposal: z.record(z.string(), z.string()).optional().meta({
      description:
        'COLUMNS_ABSENT: column of the table → column of the model that it may be. Never applied by itself',
    }),
  })
  .meta({ id: 'Warning' })
export type Warning = z.infer<typeof Warning>

/** A warning whose message every language formats. */
export function warningOf(code: WarningCode, phrases: readonly Phrase[]): Warning {
  return { code, message: inEnglish(phrases), message_phrases: [...phrases] }
}
