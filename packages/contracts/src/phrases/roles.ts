/** Reasons why a column has its role. */
export const ROLE_REASONS = {
  // Reasons for the role of a column
  role_chosen: 'chosen',
  role_set: 'set in data.{key}',
  role_by_name: 'recognized by name',
  role_masks: 'contains masks',
  role_images: 'contains image files',
  role_one_hot: 'belongs to the one-hot group of "{column}"',
  role_finding: 'is coded like the labels, next to them',
  role_label_copy: 'determines the label "{column}", or follows from it',
  role_event_copy: 'determines the event "{column}", or follows from it',
  role_rescaled: 'is "{column}" in another unit',
  role_one_value: 'has one value in all rows',
  role_no_values: 'has no values',
  role_named_label: 'has a name like a label',
  role_named_patient: 'has a name like a patient ID',
  role_person: 'names or identifies a person',
  role_named_id: 'has a name like an ID',
  role_few_ids: {
    one: 'is named like an ID but has only {count} value',
    other: 'is named like an ID but has only {count} values',
  },
  role_not_among: 'is not among data.{key}',
  role_dates: 'contains dates',
  role_row_counter: 'is a row counter',
  role_numbers: 'contains numbers',
  role_numbers_with_sign: 'contains numbers with "{sign}"',
  role_mixed: {
    one: 'contains numbers and other text ({mixed} of {count} case: {rows})',
    other: 'contains numbers and other text ({mixed} of {count} cases: {rows})',
  },
  role_repeated_codes: {
    one: 'contains {count} code of the same form that repeats',
    other: 'contains {count} codes of the same form that repeat',
  },
  role_texts_differ: 'almost every row has a different text ({texts} of {rows})',
  role_texts: { one: 'contains {count} different text', other: 'contains {count} different texts' },
} as const
