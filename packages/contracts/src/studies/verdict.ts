import { STUDY_METRICS } from './metrics.js'
import type { StudyResults } from './results.js'

type Comparison = StudyResults['comparisons'][number]

/**
 * The result of a comparison: which variant is better, that both differ, that the difference is not significant, or
 * that there is no test. A secondary metric has no verdict: among dozens of them some differ by chance.
 */
export type StudyVerdict =
  | { readonly kind: 'better'; readonly name: string }
  | { readonly kind: 'different' | 'not_told_apart' | 'no_test' | 'secondary' }

/** The p value that decides: the corrected one of the primary metric; null for secondary metrics. */
export function decisiveP({
  p_corrected,
  correction,
}: Pick<Comparison, 'p_corrected' | 'correction'>): number | null {
  return correction === null ? null : p_corrected
}

/** The quantity of which a comparison tells the difference; older results name the test alone. */
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

/** @param level of the intervals: 0.95 tells apart below p 0.05 */
export function studyVerdict(comparison: Comparison, level: number): StudyVerdict {
  const { a, b, metric, difference } = comparison
  if (comparison.correction === null) return { kind: 'secondary' }
  const p = decisiveP(comparison)
  if (p === null || difference.estimate === null) return { kind: 'no_test' }
  if (p >= 1 - level || difference.estimate === 0) return { kind: 'not_told_apart' }
  const direction = STUDY_METRICS[metric]?.better
  if (direction === undefined) return { kind: 'different' }
  const first = direction === 'higher' ? difference.estimate > 0 : difference.estimate < 0
  return { kind: 'better', name: first ? a : b }
}
