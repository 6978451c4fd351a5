import { z } from 'zod'

/** An unknown or undefined metric is null: never NaN and never a substitute value. */
export const Metrics = z.record(z.string(), z.number().nullable()).meta({ id: 'Metrics' })
export type Metrics = z.infer<typeof Metrics>

/** Metrics of a job: these four are always present. If val_auc is undefined it is null, and `val_auc_reason` in notes contains the reason. */
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
