import { metricOf } from '../metrics/catalogue.js'
import type { StudyResults } from './results.js'

type Comparison = StudyResults['comparisons'][number]

/**
 * Result of a comparison: the better variant, a difference without direction, a difference that is not significant, or no test.
 * A secondary metric has no verdict: among dozens of them some differ by chance.
 */
export type StudyVerdict =
  | { readonly kind: 'better'; readonly name: string }
  | { readonly kind: 'different' | 'not_significant' | 'no_test' | 'secondary' }

/** The decisive p value: the corrected one of the primary metric; null for secondary metrics. */
export function decisiveP({
  p_corrected,
  correction,
}: Pick<Comparison, 'p_corrected' | 'correction'>): number | null {
  return correction === null ? null : p_corrected
}

/** Quantity whose difference a comparison estimates; older results contain only the name of the test. */
export function estimandOf({
  estimand,
  test,
  tests,
}: Pick<Comparison, 'estimand' | 'test' | 'tests'>): 'fold_mean' | 'pooled' {
  return estimand ?? estimandOfTest({ test: test ?? tests[0]?.test ?? 'patient_bootstrap' })
}

export function estimandOfTest({
  estimand,
  test,
}: Pick<Comparison['tests'][number], 'estimand' | 'test'>): 'fold_mean' | 'pooled' {
  return estimand ?? (test === 'corrected_resampled_t' ? 'fold_mean' : 'pooled')
}

/** @param level confidence level of the intervals: at 0.95, differences with p < 0.05 are significant */
export function studyVerdict(comparison: Comparison, level: number): StudyVerdict {
  const { a, b, metric, difference } = comparison
  if (comparison.correction === null) return { kind: 'secondary' }
  const p = decisiveP(comparison)
  if (p === null || difference.estimate === null) return { kind: 'no_test' }
  if (p >= 1 - level || difference.estimate === 0) return { kind: 'not_significant' }
  const direction = metricOf(metric)?.better
  if (!direction) return { kind: 'different' }
  const first = direction === 'higher' ? difference.estimate > 0 : difference.estimate < 0
  return { kind: 'better', name: first ? a : b }
}
