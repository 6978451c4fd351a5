import { z } from 'zod'
import { FittedOn } from '../baselines.js'
import { Metrics } from '../jobs/metrics.js'
import { Phrase, phrasesOf } from '../phrases/phrase.js'
import { EvaluationResult } from '../trainer/evaluation-result.js'

/** Identity of a training in a study: its variant, its seed, and its held-out fold. */
const place = {
  variant: z.string(),
  seed: z.int(),
  repeat: z
    .int()
    .nullable()
    .meta({ description: 'Index of the division into folds; null without random folds' }),
  fold: z
    .union([z.int(), z.string()])
    .nullable()
    .meta({ description: 'Index of the fold, or the value of the column; null without folds' }),
}

/** A finished training in the form that the statistics of a study read. */
export const StudyCell = z.strictObject({
  ...place,
  evaluation: z.string().meta({
    description: 'Absolute path of its EvaluationResult; the prediction tables are in the same folder',
  }),
})
export type StudyCell = z.infer<typeof StudyCell>

const bounds = { low: z.number().nullable(), high: z.number().nullable() }

const StudyFigure = z
  .object({
    mean: z.number().nullable().meta({ description: 'Mean over the trainings, each on its held-out cases' }),
    sd: z
      .number()
      .nullable()
      .meta({ description: 'Standard deviation between the trainings; null for fewer than two' }),
    trainings: z.int().meta({ description: 'Number of trainings with a value' }),
    estimate: z.number().nullable().meta({
      description:
        'Metric of the pooled predictions of all folds of a seed and division, averaged over seeds and divisions',
    }),
    ...bounds,
    method: z.string().nullable().meta({ description: 'Method of the 95% interval (low, high)' }),
    method_phrases: phrasesOf('method'),
    note: z.string().nullable().meta({ description: 'Reason why a value is null' }),
    note_phrases: phrasesOf('note'),
  })
  .meta({ id: 'StudyFigure' })

const component = z
  .object({ variance: z.number(), sd: z.number(), share: z.number().nullable() })
  .nullable()
  .meta({ description: 'Null if the design cannot separate this component from the others' })

const StudyVariance = z
  .object({
    metric: z.string(),
    seed: component,
    fold: component,
    rest: component,
    trainings: z.int().meta({ description: 'Number of trainings in the decomposition' }),
    note: z.string().nullable(),
    note_phrases: phrasesOf('note'),
  })
  .meta({
    id: 'StudyVariance',
    description: 'Variance components between single trainings, from a two-way random-effects model',
  })

const { per_class, confusion_matrix, roc, pr, calibration, regression, survival } = EvaluationResult.shape

const VariantStatistics = z
  .object({
    name: z.string(),
    title: z.string().meta({ description: 'Title for display; for a trained variant, its name' }),
    title_phrases: phrasesOf('title'),
    kind: z.enum(['trained', 'baseline']),
    carried_by: z
      .string()
      .nullable()
      .meta({ description: 'For a baseline: the variant with whose trainings it was fitted' }),
    fitted_on: FittedOn.omit({ cases: true }).nullable().optional().meta({
      id: 'StudyFittedOn',
      description:
        'For a baseline: the rows that it was fitted on in each training, and whether the variant learned from the same rows; null if trainings differ or do not report it',
    }),
    num_trainings: z.int(),
    num_sets: z.int().meta({
      description: 'Number of seeds and divisions for which all folds are complete; estimates use only these',
    }),
    num_cases: z
      .int()
      .nullable()
      .meta({ description: 'Number of cases in a complete set; null without a complete set' }),
    num_patients: z.int().nullable(),
    metrics: z.record(z.string(), StudyFigure),
    variance: StudyVariance,
    figures: z
      .object({
        seed: z.int(),
        repeat: z.int().nullable(),
        per_class,
        confusion_matrix,
        roc,
        pr,
        calibration,
        regression,
        survival,
      })
      .nullable()
      .meta({ description: 'Curves of the pooled predictions of the first complete set' }),
    notes: z.array(z.string()).meta({ description: 'Exclusions and their reasons' }),
    notes_phrases: z.array(z.array(Phrase)).optional().meta({
      description: 'The phrases of each note, for other languages; absent in results of older versions',
    }),
  })
  .meta({ id: 'StudyVariantStatistics' })

