import { z } from 'zod'

/** The trained model that a training started from. */
export const FineTunedFrom = z
  .object({
    job_id: z.uuid().meta({ description: 'The job that trained it' }),
    model_id: z.string().nullable().meta({
      description: 'As it is registered; null where a checkpoint was named that is no registered model',
    }),
    epoch: z.int().meta({ description: 'The epoch of its checkpoint' }),
    checkpoint_digest: z
      .string()
      .meta({ description: 'sha256 of its weights, as the list of checkpoints has it' }),
  })
  .meta({ id: 'FineTunedFrom' })
export type FineTunedFrom = z.infer<typeof FineTunedFrom>
