import { z } from 'zod'

/** A metric that is not known or not defined is null: never NaN, never a stand-in. */
export const Metrics = z.record(z.string(), z.number().nullable()).meta({ id: 'Metrics' })
export type Metrics = z.infer<typeof Metrics>

/** Metrics of a job: these four are always present. val_auc is null where undefined; `val_auc_reason` in notes says why. */
export const JobMetrics = z
  .object({
    train_loss: z.number().nullable(),
    val_loss: z.number().nullable(),
    val_accuracy: z.number().nullable(),
    val_auc: z.number().nullable(),
  })
  .catchall(z.number().nullable())
  .meta({ id: 'JobMetrics' })
export type JobMetrics = z.infer<typeof JobMetrics>