export const STUDY_TESTS = ['corrected_resampled_t', 'patient_bootstrap', 'delong'] as const

/** Quantity whose difference between two variants is estimated. */
export const STUDY_ESTIMANDS = ['fold_mean', 'pooled'] as const
const estimand = z.enum(STUDY_ESTIMANDS).optional().meta({
  description:
    'fold_mean: mean of the metric over the folds. pooled: metric of the pooled predictions; without folds, mean over the trainings. Absent in results of older versions',
})
const values = z.object({ a: z.number().nullable(), b: z.number().nullable() }).optional().meta({
  description:
    'The two compared values, on the trainings that both variants have; absent in results of older versions',
})

const StudyTest = z
  .object({
    test: z.enum(STUDY_TESTS),
    ...{ estimand, values },
    test_train_ratio: z.number().nullable().optional().meta({
      description:
        'For the test over folds: the correction for shared cases, r, of the variant that learned from fewer cases, averaged over the folds. Null for other tests; absent in results of older versions',
    }),
    estimate: z.number().nullable(),
    ...bounds,
    p: z.number().nullable(),
    note: z.string().nullable().meta({ description: 'Reason why there is no value' }),
    note_phrases: phrasesOf('note'),
  })
  .meta({ id: 'StudyTest' })

const ComparisonStatistics = z
  .object({
    a: z.string(),
    b: z.string(),
    metric: z.string(),
    ...{ estimand, values },
    difference: z.object({ estimate: z.number().nullable(), ...bounds }).meta({
      description: 'a minus b with its 95% interval, by the same test as p',
    }),
    p: z.number().nullable().meta({ description: 'Two-sided, uncorrected' }),
    test: z.enum(STUDY_TESTS).nullable().meta({ description: 'Test of the difference and p' }),
    correction: z
      .literal('holm')
      .nullable()
      .meta({ description: 'Null for metrics other than the primary metric' }),
    p_corrected: z.number().nullable(),
    tests: z.array(StudyTest).meta({ description: 'All tests of this difference' }),
    num_pairs: z
      .int()
      .meta({ description: 'Number of folds (or trainings) in which both variants were evaluated' }),
    seeds: z.array(z.int()).meta({ description: 'Seeds that both variants have' }),
    note: z.string().nullable().meta({ description: 'Reason why there is no value, or exclusions' }),
    note_phrases: phrasesOf('note'),
  })
  .meta({ id: 'StudyComparisonStatistics' })

/** Parameters of the computation, for the methods paragraph. */
const StudyMethods = z
  .object({
    level: z.number(),
    replicates: z.int().meta({ description: 'Number of bootstrap replicates' }),
    resampled: z.enum(['patients', 'cases']),
    folds: z.int().nullable().meta({ description: 'Number of folds of a division; null without folds' }),
    repeats: z.int().meta({ description: 'Divisions' }),
    seeds: z.int(),
    test_train_ratio: z.number().nullable().meta({
      description:
        'Correction for shared cases, r: held-out cases per training case (Nadeau and Bengio), up to twice as much for repeated folds; the maximum over all comparisons by folds. Results of older versions contain only the former',
    }),
    main_test: z.enum(STUDY_TESTS).nullable(),
    corrected: z
      .int()
      .meta({ description: 'Number of comparisons of the primary metric in the Holm correction' }),
    statements: z.array(z.string()).meta({ description: 'Description of the methods, with references' }),
  })
  .meta({ id: 'StudyMethods' })

/** Complete content of a study report, computed by the trainer. */
export const StudyResults = z
  .object({
    schema_version: z.literal(1),
    metric: z.string().meta({ description: 'Primary metric' }),
    reference: z.string().nullable(),
    task: EvaluationResult.shape.task,
    classes: EvaluationResult.shape.classes,
    positive_class: EvaluationResult.shape.positive_class,
    seeds: z.array(z.int()),
    variants: z.array(VariantStatistics),
    comparisons: z.array(ComparisonStatistics),
    trainings: z.array(
      z.object({
        ...place,
        num_cases: z.int(),
        num_patients: z.int().nullable(),
        metrics: Metrics,
        notes: z.record(z.string(), z.string()),
      }),
    ),
    methods: StudyMethods,
    software: z.record(z.string(), z.string()),
  })
  .meta({ id: 'StudyResults' })
export type StudyResults = z.infer<typeof StudyResults>
