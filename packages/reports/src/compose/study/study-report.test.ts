/** @module-tag documents */
import type { StudyConfigInput } from '@medloom/contracts'
import { describe, expect, it } from 'vitest'
import { type StudyCase, studyInput } from '../../../testing/study.js'
import { writeHtml } from '../../renderers/html/html.js'
import { writeMarkdown } from '../../renderers/markdown/markdown.js'
import { RENDERINGS } from '../../thread/renderings.js'
import { composeStudyReport } from './study-report.js'

const preparedOf = ({ prepared }: ReturnType<typeof studyInput>) => {
  if (!prepared) throw new Error('of a study that has begun')
  return prepared
}
const text = (given: StudyCase) => writeMarkdown(composeStudyReport(studyInput(given)), 'charts/')

describe('the report of a study', () => {
  it('states the number of trainings of each kind', () => {
    const found = text({ result: 'binary', study: { folds: { k: 3, repeats: 2 } } })
    expect(found).toContain('2 variants × 2 seeds × 3-fold cross-validation repeated 2 times: 24 trainings.')
    expect(found).toContain('2 model settings were tried')
    expect(found).toContain('Each variant is compared with "gated" by AUROC.')
    expect(found).toContain('The seeds were 0, 1.')
    expect(found).toContain('| bilinear | model.fusion\\_type = "bilinear" |')
    expect(found).toContain('| gated | 1 | 3 (repetition 2) |')
  })

  it.each([
    [{ estimate: 0.05, p: 0.01 }, 'binary', 'bilinear is better: difference in AUROC +0.050'],
    [{ estimate: -0.05, p: 0.01 }, 'binary', 'gated is better: difference in AUROC −0.050'],
    [
      { estimate: -0.05, p: 0.2 },
      'binary',
      'The difference between bilinear and gated is not significant: difference in AUROC −0.050',
    ],
    [{ estimate: 0.5, p: 0.01 }, 'regression', 'gated is better: difference in RMSE +0.500'],
    [{ estimate: -0.5, p: 0.0001 }, 'regression', 'bilinear is better: difference in RMSE −0.500'],
  ] as const)('describes a comparison in words: %j, %s', (difference, result, words) => {
    const found = text({ result, difference })
    expect(found).toContain(words)
    expect(found.replaceAll('&lt;', '<')).toContain(
      difference.p < 0.001 ? 'p <0.001, corrected' : `p ${difference.p.toFixed(3)}, corrected`,
    )
  })

  it('has one quantity in each table: means over the folds, and pooled estimates in a table of their own', () => {
    const input = studyInput({ result: 'binary', study: { folds: { k: 2 } } })
    const [first] = input.results.comparisons
    if (!first) throw new Error('a comparison')
    const folds = { estimand: 'fold_mean', values: { a: 0.73, b: 0.7 } } as const
    const pooled = { estimand: 'pooled', values: { a: 0.62, b: 0.66 } } as const
    const bounds = { low: -0.1, high: 0.1, p: 0.5, note: null }
    const comparison = {
      ...{ ...first, ...folds, difference: { estimate: 0.03, low: -0.1, high: 0.1 } },
      test: 'corrected_resampled_t' as const,
      tests: [
        { test: 'corrected_resampled_t' as const, ...folds, ...bounds, estimate: 0.03 },
        { test: 'patient_bootstrap' as const, ...pooled, ...bounds, estimate: -0.04 },
      ],
    }
    const results = { ...input.results, comparisons: [comparison] }
    const found = writeMarkdown(composeStudyReport({ ...input, results }), 'charts/')
    const tableOf = (caption: string) => found.split(caption)[1]?.split('\n\n')[1] ?? ''
    const ofFolds = tableOf('Differences in AUROC: mean over the folds')
    const ofPooled = tableOf('Differences of pooled estimates')
    expect(ofFolds).toMatch(/AUROC \| 0\.730 \| 0\.700 \| \+0\.030/)
    expect(ofFolds).not.toMatch(/0\.04/)
    expect(ofPooled).toMatch(/AUROC \| 0\.620 \| 0\.660 \| −0\.040/)
    expect(ofPooled).not.toMatch(/0\.03/)
    expect(found).toContain('difference in AUROC (mean over the folds) +0.030')
    expect(found).toMatch(/\| Variant +\| +Cases +\| +Pooled estimate +\| +95% CI +\|/)
  })

  it('gives secondary metrics intervals, and neither p value nor verdict', () => {
    const input = studyInput({ result: 'binary' })
    const [first] = input.results.comparisons
    if (!first) throw new Error('a comparison')
    const secondary = { ...first, metric: 'brier', p: 0.0001, p_corrected: null, correction: null }
    const variants = input.results.variants.map((variant) => {
      const { auc } = variant.metrics
      return auc ? { ...variant, metrics: { ...variant.metrics, brier: auc } } : variant
    })
    const results = { ...input.results, variants, comparisons: [first, secondary] }
    const found = writeMarkdown(composeStudyReport({ ...input, results }), 'charts/')
    const [, rest = ''] = found.split('Differences in other metrics')
    const table = rest.split('\n\n').slice(0, 3).join('\n')
    expect(table).toContain('| Brier score |')
    expect(table).not.toMatch(/\| +p +\||Verdict|0\.001/)
    expect(found).toContain('only AUROC is tested')
  })

  it('names a simple model by its title everywhere', () => {
    const input = studyInput({ result: 'binary', baseline: true })
    const [first] = input.results.comparisons
    if (!first) throw new Error('a comparison')
    const { variants } = input.results
    const results = {
      ...input.results,
      comparisons: [first, { ...first, a: 'logistic_regression' }],
      variants: variants.map((variant) => ({ ...variant, notes: ['20 patients of a class are few'] })),
    }
    const found = writeMarkdown(composeStudyReport({ ...input, results }), 'charts/')
    expect(found).toContain('The difference between logistic regression and gated is not significant')
    expect(found).not.toMatch(/logistic\\?_regression/)
    // One sentence for everything to which it applies.
    expect(found).toContain('- gated, bilinear, logistic regression: 20 patients of a class are few.')
    expect(found).toContain('The results follow the corrected p values.')
    expect(found).toContain('Small points are single trainings')
  })

  it('states how each of several networks chose its epoch', () => {
    const input = studyInput({ result: 'binary', study: { folds: { k: 2 } } })
    const prepared = {
      ...preparedOf(input),
      members: 5,
      member_validation: 'folds' as const,
      linear_share: 0.5,
    }
    const found = writeMarkdown(composeStudyReport({ ...input, prepared }), 'charts/')
    expect(found).toContain('includes a ridge-penalized linear model with weight 0.5')
    expect(found).toContain('Each of 5 networks is trained on the remaining cases except one inner fold')
    expect(found).toContain('was selected for each of its 5 networks, whose predictions are averaged')
    expect(found).not.toContain('20% are validation cases, on which the epoch is chosen')
    expect(text({ result: 'binary', study: { folds: { k: 2 } } })).toContain(
      '20% are validation cases, on which the epoch is chosen',
    )
  })

  it('of one variant contains no comparison and no mention of one', () => {
    const found = text({ result: 'multiclass', study: { variants: [{ name: 'gated' }], seeds: [4] } })
    expect(found).not.toContain('## Comparisons')
    expect(found).toContain('1 variant × 1 seed: 1 training. 1 model setting was tried')
    expect(found).toContain('The primary metric is AUROC.')
    expect(found).toContain('Only one seed was used')
    expect(found).toContain('There is only one split.')
  })

  it('warns that validation chose the epochs', () => {
    const found = text({ result: 'binary', measuredOn: 'validation' })
    expect(found).toContain('Validation results, not test results.')
    expect(found).toContain('on which the epoch was chosen')
    expect(found).not.toContain('evaluated once on the test split')
  })

  it('counts the evaluations of test data', () => {
    expect(text({ result: 'binary', measuredOn: 'test' })).toContain('4 evaluations on test data.')
  })

  it('of held-out sites does not state that other sites were not tested', () => {
    const found = text({ result: 'binary', study: { folds: { column: 'site' } } })
    expect(found).toContain('2 values of "site", each held out once')
    expect(found).not.toContain('other hospitals')
    expect(found).toContain('| gated | 0 | north |')
  })

  it('lists what is left out, and why', () => {
    const found = text({ result: 'binary', failed: 1 })
    expect(found).toContain('The study is incomplete: 3 of 4 trainings completed.')
    expect(found).toContain('1 training of 4 did not complete and is not included in any result.')
    expect(found).toContain('the loss is NaN \\[LOSS\\_NOT\\_FINITE\\]')
  })

  it('shows the baselines next to the variants', () => {
    const found = text({ result: 'binary', baseline: true })
    expect(found).toContain('logistic regression (baseline)')
    expect(found).toContain(
      'Baselines (logistic regression) were fitted on the same rows as the model (the training and validation cases) in the trainings of "gated".',
    )
  })

  it('states the search space, the selected settings of each fold and their results', () => {
    const search = {
      sampler: 'tpe',
      trials: 6,
      pruner: 'median',
      description: 'How much dropout?',
      space: { 'model.dropout': [0, 0.1], 'training.learning_rate': { low: 1e-4, high: 0.01, log: true } },
    } satisfies StudyConfigInput['search']
    const variants = [{ name: 'gated' }]
    const found = text({
      result: 'binary',
      study: { seeds: 1, folds: { k: 3 }, variants, search },
      pruned: 2,
    })
    const sentences = [
      'The search (TPE of Optuna; the first 2 trials random) tried 6 settings for each of 3 folds (search seed 0), 18 settings in total, 6 of them pruned by the median rule.',
      'Each setting was trained like a variant, and the setting with the lowest validation loss on validation data at the best epoch was chosen each time.',
      'No held-out case was used for a choice, and the predictions of the other trials on held-out cases are not included in any result.',
    ]
    const [before = '', methods = ''] = found.split('## Methods')
    for (const sentence of sentences) {
      expect(before).toContain(sentence)
      expect(methods).toContain(sentence)
    }
    expect(found).toContain('(1 variant + 6 search trials) × 1 seed × 3 folds: 21 trainings.')
    expect(found).toContain('1 model setting was specified before the start; a search tried 18 more.')
    expect(found).toContain('Each variant is compared with "gated" by AUROC.')
    expect(found).toContain(
      '| search | the settings that the search chooses on each fold | How much dropout? |',
    )
    expect(found).toContain('| Trainings | 15 (of 21, 6 pruned) |')
    expect(found).toContain('| training.learning\\_rate | 0.0001 to 0.01, log scale |')
    expect(found).toContain(
      '| 0 | 2 | 4 of 6 | model.dropout = 0.1 (trial 4) | 0.200 | 0.800 | 0.750 | −0.050 |',
    )
    expect(found).toContain('From validation to the held-out folds, AUROC changes by −0.050 on average.')
    expect(found).toContain('3 different settings were chosen for 3 folds')
    // A pruned trial is not missing.
    expect(found).not.toContain('The study is incomplete')
    expect(found).not.toContain('Excluded trainings')
  })

  it('of a search counts the models that saw test data, not its trials', () => {
    const search = {
      sampler: 'random',
      trials: 3,
      space: { 'model.dropout': { low: 0, high: 0.5 } },
    } as const
    const variants = [{ name: 'gated' }]
    const given = { result: 'binary', study: { seeds: 2, variants, search } } as const
    expect(text(given)).toContain('4 evaluations on test data.')
    expect(text({ ...given, measuredOn: 'validation' })).toContain('so these results are optimistic')
  })

  it('leads back to the tables, the software and the configuration', () => {
    const found = text({ result: 'binary' })
    for (const part of ['SHA-256 ab12', '| torch | 2.13.0 |', 'name: fusion study', 'results.json'])
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
