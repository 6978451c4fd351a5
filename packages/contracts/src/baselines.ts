import { z } from 'zod'
import { Baseline } from './configuration/baselines.js'
import { Difference, Interval } from './interval.js'
import { Metrics } from './jobs/metrics.js'
import { phrasesOf } from './phrases/phrase.js'

/** Simple baselines next to a trained model, on the same cases. */

/** `not_better` was called `inconclusive` in earlier releases and occurs in their stored results. */
export const VERDICTS = ['better', 'worse', 'inconclusive', 'undecided', 'not_better'] as const

export const BaselineVerdict = z
  .object({
    baseline: Baseline,
    title: z.string().meta({ description: 'Name of the baseline for display' }),
    title_phrases: phrasesOf('title'),
    metric: z.string().meta({
      description: 'Metric of the verdict: auc for classes and labels, rmse for numbers, uno_c for survival',
    }),
    verdict: z.enum(VERDICTS).meta({
      description:
        'better, worse: the interval of the difference excludes 0. inconclusive: the interval includes 0, so either model may be better. undecided: there is no interval, or a class has too few cases. not_better: former name of inconclusive, in results of older versions',
    }),
    text: z.string().meta({
      description:
        'Such as "not significantly different from logistic regression: AUROC difference 0.003 (95% CI −0.020 to 0.030)"',
    }),
    text_phrases: phrasesOf('text'),
  })
  .meta({ id: 'BaselineVerdict' })
export type BaselineVerdict = z.infer<typeof BaselineVerdict>

/** Rows on which a baseline was fitted. */
export const FittedOn = z
  .object({
    splits: z
      .array(z.enum(['train', 'val']))
      .meta({ description: 'train; or train and val if the networks of the model learned from both' }),
    cases: z.int().meta({ description: 'Number of rows that it was fitted on' }),
    same_as_model: z.boolean().meta({
      description: 'Whether the model learned from the same rows; false if it also learned from other rows',
    }),
  })
  .meta({ id: 'FittedOn' })
export type FittedOn = z.infer<typeof FittedOn>

/** Rows on which a model was trained, as the trainer counts them for its own results. */
export const TrainedFrom = z
  .object({
    splits: FittedOn.shape.splits.meta({
      description:
        'train; or train and val if each network had its own validation rows, so that the networks learned from both. An image network never learns from val',
    }),
    cases: z.int().meta({ description: 'Number of rows of these splits' }),
  })
  .meta({ id: 'TrainedFrom' })

export const BaselineResult = z
  .object({
    name: Baseline,
    title: z.string(),
    title_phrases: phrasesOf('title'),
    settings: z.string().meta({ description: 'Description of the fit and of the chosen settings' }),
    fitted_on: FittedOn.optional().meta({ description: 'Absent in results of older versions' }),
    threshold: z.number().nullable().meta({
      description: 'Binary tasks: decision threshold, chosen on the validation split like that of the model',
    }),
    thresholds: z
      .array(z.number())
      .nullable()
      .optional()
      .meta({ description: 'Several labels: one threshold per label, in the order of the classes' }),
    metrics: Metrics,
    notes: z.record(z.string(), z.string()).meta({ description: 'metric → reason why its value is null' }),
    intervals: z.record(z.string(), Interval),
    differences: z.record(z.string(), Difference).meta({
      description: 'metric → model minus baseline on the same cases, paired by patient',
    }),
    verdict: BaselineVerdict,
    predictions: z.string().meta({
      description:
        'CSV in the folder of the model predictions, with the same columns for case, truth and prediction',
    }),
  })
  .meta({ id: 'BaselineResult' })
export type BaselineResult = z.infer<typeof BaselineResult>
