import { readFileSync } from 'node:fs'
import { type Comparison, ComparisonResult } from '@medloom/contracts'
import { expect, it } from 'vitest'
import { comparisonPage } from './compare.js'
import { comparisonDocumentPage } from './comparison.js'

const result = ComparisonResult.parse(
  JSON.parse(readFileSync(new URL('../../../../reports/testing/comparison.json', import.meta.url), 'utf8')),
)
const comparison: Comparison = {
  comparison_id: 'c1',
  split: 'test',
  task: result.task,
  num_cases: result.num_cases,
  num_patients: result.num_patients,
  models: result.models.map(({ name, metrics, intervals, warnings }, index) => ({
    name,
    model_id: name,
    metrics,
    intervals,
    warnings,
    test_evaluations: index + 1,
  })),
  pairs: result.pairs,
  report_path: '/runs/report.html',
  predictions_path: '/runs/predictions.csv',
  warnings: [
    { code: 'CASES_NOT_SHARED', message: '2 cases are excluded because not all models can read them' },
  ],
}

it('prints both values, the difference, its test, and the model that is correct', () => {
  const page = comparisonPage(comparison)
  expect(page).toMatch(
    /auc( +-?\d\.\d{3}){3} +-?\d\.\d{3} to -?\d\.\d{3} +\d\.\d{3} +paired patient bootstrap/,
  )
  expect(page).toMatch(/correct: both \d+, only resnet18_gated_001 \d+/)
  expect(page).not.toContain('mae')
  expect(page).toContain('none_concatenate_001 was evaluated on this split 2 times.')
  expect(page).toContain('[CASES_NOT_SHARED]')
})

it('prints messages about one model with its name', () => {
  const [first, ...others] = comparison.models as [Comparison['models'][number]]
  const warned = { ...first, warnings: [{ code: 'EVALUATED_ON_TRAINING_DATA', message: 'seen' } as const] }
  expect(comparisonPage({ ...comparison, models: [warned, ...others] })).toContain(
    `warning: ${first.name}: seen [EVALUATED_ON_TRAINING_DATA]`,
  )
})

it('never prints a p of 0', () => {
  const [pair] = comparison.pairs as [Comparison['pairs'][number]]
  const auc = { ...(pair.differences.auc as (typeof pair.differences)[string]), p: 0.00001 }
  expect(comparisonPage({ ...comparison, pairs: [{ ...pair, differences: { auc } }] })).toMatch(
    /^auc .* <0\.001 /m,
  )
})

it('prints p for the primary metric only, also for several pairs', () => {
  const [pair] = comparison.pairs as [Comparison['pairs'][number]]
  const brier = { ...(pair.differences.brier as (typeof pair.differences)[string]), p: 1e-9, p_holm: 1e-9 }
  const tested = { ...pair, differences: { ...pair.differences, brier } }
  const pages = [[tested], [tested, tested]].map((pairs) => comparisonPage({ ...comparison, pairs }))
  for (const page of pages) {
    expect(page).toMatch(/^brier .* to -?\d\.\d{3} +–/m)
    expect(page).not.toMatch(/^brier .*<0\.001/m)
    expect(page).toMatch(/^auc .* to -?\d\.\d{3} +[<\d]/m)
  }
})

it('prints a stored comparison like a new one, with the command that saves its report', () => {
  const job = '3be0c1de-4f57-4c9e-9d3b-1f2a60d1f4a7'
  const models = comparison.models.map(({ name, test_evaluations }) => ({
    ...{ name, test_evaluations, model_id: name, job_id: job, job_name: 'a job' },
  }))
  const page = comparisonDocumentPage({
    ...{ comparison_id: 'c1', created_at: '2026-01-01T00:00:00.000Z', models },
    result: { ...result, warnings: comparison.warnings },
  })
  const [line, ...report] = comparisonPage(comparison).split('\n').reverse()
  expect(line).toBe('report: /runs/report.html')
  expect(page.split('\n').reverse().slice(1)).toEqual(report)
  expect(page).toContain('report: medloom jobs download 3be0c1de comparisons/c1/report.html')
})
