import { z } from 'zod'
import { Baselines } from '../configuration/baselines.js'
import { TrainingConfig } from '../configuration/training-config.js'
import { PHRASES } from '../phrases/index.js'
import { FoldChoice } from './fold-choice.js'
import { printable } from './printable.js'
import { StudySearch } from './search/search-config.js'
import { studyProblems } from './study-rules.js'
import { StudyVariant } from './study-variant.js'

const seed = z.int().min(0).max(4_294_967_295)

/** One question, trained with every seed on every fold in every variant; a search finds the settings of one more variant. */
export const StudyConfig = z
  .strictObject({
    config: TrainingConfig.meta({ title: 'Base configuration of all variants' }),
    name: printable(120).default('study').meta({ title: 'Name of the study' }),
    question: z
      .string()
      .min(1)
      .max(2000)
      .optional()
      .meta({ title: 'Research question of the study, for its report' }),
    seeds: z
      .union([z.int().min(1).max(1000), z.array(seed).min(1).max(1000)], {
        error: PHRASES.seeds_expected,
      })
      .optional()
      .meta({
        title: 'Seeds: a list, or a number n (seeds 0 to n-1). Default: the seed of the configuration',
      }),
    folds: FoldChoice.nullable().default(null).meta({
      title:
        'Cross-validation {k, repeats, seed}, or {column, values} to leave one site out. Default: one split',
    }),
    variants: z
      .array(StudyVariant)
      .min(1)
      .max(200)
      .default([{ name: 'base', config: {} }])
      .meta({ title: 'Compared variants of the training. Default: only the base configuration' }),
    search: StudySearch.nullable().default(null).meta({
      title:
        'Hyperparameter search on the validation cases of each fold; the chosen settings form an additional variant. Default: none',
    }),
    baselines: Baselines.meta({
      title:
        'Simple models that are fitted with the first variant that reads the table. Default: those of the configuration',
    }),
    metric: z
      .string()
      .min(1)
      .max(80)
      .nullable()
      .default(null)
      .meta({ title: 'Primary metric of the comparison. Default: auc; for regression, rmse' }),
    reference: z
      .string()
      .min(1)
      .max(80)
      .nullable()
      .default(null)
      .meta({ title: 'Variant that the others are compared with. Default: the first' }),
    parallel: z.int().min(1).max(256).nullable().default(null).meta({
      title: 'Maximum number of trainings at the same time. Default: the number of slots of the service',
    }),
  })
  .superRefine((study, context) => {
    for (const { path, message, ...params } of studyProblems(study))
      context.addIssue({ code: 'custom', path: [...path], message, params })
  })
  .meta({ id: 'StudyConfig', title: 'Study' })
export type StudyConfig = z.output<typeof StudyConfig>
export type StudyConfigInput = z.input<typeof StudyConfig>
