import { z } from 'zod'
import { PRUNERS, SAMPLERS, SearchSettings } from './search-config.js'

const counts = {
  asked: z.int().meta({ description: 'Trials whose setting is known' }),
  completed: z.int(),
  pruned: z.int().meta({ description: 'Ended early by the median rule' }),
  failed: z.int(),
}

const trial = z
  .object({
    trial: z.int().meta({ description: 'From 0, in the order in which they were asked for' }),
    job_id: z.uuid().nullable(),
    settings: SearchSettings,
    value: z.number().meta({ description: 'Of the validation metric, at the best epoch' }),
    validation: z
      .number()
      .nullable()
      .meta({ description: 'The primary metric of the study on validation, of the same model' }),
  })
  .meta({ description: 'The best by validation so far; the choice once every trial has ended' })

/** Progress of a search for every seed and fold, and its selected settings. No held-out case is involved. */
export const StudySearchStatus = z
  .object({
    name: z.string(),
    sampler: z.enum(SAMPLERS),
    pruner: z.enum(PRUNERS),
    metric: z.string().meta({ description: 'Validation metric that chooses' }),
    better: z.enum(['lower', 'higher']),
    trials: z.int().meta({ description: 'Settings for each seed and fold' }),
    space_size: z.int().nullable().meta({ description: 'Different settings that there are; null: no limit' }),
    ...counts,
    choices: z.array(
      z.object({
        seed: z.int(),
        repeat: z.int().nullable(),
        fold: z.union([z.int(), z.string()]).nullable(),
        ...counts,
        ended: z.boolean().meta({ description: 'Whether every trial has ended: the best is chosen' }),
        best: trial.nullable().meta({ description: 'Null: none is complete' }),
      }),
    ),
  })
  .meta({ id: 'StudySearchStatus' })
export type StudySearchStatus = z.infer<typeof StudySearchStatus>
