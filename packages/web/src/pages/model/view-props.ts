import type { RouteResponse } from '@medloom/contracts'
import { nearestStep } from '../../components/step-slider'
import { ALL_CASES, type ModelSearch } from './search'

export type Document = RouteResponse<'getEvaluation'>
export type Result = Document['result']
export type Grid = NonNullable<NonNullable<Result['thresholds']>['grid']>

/** An evaluation, the address parameters, and a function that changes them. */
export interface EvaluationViewProps {
  readonly document: Document
  readonly search: ModelSearch
  readonly change: (changes: Partial<ModelSearch>) => void
}

export const SHARES = ['sensitivity', 'specificity', 'ppv', 'npv', 'accuracy'] as const
export type Share = (typeof SHARES)[number]

/** Shows only these cases. */
export function showCases({ change }: EvaluationViewProps, filter: Partial<ModelSearch>): void {
  change({ ...ALL_CASES, ...filter })
  globalThis.document.getElementById('cases')?.scrollIntoView({ block: 'start' })
}

export function gridOf({ result }: Document): Grid | null {
  return result.thresholds?.grid ?? null
}

/** Results of the API at a threshold. */
export interface ThresholdResults {
  readonly threshold: number
  readonly counts: {
    readonly truePositive: number
    readonly falsePositive: number
    readonly falseNegative: number
    readonly trueNegative: number
  }
  readonly shares: Readonly<
    Record<Share, { estimate: number | null; low: number | null; high: number | null }>
  >
  /** Method of the intervals. */
  readonly method: string
  /** False: validation selected the threshold, and all other results of the evaluation use it. */
  readonly explored: boolean
}

/** Results at the threshold of the address, from the threshold grid; otherwise at that of the evaluation. Null: not a two-class task. */
export function resultsAtThreshold({ document, search }: EvaluationViewProps): ThresholdResults | null {
  const grid = gridOf(document)
  if (search.threshold !== undefined && grid)
    return resultsAtStep(grid, nearestStep(grid.threshold, search.threshold))
  const { threshold, confusion_matrix, intervals, classes, positive_class } = document.result
  if (threshold === null || !confusion_matrix || !classes || positive_class === null) return null
  const positive = classes.indexOf(positive_class)
  const cell = (truth: number, predicted: number) => confusion_matrix[truth]?.[predicted] ?? 0
  const share = (name: Share) => intervals[name] ?? { estimate: null, low: null, high: null }
  return {
    threshold,
    counts: {
      truePositive: cell(positive, positive),
      falsePositive: cell(1 - positive, positive),
      falseNegative: cell(positive, 1 - positive),
      trueNegative: cell(1 - positive, 1 - positive),
    },
    shares: mapShares(share),
    method: intervals.sensitivity?.method ?? '',
    explored: false,
  }
}

function resultsAtStep(grid: Grid, step: number): ThresholdResults {
  const count = (name: 'true_positive' | 'false_positive' | 'false_negative' | 'true_negative') =>
    grid[name][step] ?? 0
  return {
    threshold: grid.threshold[step] ?? 0,
    counts: {
      truePositive: count('true_positive'),
      falsePositive: count('false_positive'),
      falseNegative: count('false_negative'),
      trueNegative: count('true_negative'),
    },
    shares: mapShares((name) => ({
      estimate: grid[name].estimate[step] ?? null,
      low: grid[name].low[step] ?? null,
      high: grid[name].high[step] ?? null,
    })),
    method: grid.method,
    explored: true,
  }
}

function mapShares<Value>(valueFor: (name: Share) => Value): Record<Share, Value> {
  return Object.fromEntries(SHARES.map((name) => [name, valueFor(name)])) as Record<Share, Value>
}

/** Class or label of the curves. */
export function shownClass({ document: { result }, search }: EvaluationViewProps): string | null {
  const known = result.classes ?? []
  if (search.class !== undefined && known.includes(search.class)) return search.class
  return result.positive_class ?? known[0] ?? null
}
