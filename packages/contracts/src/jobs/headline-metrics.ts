import type { Task } from '../configuration/choices.js'

/** The metrics of an epoch that lists and heads show of a model or a training, by what it predicts; the first one sums it up. */
export const HEADLINE_METRICS = {
  classification: ['val_auc', 'val_accuracy'],
  multilabel: ['val_auc', 'val_balanced_accuracy'],
  regression: ['val_r2', 'val_mae', 'val_rmse'],
  survival: ['val_c_index', 'val_integrated_brier'],
} as const satisfies Record<Task, readonly string[]>
