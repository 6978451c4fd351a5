import { z } from 'zod'
import { SearchSettings } from './search-config.js'

/** Validation metric after each epoch. */
export const TrialSteps = z
  .array(z.object({ epoch: z.int(), value: z.number().nullable() }))
  .meta({ id: 'TrialSteps' })
export type TrialSteps = z.infer<typeof TrialSteps>

/** A trial as the sampler sees it: only validation results. */
export const StudyTrial = z
  .strictObject({
    settings: SearchSettings,
    state: z.enum(['complete', 'pruned', 'failed', 'running']),
    value: z.number().nullable().meta({ description: 'Validation metric of a completed trial' }),
    steps: TrialSteps,
  })
  .meta({ id: 'StudyTrial' })
export type StudyTrial = z.infer<typeof StudyTrial>
