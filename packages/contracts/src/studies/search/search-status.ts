import { z } from 'zod'
import { PRUNERS, SAMPLERS, SearchSettings } from './search-config.js'

const counts = {
  asked: z.int().meta({ description: 'Number of trials with chosen settings' }),
  completed: z.int(),
  pruned: z.int().meta({ description: 'Number of trials that the median rule stopped early' }),
  failed: z.int(),
}

const trial = z
  .object({
    trial: z.int().meta({ description: 'Index of the trial, from 0, in order of creation' }),
    job_id: z.uuid().nullable(),
    settings: SearchSettings,
    value: z.number().meta({ description: 'Validation metric at the best epoch' }),
    validation: z
      .number()
      .nullable()
      .meta({ description: 'Primary metric of the study on the validation split, for the same model' }),
  })
  .meta({
    description: 'Best trial so far by the validation metric; the final choice when all trials have ended',
  })

/** Progress of a search for every seed and fold, and its selected settings. No held-out case is involved. */
export const StudySearchStatus = z
  .object({
    name: z.string(),
    sampler: z.enum(SAMPLERS),
    pruner: z.enum(PRUNERS),
    metric: z.string().meta({ description: 'Validation metric that selects the setting' }),
    better: z.enum(['lower', 'higher']),
    trials: z.int().meta({ description: 'Number of settings for each seed and fold' }),
    space_size: z
      .int()
      .nullable()
      .meta({ description: 'Number of different settings in the space; null: unlimited' }),
    ...counts,
    choices: z.array(
      z.object({
        seed: z.int(),
        repeat: z.int().nullable(),
        fold: z.union([z.int(), z.string()]).nullable(),
        ...counts,
        ended: z.boolean().meta({ description: 'Whether all trials have ended and the best is chosen' }),
        best: trial.nullable().meta({ description: 'Null: no trial is completed' }),
      }),
    ),
  })
  .meta({ id: 'StudySearchStatus' })
export type StudySearchStatus = z.infer<typeof StudySearchStatus>
