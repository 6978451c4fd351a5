/** @module-tag documents */
import { describe, expect, it } from 'vitest'
import { type StudyCase, studyInput } from '../../../testing/study.js'
import { writeHtml } from '../../renderers/html/html.js'
import { writeMarkdown } from '../../renderers/markdown/markdown.js'
import { RENDERINGS } from '../../thread/renderings.js'
import { composeStudyReport } from './study-report.js'

const text = (given: StudyCase) => writeMarkdown(composeStudyReport(studyInput(given)), 'charts/')

describe('the report of a study', () => {
  it('says how many trainings there were, and of what', () => {
    const found = text({ result: 'binary', study: { folds: { k: 3, repeats: 2 } } })
    expect(found).toContain('2 variants × 2 seeds × 3 folds, divided anew 2 times: 24 trainings.')
    expect(found).toContain('2 settings of the model were tried')
    expect(found).toContain('compared by AUROC, each with "gated"')
    expect(found).toContain('The seeds were 0, 1.')
    expect(found).toContain('| bilinear | model.fusion\\_type = "bilinear" |')
    expect(found).toContain('| gated | 1 | 3 (division 2) |')
  })

  it.each([
    [{ estimate: 0.05, p: 0.01 }, 'binary', 'bilinear is better: difference in AUROC +0.050'],
    [{ estimate: -0.05, p: 0.01 }, 'binary', 'gated is better: difference in AUROC -0.050'],
    [
      { estimate: -0.05, p: 0.2 },
      'binary',
      'bilinear and gated are not told apart: difference in AUROC -0.050',
    ],
    [{ estimate: 0.5, p: 0.01 }, 'regression', 'gated is better: difference in RMSE +0.500'],
    [{ estimate: -0.5, p: 0.0001 }, 'regression', 'bilinear is better: difference in RMSE -0.500'],
  ] as const)('tells in words what a comparison says: %j, %s', (difference, result, words) => {
    const found = text({ result, difference })
    expect(found).toContain(words)
    expect(found.replaceAll('&lt;', '<')).toContain(
      difference.p < 0.001 ? 'p <0.001 after' : `p ${difference.p.toFixed(3)} after`,
    )
  })

  it('of one variant compares nothing and says so nowhere', () => {
    const found = text({ result: 'multiclass', study: { variants: [{ name: 'gated' }], seeds: [4] } })
    expect(found).not.toContain('## Comparisons')
    expect(found).toContain('1 variant × 1 seed: 1 training. 1 setting of the model was tried')
    expect(found).toContain('The primary metric is AUROC.')
    expect(found).toContain('One seed was used')
    expect(found).toContain('There is one split.')
  })

  it('warns that validation chose the epochs', () => {
    const found = text({ result: 'binary', measuredOn: 'validation' })
    expect(found).toContain('Validation, not test.')
    expect(found).toContain('which chose the epoch')
    expect(found).not.toContain('evaluated on the test split once')
  })

  it('counts the evaluations of test data', () => {
    expect(text({ result: 'binary', measuredOn: 'test' })).toContain('4 evaluations of test data.')
  })

  it('of sites that are left out does not say that other sites were not tested', () => {
    const found = text({ result: 'binary', study: { folds: { column: 'site' } } })
    expect(found).toContain('2 values of "site", each left out once')
    expect(found).not.toContain('for another hospital')
    expect(found).toContain('| gated | 0 | north |')
  })

  it('lists what is left out, and why', () => {
    const found = text({ result: 'binary', failed: 1 })
    expect(found).toContain('The study is not complete: 3 of 4 trainings.')
    expect(found).toContain('1 training of 4 did not complete and is no part of any figure.')
    expect(found).toContain('the loss is NaN \\[LOSS\\_NOT\\_FINITE\\]')
  })

  it('shows the baselines beside the variants', () => {
    const found = text({ result: 'binary', baseline: true })
    expect(found).toContain('logistic regression (baseline)')
    expect(found).toContain(
      'Simple models (logistic regression) were fitted on the same training cases, beside the trainings of "gated".',
    )
  })

  it('leads back to the tables, the software and the configuration', () => {
    const found = text({ result: 'binary' })
    for (const part of ['sha256 ab12', '| torch | 2.13.0 |', 'name: fusion study', 'results.json'])
      expect(found).toContain(part)
  })

  it.each(['binary', 'multiclass', 'regression'] as const)(
    'escapes names and loads nothing: %s',
    (result) => {
      const variants = [{ name: '<script>alert(1)</script>' }]
      const html = writeHtml(composeStudyReport(studyInput({ result, study: { variants } })))
      expect(html).not.toContain('<script>alert')
      expect(html).not.toMatch(/(src|href)="https?:/)
      expect(html).not.toMatch(/NaN|undefined|Infinity|\[object/)
    },
  )

  it('is written in every format', async () => {
    const input = studyInput({ result: 'binary', study: { folds: { k: 2 } } })
    for (const [format, begins] of [
      ['html', '<!doctype html>'],
      ['markdown', '# fusion study'],
      ['pdf', '%PDF-'],
      ['word', 'PK'],
    ] as const) {
      const { bytes, charts } = await RENDERINGS.study({ ...input, format })
      expect(Buffer.from(bytes.slice(0, 15)).toString('latin1')).toContain(begins)
      expect(charts.length > 0).toBe(format === 'markdown')
    }
  })
})
