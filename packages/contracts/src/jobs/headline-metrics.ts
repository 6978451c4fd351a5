import type { Task } from '../configuration/choices.js'

/** Epoch metrics that lists and page titles show for a model or a training, by task; the first one is the main metric. */
export const HEADLINE_METRICS = {
  classification: ['val_auc', 'val_accuracy'],
  multilabel: ['val_auc', 'val_balanced_accuracy'],
  regression: ['val_r2', 'val_mae', 'val_rmse'],
  survival: ['val_c_index', 'val_integrated_brier'],
} as const satisfies Record<Task, readonly string[]>
