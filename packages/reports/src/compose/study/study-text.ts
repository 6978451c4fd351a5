import type { StudyResults } from '@medloom/contracts'
import { studyVerdict } from '@medloom/contracts'
import { formatMetric } from '../../document/metric-names.js'
import { DASH } from '../../document/numbers.js'
import type { StudyReportInput } from '../../report-input.js'

type Comparison = StudyResults['comparisons'][number]

/** A p value with three decimals, never 0. */
export function formatP(p: number | null): string {
  if (p === null) return DASH
  return p < 0.001 ? '<0.001' : p.toFixed(3)
}

/** Verdict of a comparison in words. */
export function verdict(comparison: Comparison, level: number): string {
  const found = studyVerdict(comparison, level)
  return found.kind === 'better' ? `${found.name} is better` : VERDICTS[found.kind]
}

const VERDICTS = {
  different: 'significantly different',
  not_significant: 'not significant',
  no_test: 'not tested',
  secondary: 'secondary metric, not tested',
} as const

export const TEST_NAMES: Readonly<Record<string, string>> = {
  corrected_resampled_t: 'corrected resampled t-test (Nadeau and Bengio 2003)',
  patient_bootstrap: 'patient bootstrap',
  delong: 'DeLong test',
}

export function intervalOf(metric: string, low: number | null, high: number | null): string {
  if (low === null || high === null) return DASH
  return `${formatMetric(metric, low)} to ${formatMetric(metric, high)}`
}

/** `2`, or `2 (repetition 1)` in a repeated cross-validation; the value of a column unchanged. */
export function foldText(
  { repeat, fold }: { readonly repeat: number | null; readonly fold: number | string | null },
  repetitions: number,
): string {
  if (fold === null) return DASH
  if (typeof fold === 'string') return fold
  return repeat === null || repetitions === 1 ? String(fold + 1) : `${fold + 1} (repetition ${repeat + 1})`
}

/** Measured cases, as a phrase within a sentence. */
export const MEASURED_ON = {
  'held-out': 'the held-out folds',
  test: 'the test split',
  validation: 'the validation split',
} as const satisfies Record<StudyReportInput['measuredOn'], string>

/** Trained variants in order, without the baselines. */
export function trained({ results }: StudyReportInput): StudyResults['variants'] {
  return results.variants.filter(({ kind }) => kind === 'trained')
}
