import { type IntervalScale, intervalScale } from '../../charts/interval-scale'

type Bounds = Parameters<typeof intervalScale>[0][number]

/** Metrics from 0 to 1, whose differences may share an axis. A test compares this list with that of the reports. */
export const SHARES: ReadonlySet<string> = new Set([
  'accuracy',
  'auc',
  'c_index',
  'uno_c',
  'auc_25',
  'auc_50',
  'auc_75',
  'auc_micro',
  'auprc_micro',
  'f1_micro',
  'subset_accuracy',
  'hamming_loss',
  'f1_score',
  'auprc',
  'prevalence',
  'balanced_accuracy',
  'sensitivity',
  'specificity',
  'precision',
  'recall',
  'ppv',
  'npv',
  'ece',
  'f1',
])

/** The axis of each metric, and the shared axis of all shares: an error in years and an AUROC have no common scale. */
export function differenceScales(differences: Readonly<Record<string, Bounds>>): {
  readonly shared: IntervalScale | null
  readonly of: (metric: string) => { readonly scale: IntervalScale | null; readonly isOwn: boolean }
} {
  const shares = Object.entries(differences).flatMap(([metric, bounds]) =>
    SHARES.has(metric) ? [bounds] : [],
  )
  const shared = intervalScale(shares, [0])
  return {
    shared,
    of: (metric) => {
      if (SHARES.has(metric)) return { scale: shared, isOwn: false }
      const bounds = differences[metric]
      return { scale: bounds ? intervalScale([bounds], [0]) : null, isOwn: true }
    },
  }
}
