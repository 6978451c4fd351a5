import { z } from 'zod'
import type { Task } from '../configuration/choices.js'
import { STUDY_METRICS } from '../studies/metrics.js'

/** A metric that is not known or not defined is null: never NaN, never a stand-in. */
export const Metrics = z.record(z.string(), z.number().nullable()).meta({ id: 'Metrics' })
export type Metrics = z.infer<typeof Metrics>

const OF_CLASSES: readonly Task[] = ['classification', 'multilabel']

/** Of an epoch; the accuracy of several labels is that of all of them together. */
const EPOCH_METRICS: Readonly<Record<string, readonly Task[]>> = {
  train_accuracy: OF_CLASSES,
  val_accuracy: OF_CLASSES,
  val_auc: OF_CLASSES,
}

/** Whether a metric says something of a task. Results list accuracy, auc and f1_score all the same, as null. */
export function isOfTask(task: Task, metric: string): boolean {
  return (EPOCH_METRICS[metric] ?? STUDY_METRICS[metric]?.tasks)?.includes(task) ?? true
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
