import type { StudyResults } from '@medloom/contracts'
import { expect, it } from 'vitest'
import { studyInput } from '../../../../reports/testing/study.js'
import { resultsPage } from './results.js'

const { results } = studyInput({ result: 'binary', difference: { estimate: 0.031, p: 0.02 } })
const [primary] = results.comparisons as [StudyResults['comparisons'][number]]
const secondary = { ...primary, metric: 'brier', p: 1e-9, p_corrected: null, correction: null }

it('prints p for the primary metric only', () => {
  const page = resultsPage({ ...results, comparisons: [primary, secondary] })
  expect(page).toMatch(/^auc .* 0\.031 +0\.026 to 0\.036 +0\.020 /m)
  expect(page).toMatch(/^brier .* 0\.031 +0\.026 to 0\.036 +– /m)
  expect(page).not.toContain('<0.001')
})

it('prints means over the folds and pooled estimates in separate tables', () => {
  const ofFolds = { ...primary, metric: 'log_loss', estimand: 'fold_mean' as const }
  const page = resultsPage({ ...results, comparisons: [secondary, ofFolds, primary] })
  const [, means, pooled] = page.split(/^Differences, (?:mean over the folds|pooled estimates)$/m)
  expect(means).toContain('log_loss')
  expect(means).not.toContain('auc')
  expect(pooled).toMatch(/brier[\s\S]*auc/)
  expect(pooled).not.toContain('log_loss')
})

it('prints no table for a quantity that is not compared', () => {
  expect(resultsPage({ ...results, comparisons: [primary] })).not.toContain('mean over the folds')
  expect(resultsPage({ ...results, comparisons: [] })).not.toContain('Differences,')
})
