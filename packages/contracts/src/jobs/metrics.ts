import { z } from 'zod'
import type { Task } from '../configuration/choices.js'

/** A metric that is not known or not defined is null: never NaN, never a stand-in. */
export const Metrics = z.record(z.string(), z.number().nullable()).meta({ id: 'Metrics' })
export type Metrics = z.infer<typeof Metrics>

const OF_CLASSES = new Set(['accuracy', 'auc', 'f1_score', 'train_accuracy', 'val_accuracy', 'val_auc'])

/** Whether a metric says something of a task. Results of a regression list those of classes all the same, as null. */
export function isOfTask(task: Task, metric: string): boolean {
  return (task !== 'regression' && task !== 'survival') || !OF_CLASSES.has(metric)
}

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
