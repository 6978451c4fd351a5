import type { Task } from '../configuration/choices.js'
import { STUDY_METRICS } from '../studies/metrics.js'

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
