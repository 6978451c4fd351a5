import { z } from 'zod'
import { MONITORS } from '../../metrics/epoch-metrics.js'
import { inEnglish } from '../../phrases/index.js'
import { CHOICES_EXPECTED } from '../../validation/invalid-value.js'
import { printable } from '../printable.js'

export const SAMPLERS = ['grid', 'random', 'tpe'] as const
export type Sampler = (typeof SAMPLERS)[number]
export const PRUNERS = ['none', 'median'] as const

export const SearchRange = z
  .strictObject({
    low: z.number().meta({ title: 'Smallest value' }),
    high: z.number().meta({ title: 'Largest value' }),
    log: z.boolean().optional().meta({ title: 'Whether to search on a logarithmic scale. Default: false' }),
    step: z
      .number()
      .positive()
      .optional()
      .meta({ title: 'Distance between values. Default: any value; for integers, 1' }),
    int: z.boolean().optional().meta({ title: 'Whether the values are integers. Default: false' }),
  })
  .meta({ id: 'SearchRange' })
export type SearchRange = z.output<typeof SearchRange>

export const SearchSpace = z
  .record(
    z.string().min(1).max(200),
    z.union([z.array(z.unknown()).min(1).max(1000), SearchRange], {
      error: inEnglish([CHOICES_EXPECTED]),
    }),
  )
  .meta({ id: 'SearchSpace', description: 'Key of the configuration, such as model.dropout → its values' })
export type SearchSpace = z.output<typeof SearchSpace>

/** Configuration key → its value in a trial. */
export const SearchSettings = z.record(z.string(), z.unknown()).meta({ id: 'SearchSettings' })
export type SearchSettings = z.output<typeof SearchSettings>

/** Search whose settings are proposed one trial after the other and evaluated only on validation data. */
export const StudySearch = z
  .strictObject({
    name: printable(80)
      .default('search')
      .meta({ title: 'Name of the variant with the settings that the search chooses on each fold' }),
    description: z
      .string()
      .min(1)
      .max(2000)
      .optional()
      .meta({ title: 'Description of the search, for the report' }),
    sampler: z.enum(SAMPLERS).meta({
      title: 'Sampling of settings: grid (all combinations), random, or tpe (learns from earlier trials)',
    }),
    trials: z.int().min(1).max(2000).nullable().default(null).meta({
      title: 'Number of settings to try for each seed and fold. Default for a grid: all',
    }),
    seed: z.int().min(0).max(4_294_967_295).default(0).meta({ title: 'Seed of the sampling' }),
    metric: z.enum(MONITORS).default('auto').meta({
      title:
        'Validation metric that selects the setting (auto: the metric that selects the epoch, training.early_stopping.monitor)',
    }),
    pruner: z.enum(PRUNERS).default('none').meta({
      title:
        'median: a trial stops early if its validation metric is worse than the median of the completed trials',
    }),
    startup_trials: z
      .int()
      .min(1)
      .max(2000)
      .optional()
      .meta({ title: 'Number of completed trials of the same fold before pruning starts. Default: 5' }),
    warmup_epochs: z
      .int()
      .min(0)
      .max(100_000)
      .optional()
      .meta({ title: 'Number of epochs in which no trial is pruned. Default: 0' }),
    space: SearchSpace.meta({ title: 'Keys to search, and their values' }),
  })
  .meta({ id: 'StudySearch', description: 'Hyperparameter search, nested in the folds' })
export type StudySearch = z.output<typeof StudySearch>

/** Number of random settings before TPE learns: a third of the trials, at most ten (the default of Optuna). */
export function randomTrials(trials: number): number {
  return Math.min(10, Math.ceil(trials / 3))
}

/** Conditions before the median rule applies. Trials: Optuna's default. */
export function pruningOf({ startup_trials = 5, warmup_epochs = 0 }: StudySearch) {
  return { startup_trials, warmup_epochs }
}
