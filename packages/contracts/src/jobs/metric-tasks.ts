import type { Task } from '../configuration/choices.js'
import { STUDY_METRICS } from '../studies/metrics.js'

const OF_CLASSES: readonly Task[] = ['classification', 'multilabel']

/** Metrics of an epoch; the accuracy of a multilabel task covers all labels together. */
const EPOCH_METRICS: Readonly<Record<string, readonly Task[]>> = {
  train_accuracy: OF_CLASSES,
  val_accuracy: OF_CLASSES,
  val_auc: OF_CLASSES,
}

/** Reports whether a metric applies to a task. Results contain accuracy, auc and f1_score for every task, as null if they do not apply. */
export function isOfTask(task: Task, metric: string): boolean {
  return (EPOCH_METRICS[metric] ?? STUDY_METRICS[metric]?.tasks)?.includes(task) ?? true
}
