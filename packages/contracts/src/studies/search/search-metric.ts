import type { TrainingConfig } from '../../configuration/training-config.js'
import { betterEpoch } from '../../metrics/epoch-metrics.js'
import type { StudySearch } from './search-config.js'

/** Keys that change the definition of val_loss. */
export const LOSS_KEYS = ['training.loss_function', 'training.class_weights', 'training.label_smoothing']

/** Validation metric that selects among the trials, and the direction that is better. */
export function searchMetric(
  { training }: Pick<TrainingConfig, 'training'>,
  { metric }: Pick<StudySearch, 'metric'>,
): { metric: string; better: 'lower' | 'higher' } {
  const monitor = metric === 'auto' ? training.early_stopping.monitor : metric
  const name = monitor === 'auto' ? 'val_loss' : monitor
  return { metric: name, better: betterEpoch(name) }
}
