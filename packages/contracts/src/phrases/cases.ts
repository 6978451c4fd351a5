/** Findings about single predicted cases. */
export const CASE_FINDINGS = {
  // Findings about a predicted case
  case_reads_missing: '"{column}" is missing; the model reads it as missing',
  case_reads_fill: '"{column}" is missing; the model reads the {statistic} of the training, {value}',
  case_reads_fill_and_gap:
    '"{column}" is missing; the model reads the {statistic} of the training, {value}, and an indicator that the value is missing',
  statistic_mean: 'mean',
  statistic_median: 'median',
  statistic_mode: 'most frequent value',
  statistic_category: 'most frequent category',
  never_missing: 'it is never missing in the training cases',
  case_category_unseen:
    'the category of "{column}" does not occur in the training; the model reads it as unknown',
  case_group_unseen: 'the group of the case in "{column}" does not occur in the training',
  case_times_median:
    '"{column}" is about {factor} times the training median {median}; it may be in another unit',
  case_part_of_median:
    '"{column}" is about 1/{factor} of the training median {median}; it may be in another unit',
  case_below_range: '"{column}" is below the training range {low} to {high}',
  case_above_range: '"{column}" is above the training range {low} to {high}',
  case_without_image: '"{column}" has no image; the model predicts without it',
  case_image_blank: 'all pixels of an image have the same value',
  case_image_unlike:
    'the image differs more from the training images than expected for {share} of new cases (estimated on {cases} validation cases)',
  cases_with_finding: { one: '{count} case: {finding}', other: '{count} cases: {finding}' },
  cases_failed: {
    one: '{count} case has no prediction; the column "error" gives the reason',
    other: '{count} cases have no prediction; the column "error" gives the reasons',
  },
  cases_repeated: {
    one: '{count} of these cases was in the training or validation data of this model.',
    other: '{count} of these cases were in the training or validation data of this model.',
  },
  predictions_of_known: 'Their predictions do not show how the model performs on new patients.',
  labels_ignored: 'predictions do not read the label: {columns}',
  columns_not_read: 'the model does not read: {columns}',
  medians_unknown:
    'The checkpoint does not contain the median of its training values, so other units are not detected.',
  ranges_unknown:
    'The checkpoint does not contain the range of its training values, so values outside it are not reported.',
  // Reasons why a case has no prediction
  case_text_in_numbers: 'numeric column "{column}" contains text',
  case_number_ambiguous:
    'the number in "{column}" has two possible values, because its mark can be a decimal mark or group thousands; write it without groups and not with three decimals',
  row_repeats_header: 'the row repeats the column names',
  row_is_summary: 'the row is a total, another summary or a footnote, not a case',
  case_incomplete: '"{column}" is missing, and the model reads only complete cases',
  case_image_unusable: 'image "{column}": {reason}',
  case_no_image: 'the case has no image in "{column}"',
  case_predicted_nan: 'the network predicted NaN or infinity',
  image_outside: 'is outside the folders that may be accessed',
} as const
