/**
 * Information that a node shows in addition to its connected values. Each is part of its cache key, and its executor receives the value that
 * was used for the key, so that a cached result is never outdated.
 */
export const IMPLICIT_INPUTS = {
  warnings_above: 'warnings of the preceding nodes',
  training_record: 'the record of the training',
  evaluation_counts: 'the number of evaluations of the model',
  workflow_name: 'the name of the workflow',
  dataset_texts: 'the report texts of the datasets',
} as const
export type ImplicitInput = keyof typeof IMPLICIT_INPUTS
