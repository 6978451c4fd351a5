import type { Task } from '../configuration/choices.js'
import { METRICS } from './catalogue.js'
import type { Metric } from './metric.js'

/** Metrics of an epoch that lists show of a training or a model, by task; the first one sums it up. */
export const EPOCH_HEADLINE = {
  classification: ['val_auc', 'val_accuracy'],
  multilabel: ['val_auc', 'val_balanced_accuracy'],
  regression: ['val_r2', 'val_mae', 'val_rmse'],
  survival: ['val_c_index', 'val_integrated_brier'],
} as const satisfies Record<Task, readonly string[]>

/** Metrics that sum up an epoch of any task, the validation loss last: for lists of trainings of several tasks. */
export const EPOCH_SUMMARY: readonly string[] = [
  ...new Set<string>([...Object.values(EPOCH_HEADLINE).flat(), 'val_loss']),
]

type Rows = typeof METRICS
type Monitored<Name extends keyof Rows> = Rows[Name] extends { monitorable: true; epoch: infer Epoch }
  ? Epoch
  : never

/** Metric of an epoch by which the epoch, or the setting of a search, can be chosen. */
export type Monitor = { [Name in keyof Rows]: Monitored<Name> }[keyof Rows]

/** Values of `training.early_stopping.monitor`. */
export const MONITORS = ['auto', ...monitorsOf(METRICS)] as ['auto', ...Monitor[]]

/** Metrics of an epoch that can be monitored, each once, in the order of the catalogue. */
export function monitorsOf(catalogue: Readonly<Record<string, Metric>>): readonly string[] {
  const names = Object.values(catalogue).flatMap(({ epoch, monitorable }) =>
    epoch !== undefined && monitorable ? [epoch] : [],
  )
  return [...new Set(names)]
}

/**
 * Direction of improvement of an epoch metric: larger or smaller.
 * @throws RangeError if the catalogue does not define it: an optimizer must not guess a direction.
 */
export function betterEpoch(
  name: string,
  catalogue: Readonly<Record<string, Metric>> = METRICS,
): 'higher' | 'lower' {
  const better = Object.values(catalogue).find(({ epoch }) => epoch === name)?.better
  if (!better) throw new RangeError(`the metric catalog has no direction of improvement for ${name}`)
  return better
}
