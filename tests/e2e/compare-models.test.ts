import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ComparedCase, Comparison, ComparisonDocument, ErrorIssue, Job, Model } from '@medloom/contracts'
import { beforeAll, describe, expect, it } from 'vitest'
import { Caller } from '../testing/http.js'
import { MedloomCommand } from '../testing/medloom-command.js'
import { shared } from '../testing/shared.js'
import { trainingConfig } from '../testing/training.js'

const caller = new Caller(shared.url)
const table = join(shared.dataset, 'test.csv')
const train = join(shared.dataset, 'train.csv')

let image: Job
let tabular: Job
beforeAll(async () => {
  const started = await caller.start(
    trainingConfig(shared.dataset, { model: { vision_backbone: 'none' }, training: { epochs: 1 } }),
    'table alone',
  )
  ;[image, tabular] = await Promise.all([caller.ended(shared.referenceJob), caller.ended(started)])
})

const model = async (job: Job) => (await caller.get<Model>(`/api/models/${job.model_id}`)).body
const compare = (body: object) =>
  caller.post<Comparison & { code: string; error: string; issues?: ErrorIssue[] }>(
    '/api/models/compare',
    body,
  )
const ids = () => [String(image.model_id), String(tabular.model_id)]

describe('models on the same cases', () => {
  it('are measured as they are alone, compared, counted and reported', async () => {
    const before = await model(tabular)
    const { status, body } = await compare({ models: ids(), test_csv: table })
    expect(status).toBe(200)
    const alone = await caller.post<{ metrics: object; test_evaluations: number }>(
      `/api/models/${tabular.model_id}/evaluate`,
      { test_csv: table },
    )
    expect(body.models[1]?.metrics).toEqual(alone.body.metrics)
    expect(alone.body.test_evaluations).toBe((body.models[1]?.test_evaluations ?? 0) + 1)
    expect((await model(tabular)).evaluations).toBe(before.evaluations + 2)
    const [pair] = body.pairs
    const values = body.models.map(({ metrics }) => metrics.auc ?? 0) as [number, number]
    expect(pair?.differences.auc?.estimate).toBeCloseTo(values[0] - values[1], 9)
    const counted = Object.values(pair?.agreement ?? {}).reduce((sum, count) => sum + count, 0)
    expect(counted).toBe(body.num_cases)
    expect(readFileSync(body.report_path, 'utf8')).toContain(`${ids()[0]} minus ${ids()[1]}`)
    expect(readdirSync(dirname(body.report_path)).sort()).toEqual([
      'comparison-roc-1.svg',
      'comparison.json',
      'predictions.csv',
      'report.html',
      'report.md',
    ])
  })

  it('are found again with their cases, by which of both is right', async () => {
    const { body } = await compare({ models: ids(), test_csv: table })
    const path = `/api/comparisons/${body.comparison_id}`
    const { body: document } = await caller.get<ComparisonDocument>(path)
    expect(document.models.map(({ name, job_id }) => [name, job_id])).toEqual([
      [ids()[0], image.job_id],
      [ids()[1], tabular.job_id],
    ])
    expect(document.result).toEqual(
      JSON.parse(readFileSync(join(dirname(body.report_path), 'comparison.json'), 'utf8')),
    )
    for (const [agreement, count] of Object.entries(body.pairs[0]?.agreement ?? {})) {
      const found = await caller.get<{ cases: ComparedCase[]; total: number }>(
        `${path}/cases?agreement=${agreement}&order_by=difference&page_size=1000`,
      )
      expect([found.status, found.body.total, found.body.cases.length]).toEqual([200, count, count])
      for (const { truth, first, second } of found.body.cases)
        expect([first.predicted === truth, second.predicted === truth]).toEqual([
          first.correct,
          second.correct,
        ])
    }
    const unknown = await caller.get<{ code: string }>(`${path}/cases?first=nobody_001`)
    expect([unknown.status, unknown.body.code]).toEqual([404, 'MODEL_NOT_FOUND'])
    const missing = await caller.get<{ code: string }>('/api/comparisons/none/cases')
    expect([missing.status, missing.body.code]).toEqual([404, 'COMPARISON_NOT_FOUND'])
  })

  it('may be checkpoints of one model', async () => {
    const { checkpoint_path, model_id } = await model(image)
    const last = join(dirname(checkpoint_path), 'last')
    const { body } = await compare({ models: [model_id, last] })
    expect(body.models.map(({ name }) => name)).toEqual([model_id, `${model_id} last`])
    expect(body.models.map((one) => one.model_id)).toEqual([model_id, model_id])
  })

  it.each<[string, () => object, number, string]>([
    ['one model', () => ({ models: ids().slice(0, 1) }), 400, 'INVALID_REQUEST'],
    ['an unknown model', () => ({ models: [ids()[0], 'nobody_001'] }), 404, 'MODEL_NOT_FOUND'],
    ['a folder outside', () => ({ models: [ids()[0], '/etc'] }), 400, 'PATH_NOT_ALLOWED'],
    ['a table outside', () => ({ models: ids(), test_csv: '/etc/passwd' }), 400, 'PATH_NOT_ALLOWED'],
    [
      'a folder without a checkpoint',
      () => ({ models: [ids()[0], './nowhere'] }),
      400,
      'CHECKPOINT_NOT_FOUND',
    ],
    ['an unknown field', () => ({ models: ids(), csv: table }), 400, 'UNKNOWN_FIELD'],
  ])('%s is refused', async (_, body, status, code) => {
    const answer = await compare(await body())
    expect([answer.status, answer.body.code]).toEqual([status, code])
  })

  it('a checkpoint that cannot be read is refused', async () => {
    const { checkpoint_path } = await model(image)
    const damaged = join(dirname(checkpoint_path), 'damaged')
    cpSync(checkpoint_path, damaged, { recursive: true })
    const weights = readdirSync(damaged).find((name) => name.endsWith('.safetensors')) ?? ''
    writeFileSync(join(damaged, weights), 'no tensors')
    const { status, body } = await compare({ models: [ids()[1], damaged], test_csv: table })
    rmSync(damaged, { recursive: true })
    expect([status, body.code]).toEqual([400, 'CHECKPOINT_CORRUPT'])
  })

  it('cases on which a model was trained are reported for each model', async () => {
    const { body } = await compare({ models: ids(), test_csv: train, split: 'train' })
    for (const { warnings } of body.models)
      expect(warnings.map(({ code }) => code)).toContain('EVALUATED_ON_TRAINING_DATA')
  })

  it('the same checkpoint under two names is refused', async () => {
    const { checkpoint_path, model_id } = await model(image)
    const { status, body } = await compare({ models: [model_id, checkpoint_path] })
    expect([status, body.code, body.error]).toEqual([
      400,
      'INVALID_REQUEST',
      expect.stringContaining('is listed twice'),
    ])
  })

  it('models of other classes are refused with the difference, and leave nothing', async () => {
    const other = await caller.ended(
      await caller.start(
        trainingConfig(shared.dataset, {
          data: { label_column: 'sex' },
          model: { vision_backbone: 'none' },
          training: { epochs: 1 },
        }),
        'another label',
      ),
    )
    expect(other.error).toBeNull()
    const { status, body } = await compare({ models: [ids()[1], other.model_id], test_csv: table })
    expect([status, body.code]).toEqual([400, 'MODELS_NOT_COMPARABLE'])
    expect(body.error).toContain('only one of them has the classes')
    const comparisons = join(dirname(dirname((await model(tabular)).checkpoint_path)), 'comparisons')
    expect(existsSync(comparisons) ? readdirSync(comparisons) : []).toEqual([])
  })

  it('at a terminal', async () => {
    const medloom = new MedloomCommand(shared.dataset, { MEDLOOM_URL: shared.url })
    const { code, stdout } = await medloom.run('models', 'compare', ...ids(), '--test-csv', train)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^auc( +-?[01]\.\d{3}){3} +-?\d\.\d{3} to -?\d\.\d{3} +\d\.\d{3} +\S/m)
    expect(stdout).toMatch(/^report: \/.*comparisons.*report\.html$/m)
    const json = await medloom.run('models', 'compare', ...ids(), '--csv', train, '--json')
    expect(JSON.parse(json.stdout).pairs).toHaveLength(1)
  })
})

