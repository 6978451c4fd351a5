/** @module-tag documents */
import { readFileSync } from 'node:fs'
import { type BaselineResult, EvaluationResult, Job } from '@medloom/contracts'
import { describe, expect, it } from 'vitest'
import { baselineOf } from '../../testing/baseline-of.js'
import { renderReport } from '../compose/run-report.js'
import { formatMetric } from '../document/metric-names.js'
import type { ReportInput } from '../report-input.js'
import { baselineFact, baselineSection } from './baselines.js'

const fixture = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../testing/${name}.json`, import.meta.url), 'utf8'))
const binary = EvaluationResult.parse(fixture('binary'))

const input = (result: EvaluationResult): ReportInput => ({
  job: Job.parse(fixture('job')),
  model: null,
  history: [],
  checkpoints: [],
  moreCheckpoints: 0,
  validation: result,
  heldOut: null,
  subject: null,
  evaluations: [],
  unreadable: [],
  texts: {},
  failureImages: null,
})

describe('a model compared with simple ones', () => {
  const forest = baselineOf(binary, 'random_forest', 'random forest', 'better', 0.71)
  const regression = baselineOf(binary, 'logistic_regression', 'logistic regression', 'inconclusive', 0.84)
  const result = { ...binary, baselines: [forest, regression] }
  const { html, markdown, summary } = renderReport(input(result))

  it('that is not clearly better is described so before every number, without a claim of either', () => {
    const text =
      'This model is not significantly different from logistic regression: AUROC difference 0.003 (−0.020 to 0.030)'
    expect(html).toContain(text)
    expect(html).toContain('does not show that the models are equally good')
    expect(html).not.toContain('A baseline performs better')
    expect(html.indexOf(text)).toBeLessThan(html.indexOf('<caption>This model and the baselines'))
    expect(markdown).toContain('## Compared with baselines')
  })

  it('is listed with its differences and the fit of each simple model', () => {
    expect(markdown).toMatch(/\| logistic regression \| 0\.840/)
    expect(markdown).toMatch(/\| random forest \| \+0\.003.*-?−?0\.0?20? to/)
    expect(markdown).toMatch(/forest with C = 0.1/)
  })

  const fitted = (same_as_model: boolean, ...splits: ('train' | 'val')[]) => ({
    ...{ splits, same_as_model },
    cases: 412,
  })
  const blocks = (...fittedOn: (BaselineResult['fitted_on'] | null)[]) =>
    JSON.stringify(
      baselineSection({
        ...result,
        baselines: [forest, regression].map((one, place) => ({
          ...one,
          ...(fittedOn[place] && { fitted_on: fittedOn[place] }),
        })),
      }),
    )

  it('names the rows that each simple model was fitted on, and whether the model learned from further ones', () => {
    const equal = blocks(fitted(true, 'train', 'val'), fitted(true, 'train', 'val'))
    expect(equal).toContain('fitted on the same rows as this model. If these rows include validation cases')
    expect(equal).toContain('412 training and validation cases')
    expect(equal).not.toContain('additional cases')
    const single = blocks(fitted(true, 'train'), fitted(true, 'train'))
    expect(single).toContain('412 training cases')
    expect(single).not.toContain('excludes its fold')
    const fewer = blocks(fitted(true, 'train', 'val'), fitted(false, 'train'))
    expect(fewer).toContain('This model was trained on more cases than logistic regression,')
    expect(blocks(fitted(true, 'train'), null)).toContain('were also trained on the validation cases')
  })

  it.each([
    ['binary', 0.5],
    ['multilabel', null],
  ] as const)('claims no chosen threshold if validation could not choose it: %s', (kind, threshold) => {
    const task = kind === 'binary' ? binary.task : kind
    const reason = 'the validation cases have only one class'
    const claim = /threshold[^.]*(?:was|were) chosen/i
    const chosen = renderReport(input({ ...result, task, threshold, threshold_reason: null })).markdown
    expect(chosen).toMatch(/their thresholds, like that of this model, were chosen/i)
    expect(chosen).toContain('The epoch and the threshold were chosen on this split')
    const other = renderReport(input({ ...result, task, threshold, threshold_reason: reason })).markdown
    expect(other).not.toMatch(claim)
    expect(other).toContain('The epoch was chosen on this split')
    expect(other).toContain(`default`)
    expect(other).toContain(`of 0.5 (${reason})`)
  })

  it('without thresholds claims none', () => {
    const text = JSON.stringify(baselineSection({ ...result, threshold: null }))
    expect(text).not.toMatch(/threshold/)
  })

  it('is compared with the best of them at the top and in the JSON summary', () => {
    expect(html).toContain('Best baseline, AUROC')
    expect(html.indexOf('Best baseline')).toBeLessThan(html.indexOf('<main'))
    expect(summary.validation?.baselines).toMatchObject([
      { name: 'random_forest', verdict: 'better' },
      { name: 'logistic_regression', verdict: 'inconclusive', text: regression.verdict.text },
    ])
  })

  it('that is worse than one is described so, however it compares with others', () => {
    const worse = baselineOf(binary, 'hist_gradient_boosting', 'gradient boosting', 'worse', 0.9)
    const { html } = renderReport(input({ ...binary, baselines: [regression, worse] }))
    expect(html).toContain('A baseline performs better on these cases.')
  })

  it('that is better than each has no caution', () => {
    const { html } = renderReport(input({ ...binary, baselines: [forest] }))
    expect(html).not.toMatch(/A baseline performs better|equally good/)
  })
})

it.each([
  ['auc', 0.84],
  ['rmse', 3.5],
])('names the best simple model by %s, which is the one with %d', (metric, best) => {
  const baselines = [best, metric === 'auc' ? 0.71 : 6.2].map((value, index) => {
    const made = baselineOf(binary, 'random_forest', `model ${index}`, 'better', value)
    return { ...made, metrics: { [metric]: value }, verdict: { ...made.verdict, metric } }
  })
  for (const order of [baselines, baselines.toReversed()])
    expect(baselineFact({ ...binary, baselines: order })?.value).toBe(formatMetric(metric, best))
})

it('without simple models there is no such section', () => {
  expect(baselineSection(binary)).toBeNull()
  expect(renderReport(input(binary)).html).not.toMatch(/Best baseline|Compared with baselines/)
})
