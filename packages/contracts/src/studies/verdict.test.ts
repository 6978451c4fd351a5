import { expect, it } from 'vitest'
import type { StudyResults } from './results.js'
import { decisiveP, studyVerdict } from './verdict.js'

const primary = {
  ...{ a: 'one', b: 'other', metric: 'auc', test: 'corrected_resampled_t', tests: [], note: null },
  ...{ difference: { estimate: 0.1, low: 0.05, high: 0.15 }, p: 0.001, p_corrected: 0.004 },
  ...{ correction: 'holm', num_pairs: 5, seeds: [0] },
} as const satisfies StudyResults['comparisons'][number]

it('the primary metric is decided by its corrected p value', () => {
  expect(studyVerdict(primary, 0.95)).toEqual({ kind: 'better', name: 'one' })
  expect(decisiveP(primary)).toBe(0.004)
  expect(studyVerdict({ ...primary, p_corrected: 0.06 }, 0.95)).toEqual({ kind: 'not_significant' })
  expect(studyVerdict({ ...primary, metric: 'prevalence' }, 0.95)).toEqual({ kind: 'different' })
  expect(studyVerdict({ ...primary, p: null, p_corrected: null }, 0.95)).toEqual({ kind: 'no_test' })
})

it('a secondary metric has neither a verdict nor a p value that decides, however small its p is', () => {
  const secondary = { ...primary, metric: 'brier', p: 1e-9, p_corrected: null, correction: null } as const
  expect(studyVerdict(secondary, 0.95)).toEqual({ kind: 'secondary' })
  expect(decisiveP(secondary)).toBeNull()
})
