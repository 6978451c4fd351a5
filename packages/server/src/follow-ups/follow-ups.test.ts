/** @module-tag service */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  CasePredictions,
  FollowUp,
  FollowUpEvaluation,
  FollowUpWithCoverage,
  PredictionRecord,
} from '@medloom/contracts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { describeEachDatabase } from '../../testing/databases.js'
import { configOf, insertJob, modelOf, PREPARED, writeCheckpoint } from '../../testing/models.js'
import { type PeopleService, startPeopleService } from '../../testing/people-service.js'
import { Place } from '../../testing/training/training-service.js'
import { workerProgram } from '../../testing/worker-program.js'
import { openDatabase } from '../database/database.js'
import { ModelsRepository, registerModel } from '../models/models.repository.js'
import { FollowUpsRepository } from './follow-ups.repository.js'

const COVERAGE = {
  ...{ predicted: 3, with_outcome: 1, waiting: 2, repeated: 0, without_id: 0, failed: 0 },
  windows: [],
}

/** Body of a worker that predicts "malignant", and measures nothing. */
const WORKER = `const { params, task, id } = request
  fs.appendFileSync(process.argv[1] + '.requests', JSON.stringify({ task, ...params }) + '\\n')
  const coverage = ${JSON.stringify(COVERAGE)}
  const result = (result) => reply({ type: 'result', id, result })
  if (task === 'follow_up_coverage') return result(coverage)
  if (task === 'follow_up_outcomes')
    return result({ rows: 1, unknown: 0, without_outcome: 0, added: 1, replaced: 0, unchanged: 0, coverage })
  if (task === 'follow_up_evaluate')
    return result({ coverage, other_checkpoint: 0, reason: 'too few', result: null, windows: [
      { column: 'window', group: '1', cases: 3, patients: 3, events: 1, metrics: {}, intervals: {}, reason: 'too few' },
    ], alpha: 0.05, tests: 0, series: [], update: null })
  if (task !== 'predict') return
  const one = (row, index) => ({
    row: index + 1, file: null, id: 'patient ' + index, predicted: 'malignant', probabilities: { benign: 0.25, malignant: 0.75 },
    set: ['malignant'], interval: null, risk: null, survival: null, disagreement: 0.1, error: null,
    warnings: [{ code: 'IMAGE_BLANK', message: 'blank', column: null }],
  })
  const rows = params.rows ?? [{}]
  if (params.out_dir) fs.writeFileSync(params.out_dir + '/predictions.csv', '')
  result({
    basis: {
      task: 'classification', classes: ['benign', 'malignant'], checkpoint_digest: 'c'.repeat(64), epoch: 2, temperature: null,
      operating_point: null, threshold: null, coverage: null, training_cases: 10, training_patients: 10, image_distance: null,
    },
    num_cases: rows.length, num_failed: 0, predictions: rows.map(one), file: params.out_dir && 'predictions.csv',
    input_digests: rows.map(() => 'd'.repeat(64)), warnings: [], software: {},
  })`

const MODEL = 'resnet18_gated_001'
let place: Place
let service: PeopleService
let requests: string

beforeAll(async () => {
  place = new Place()
  const python = workerProgram(place.path, WORKER)
  requests = `${python}.requests`
  mkdirSync(place.dataDir)
  writeFileSync(join(place.root, 'outcomes.csv'), 'id,label\na,yes\n')
  const database = await openDatabase(join(place.dataDir, 'medloom.db'))
  const job = await insertJob(database, configOf({ train_csv: join(place.root, 'train.csv') }, 'cpu'))
  await database
    .updateTable('jobs')
    .set({ prepared: JSON.stringify(PREPARED) })
    .execute()
  await database.transaction().execute((transaction) => registerModel(transaction, modelOf(job)))
  await database.destroy()
  writeCheckpoint(join(place.dataDir, 'runs', job, 'checkpoints', 'best'), job, 2)
  service = await startPeopleService(place, { python })
  for (const user of ['ann', 'bob']) await service.create(user, 'run')
  await service.create('eve', 'read')
})
afterAll(async () => {
  await service.close()
  place.remove()
})

const as = async <Body = Record<string, unknown>>(
  user: string,
  method: string,
  path: string,
  body?: unknown,
) =>
  (await service.sendAs<Body>(user, method, path, body)) as { status: number; body: Body & { code?: string } }
