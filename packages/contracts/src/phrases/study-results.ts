/** Notes and methods in the results of a study. */
export const STUDY_RESULTS = {
  not_pooled: 'not pooled because trainings are missing: {trainings}',
  pooled_rare_performance:
    '{metric} {value} (95% CI {low} to {high}) is rare in medicine: check whether an input reveals the label',
  pooled_few: {
    one: 'only {count} patient: intervals of pooled predictions may be too narrow',
    other: 'only {count} patients: intervals of pooled predictions may be too narrow',
  },
  pooled_few_of_class: {
    one: 'only {count} patient of a class: intervals of pooled predictions may be too narrow',
    other: 'only {count} patients of a class: intervals of pooled predictions may be too narrow',
  },
  pooled_few_with_event: {
    one: 'only {count} patient with the event: intervals of pooled predictions may be too narrow',
    other: 'only {count} patients with the event: intervals of pooled predictions may be too narrow',
  },
  pooled_few_of_answer: {
    one: 'only {count} patient with one of the values of a label: intervals of pooled predictions may be too narrow',
    other:
      'only {count} patients with one of the values of a label: intervals of pooled predictions may be too narrow',
  },
  bootstrap_and_seeds: '{bootstrap}, and the variance between {sets} seeds and repetitions',
  trainings_excluded: {
    one: '{count} training is excluded because {metric} is undefined or a fold of the seed is missing',
    other: '{count} trainings are excluded because {metric} is undefined or a fold of the seed is missing',
  },
  fewer_than_two_folds: '{metric} is defined for both models in fewer than two folds',
  trainings_without_counterpart: {
    one: '{count} training was excluded for lack of a counterpart in the other variant',
    other: '{count} trainings were excluded for lack of a counterpart in the other variant',
  },
} as const
