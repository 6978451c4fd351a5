/** @module-tag service */
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BackgroundTask, CasePredictions, ModelInputs, PredictionRecord } from '@medloom/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeEachDatabase } from '../../testing/databases.js'
import { eventually } from '../../testing/eventually.js'
import { configOf, insertJob, modelOf, PREPARED, writeCheckpoint } from '../../testing/models.js'
import { startTestService, testSettings } from '../../testing/service.js'
import { workerProgram } from '../../testing/worker-program.js'
import { openDatabase } from '../database/database.js'
import { ModelsRepository, registerModel } from '../models/models.repository.js'
import { PredictionsRepository } from './predictions.repository.js'
import { PredictionRetention } from './retention.js'

/** Body of a worker that predicts "malignant" for each row and line. */
const PREDICTOR = `const { params } = request
  const column = { name: 'site', kind: 'categorical', unit: null, marks: null, range: null, missing: { read_as: 'gap', value: null, seen: true },
    categories: [{ name: 'arm', patients: 5 }, { name: 'rare', patients: 4 }] }
  if (request.task === 'model_inputs')
    return reply({ type: 'result', id: request.id, result: { images: { columns: ['image'], required: true }, columns: [column] } })
  if (request.task === 'file_image')
    return reply({ type: 'result', id: request.id, result: { media_type: 'image/png', data: btoa(params.view.size + ' ' + params.path) } })
  if (request.task !== 'predict') return
  fs.appendFileSync(process.argv[1] + '.requests', JSON.stringify({ pid: process.pid, ...params }) + '\\n')
  if (params.path && params.path.endsWith('stuck.csv')) return
  if (params.path && params.path.endsWith('bad.csv'))
    return reply({ type: 'error', id: request.id, code: 'COLUMN_NOT_FOUND', message: 'column age is missing', details: 'Add it.', trace: null })
  const lines = params.rows ?? fs.readFileSync(params.path, 'utf8').trim().split('\\n').slice(1)
  const one = (row, index) => ({
    row: index + 1, file: params.path, id: 'patient ' + index, predicted: 'malignant',
    probabilities: { benign: 0.25, malignant: 0.75 }, set: null, interval: null, risk: null, survival: null, disagreement: null,
    warnings: [{ code: 'IMAGE_UNUSUAL', message: 'unusual', column: 'image' }], error: null,
  })
  if (params.out_dir) fs.writeFileSync(params.out_dir + '/predictions.' + params.format, 'id,predicted\\n')
  reply({ type: 'result', id: request.id, result: {
    basis: {
      task: 'classification', classes: ['benign', 'malignant'], checkpoint_digest: 'c'.repeat(64), epoch: 2, temperature: null,
      operating_point: null, threshold: null, coverage: null, training_cases: 10, training_patients: 10, image_distance: null,
    },
    num_cases: lines.length, num_failed: 0, predictions: lines.slice(0, params.returned).map(one),
    file: params.out_dir && 'predictions.' + params.format,
    input_digests: lines.slice(0, params.returned).map(() => 'd'.repeat(64)),
    warnings: [], software: { python: '3.12', torch: '2.9' },
  } })`

let service: Awaited<ReturnType<typeof startTestService>>
let requests: string
let root: string

beforeAll(async () => {
  const settings = testSettings()
  root = settings.roots[0] ?? ''
  const python = workerProgram(root, PREDICTOR)
  requests = `${python}.requests`
  for (const [name, cases] of Object.entries({ few: 3, many: 101, stuck: 101, bad: 1 }))
    writeFileSync(join(root, `${name}.csv`), `age\n${'50\n'.repeat(cases)}`)
  mkdirSync(join(root, 'images'))
  writeFileSync(join(root, 'images', 'a.png'), '')
  symlinkSync('/etc/hostname', join(root, 'images', 'link.png'))
  mkdirSync(settings.dataDir)
  const database = await openDatabase(join(settings.dataDir, 'medloom.db'))
  const config = {
    ...configOf({ train_csv: join(root, 'train.csv'), image_root: join(root, 'images') }, 'cpu'),
    report: { intended_use: 'Triage by a dermatologist.' },
  }
  const job = await insertJob(database, config)
  await database
    .updateTable('jobs')
    .set({ prepared: JSON.stringify({ ...PREPARED, image_columns: ['image'] }) })
    .execute()
  await database.transaction().execute((transaction) => registerModel(transaction, modelOf(job)))
  await database.destroy()
  writeCheckpoint(join(settings.dataDir, 'runs', job, 'checkpoints', 'best'), job, 2)
  service = await startTestService({ ...settings, python })
})
afterAll(() => service.close())