const create = async (more: object = {}) =>
  FollowUp.parse(
    (await as('ann', 'POST', '/api/follow-ups', { name: 'ward 3', model: 'latest', ...more })).body,
  )
const predict = async (body: object = { rows: [{ age: 50 }] }) =>
  CasePredictions.parse((await as('bob', 'POST', `/api/models/${MODEL}/predict`, body)).body)
const sent = (task: string) =>
  readFileSync(requests, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter((one) => one.task === task)
    .at(-1)
/** A follow-up that a test has removed is unknown. */
const remove = ({ follow_up_id }: FollowUp) => as('ann', 'DELETE', `/api/follow-ups/${follow_up_id}`)
const close = ({ follow_up_id }: FollowUp) => as('ann', 'POST', `/api/follow-ups/${follow_up_id}/close`)

describe('an open follow-up', () => {
  let followUp: FollowUp
  const folder = () => join(place.dataDir, 'follow-ups', followUp.follow_up_id)
  beforeEach(async () => {
    followUp = await create({ id_column: 'case', window_days: 14 })
  })
  afterEach(() => remove(followUp))

  test('is of the model that an alias named, and has its own key', () => {
    expect(followUp).toMatchObject({ model_id: MODEL, owner: 'ann', silent: false, closed_at: null })
    expect(readFileSync(join(folder(), 'key'), 'utf8')).toMatch(/^[0-9a-f]{64}$/)
  })

  test('collects the predictions of the model, except requests without a record', async () => {
    const { prediction_id, hidden, predictions } = await predict()
    expect(hidden).toBe(false)
    expect(predictions[0]?.predicted).toBe('malignant')
    expect(sent('predict')).toMatchObject({
      prediction_id,
      follow_ups: [{ folder: folder(), id_column: 'case' }],
    })
    await predict({ rows: [{}], trace: false })
    expect(sent('predict').follow_ups).toEqual([])
  })

  test('shows its coverage to every user', async () => {
    const { body } = await as('eve', 'GET', `/api/follow-ups/${followUp.follow_up_id}`)
    expect(FollowUpWithCoverage.parse(body)).toEqual({ ...followUp, coverage: COVERAGE })
    expect(sent('follow_up_coverage')).toMatchObject({ started_at: followUp.created_at, window_days: 14 })
  })

  test('receives outcomes only of its owner, from a table that may be read', async () => {
    const path = `/api/follow-ups/${followUp.follow_up_id}/outcomes`
    const table = { path: 'outcomes.csv', id_column: 'id' }
    expect((await as('bob', 'POST', path, table)).status).toBe(403)
    expect((await as('ann', 'POST', path, { ...table, path: '/etc/passwd' })).body.code).toBe(
      'PATH_NOT_ALLOWED',
    )
    expect((await as('ann', 'POST', path, table)).body).toMatchObject({ added: 1, coverage: { waiting: 2 } })
    expect(sent('follow_up_outcomes')).toMatchObject({ replace: false, label_columns: null, id_column: 'id' })
  })

  test('is evaluated, and counts how often', async () => {
    const path = `/api/follow-ups/${followUp.follow_up_id}/evaluation`
    expect((await as('eve', 'GET', path)).body.code).toBe('FOLLOW_UP_NOT_FOUND')
    await as('ann', 'POST', path)
    const { body } = await as<FollowUpEvaluation>('ann', 'POST', path)
    expect(FollowUpEvaluation.parse(body)).toMatchObject({ evaluations: 2, development: null, tests: 0 })
    // Small counts leave the service for nobody.
    expect(body.windows).toMatchObject([{ cases: null, events: null, withheld: 'size' }])
    expect((await as('eve', 'GET', path)).body).toEqual(body)
  })

  test('protects its model; when it is closed, it collects nothing', async () => {
    const removal = `/api/models/${MODEL}?dry_run=true`
    expect((await as('root', 'DELETE', removal)).body.code).toBe('MODEL_IN_USE')
    expect((await close(followUp)).body).toMatchObject({ closed_at: expect.any(String) })
    expect((await close(followUp)).body.code).toBe('FOLLOW_UP_CLOSED')
    expect((await as('root', 'DELETE', removal)).status).toBe(200)
    await predict()
    expect(sent('predict').follow_ups).toEqual([])
  })

  test('is removed with its folder', async () => {
    const path = `/api/follow-ups/${followUp.follow_up_id}`
    expect((await as('bob', 'DELETE', path)).status).toBe(403)
    expect((await as('ann', 'DELETE', `${path}?dry_run=true`)).body).toMatchObject({ dry_run: true })
    expect(existsSync(folder())).toBe(true)
    expect((await as('ann', 'DELETE', path)).status).toBe(200)
    expect(existsSync(folder())).toBe(false)
    expect((await as('eve', 'GET', path)).body.code).toBe('FOLLOW_UP_NOT_FOUND')
  })
})

describe('a silent follow-up', () => {
  let followUp: FollowUp
  const evaluation = () => `/api/follow-ups/${followUp.follow_up_id}/evaluation`
  beforeEach(async () => {
    followUp = await create({ silent: true })
  })
  afterEach(() => remove(followUp))

  test('hides the predictions from whoever requests them, and from the records', async () => {
    const { prediction_id, hidden, predictions, num_cases } = await predict()
    expect([hidden, num_cases]).toEqual([true, 1])
    expect(predictions).toMatchObject([
      { id: 'patient 0', predicted: null, probabilities: null, set: null, disagreement: null },
    ])
    expect(predictions[0]?.warnings).toHaveLength(1)
    const { body } = await as('root', 'GET', `/api/predictions/${prediction_id}`)
    expect(PredictionRecord.parse(body).outputs).toEqual([
      { predicted: null, probabilities: null, risk: null, error: null },
    ])
    expect(sent('predict').follow_ups).toHaveLength(1)
  })

  test('writes no file of predictions', async () => {
    expect(await predict({ path: 'outcomes.csv' })).toMatchObject({ hidden: true, file: null })
    expect(sent('predict').out_dir).toBeNull()
  })

  test('shows its results only after it is closed, to its owner and administrators', async () => {
    expect((await as('ann', 'POST', evaluation())).body.code).toBe('FOLLOW_UP_SILENT')
    expect((await as('root', 'GET', evaluation())).body.code).toBe('FOLLOW_UP_SILENT')
    await close(followUp)
    expect((await as('ann', 'POST', evaluation())).status).toBe(200)
    expect((await as('ann', 'GET', evaluation())).status).toBe(200)
    expect((await as('root', 'GET', evaluation())).status).toBe(200)
    for (const user of ['bob', 'eve'])
      expect((await as(user, 'GET', evaluation())).body.code).toBe('FOLLOW_UP_SILENT')
    expect((await predict()).hidden).toBe(false)
  })
})

test('an unknown model or follow-up is refused', async () => {
  expect((await as('ann', 'POST', '/api/follow-ups', { name: 'x', model: 'none' })).body.code).toBe(
    'MODEL_NOT_FOUND',
  )
  expect((await as('root', 'POST', '/api/follow-ups/none/close')).status).toBe(404)
})

describeEachDatabase((databases) => {
  test('follow-ups are listed newest first, by model and in pages', async () => {
    const database = await databases.open()
    const repository = new FollowUpsRepository(database)
    for (const id of ['a', 'b', 'c'])
      await repository.add({
        ...{ follow_up_id: id, name: id, model_id: `model of ${id}`, id_column: null, silent: id === 'b' },
        ...{ window_days: 30, owner: 'ann', created_at: '2026-01-01T00:00:00.000Z', closed_at: null },
        evaluations: 0,
      })
    const first = await repository.list(2, undefined, undefined)
    const second = await repository.list(2, first.next_page_token ?? undefined, undefined)
    expect([...first.items, ...second.items].map(({ name }) => name)).toEqual(['c', 'b', 'a'])
    expect((await repository.list(2, undefined, 'model of b')).items).toMatchObject([{ silent: true }])
    await repository.close('b', '2026-02-01T00:00:00.000Z')
    expect(await repository.open('model of b')).toEqual([])
    // With its study or job; the route of a model refuses it.
    await database
      .transaction()
      .execute((transaction) => new ModelsRepository(database).remove('model of c', transaction))
    expect(await repository.open('model of c')).toEqual([])
    expect([await repository.countEvaluation('a'), await repository.countEvaluation('a')]).toEqual([1, 2])
    await database.destroy()
  })
})
