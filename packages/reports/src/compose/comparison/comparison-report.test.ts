/** @module-tag documents */
import { readFileSync } from 'node:fs'
import { ComparisonResult } from '@medloom/contracts'
import { expect, it } from 'vitest'
import type { ComparisonReportInput } from '../../report-input.js'
import { renderComparison } from './comparison-report.js'

/** Text as a reader of the page sees it. */
const textOf = (given: ComparisonReportInput) => renderComparison(given).markdown.replaceAll('\\_', '_')

const comparison = ComparisonResult.parse(
  JSON.parse(readFileSync(new URL('../../../testing/comparison.json', import.meta.url), 'utf8')),
)
const [first, second] = comparison.models as [
  ComparisonResult['models'][number],
  ComparisonResult['models'][number],
]
const [pair] = comparison.pairs as [ComparisonResult['pairs'][number]]
const input = (more: Partial<ComparisonReportInput> = {}): ComparisonReportInput => ({
  comparison,
  comparison_id: 'c1',
  compared_at: '2026-11-20T21:00:00.000Z',
  models: ['gated', 'concatenate'].map((fusion_type, index) => ({
    model_id: `model-${index}`,
    architecture: 'resnet18',
    fusion_type,
    job_id: `job-${index}`,
    test_evaluations: 1,
  })),
  ...more,
})

it('lists each metric of both models, and the difference with its interval and its test', () => {
  const markdown = textOf(input())
  const auc = pair.differences.auc as (typeof pair.differences)[string]
  expect(markdown).toContain(`${first.name} minus ${second.name}`)
  for (const value of [auc.estimate, auc.low, auc.high])
    expect(markdown).toContain(Math.abs(value ?? 0).toFixed(3))
  expect(markdown).toContain(auc.p !== null && auc.p < 0.001 ? '<0.001' : (auc.p ?? 0).toFixed(3))
  for (const { metrics } of comparison.models) expect(markdown).toContain((metrics.auc ?? 0).toFixed(3))
  expect(markdown).toContain('its estimate is above the truth')
})

it('counts the cases by which model is right', () => {
  const markdown = textOf(input())
  const { both_right, only_first, only_second, both_wrong } = pair.agreement ?? {}
  const row = markdown.split('\n').find((line) => line.startsWith(`| ${first.name} and ${second.name} |`))
  for (const [index, count] of [both_right, only_first, only_second, both_wrong].entries())
    expect(row?.split('|')[2 + index]).toContain(`${count} (`)
})

it('draws the curves of both models into one chart, and the differences around zero', () => {
  const { html, charts } = renderComparison(input())
  expect(charts.map(({ file }) => file)).toEqual(['comparison-roc-1.svg'])
  for (const { name } of comparison.models) expect(charts[0]?.svg).toContain(name)
  expect(html.match(/<svg class="forest"/g)?.length).toBeGreaterThan(5)
})

it('corrects p for several pairs and reports this', () => {
  const third = { ...second, name: 'third' }
  const more = { ...pair, second: 'third' }
  const three = { ...comparison, models: [first, second, third], pairs: [pair, more] }
  const models = [...input().models, ...input().models.slice(1)]
  expect(renderComparison(input({ comparison: three, models })).markdown).toContain('p (Holm)')
  expect(renderComparison(input()).markdown).not.toContain('p (Holm)')
})

it('of a regression has neither classes nor agreement', () => {
  const regression: ComparisonResult = {
    ...comparison,
    task: 'regression',
    classes: null,
    models: comparison.models.map((model) => ({ ...model, roc: null, metrics: { auc: null, mae: 2.5 } })),
    pairs: [{ ...pair, agreement: null, differences: { mae: { ...pair.differences.brier } as never } }],
  }
  const { markdown, charts } = renderComparison(input({ comparison: regression }))
  expect(markdown).not.toMatch(/AUROC|Correct predictions/)
  expect(markdown).toContain('| MAE | 2.500 | 2.500 |')
  expect(charts).toEqual([])
})

it('reports the number of evaluations of a model, and a warning common to all models once', () => {
  const warned = { code: 'PATIENTS_UNKNOWN' as const, message: 'Nobody is known.' }
  const only = { code: 'FEW_PATIENTS' as const, message: 'Only three.' }
  const models = comparison.models.map((model, index) => ({
    ...model,
    warnings: index === 0 ? [warned, only] : [warned],
  }))
  const counted = input().models.map((model) => ({ ...model, test_evaluations: 3 }))
  const markdown = textOf(input({ comparison: { ...comparison, models }, models: counted }))
  expect(markdown).toContain(`${first.name} (3 times)`)
  expect(markdown.split('Nobody is known.').length).toBe(2)
  expect(markdown).toContain(`model "${first.name}"`)
})

it('states the origin of each threshold, and claims none that the result does not contain', () => {
  const reason = 'the validation cases have only one class'
  const notes = (...reasons: (string | null | undefined)[]) => {
    const models = comparison.models.map((model, index) => {
      const threshold_reason = reasons[index]
      return { ...model, threshold: 0.5, ...(threshold_reason !== undefined && { threshold_reason }) }
    })
    return textOf(input({ comparison: { ...comparison, models } })).match(/Thresholds: .*/)?.[0]
  }
  expect(notes(null, reason)).toContain(
    `${first.name} 0.500, chosen on its validation split; ${second.name} 0.500, the default: ${reason}.`,
  )
  expect(notes(undefined, reason)).not.toContain('chosen on')
})
