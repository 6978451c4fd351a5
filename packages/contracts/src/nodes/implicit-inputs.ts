/**
 * What a node shows beside the values that are connected to it. Each is part of its cache key, and its executor is given the value that
 * was keyed, so that a cached result never says what is no longer so.
 */
export const IMPLICIT_INPUTS = {
  warnings_above: 'warnings of the nodes above',
  training_record: 'the record of the training',
  evaluation_counts: 'how often the model was evaluated',
  workflow_name: 'the name of the workflow',
  dataset_texts: 'what the data sets say for reports',
} as const
export type ImplicitInput = keyof typeof IMPLICIT_INPUTS
