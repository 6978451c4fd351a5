import { z } from 'zod'
import { FittedOn } from '../baselines.js'
import { Metrics } from '../jobs/metrics.js'
import { EvaluationResult } from '../trainer/evaluation-result.js'

/** Identity of a training in a study: its variant, its seed, and its held-out fold. */
const place = {
  variant: z.string(),
  seed: z.int(),
  repeat: z.int().nullable().meta({ description: 'Which division into folds; null where none is drawn' }),
  fold: z
    .union([z.int(), z.string()])
    .nullable()
    .meta({ description: 'Index of the fold, or the value of the column; null without folds' }),
}

/** A finished training in the form that the statistics of a study read. */
export const StudyCell = z.strictObject({
  ...place,
  evaluation: z
    .string()
    .meta({ description: 'Absolute; its EvaluationResult, with the tables of predictions beside it' }),
})
export type StudyCell = z.infer<typeof StudyCell>

const bounds = { low: z.number().nullable(), high: z.number().nullable() }

const StudyFigure = z
  .object({
    mean: z
      .number()
      .nullable()
      .meta({ description: 'Over the trainings, each on the cases that it held out' }),
    sd: z.number().nullable().meta({ description: 'Between the trainings; null of fewer than two' }),
    trainings: z.int().meta({ description: 'Trainings with a value' }),
    estimate: z.number().nullable().meta({
      description:
        'Of the pooled predictions of all folds of a seed and division, averaged over seeds and divisions',
    }),
    ...bounds,
    method: z.string().nullable().meta({ description: 'How low and high, the 95 % interval, were found' }),
    note: z.string().nullable().meta({ description: 'Why something of this is null' }),
  })
  .meta({ id: 'StudyFigure' })

const component = z
  .object({ variance: z.number(), sd: z.number(), share: z.number().nullable() })
  .nullable()
  .meta({ description: 'Null where the design cannot tell it from the others' })

const StudyVariance = z
  .object({
    metric: z.string(),
    seed: component,
    fold: component,
    rest: component,
    trainings: z.int().meta({ description: 'Trainings that the decomposition is of' }),
    note: z.string().nullable(),
  })
  .meta({ id: 'StudyVariance', description: 'Two-way random effects: what makes single trainings differ' })

const { per_class, confusion_matrix, roc, pr, calibration, regression, survival } = EvaluationResult.shape

const VariantStatistics = z
  .object({
    name: z.string(),
    title: z.string().meta({ description: 'In words; of a trained variant its name' }),
    kind: z.enum(['trained', 'baseline']),
    carried_by: z
      .string()
      .nullable()
      .meta({ description: 'Of a baseline: the variant beside whose trainings it was fitted' }),
    fitted_on: FittedOn.omit({ cases: true }).nullable().optional().meta({
      id: 'StudyFittedOn',
      description:
        'Of a baseline: the rows that it learned from in each training, and whether those of the variant beside it are the same; null where trainings differ or do not say',
    }),
    num_trainings: z.int(),
    num_sets: z.int().meta({
      description: 'Seeds and divisions of which every fold is there; the estimates are of them alone',
    }),
    num_cases: z.int().nullable().meta({ description: 'Cases of a complete set; null without one' }),
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
      .meta({ description: 'Of the pooled predictions of the first complete set' }),
    notes: z.array(z.string()).meta({ description: 'What was left out, and why' }),
  })
  .meta({ id: 'StudyVariantStatistics' })

export const STUDY_TESTS = ['corrected_resampled_t', 'patient_bootstrap', 'delong'] as const

/** Quantity whose difference between two variants is estimated. */
export const STUDY_ESTIMANDS = ['fold_mean', 'pooled'] as const
const estimand = z.enum(STUDY_ESTIMANDS).optional().meta({
  description:
    'fold_mean: the mean of the metric over the folds; pooled: the metric of the pooled predictions, or without folds its mean over the trainings; absent in results of older versions',
})
const values = z.object({ a: z.number().nullable(), b: z.number().nullable() }).optional().meta({
  description:
    'The two values whose difference is told, on what both variants have; absent in results of older versions',
})

const StudyTest = z
  .object({
    test: z.enum(STUDY_TESTS),
    ...{ estimand, values },
    test_train_ratio: z.number().nullable().optional().meta({
      description:
        'Of the test over folds: the correction for shared cases, r, by the variant that learned from fewer cases, on average over the folds. Null of other tests; absent in results of older versions',
    }),
    estimate: z.number().nullable(),
    ...bounds,
    p: z.number().nullable(),
    note: z.string().nullable().meta({ description: 'Why there is no number' }),
  })
  .meta({ id: 'StudyTest' })

const ComparisonStatistics = z
  .object({
    a: z.string(),
    b: z.string(),
    metric: z.string(),
    ...{ estimand, values },
    difference: z.object({ estimate: z.number().nullable(), ...bounds }).meta({
      description: 'a minus b with its 95 % interval, by the same test as p',
    }),
    p: z.number().nullable().meta({ description: 'Two-sided, uncorrected' }),
    test: z.enum(STUDY_TESTS).nullable().meta({ description: 'That difference and p are of' }),
    correction: z.literal('holm').nullable().meta({ description: 'Null for metrics beside the primary one' }),
    p_corrected: z.number().nullable(),
    tests: z.array(StudyTest).meta({ description: 'Every test that was made of this difference' }),
    num_pairs: z.int().meta({ description: 'Folds (or trainings) in which both were measured' }),
    seeds: z.array(z.int()).meta({ description: 'That both have' }),
    note: z.string().nullable().meta({ description: 'Why there is no number, or what was left out' }),
  })
  .meta({ id: 'StudyComparisonStatistics' })

/** Parameters of the computation, for the methods paragraph. */
const StudyMethods = z
  .object({
    level: z.number(),
    replicates: z.int().meta({ description: 'Of the bootstrap' }),
    resampled: z.enum(['patients', 'cases']),
    folds: z.int().nullable().meta({ description: 'Folds of a division; null without folds' }),
    repeats: z.int().meta({ description: 'Divisions' }),
    seeds: z.int(),
    test_train_ratio: z.number().nullable().meta({
      description:
        'The correction for shared cases, r: cases held out per case that trained (Nadeau and Bengio), and up to twice as much where folds are repeated; the largest of all comparisons by folds. Results of older versions have the former alone',
    }),
    main_test: z.enum(STUDY_TESTS).nullable(),
    corrected: z.int().meta({ description: 'Comparisons of the primary metric that Holm corrects for' }),
    statements: z.array(z.string()).meta({ description: 'The same in sentences, with sources' }),
  })
  .meta({ id: 'StudyMethods' })

/** Complete content of a study report, computed by the trainer. */
export const StudyResults = z
  .object({
    schema_version: z.literal(1),
    metric: z.string().meta({ description: 'The primary metric' }),
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