describe('an evaluation that explains, at a terminal', () => {
  const medloom = new MedloomCommand(shared.dataset, { MEDLOOM_URL: shared.url })
  const evaluate = (...flags: string[]) =>
    medloom.run('models', 'evaluate', ids()[0] ?? '', '--csv', train, '--split', 'train', '--json', ...flags)

  it('has what the predictions rest on, and where the network looked', async () => {
    const { code, stdout } = await evaluate('--importance', '2', '--with-saliency')
    expect(code).toBe(0)
    const folder = dirname(JSON.parse(stdout).report_path)
    const result = JSON.parse(readFileSync(join(folder, 'evaluation.json'), 'utf8'))
    expect(result.importance).toMatchObject({ repeats: 2, metric: 'auc', reason: null })
    expect(result.importance.ablation).toHaveLength(2)
    expect(readFileSync(join(folder, 'ablation.csv'), 'utf8')).toContain('without images: ')
    const report = readFileSync(join(folder, 'report.html'), 'utf8')
    expect(report).toContain('Input importance')
    expect(report).toContain('Grad-CAM')
    expect(JSON.parse(readFileSync(join(folder, 'failure-images.json'), 'utf8')).saliency).toBe(true)
  })

  it('refuses an invalid number of exchanges', async () => {
    const { code, stderr } = await evaluate('--importance', 'many')
    expect([code, stderr]).toEqual([2, expect.stringContaining('whole number')])
  })
})
