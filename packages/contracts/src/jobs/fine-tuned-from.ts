import { z } from 'zod'

/** The trained model that a training started from. */
export const FineTunedFrom = z
  .object({
    job_id: z.uuid().meta({ description: 'Job that trained the model' }),
    model_id: z.string().nullable().meta({
      description: 'Id of the registered model; null for a checkpoint that is not a registered model',
    }),
    epoch: z.int().meta({ description: 'Epoch of the checkpoint' }),
    checkpoint_digest: z
      .string()
      .meta({ description: 'SHA-256 of the weights, as in the list of checkpoints' }),
  })
  .meta({ id: 'FineTunedFrom' })
export type FineTunedFrom = z.infer<typeof FineTunedFrom>
