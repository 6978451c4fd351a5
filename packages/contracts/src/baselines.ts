import { z } from 'zod'
import { Baseline } from './configuration/baselines.js'
import { Difference, Interval } from './interval.js'
import { Metrics } from './jobs/metrics.js'

/** Simple baselines next to a trained model, on the same cases. */

/** `not_better` was called `inconclusive` in earlier releases and occurs in their stored results. */
export const VERDICTS = ['better', 'worse', 'inconclusive', 'undecided', 'not_better'] as const

export const BaselineVerdict = z
  .object({
    baseline: Baseline,
    title: z.string().meta({ description: 'Of the baseline, in words' }),
    metric: z
      .string()
      .meta({ description: 'That decides: auc of classes and labels, rmse of numbers, uno_c of survival' }),
    verdict: z.enum(VERDICTS).meta({
      description:
        'better, worse: the interval of the difference excludes zero; inconclusive: it contains zero, so that either may be better; undecided: there is no interval, or too few cases of a class; not_better: inconclusive, as earlier releases wrote it',
    }),
    text: z.string().meta({
      description:
        'Such as "not clearly better or worse than logistic regression: AUROC difference 0.003 (-0.020 to 0.030)"',
    }),
  })
  .meta({ id: 'BaselineVerdict' })
export type BaselineVerdict = z.infer<typeof BaselineVerdict>

/** Rows on which a baseline was fitted. */
export const FittedOn = z
  .object({
    splits: z
      .array(z.enum(['train', 'val']))
      .meta({ description: 'train, or train and val where the networks of the model learned from both' }),
    cases: z.int().meta({ description: 'Rows that it was fitted on' }),
    same_as_model: z.boolean().meta({
      description: 'Whether the model learned from the same rows; false where it learned from further ones',
    }),
  })
  .meta({ id: 'FittedOn' })
export type FittedOn = z.infer<typeof FittedOn>

/** Rows on which a model was trained, as the trainer counts them for its own results. */
export const TrainedFrom = z
  .object({
    splits: FittedOn.shape.splits.meta({
      description:
        'train; train and val where the networks, each with validation rows of its own, learned from both. A network of images never learns from val, and then it is train',
    }),
    cases: z.int().meta({ description: 'Rows of these splits' }),
  })
  .meta({ id: 'TrainedFrom' })

export const BaselineResult = z
  .object({
    name: Baseline,
    title: z.string(),
    settings: z.string().meta({ description: 'How it was fitted and what was chosen for it, in words' }),
    fitted_on: FittedOn.optional().meta({ description: 'Absent in results of older versions' }),
    threshold: z
      .number()
      .nullable()
      .meta({ description: 'Binary tasks: chosen on validation, as that of the model' }),
    thresholds: z
      .array(z.number())
      .nullable()
      .optional()
      .meta({ description: 'Of several labels: those of each, in the order of the classes' }),
    metrics: Metrics,
    notes: z.record(z.string(), z.string()).meta({ description: 'metric → why it is null' }),
    intervals: z.record(z.string(), Interval),
    differences: z.record(z.string(), Difference).meta({
      description: 'metric → model minus baseline on the same cases, paired by patient',
    }),
    verdict: BaselineVerdict,
    predictions: z
      .string()
      .meta({ description: 'CSV beside that of the model: case, truth and prediction in the same columns' }),
  })
  .meta({ id: 'BaselineResult' })
export type BaselineResult = z.infer<typeof BaselineResult>