const predict = (payload: object, { model = 'resnet18_gated_001', query = '' } = {}) =>
  service.app.inject({ method: 'POST', url: `/api/models/${model}/predict${query}`, payload })
const received = () =>
  readFileSync(requests, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
const folders = () => readdirSync(join(service.settings.dataDir, 'predictions'))
const ended = async (taskId: string) => {
  let task: BackgroundTask | undefined
  await eventually(async () => {
    task = (await service.app.inject({ url: `/api/tasks/${taskId}` })).json()
    return task?.state !== 'running'
  })
  return task ?? expect.fail()
}

describe('rows', () => {
  test('are answered at once, with ids, the basis, and the absolute paths of their images', async () => {
    const before = folders()
    const row = { age: 50, image: 'a.png' }
    const response = await predict({ rows: [row, { ...row, image: 'missing.png' }] }, { model: 'latest' })
    expect(response.statusCode, response.body).toBe(200)
    const predictions = CasePredictions.parse(response.json())
    expect(predictions).toMatchObject({
      model_id: 'resnet18_gated_001',
      alias: 'latest',
      basis: { intended_use: 'Triage by a dermatologist.' },
      performance: null,
      file: null,
      recorded: true,
      num_cases: 2,
    })
    expect(predictions.predictions.map(({ id }) => id)).toEqual(['patient 0', 'patient 1'])
    expect(received().at(-1)).toMatchObject({
      rows: [
        { age: 50, image: join(root, 'images', 'a.png') },
        // The trainer reports it, so that the other cases are predicted.
        { age: 50, image: join(root, 'images', 'missing.png') },
      ],
      path: null,
      out_dir: null,
      returned: 100,
    })
    expect(folders()).toEqual(before)
  })

  test('are sent to the process that already has the model', async () => {
    for (let time = 0; time < 3; time++) await predict({ rows: [{ age: 50 }] })
    const sent = received().slice(-3)
    expect(new Set(sent.map(({ pid }) => pid)).size).toBe(1)
  })

  test('name a finished upload by its id', async () => {
    const announced = await service.app.inject({
      method: 'POST',
      url: '/api/uploads',
      payload: { folder: 'new', path: 'b.png', size_bytes: 3 },
    })
    const { upload_id, path } = announced.json()
    const cell = { rows: [{ image: `upload:${upload_id}` }] }
    expect((await predict(cell)).json()).toMatchObject({ code: 'UPLOAD_NOT_FOUND' })
    await service.app.inject({
      method: 'PUT',
      url: `/api/uploads/${upload_id}?offset=0`,
      payload: Buffer.from('png'),
      headers: { 'content-type': 'application/octet-stream' },
    })
    await service.app.inject({ method: 'POST', url: `/api/uploads/${upload_id}/finish` })
    expect((await predict(cell)).statusCode).toBe(200)
    expect(received().at(-1).rows).toEqual([{ image: path }])

    const image = await service.app.inject(`/api/uploads/${upload_id}/image?size=256`)
    expect([image.statusCode, image.headers['content-type'], image.body]).toEqual([
      200,
      'image/png',
      `256 ${path}`,
    ])
    const unknown = await service.app.inject('/api/uploads/unknown/image')
    expect([unknown.statusCode, unknown.json().code]).toEqual([404, 'UPLOAD_NOT_FOUND'])
  })

  test.each([
    ['../../outside.png', 400, 'PATH_NOT_ALLOWED', 'rows.0.image'],
    ['/etc/passwd', 400, 'PATH_NOT_ALLOWED', 'rows.0.image'],
    ['link.png', 400, 'PATH_NOT_ALLOWED', 'rows.0.image'],
    ['upload:unknown', 404, 'UPLOAD_NOT_FOUND', 'rows.0.image'],
    ['upload:../../../x', 404, 'UPLOAD_NOT_FOUND', 'rows.0.image'],
  ])(
    'with the image %s are refused with %i %s at %s, and beside others not read',
    async (image, status, code, path) => {
      const before = received().length
      const response = await predict({ rows: [{ image }] })
      expect([response.statusCode, response.json().code]).toEqual([status, code])
      expect(response.json().issues).toMatchObject([{ path, code }])
      expect(response.json().details).not.toBe('')
      expect(received()).toHaveLength(before)
      expect((await predict({ rows: [{ image }, { image }] })).statusCode).toBe(status)
      expect(received()).toHaveLength(before)
      await predict({ rows: [{ image: 'a.png' }, { image }] })
      expect(received().at(-1)).toMatchObject({
        rows: [{ image: join(root, 'images', 'a.png') }, { image: null }],
        refused_rows: [{ row: 1, code, column: 'image' }],
      })
    },
  )
})

describe('the inputs of a model', () => {
  const inputs = (model: string) => service.app.inject({ url: `/api/models/${model}/inputs` })

  test('are those of its checkpoint, without categories of few patients and without counts', async () => {
    const response = await inputs('latest')
    expect(response.statusCode, response.body).toBe(200)
    expect(ModelInputs.parse(response.json())).toEqual({
      model_id: 'resnet18_gated_001',
      images: { columns: ['image'], required: true },
      columns: [expect.objectContaining({ name: 'site', categories: ['arm'], more_categories: true })],
    })
    expect(response.body).not.toMatch(/rare|patients/)
  })

  test('of an unknown model are refused', async () => {
    const response = await inputs('unknown')
    expect([response.statusCode, response.json().code]).toEqual([404, 'MODEL_NOT_FOUND'])
  })
})

describe('a table', () => {
  test('with few cases is answered at once; ids are returned only on request', async () => {
    const without = CasePredictions.parse((await predict({ path: 'few.csv' })).json())
    expect(without.predictions.map(({ id, file }) => [id, file])).toEqual([1, 2, 3].map(() => [null, null]))
    const shown = (await predict({ path: 'few.csv' }, { query: '?identifiers=true' })).json()
    expect(shown.predictions[0]).toMatchObject({ id: 'patient 0' })
  })

  test('with more than 100 cases is a task without ids, whose file can be downloaded', async () => {
    const response = await predict({ path: 'many.csv' }, { query: '?identifiers=true' })
    expect(response.statusCode).toBe(202)
    const task = await ended(response.json().task_id)
    const result = CasePredictions.parse(task.result)
    expect(result).toMatchObject({ num_cases: 101, predictions: { length: 100, 0: { id: null } } })
    const url = `/api/predictions/${result.prediction_id}/file`
    const file = await service.app.inject({ url })
    expect([file.statusCode, file.body]).toEqual([200, 'id,predicted\n'])
    expect(file.headers['content-disposition']).toContain('predictions.csv')
  })

  test('that the trainer refuses leaves no folder; so does a canceled task', async () => {
    const before = folders()
    expect((await predict({ path: 'bad.csv' })).json()).toMatchObject({ code: 'COLUMN_NOT_FOUND' })
    const { task_id } = (await predict({ path: 'stuck.csv' })).json()
    await eventually(() => received().at(-1)?.path === join(root, 'stuck.csv'))
    expect(folders()).toHaveLength(before.length + 1)
    const removal = await service.app.inject({ method: 'DELETE', url: '/api/models/resnet18_gated_001' })
    expect(removal.json()).toMatchObject({ code: 'MODEL_IN_USE' })
    await service.app.inject({ method: 'POST', url: `/api/tasks/${task_id}/cancel` })
    expect((await ended(task_id)).state).toBe('cancelled')
    expect(folders()).toEqual(before)
  })
})

test.each([
  [{ rows: [{}] }, { model: 'none' }, 404, 'MODEL_NOT_FOUND'],
  [{ rows: [{}] }, { query: '?wait=false' }, 400, 'INVALID_REQUEST'],
  [{ rows: [{}], path: 'few.csv' }, {}, 400, 'INVALID_REQUEST'],
  [{ path: 'few.csv', checkpoint_path: 'none' }, {}, 400, 'CHECKPOINT_NOT_FOUND'],
  [{ path: '/etc/passwd' }, {}, 400, 'PATH_NOT_ALLOWED'],
  [{ path: 'none.csv' }, {}, 400, 'FILE_NOT_FOUND'],
  [{ dataset_id: 'none' }, {}, 404, 'DATASET_NOT_FOUND'],
  [{ dataset_id: 'none' }, { query: '?wait=false' }, 404, 'DATASET_NOT_FOUND'],
] as const)('%j with %j is refused with %i %s', async (body, how, status, code) => {
  const response = await predict(body, how)
  expect([response.statusCode, response.json().code]).toEqual([status, code])
})

test('a request is recorded without ids and values, and not if it does not want that', async () => {
  const { prediction_id } = (await predict({ rows: [{ age: 50, name: 'Doe' }] })).json()
  const response = await service.app.inject({ url: `/api/predictions/${prediction_id}` })
  expect(PredictionRecord.parse(response.json())).toMatchObject({
    owner: 'local',
    model_id: 'resnet18_gated_001',
    alias: null,
    kind: 'rows',
    software_digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    input_digests: ['d'.repeat(64)],
    outputs: [{ predicted: 'malignant', probabilities: { benign: 0.25, malignant: 0.75 }, error: null }],
    warnings: ['IMAGE_UNUSUAL'],
  })
  expect(response.body).not.toMatch(/Doe|patient/)
  const list = async () => (await service.app.inject({ url: '/api/predictions?page_size=1' })).json()
  expect((await list()).predictions).toMatchObject([{ prediction_id }])
  const ofNewest = await service.app.inject({ url: '/api/predictions?page_size=1&model_id=latest' })
  expect(ofNewest.json().predictions).toMatchObject([{ prediction_id }])
  const other = (await predict({ rows: [{ age: 50 }], trace: false })).json()
  expect(other.recorded).toBe(false)
  expect((await list()).predictions).toMatchObject([{ prediction_id }])
  expect((await service.app.inject({ url: `/api/predictions/${other.prediction_id}` })).json().code).toBe(
    'PREDICTION_NOT_FOUND',
  )
})

describeEachDatabase((databases) => {
  const DAY = 24 * 3600 * 1000
  const record = (prediction_id: string, created_at: string): PredictionRecord => ({
    ...{ prediction_id, created_at, owner: 'ann', model_id: `model of ${prediction_id}`, alias: null },
    ...{ checkpoint_digest: 'c', software_digest: null, kind: 'table', num_cases: 1, num_failed: 0 },
    ...{ input_digests: ['d'], outputs: [], warnings: [] },
  })

  test('records are listed newest first, by model and in pages', async () => {
    const database = await databases.open()
    const repository = new PredictionsRepository(database)
    for (const id of ['a', 'b', 'c']) {
      const one = record(id, new Date().toISOString())
      await repository.add(one, one, null)
    }
    const first = await repository.list(2, undefined, undefined)
    const second = await repository.list(2, first.next_page_token ?? undefined, undefined)
    expect([...first.items, ...second.items].map(({ prediction_id }) => prediction_id)).toEqual([
      'c',
      'b',
      'a',
    ])
    expect((await repository.list(2, undefined, 'model of b')).items).toEqual([await repository.find('b')])
    await database.destroy()
  })

  test.each([
    [30, ['new'], ['new']],
    [0, [], ['new']],
  ])(
    'after %i days, records and files are removed, and folders without a file',
    async (days, records, files) => {
      const database = await databases.open()
      const repository = new PredictionsRepository(database)
      const now = Date.now()
      const predictions = join(root, `kept-${databases.kind}-${days}`)
      for (const [id, age] of [
        ['new', 0.5],
        ['old', 31],
      ] as const) {
        const one = record(id, new Date(now - age * DAY).toISOString())
        await repository.add(one, one, 'predictions.csv')
        mkdirSync(join(predictions, id), { recursive: true })
      }
      for (const name of ['interrupted', 'running']) mkdirSync(join(predictions, name))
      const context = { folder: { predictions }, log: { warn: expect.fail } } as never
      const retention = new PredictionRetention(context, repository, days)
      await retention.during('running', () => retention.sweep(now))
      expect((await repository.list(9, undefined, undefined)).items.map((one) => one.prediction_id)).toEqual(
        records,
      )
      expect(readdirSync(predictions).sort()).toEqual([...files, 'running'])
      expect(existsSync(join(predictions, 'old'))).toBe(false)
      await database.destroy()
    },
  )

  test('the performance is that of the newest evaluation of these weights on data unknown to the training', async () => {
    const database = await databases.open()
    const job = await insertJob(database)
    const model_id = await database
      .transaction()
      .execute((transaction) => registerModel(transaction, modelOf(job)))
    const models = new ModelsRepository(database)
    expect(await models.newestTest(model_id, 'best')).toBeUndefined()
    for (const split of ['test', 'external', 'val'])
      await models.addEvaluation(
        { evaluation_id: split, model_id, split },
        { digest: 'a', checkpoint_digest: 'best' },
      )
    const earlier = { evaluation_id: 'first epoch', model_id, split: 'test' }
    await models.addEvaluation(earlier, { digest: 'a', checkpoint_digest: 'first' })
    expect(await models.newestTest(model_id, 'best')).toMatchObject({ evaluation_id: 'external' })
    expect(await models.newestTest(model_id, 'first')).toMatchObject({ evaluation_id: 'first epoch' })
    expect(await models.newestTest(model_id, 'last')).toBeUndefined()
    await database.destroy()
  })
})
