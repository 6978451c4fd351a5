import { metricOf } from '@medloom/contracts/plain'
import { type IntervalScale, intervalScale } from '../../charts/interval-scale'

type Bounds = Parameters<typeof intervalScale>[0][number]

/** Metrics from 0 to 1, whose differences can share one axis. */
const isShare = (metric: string) => metricOf(metric)?.scale === 'share'

/** The axis of each metric, and the shared axis of all shares: an error in years and an AUROC have no common scale. */
export function differenceScales(differences: Readonly<Record<string, Bounds>>): {
  readonly shared: IntervalScale | null
  readonly scaleOf: (metric: string) => { readonly scale: IntervalScale | null; readonly isOwn: boolean }
} {
  const shares = Object.entries(differences).flatMap(([metric, bounds]) => (isShare(metric) ? [bounds] : []))
  const shared = intervalScale(shares, [0])
  return {
    shared,
    scaleOf: (metric) => {
      if (isShare(metric)) return { scale: shared, isOwn: false }
      const bounds = differences[metric]
      return { scale: bounds ? intervalScale([bounds], [0]) : null, isOwn: true }
    },
  }
}
