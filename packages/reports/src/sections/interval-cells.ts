import type { EvaluationResult } from '@medloom/contracts'
import type { Cell } from '../document/document.js'
import { formatMetric } from '../document/metric-names.js'
import { DASH } from '../document/numbers.js'

export type Interval = EvaluationResult['intervals'][string]

export function intervalText(key: string, interval: Interval | undefined): string {
  if (!interval || interval.low === null || interval.high === null) return DASH
  return `${formatMetric(key, interval.low)} to ${formatMetric(key, interval.high)}`
}

/** The estimate, with the interval below it. */
export function withInterval(
  key: string,
  estimate: number | null | undefined,
  interval: Interval | undefined,
): Cell {
  const bounds = intervalText(key, interval)
  const value = formatMetric(key, estimate)
  return bounds === DASH ? value : { text: value, below: bounds }
}
