import type { Task } from '../configuration/choices.js'

type Better = 'higher' | 'lower'

/** Metrics for comparisons of variants: their tasks, and the direction that is better. */
const BY_NAME = {
  auc: { tasks: ['classification', 'multilabel'], better: 'higher' },
  auprc: { tasks: ['classification', 'multilabel'], better: 'higher' },
  accuracy: { tasks: ['classification'], better: 'higher' },
  balanced_accuracy: { tasks: ['classification', 'multilabel'], better: 'higher' },
  f1_score: { tasks: ['classification', 'multilabel'], better: 'higher' },
  kappa: { tasks: ['classification'], better: 'higher' },
  brier: { tasks: ['classification', 'multilabel'], better: 'lower' },
  log_loss: { tasks: ['classification', 'multilabel'], better: 'lower' },
  auc_micro: { tasks: ['multilabel'], better: 'higher' },
  auprc_micro: { tasks: ['multilabel'], better: 'higher' },
  f1_micro: { tasks: ['multilabel'], better: 'higher' },
  subset_accuracy: { tasks: ['multilabel'], better: 'higher' },
  hamming_loss: { tasks: ['multilabel'], better: 'lower' },
  mae: { tasks: ['regression'], better: 'lower' },
  rmse: { tasks: ['regression'], better: 'lower' },
  r2: { tasks: ['regression'], better: 'higher' },
  pearson: { tasks: ['regression'], better: 'higher' },
  spearman: { tasks: ['regression'], better: 'higher' },
  c_index: { tasks: ['survival'], better: 'higher' },
  uno_c: { tasks: ['survival'], better: 'higher' },
  auc_25: { tasks: ['survival'], better: 'higher' },
  auc_50: { tasks: ['survival'], better: 'higher' },
  auc_75: { tasks: ['survival'], better: 'higher' },
  integrated_brier: { tasks: ['survival'], better: 'lower' },
} as const satisfies Record<string, { tasks: readonly Task[]; better: Better }>

export const STUDY_METRICS: Readonly<Record<string, { tasks: readonly Task[]; better: Better }>> = BY_NAME

/** Names of the metrics. @param task null: unknown before the data is read */
export function metricsOf(task: Task | null): readonly string[] {
  return Object.keys(STUDY_METRICS).filter(
    (name) => task === null || STUDY_METRICS[name]?.tasks.includes(task),
  )
}

/** Metric of a study that names none. */
export const PRIMARY_METRIC = {
  classification: 'auc',
  regression: 'rmse',
  multilabel: 'auc',
  survival: 'uno_c',
} as const satisfies Record<Task, keyof typeof BY_NAME>
