/** @module-tag documents */
import { readFileSync } from 'node:fs'
import { EvaluationResult, Job, Model } from '@medloom/contracts'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { ReportInput } from '../../report-input.js'
import { renderReport } from '../run-report.js'
import { writeChaiCard } from './chai.js'
import { writeHuggingFaceCard } from './hugging-face.js'
import { composeModelCard } from './model-card.js'

const fixture = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../../testing/${name}.json`, import.meta.url), 'utf8'))
const result = (name: string) => EvaluationResult.parse(fixture(name))
const job = Job.parse(fixture('job'))

const tested = (more: Partial<ReportInput['evaluations'][number]> = {}) => ({
  evaluation_id: 'e1',
  evaluated_at: '2026-11-20T21:00:00.000Z',
  test_evaluations: 1,
  result: result('use-binary'),
  ...more,
})
const input = (more: Partial<ReportInput> = {}): ReportInput => ({
  job,
  model: Model.parse(fixture('model')),
  history: [],
  checkpoints: [],
  moreCheckpoints: 0,
  validation: result('multiclass'),
  heldOut: null,
  subject: null,
  evaluations: [tested()],
  unreadable: [],
  texts: {},
  failureImages: null,
  ...more,
})
const forms = (given: ReportInput) => {
  const card = composeModelCard(given)
  return { huggingface: writeHuggingFaceCard(card), chai: writeChaiCard(card) }
}
const metadataOf = (card: string) => parse(card.split('---\n')[1] ?? '')
/** Rows of the tables of a Markdown document. */
const rowsOf = (markdown: string) => markdown.split('\n').filter((line) => line.startsWith('| '))

describe.each(['huggingface', 'chai'] as const)('the model card in the form %s', (form) => {
  it('contains the results of the run report for the newest evaluation on a test split, row by row', () => {
    const older = tested({
      evaluation_id: 'e0',
      evaluated_at: '2026-11-19T21:00:00.000Z',
      result: result('binary'),
    })
    const onValidation = tested({
      evaluation_id: 'e2',
      evaluated_at: '2026-11-21T21:00:00.000Z',
      result: { ...result('binary'), split: 'val' },
    })
    const given = input({ evaluations: [older, tested(), onValidation] })
    const report = renderReport({ ...given, subject: tested(), validation: null }).markdown
    const card = forms(given)[form]
    const section = (title: RegExp) => report.split(/^## /m).find((part) => title.test(part)) ?? ''
    const shown = [/^Performance/, /^Compared with/, /^Subgroups/].flatMap((title) => rowsOf(section(title)))
    expect(shown.length).toBeGreaterThan(20)
    expect(rowsOf(card)).toEqual(expect.arrayContaining(shown))
  })

  it('leaves fields that nobody filled in visibly blank, and contains the texts of the authors', () => {
    const empty = forms(input())[form]
    expect(empty).toContain('**Intended use:** *To be written by the authors: Intended users')
    const filled = forms(input({ texts: { intended_use: 'Triage by a dermatologist.' } }))[form]
    expect(filled).toContain('**Intended use:**\n\nTriage by a dermatologist.')
    expect(filled).not.toContain('*To be written by the authors: Intended users')
  })

  it('states that validation results are not test results, and that there are none', () => {
    expect(forms(input({ evaluations: [] }))[form]).toContain('those of the validation split only')
    const none = forms(input({ evaluations: [], validation: null }))[form]
    expect(none).toContain('The model was not evaluated, so there are no results.')
  })

  it('contains no path, no failure case and no message of a warning, which may quote values', () => {
    const prepared = job.prepared && {
      ...job.prepared,
      warnings: [{ code: 'DATASET_LEAK' as const, message: 'patient Miller is in train and test' }],
    }
    const config = {
      ...job.config,
      model: { ...job.config.model, pretrained: '/home/ann/weights.safetensors' },
    }
    const card = forms(input({ job: { ...job, prepared, config } }))[form]
    expect(card).toContain('DATASET\\_LEAK')
    expect(card).toContain('started from pretrained weights in a local file')
    for (const hidden of ['Miller', '/home/ann', '/data/', 'train.csv', 'medloom-data'])
      expect(card).not.toContain(hidden)
  })

  it('names the column of a held-out fold without its value, which may name a patient', () => {
    const fold = { column: 'patient', value: 'Miller' }
    const config = { ...job.config, data: { ...job.config.data, fold } }
    const heldOut = { ...result('binary'), split: 'held-out' }
    const named = { ...job, job_name: 'study, patient = Miller', config }
    const card = forms(input({ job: named, heldOut, evaluations: [] }))[form]
    expect(card).toContain('patient = …')
    expect(card).not.toContain('Miller')
  })

  it('withholds small groups', () => {
    const small = result('use-binary')
    const group = { column: 'sex', events: 1, metrics: {}, intervals: {}, reason: null }
    const subgroups = [
      { ...group, group: 'f', cases: 3 },
      { ...group, group: 'm', cases: 40 },
    ]
    const withheld = EvaluationResult.parse({ ...small, subgroups })
    const card = forms(input({ evaluations: [tested({ result: withheld })] }))[form]
    expect(card).toMatch(/^\| sex: f \| – /m)
  })

  it('escapes hostile names in its text', () => {
    const hostile = '<img src=x onerror=alert(1)> [x](javascript:alert) `|\n# Heading\n---\nlicense: mit'
    const prepared = job.prepared && { ...job.prepared, label_column: hostile, classes: [hostile, 'b'] }
    const texts = { study_title: hostile, intended_use: hostile }
    const card = forms(input({ job: { ...job, job_name: hostile, prepared }, texts }))[form]
    const text = card.slice(card.search(/^# /m))
    expect(text).not.toMatch(/<img|(?<!\\)\]\(javascript|^# Heading/m)
  })
})

it('the metadata of the Hugging Face form contains the unrounded results and no unknown key', () => {
  const evaluated = tested()
  const { 'model-index': index, ...rest } = metadataOf(forms(input()).huggingface)
  expect(Object.keys(rest).sort()).toEqual(['metrics', 'tags'])
  expect(rest.metrics).toContain('roc_auc')
  const [{ dataset, metrics }] = index[0].results
  expect(index[0].name).toBe('resnet18_gated_001')
  expect(dataset).toEqual({
    type: 'custom',
    name: job.job_name,
    split: evaluated.result.split,
    revision: evaluated.result.source.digest,
  })
  const auc = metrics.find(({ type }: { type: string }) => type === 'roc_auc')
  expect(auc.value).toBe(evaluated.result.metrics.auc)
  expect(metrics.some((metric: object) => 'verified' in metric)).toBe(false)
})

it('a title with the syntax of YAML remains a text of the metadata', () => {
  const study_title = 'a": "b\n---\n- {x: [y]} # z'
  const { 'model-index': index } = metadataOf(forms(input({ texts: { study_title } })).huggingface)
  expect(index[0].results[0].dataset.name).toBe('a": "b --- - {x: [y]} # z')
})

it('a model without an evaluation has no results in its metadata', () => {
  const given = input({ evaluations: [], validation: null })
  expect(metadataOf(forms(given).huggingface)).toEqual({
    tags: ['medloom', 'medical', 'classification', 'resnet18'],
  })
})
