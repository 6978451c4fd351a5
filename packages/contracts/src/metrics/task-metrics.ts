import type { Task } from '../configuration/choices.js'
import { METRICS, type MetricName, metricOf } from './catalogue.js'

/** Metric that decides which of two models is better, and that a study compares by default. */
export const PRIMARY_METRIC = {
  classification: 'auc',
  multilabel: 'auc',
  regression: 'rmse',
  survival: 'uno_c',
} as const satisfies Record<Task, MetricName>

/** Metrics that readers compare first between a model and simple ones. */
export const COMPARED_METRICS = {
  classification: ['auc', 'auprc', 'balanced_accuracy', 'brier', 'log_loss'],
  multilabel: ['auc', 'auprc', 'balanced_accuracy', 'brier', 'log_loss'],
  regression: ['mae', 'rmse', 'r2'],
  survival: ['uno_c', 'c_index', 'integrated_brier'],
} as const satisfies Record<Task, readonly MetricName[]>

/**
 * Reports whether a metric is defined for a task. Results list accuracy, auc and f1_score for every task, as null if they are undefined.
 * @param metric metric of a result, or of an epoch (`val_auc`, `train_loss`); an unknown one counts as defined
 */
export function isOfTask(task: Task, metric: string): boolean {
  const rows = epochRows(metric)
  if (rows.length > 0) return rows.some(({ tasks }) => tasks.includes(task))
  return metricOf(metric)?.tasks.includes(task) ?? true
}

function epochRows(name: string) {
  const validation = name.replace(/^train_/, 'val_')
  return Object.values(METRICS).filter((row) => 'epoch' in row && row.epoch === validation)
}

/** Metrics at the head of a report. */
export function headlineMetrics(task: Task): readonly string[] {
  return Object.entries(METRICS).flatMap(([name, row]) =>
    'headline' in row && (row.headline as readonly Task[]).includes(task) ? [name] : [],
  )
}

/** Metrics by which variants of a study can be compared. @param task null while it is not known */
export function studyMetrics(task: Task | null): readonly string[] {
  return Object.entries(METRICS).flatMap(([name, row]) =>
    'compares_variants' in row && (task === null || (row.tasks as readonly Task[]).includes(task))
      ? [name]
      : [],
  )
}
