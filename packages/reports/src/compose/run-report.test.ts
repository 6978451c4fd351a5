/** @module-tag documents */
import { readFileSync } from 'node:fs'
import {
  EvaluationResult,
  type Fold,
  isOfTask,
  Job,
  REPORT_TEXTS,
  type WarningCode,
} from '@medloom/contracts'
import { describe, expect, it } from 'vitest'
import { png } from '../../testing/png.js'
import { renderedOnce } from '../../testing/rendered-once.js'
import { formatMetric, metricName } from '../document/metric-names.js'
import type { EvaluationRecord, ReportInput } from '../report-input.js'
import { renderReport as render } from './run-report.js'

const fixture = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../testing/${name}.json`, import.meta.url), 'utf8'))
const result = (name: string) => EvaluationResult.parse(fixture(name))
const { epochs: history } = fixture('metrics') as { epochs: ReportInput['history'] }
const job = Job.parse(fixture('job'))

const renderReport = renderedOnce(render)
const run = (more: Partial<ReportInput> = {}): ReportInput => ({
  job,
  model: null,
  history,
  checkpoints: [],
  moreCheckpoints: 0,
  validation: result('multiclass'),
  heldOut: null,
  subject: null,
  evaluations: [],
  unreadable: [],
  texts: {},
  failureImages: null,
  ...more,
})
const evaluation = (more: Partial<EvaluationRecord> = {}): EvaluationRecord => ({
  evaluation_id: 'e1',
  evaluated_at: '2026-11-20T21:00:00.000Z',
  test_evaluations: 1,
  result: result('binary'),
  ...more,
})
const failed: Job = {
  ...job,
  status: 'failed',
  epoch: 0,
  reason: 'the trainer ended with an error',
  error: { code: 'IMAGES_UNREADABLE', message: '3 images cannot be read', trace: 'Traceback (secret)' },
  prepared: null,
  best: null,
  model_id: null,
}
const regressionJob: Job = {
  ...job,
  prepared: job.prepared && { ...job.prepared, task: 'regression', classes: null, monitor: 'val_loss' },
}

const metricsOf = (result: EvaluationResult | null | undefined) =>
  Object.entries(result?.metrics ?? {}).filter(([key]) => isOfTask(result?.task ?? 'classification', key))

describe('of one fold of a cross-validation', () => {
  const prepared = job.prepared && {
    ...job.prepared,
    splits: {
      train: { cases: 60, patients: 30, class_counts: null },
      val: { cases: 15, patients: 8, class_counts: null },
      'held-out': { cases: 25, patients: 12, class_counts: null },
    },
  }
  const config = (fold: Fold) => ({ ...job.config, data: { ...job.config.data, val_csv: 'v.csv', fold } })
  const flow = [
    { step: 'rows of train.csv and v.csv', cases: 100, patients: 50 },
    { step: 'train split', cases: 60, patients: 30 },
    { step: 'val split', cases: 15, patients: 8 },
    { step: 'held-out split', cases: 25, patients: 12 },
  ]
  const heldOut = { ...result('binary'), split: 'held-out', flow }
  const counted = { k: 4, index: 1, repeat: 0, seed: 3 }
  const page = (fold: Fold) =>
    renderReport(
      run({ job: { ...job, prepared, config: config(fold) }, heldOut, validation: result('binary') }),
    )

  it('the held-out cases are the result, with validation next to it', () => {
    const { markdown, summary, charts } = page(counted)
    expect(markdown).toContain('Performance on the held-out split')
    expect(markdown).toMatch(/\| Estimate \|.*\| Validation \|/)
    expect(markdown).toContain('One fold of a cross-validation: fold 2 of 4.')
    expect(markdown).not.toContain('Validation results, not test results.')
    expect(markdown).not.toContain('on which the best epoch was chosen')
    expect(summary.held_out?.metrics).toEqual(heldOut.metrics)
    expect(charts.some(({ file }) => file.startsWith('held-out-'))).toBe(true)
  })

  it('the data section describes pooled and held-out cases', () => {
    const { markdown } = page(counted)
    expect(markdown).toContain(
      'v.csv, pooled with the training table; taken from the cases that are not held out',
    )
    expect(markdown).toContain('stratified, grouped by patient and image, seed 3')
    expect(markdown).toMatch(/\| held-out \| 12 \| 25 \|/)
    expect(markdown).not.toContain('Selection of the held-out cases')
    expect(page({ column: 'site', value: 'Paris' }).markdown).toContain('site = Paris')
  })
})

it('of a regression has no rows of classifications', () => {
  const { html, markdown, summary } = renderReport(
    run({
      job: regressionJob,
      validation: result('regression'),
      subject: { ...evaluation(), result: result('regression') },
    }),
  )
  for (const text of [html, markdown])
    expect(text).not.toMatch(/>?(Accuracy|AUROC|F1 score|Validation AUROC)[ <]/)
  expect(markdown).toContain('| MAE | 5.359')
  // Programs find every key for every task.
  expect(summary.validation?.metrics).toHaveProperty('auc', null)
})

const CASES: [string, ReportInput][] = [
  ['several classes', run()],
  ['two classes, an evaluation', run({ subject: evaluation(), evaluations: [evaluation()] })],
  ['a result with everything that it can say of two classes', run({ validation: result('use-binary') })],
  ['a result with everything that it can say of several', run({ validation: result('use-multiclass') })],
  ['a regression', run({ job: regressionJob, validation: result('regression') })],
  ['a failed job', run({ job: failed, history: [], validation: null })],
  ['a stopped job', run({ job: { ...job, status: 'stopped', reason: 'stopped on request', epoch: 3 } })],
]

describe.each(CASES)('the report of %s', (_, input) => {
  const { html, markdown, summary, charts } = renderReport(input)
  const subject = input.subject?.result ?? input.validation

  it('loads nothing, runs nothing and forbids both', () => {
    expect(html).not.toMatch(/https?:\/\//)
    expect(html).not.toMatch(/<(script|link|iframe|object|embed|img|form|base)\b/i)
    expect(html).not.toMatch(/\son\w+=/i)
    expect(html).not.toMatch(/url\((?!#)|@import/)
    expect(html).toContain(`http-equiv="Content-Security-Policy" content="default-src 'none';`)
    for (const [, target] of html.matchAll(/href="([^"]*)"/g))
      expect(target).toMatch(/^(#|\.\.\/evaluations\/)/)
  })

  it('never writes NaN, Infinity, undefined or [object Object]', () => {
    for (const text of [html, markdown, JSON.stringify(summary), ...charts.map(({ svg }) => svg)])
      expect(text).not.toMatch(/NaN|Infinity|undefined[^ "]|\[object/)
  })

  it('contains every metric of the JSON result, rounded, in both formats', () => {
    for (const [key, value] of metricsOf(subject)) {
      const { label } = metricName(key)
      const number = formatMetric(key, value)
      expect(row(html, label)).toContain(number.replace('<', '&lt;').replace('>', '&gt;'))
      expect(markdown).toContain(`| ${label} | ${number}`)
    }
  })

  it('writes a dash with its reason for each metric that is null', () => {
    for (const [key, value] of metricsOf(subject)) {
      if (value !== null) continue
      expect(row(html, metricName(key).label)).toContain('>–<')
      expect(row(html, metricName(key).label)).toContain(subject?.notes[key])
    }
  })

  it('gives each chart a name, a description and its numbers as a table', () => {
    const drawn = html.match(/<div class="chart">/g) ?? []
    expect(drawn).toHaveLength(charts.length)
    expect(html.match(/<title id="/g) ?? []).toHaveLength(charts.length)
    expect(html.match(/<desc id="/g) ?? []).toHaveLength(charts.length)
    expect(html.match(/Values of this figure/g) ?? []).toHaveLength(charts.length)
    for (const { file } of charts) expect(markdown).toContain(`artifacts/${file})`)
  })

  it('has unique ids, captions and scopes', () => {
    const ids = [...html.matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const [, id] of html.matchAll(/(?:url\(#|aria-labelledby=")([\w-]+)/g)) expect(ids).toContain(id)
    expect(html.match(/<caption>/g)).toHaveLength((html.match(/<table>/g) ?? []).length)
    expect(html).not.toMatch(/<th(?! scope=)[ >]/)
    expect(html).toMatch(/<html lang="en">[\s\S]*<nav [\s\S]*<main /)
  })

  it('leads back to the job and gives every key of the configuration', () => {
    for (const text of [html, markdown]) expect(text).toContain(input.job.job_id)
    for (const [group, keys] of Object.entries(input.job.config))
      for (const key of Object.keys(keys ?? {}))
        expect(html.replaceAll('<wbr>', '')).toContain(`<code>${group}.${key}</code>`)
    if (subject) expect(html).toContain(subject.source.checkpoint_digest)
  })

  it('leaves to people what only people know', () => {
    for (const text of [html, markdown]) expect(text).toMatch(/Intended use[\s\S]{0,60}not provided/)
  })

  it('is the same for the same input', () => {
    expect(render(structuredClone(input))).toEqual({ html, markdown, summary, charts })
  })
})

describe('the contents of a report', () => {
  it('a failed job: code and message, no trace, no number that was not recorded', () => {
    const { html, summary, charts } = renderReport(run({ job: failed, history: [], validation: null }))
    expect(html).toContain('IMAGES_UNREADABLE: 3 images cannot be read')
    expect(html).not.toContain('Traceback')
    expect(html).not.toContain('id="performance"')
    expect(charts).toEqual([])
    expect(summary.validation).toBeNull()
    expect(summary.job.error).toEqual({ code: 'IMAGES_UNREADABLE', message: '3 images cannot be read' })
  })

  it('an accepted leak is above everything else', () => {
    const leaking: Job = {
      ...job,
      config: { ...job.config, data: { ...job.config.data, allow_leakage: true } },
      prepared: job.prepared && {
        ...job.prepared,
        warnings: [{ code: 'DATASET_LEAK', message: '4 patients stand in train and val.' }],
      },
    }
    const { html, markdown } = renderReport(run({ job: leaking }))
    expect(html.indexOf('A leak between splits was found and accepted')).toBeLessThan(html.indexOf('<main'))
    expect(markdown.indexOf('A leak between splits was found and accepted')).toBeLessThan(
      markdown.indexOf('\n## '),
    )
    expect(html).toContain('4 patients stand in train and val.')
  })

  it('how often the model was evaluated on the test split, and a warning from the second time on', () => {
    const second = evaluation({ test_evaluations: 2 })
    expect(renderReport(run({ subject: second })).html).toContain(
      'This model was evaluated 2 times on this split.',
    )
    expect(renderReport(run({ subject: evaluation() })).html).not.toContain('This model was evaluated 1')
    expect(renderReport(run({ evaluations: [second] })).summary.evaluations[0]?.test_evaluations).toBe(2)
  })

  it('validation figures are called what they are', () => {
    expect(renderReport(run()).html).toContain('Validation results, not test results.')
    expect(renderReport(run({ subject: evaluation() })).html).not.toContain(
      'Validation results, not test results.',
    )
  })

  it('subgroups too small to report have their size and no number', () => {
    const small = result('binary').subgroups.find(({ reason }) => reason !== null)
    expect(small).toBeDefined()
    const line = row(renderReport(run({ subject: evaluation() })).html, `${small?.column}: ${small?.group}`)
    expect(line).toContain(`>${small?.cases}<`)
    expect(line).toContain('too few to report')
    expect(line).not.toMatch(/0\.\d/)
  })

  it('an interval that is not reliable at this size has a caution, and groups have intervals', () => {
    const measured = result('binary')
    const auc = { estimate: 0.8, low: 0.6, high: 0.9, method: 'Newcombe', reason: null }
    const group = {
      column: 'sex',
      group: 'f',
      cases: 90,
      patients: 31,
      events: 20,
      metrics: { auc: 0.8 },
      intervals: { auc: { ...auc, caution: null } },
      reason: null,
    }
    const subject = evaluation({
      result: {
        ...measured,
        intervals: { ...measured.intervals, auc: { ...auc, caution: '8 patients of a class are few' } },
        subgroups: [group],
      },
    })
    const { markdown } = renderReport(run({ subject }))
    expect(markdown).toContain('Newcombe; not reliable: 8 patients of a class are few')
    expect(markdown).toMatch(/sex: f \|.*90 \|.*31 \|.*20 \|.*0\.800.*0\.600 to 0\.900/)
  })

  it('groups are next to all cases', () => {
    const measured = result('binary')
    const line = row(renderReport(run({ subject: evaluation() })).html, 'All cases')
    expect(line).toContain(`>${measured.num_cases}<`)
    expect(line).toContain(measured.metrics.auc?.toFixed(3))
  })

  it('a class that was not counted is not zero: a training never reads the labels of its test split', () => {
    const splits = { ...job.prepared?.splits, test: { cases: 20, patients: 9, class_counts: null } }
    const shownJob: Job = { ...job, prepared: job.prepared && { ...job.prepared, splits } }
    const { html } = renderReport(run({ job: shownJob }))
    expect(html).toMatch(
      /<th scope="row">test<\/th><td class="number">9<\/td><td class="number">20<\/td><td class="number">–</,
    )
  })

  it('the classes of the test split are counted where the report is of an evaluation of it', () => {
    const measured = { ...result('multiclass'), split: 'test' }
    const test = { cases: measured.num_cases, patients: 9, class_counts: null }
    const shownJob: Job = {
      ...job,
      prepared: job.prepared && { ...job.prepared, splits: { ...job.prepared.splits, test } },
    }
    const subject = evaluation({ result: measured })
    const cells = row(renderReport(run({ job: shownJob, subject })).html, 'test')
    const [first = 0] = Object.values(measured.class_counts ?? {})
    expect(cells).toContain(`>${first} (`)
    // The number of cases differs, so not all of them may have been evaluated.
    const fewer = { ...test, cases: measured.num_cases + 1 }
    const other: Job = {
      ...shownJob,
      prepared: shownJob.prepared && {
        ...shownJob.prepared,
        splits: { ...shownJob.prepared.splits, test: fewer },
      },
    }
    expect(row(renderReport(run({ job: other, subject })).html, 'test')).toContain('>–<')
  })

  it('a remark on many intervals once, with its classes and metrics', () => {
    const measured = result('multiclass')
    const few = {
      estimate: 0.5,
      low: 0.4,
      high: 0.6,
      method: 'Wilson',
      reason: null,
      caution: 'few patients',
    }
    const per_class = (measured.per_class ?? []).map((one, index) => ({
      ...one,
      metrics: { auc: 0.5, ppv: 0.5 },
      intervals: { auc: few, ...(index === 0 ? {} : { ppv: few }) },
    }))
    const { markdown } = renderReport(run({ validation: { ...measured, per_class } }))
    const [first, ...others] = per_class.map(({ name }) => name)
    expect(markdown).toContain(
      `Not reliable: few patients: ${first} (AUROC); ${others.join(', ')} (all metrics).`,
    )
  })

  it('what each key of the configuration means', () => {
    const { html } = renderReport(run())
    const [table = ''] = /<caption>Training configuration.*?<\/table>/s.exec(html) ?? []
    expect(table).toContain('<td>Vision backbone (timm name')
    expect(table).not.toContain('<td></td>')
  })

  it('the best epoch, in words that stay inside the drawing', () => {
    for (const [epoch, anchor] of [
      [history.at(-1)?.epoch ?? 0, 'end'],
      [1, 'start'],
    ] as const) {
      const shownJob: Job = { ...job, best: { epoch, metrics: {} } }
      const { charts } = renderReport(run({ job: shownJob }))
      const svg = charts.find(({ file }) => file === 'learning-curve-loss.svg')?.svg ?? ''
      expect(/<text[^>]*>best: \d+</.exec(svg)?.[0]).toContain(`text-anchor="${anchor}"`)
    }
  })

  it('ignored columns with the reason', () => {
    expect(row(renderReport(run()).html, 'lesion_id')).toContain('a different value in almost every row')
  })

  it.each(['token', 'mean', 'drop'] as const)(
    'missing values of every part with count and share, whatever the strategy: %s',
    (missing_strategy) => {
      const shownJob: Job = {
        ...job,
        config: { ...job.config, data: { ...job.config.data, missing_strategy } },
      }
      const { html, markdown, summary } = renderReport(run({ job: shownJob }))
      for (const figure of ['302 (38.7%)', '61 (38.1%)', '64 (38.8%)', '5 (25.0%)'])
        expect(row(html, 'smoke')).toContain(figure)
      expect(markdown).toMatch(
        /\| smoke \| 302 \(38\.7%\) \| 61 \(38\.1%\) \| 64 \(38\.8%\) \| 5 \(25\.0%\) \|/,
      )
      expect(markdown).toMatch(
        /Column \| train \(780 cases\) \| val \(160 cases\) \| test .*\| left out of train \(20 cases\)/,
      )
      expect(summary.data.missing?.train).toEqual({
        cases: 780,
        columns: { image: 0, age: 12, smoke: 302, itch: 0 },
      })
      const treatment = { token: 'learns a token', mean: 'mean of the training cases', drop: 'were excluded' }
      expect(html).toContain(treatment[missing_strategy])
      expect(html).toContain('Columns without missing values: image, itch.')
    },
  )

  it.each([
    ['mean', true, 'The model also receives a missing indicator', 'mean, with a missing indicator'],
    ['median', false, 'The model receives no missing indicators', 'median, without a missing indicator'],
  ] as const)(
    'missing-value indicators of the model: %s, %s',
    (missing_strategy, missing_indicator, sentence, method) => {
      const data = { ...job.config.data, missing_strategy, missing_indicator }
      const { html, summary } = renderReport(run({ job: { ...job, config: { ...job.config, data } } }))
      expect(html).toContain(sentence)
      expect(html).toContain(method)
      expect(summary.data.missing_indicator).toBe(missing_indicator)
    },
  )

  it('how volumes became views, of a training and of an evaluation', () => {
    const note = (n: number) => `${n} volumes are read as 5 coronal slices spread over their whole extent`
    const warnings = (n: number) => [{ code: 'VOLUMES_AS_SLICES', message: note(n) }] as const
    if (!job.prepared) throw new Error('the fixture is of a prepared job')
    const volumes = { count: 9, slices: { count: 5, axis: 'coronal', spread: 'volume' } } as const
    const shownJob: Job = { ...job, prepared: { ...job.prepared, volumes, warnings: [...warnings(9)] } }
    const { markdown, summary } = renderReport(run({ job: shownJob }))
    const data = /^## Data$(.*?)^## /ms.exec(markdown)?.[1]
    expect(data).toContain(note(9))
    expect(summary.data.volumes).toEqual(volumes)
    const evaluated = evaluation()
    const result = { ...evaluated.result, warnings: [...warnings(4)] }
    const both = renderReport(run({ job: shownJob, subject: { ...evaluated, result } })).markdown
    expect(/^## Data$(.*?)^## /ms.exec(both)?.[1]).toMatch(/9 volumes.*4 volumes/s)
    expect(renderReport(run()).markdown).not.toContain('volumes are read')
  })

  it('missing values of evaluated cases next to those of the training', () => {
    const { markdown } = renderReport(run({ subject: evaluation() }))
    expect(markdown).toContain('Missing values in the training tables')
    expect(markdown).toContain('Missing values of the evaluated cases')
    const { missing: _, ...prepared } = job.prepared ?? {}
    const older = renderReport(run({ job: { ...job, prepared: prepared as Job['prepared'] } })).markdown
    expect(older).not.toContain('Missing values in the training tables')
    expect(older).toMatch(/\| smoke \| 61 \(38\.1%\) \|/)
  })

  describe('the flow of cases', () => {
    const step = (name: string, cases: number) => ({ step: name, cases, patients: null })
    const drawn = (flow: ReturnType<typeof step>[], data: Partial<Job['config']['data']> = {}) => {
      const shownJob: Job = { ...job, config: { ...job.config, data: { ...job.config.data, ...data } } }
      const { html, markdown } = renderReport(
        run({ job: shownJob, validation: { ...result('multiclass'), flow } }),
      )
      const flows = html.match(/<figure class="flow">.*?<\/figure>/g) ?? []
      return { flows: flows.filter((figure) => !figure.includes('Cases in each split')), markdown }
    }

    it('of an evaluation is a chain, with what was left out at each step', () => {
      const { html } = renderReport(run({ subject: evaluation() }))
      expect(html).toMatch(/rows of test.csv.*<span class="left-out">11 cases excluded<.*test split/)
      expect(html).not.toContain('class="lanes"><li><ol class="steps"><li><span class="box"><b>test split')
    })

    it('of several tables is one drawing for each: nothing is subtracted from another table', () => {
      const { flows, markdown } = drawn([
        step('rows of train.csv', 525),
        step('rows of val.csv', 110),
        step('rows of test.csv', 120),
        step('train rows without missing values', 500),
        step('train split', 500),
        step('val split', 110),
      ])
      expect(flows).toHaveLength(3)
      expect(flows[0]).toMatch(
        /Selection of cases from train.csv.*25 cases excluded.*train rows without missing.*train split/,
      )
      expect(flows[1]).toMatch(/Selection of cases from val.csv.*rows of val.csv.*val split/)
      expect(flows[1]).not.toContain('excluded')
      expect(flows[2]).toContain('rows of test.csv')
      expect(markdown).toMatch(
        /\*\*Selection of cases from train.csv\*\*\n\n1. rows of train.csv: 525 cases\n\n2\. .*25 cases excluded/,
      )
    })

    it('of a recipe begins with its steps, each before the table that it made', () => {
      const { flows } = drawn(
        [
          step('recipe: 530 rows of "metadata"', 530),
          step('recipe: 5 rows with an uncertain label left out', 525),
          step('recipe of val: 110 rows of "metadata"', 110),
          step('rows of metadata.csv', 525),
          step('rows of other.csv', 110),
          step('train split', 525),
          step('val split', 110),
        ],
        { test_csv: null },
      )
      expect(flows).toHaveLength(2)
      expect(flows[0]).toMatch(
        /530 rows.*5 cases excluded.*uncertain label.*rows of metadata.csv.*train split/,
      )
      expect(flows[1]).toMatch(/recipe of val.*rows of other.csv.*val split/)
      expect(flows[1]).not.toContain('excluded')
    })

    it('of one table that gives two splits is a fork, and neither split counts as left out', () => {
      const { flows, markdown } = drawn(
        [
          step('rows of all.csv', 600),
          step('train rows without missing values', 590),
          step('train split', 470),
          step('val split', 120),
        ],
        { val_csv: null, test_csv: null },
      )
      expect(flows).toHaveLength(1)
      expect(flows[0]).toMatch(/10 cases excluded.*<ul class="lanes">.*train split.*470.*val split.*120/)
      expect(flows[0]?.match(/excluded/g)).toHaveLength(1)
      expect(markdown).toContain('- val split: 120 cases')
    })

    it('contains the number of rows that are in none of the splits', () => {
      const { flows } = drawn(
        [step('rows of all.csv', 600), step('train split', 400), step('val split', 100)],
        {
          val_csv: null,
          test_csv: null,
        },
      )
      expect(flows[0]).toMatch(/not in train or val<\/b> <span>100 cases/)
    })

    it('names a table of the artifact store by the beginning of its digest', () => {
      const { flows } = drawn([step(`rows of ${'ab12'.repeat(16)}.csv`, 9), step('val split', 9)])
      expect(flows[0]).toContain('rows of ab12ab12ab12ab12….csv')
    })

    it('that belongs to other tables than the configuration names is listed, not subtracted', () => {
      const { flows } = drawn([step('rows of a.csv', 9), step('rows of b.csv', 5), step('val split', 4)])
      expect(flows[0]).toContain('rows of a.csv')
      expect(flows[0]).not.toContain('excluded')
    })
  })

  it('every split in the order of its use, a test split included', () => {
    const { html } = renderReport(run())
    const splits = job.prepared?.splits ?? {}
    const shuffled: Job = {
      ...job,
      config: { ...job.config, data: { ...job.config.data, test_csv: null } },
      prepared: job.prepared && {
        ...job.prepared,
        split_column: 'part',
        splits: { test: splits.test ?? { cases: 0, patients: 0, class_counts: null }, ...splits },
      },
    }
    const other = renderReport(run({ job: shuffled })).html
    for (const page of [html, other])
      expect(page).toMatch(
        /<th scope="row">train<.*<th scope="row">val<.*<th scope="row">test<\/th><td class="number">121</,
      )
    expect(other).toContain('rows of the training table with part = test')
  })

  it('a file that cannot be read is named', () => {
    expect(renderReport(run({ validation: null, unreadable: ['metrics/validation.json'] })).html).toContain(
      'metrics/validation.json',
    )
  })

  it('a curve is drawn for every class, and a long one is thinned for drawing only', () => {
    const { charts } = renderReport(run())
    const roc = charts.find(({ file }) => file === 'validation-roc.svg')?.svg ?? ''
    for (const name of result('multiclass').classes ?? []) expect(roc).toContain(`>${name} (AUROC 0.`)
    const many = Array.from({ length: 50_000 }, (_, index) => index / 49_999)
    const long = { ...result('binary'), roc: [{ name: 'malignant', curve: { x: many, y: many } }] }
    expect(renderReport(run({ subject: evaluation({ result: long }) })).html.length).toBeLessThan(400_000)
  })
})

it.each([
  [
    ['a.csv', 'a.csv'],
    ['7', '8'],
  ],
  [
    ['a.csv', 'b.csv'],
    ['7 of a.csv', '8 of b.csv'],
  ],
])('failure cases of %j are named %j', (files, named) => {
  const failures = files.map((file, i) => ({ file, row: 7 + i, truth: 'x', predicted: 'y', confidence: 1 }))
  const { markdown } = renderReport(run({ validation: { ...result('multiclass'), failures } }))
  for (const name of named) expect(markdown).toContain(`| ${name} | x | y |`)
})

describe('the texts of the authors', () => {
  const texts = {
    study_title: 'Photographs of <i>moles</i>',
    authors: 'A. Author & B. Writer',
    ethics: 'Approved, No. 12/34.\nConsent was <b>waived</b>.',
    limitations: 'One center.',
  }
  const { html, markdown, summary } = renderReport(run({ texts, subject: evaluation() }))
  const bare = renderReport(run({ subject: evaluation() }))
  const count = (text: string) => text.match(/not provided/g)?.length ?? 0

  it('heads the report, with their names', () => {
    expect(html).toContain('<h1>Photographs of &lt;i&gt;moles&lt;/i&gt;: evaluation on the test split</h1>')
    expect(html).toContain('<p class="byline">A. Author &amp; B. Writer</p>')
    expect(markdown).toMatch(/^# Photographs of .*: evaluation on the test split\n/)
    expect(bare.html).toContain(`<h1>${job.job_name}: evaluation on the test split</h1>`)
    expect(bare.html).not.toContain('byline"')
  })

  it('takes the place of "not provided", there and in the checklist, as paragraphs of plain text', () => {
    expect(html).toMatch(
      /<strong>Ethics<\/strong><\/p><p>Approved, No. 12\/34.<\/p><p>Consent was &lt;b&gt;waived&lt;\/b&gt;.<\/p>/,
    )
    expect(row(html, 'Ethics')).toContain('Purpose and setting')
    expect(row(bare.html, 'Ethics')).toContain('not provided')
    expect(row(html, 'Funding')).toContain('not provided')
    for (const format of ['html', 'markdown'] as const)
      expect(count(bare[format]) - count({ html, markdown }[format])).toBe(3)
    expect(summary.report).toEqual(texts)
  })

  it('leaves nothing open once every text is given', () => {
    const all = Object.fromEntries(Object.keys(REPORT_TEXTS).map((key) => [key, `Text of ${key}`]))
    const full = renderReport(run({ texts: all }))
    for (const key of Object.keys(REPORT_TEXTS)) {
      expect(full.html.replaceAll('<wbr>', '')).toContain(`Text of ${key}`)
      expect(full.markdown).toContain(`Text of ${key.replaceAll('_', '\\_')}`)
    }
    expect(full.html).not.toMatch(/>not provided<|is not provided|: not provided/)
  })

  it('is not a key of the training', () => {
    const withEthics: Job = { ...job, config: { ...job.config, report: { ethics: 'approved' } } }
    expect(renderReport(run({ job: withEthics })).html).not.toContain('report.ethics')
  })
})

describe('the look of the page', () => {
  const pages = {
    several: renderReport(run()).html,
    two: renderReport(run({ subject: evaluation() })).html,
    number: renderReport(run({ job: regressionJob, validation: result('regression') })).html,
    failed: renderReport(run({ job: failed, history: [], validation: null })).html,
  }

  it.each(Object.entries(pages))('has no empty cell in the summary: %s', (_, html) => {
    const [grid = ''] = /<dl class="summary">.*?<\/dl>/.exec(html) ?? []
    const shares = [...grid.matchAll(/class="of-(\d)"/g)].map(([, across]) => 12 / Number(across))
    expect(shares.length).toBeGreaterThan(2)
    expect(shares.reduce((sum, share) => sum + share, 0) % 12).toBe(0)
    for (const share of new Set(shares))
      expect(html).toContain(`.of-${12 / share}{grid-column:span ${share}}`)
  })

  it('begins all bars of a column at the same place', () => {
    const tables = pages.several.match(/<table>.*?<\/table>/gs) ?? []
    const columns = tables
      .filter((table) => table.includes('class="bar"'))
      .flatMap((table) => {
        const rows = table.split('<tr>').map((line) => line.match(/<(td|th)[ >].*?<\/\1>/g) ?? [])
        return [1, 2, 3].map((column) => rows.flatMap((cells) => cells[column] ?? []))
      })
    expect(columns.length).toBeGreaterThan(0)
    for (const cells of columns) {
      const bars = cells.filter((cell) => cell.includes('class="bar"'))
      const widths = bars.map((cell) => Number(/min-width:(\d+)ch/.exec(cell)?.[1]))
      const texts = bars.map((cell) => />([^<]*)<\/span><\/td>/.exec(cell)?.[1]?.length ?? Number.NaN)
      expect(new Set(widths).size).toBeLessThanOrEqual(1)
      expect(widths[0] ?? 1).toBeGreaterThan(Math.max(0, ...texts))
    }
  })

  it('breaks no word in its middle but what has no end, like a digest', () => {
    const [style = ''] = /<style>.*<\/style>/s.exec(pages.two) ?? []
    const breaking = [...style.matchAll(/([^{}]*)\{[^{}]*(?:overflow-wrap:(?!normal)|word-break|hyphens)/g)]
    expect(breaking.map(([, selector]) => selector)).toEqual(['.long', 'pre'])
    for (const [, text = ''] of pages.two.matchAll(/<span class="long">([^<]*)</g))
      expect(text).toMatch(/^[^\s_/.]{25,}[_/.]?$/)
  })
})

describe('failure cases', () => {
  const measured = result('binary')
  const images = (num_views: number) => ({
    schema_version: 1 as const,
    num_views,
    cases: [[{ view: 1, png: png(2, 1) }], num_views > 1 ? [{ view: 2, png: png(2, 1) }] : []],
  })

  it('have no image unless images are asked for', () => {
    const { html } = renderReport(run({ subject: evaluation() }))
    expect(html).toContain('id="failures"')
    expect(html).not.toMatch(/<img|data:image/)
  })

  it('show theirs by row number, with what is to be looked at before the report is passed on', () => {
    const { html, markdown } = renderReport(run({ subject: evaluation(), failureImages: images(2) }))
    const [first, second] = measured.failures
    expect(
      html.match(/<img src="data:image\/png;base64,[^"]*" width="2" height="1" alt="[^"]*">/g),
    ).toHaveLength(2)
    expect(html).toContain(`alt="Case in row ${first?.row}, view 1"`)
    expect(html).toMatch(new RegExp(`<figcaption>Row ${second?.row}<small>True: .*View 2 of 2`))
    expect(html).toContain('check every image before you share this report')
    expect(markdown).toContain('report.html contains the images of these cases.')
  })

  it('of a model without images state this', () => {
    const none = { schema_version: 1 as const, num_views: 0, cases: [] }
    const { html } = renderReport(run({ subject: evaluation(), failureImages: none }))
    expect(html).toContain('The model does not read images')
  })
})

describe('hostile names', () => {
  const EVIL = [
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "a|b`c*d_e\n# heading\u0000'\u202e",
    '&lt;b&gt;',
  ]
  const MARKUP = /<script|<img|<b>&|\u202e|(?!\n)\p{Cc}/u
  const evilResult: EvaluationResult = {
    ...result('multiclass'),
    split: EVIL[0] ?? '',
    missing: Object.fromEntries(EVIL.map((name, index) => [name, index])),
    notes: { accuracy: EVIL[0] ?? '' },
    metrics: { accuracy: null, [EVIL[1] ?? '']: 0.5 },
    classes: [...EVIL, 'x', 'y'],
    per_class: EVIL.map((name) => ({ name, cases: 1, metrics: { auc: null }, intervals: {} })),
    roc: EVIL.map((name) => ({ name, curve: { x: [0, 1], y: [0, 1] } })),
    warnings: EVIL.map((message) => ({ code: message as WarningCode, message })),
    subgroups: EVIL.map((column) => ({
      column,
      group: column,
      cases: 1,
      events: 1,
      metrics: {},
      reason: column,
    })),
    failures: EVIL.map((truth, row) => ({ file: truth, row, truth, predicted: truth, confidence: 0.9 })),
    software: Object.fromEntries(EVIL.map((name) => [name, name])),
  }
  const prepared = job.prepared && {
    ...job.prepared,
    ignored_columns: Object.fromEntries(EVIL.map((name) => [name, name])),
    numeric_columns: EVIL,
  }
  const { html, markdown, charts } = renderReport(
    run({ job: { ...job, job_name: EVIL.join(' '), prepared }, validation: evilResult }),
  )

  it('are shown as text and never as markup', () => {
    expect(html.replaceAll('<wbr>', '')).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(html).toContain('&amp;lt;b&amp;gt;')
    expect(html).not.toMatch(MARKUP)
    for (const { svg } of charts) expect(svg).not.toMatch(MARKUP)
  })

  it('do not break out of attributes', () => {
    for (const [tag] of html.matchAll(/<[a-z][^>]*>/g)) expect(tag).not.toMatch(/\bonerror\b(?!=?[^"]*")/)
  })

  it('do not break Markdown tables, headings or HTML inside it', () => {
    expect(markdown).not.toMatch(/<(script|img)/)
    expect(markdown).not.toMatch(/^# heading/m)
    const tables = markdown.split('\n\n').filter((block) => block.startsWith('| '))
    for (const block of tables) {
      const widths = block.split('\n').map((line) => line.replace(/\\\|/g, '').split('|').length)
      expect(new Set(widths).size).toBe(1)
    }
  })
})

it('states the results of rows in the overview and the summary, whatever those of patients are', () => {
  const measured = result('use-binary')
  const { patient_level: level } = measured
  const auc = measured.metrics.auc ?? Number.NaN
  const ofPatients = { estimate: 0.123, low: 0.111, high: 0.135, method: 'bootstrap', reason: null }
  const aggregations = level?.aggregations.map((one) => ({ ...one, metrics: { auc: ofPatients } })) ?? []
  expect(aggregations).not.toEqual([])
  const patient_level = level && { ...level, aggregations }
  const { html, summary } = renderReport(run({ validation: { ...measured, patient_level } }))
  const [overview = '', sections = ''] = html.split('<main')
  expect(overview).toContain(formatMetric('auc', auc))
  expect(overview).not.toContain('0.123')
  expect(sections).toContain('0.123')
  expect(summary.validation?.metrics).toMatchObject({ auc })
})

/** Table row with this header. */
function row(html: string, header: string): string {
  const escaped = header.replaceAll('&', '&amp;').replaceAll("'", '&#39;')
  const rows = html.split('<tr>').filter((part) => part.includes(`<th scope="row">${escaped}</th>`))
  return rows.join('')
}
