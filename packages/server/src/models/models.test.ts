/** @module-tag service */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { BACKBONES, Evaluation, Model } from '@medloom/contracts'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { png } from '../../../reports/testing/png.js'
import { describeEachDatabase } from '../../testing/databases.js'
import {
  configOf,
  EVALUATION_FILE,
  insertJob,
  modelOf,
  PREPARED,
  writeCheckpoint,
} from '../../testing/models.js'
import { startTestService, testSettings } from '../../testing/service.js'
import { workerProgram } from '../../testing/worker-program.js'
import { type Database, openDatabase } from '../database/database.js'
import { defaultTable, evaluationDevice } from './evaluation-defaults.js'
import { ModelsRepository, registerModel, type StoredModel } from './models.repository.js'

const register = (database: Database, model: StoredModel) =>
  database.transaction().execute((transaction) => registerModel(transaction, model))

describeEachDatabase((databases) => {
  describe('numbers of models', () => {
    test('increase per backbone and fusion from 001, without gaps or duplicates when many jobs end at once', async () => {
      const database = await databases.open()
      const jobs: string[] = []
      for (let i = 0; i < 12; i++) jobs.push(await insertJob(database))
      const kinds = [{}, { fusion_type: 'cross_attention' }, { fusion_type: 'attention' }]
      const ids = await Promise.all(jobs.map((job, i) => register(database, modelOf(job, kinds[i % 3]))))
      expect([...ids].sort()).toEqual(
        ['attention', 'cross_attention', 'gated']
          .flatMap((fusion) => [1, 2, 3, 4].map((number) => `resnet18_${fusion}_00${number}`))
          .sort(),
      )
      await database.destroy()
    })

    test('continue after 999', async () => {
      const database = await databases.open()
      const [first, second] = [await insertJob(database), await insertJob(database)]
      await register(database, modelOf(first))
      await database
        .updateTable('counters')
        .set({ value: 999 })
        .where('name', '=', 'models:resnet18_gated')
        .execute()
      expect(await register(database, modelOf(second))).toBe('resnet18_gated_1000')
      await database.destroy()
    })

    test('aliases name the newest model and the newest of its kind, and can be used in requests', async () => {
      const database = await databases.open()
      for (const kind of [{}, { fusion_type: 'bilinear' }, {}])
        await register(database, modelOf(await insertJob(database), kind))
      const repository = new ModelsRepository(database)
      const { items } = await repository.list(10, undefined)
      expect(items.map(({ model_id, aliases }) => [model_id, aliases])).toEqual([
        ['resnet18_gated_002', ['latest', 'resnet18_gated_latest']],
        ['resnet18_bilinear_001', ['resnet18_bilinear_latest']],
        ['resnet18_gated_001', []],
      ])
      expect((await repository.find('latest'))?.model_id).toBe('resnet18_gated_002')
      expect((await repository.find('resnet18_bilinear_latest'))?.model_id).toBe('resnet18_bilinear_001')
      expect(await repository.find('resnet18_none_latest')).toBeUndefined()
      await database.destroy()
    })
  })
})

describe('the table of a split, when the request names none', () => {
  const prepared = (split_column: string | null) => ({ ...PREPARED, split_column })
  test.each([
    ['test', { test_csv: 'test.csv' }, null, 'test.csv'],
    ['val', { val_csv: 'val.csv' }, null, 'val.csv'],
    ['test', {}, 'split', 'train.csv'],
    ['external', {}, 'fold', 'train.csv'],
  ])('%s of %j with split column %s is %s', (split, data, column, table) =>
    expect(defaultTable(configOf(data), prepared(column), split)).toBe(table),
  )
  test('otherwise the request is refused with a remedy', () =>
    expect(() => defaultTable(configOf(), prepared(null), 'test')).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST', details: expect.stringContaining('test_csv') }),
    ))
})

test.each([
  ['auto', 'auto'],
  ['cpu:2', 'cpu'],
  ['cuda:1,2', 'cuda:1'],
  ['mps', 'mps'],
  ['cuda:4x2', 'auto'],
])('a training on %s is evaluated on %s', (device, one) => expect(evaluationDevice(device)).toBe(one))

/** Tables of models that single tests evaluate, with counts of their own: `resnet18_gated_002` and so on. */
const OWN_TABLES = ['test-2.csv', 'test-3.csv', 'test-4.csv', 'test-5.csv'] as const

describe('over HTTP', () => {
  let service: Awaited<ReturnType<typeof startTestService>>
  let jobs: string[]
  let requestFile: string
  let exportFile: string
  const run = (job: string | undefined, ...path: string[]) =>
    join(service.settings.dataDir, 'runs', job ?? '', ...path)
  const evaluate = async (payload?: object, model = 'resnet18_gated_001') =>
    service.app.inject({
      method: 'POST',
      url: `/api/models/${model}/evaluate`,
      ...(payload ? { payload } : {}),
    })

  beforeAll(async () => {
    const settings = testSettings()
    const root = settings.roots[0] ?? ''
    requestFile = join(root, 'asked.json')
    exportFile = join(root, 'export.json')
    for (const name of ['test.csv', 'other.csv', 'malformed.csv', ...OWN_TABLES])
      writeFileSync(join(root, name), 'label\n')
    const python = workerProgram(
      root,
      `if (request.task === 'export') {
         fs.writeFileSync(${JSON.stringify(exportFile)}, JSON.stringify(request.params))
         const result = { file: 'best.zip', sha256: 'd', size_bytes: 3, difference: 0, warnings: [] }
         return reply({ type: 'result', id: request.id, result })
       }
       if (request.task !== 'evaluate') return
       fs.writeFileSync(${JSON.stringify(requestFile)}, JSON.stringify(request.params))
       if (request.params.csv.endsWith('malformed.csv'))
         return reply({ type: 'error', id: request.id, code: 'CSV_MALFORMED', message: 'row 2 has 3 fields, the header 2', details: 'Correct row 2.', trace: null })
       const result = JSON.parse(fs.readFileSync(${JSON.stringify(EVALUATION_FILE)}, 'utf8'))
       result.source.digest = request.params.csv
       result.split = request.params.split
       fs.writeFileSync(request.params.out_dir + '/evaluation.json', JSON.stringify(result))
       const images = { schema_version: 1, num_views: 1, cases: [[{ view: 1, png: ${JSON.stringify(png(3, 2))} }]] }
       if (request.params.failure_images) fs.writeFileSync(request.params.out_dir + '/failure-images.json', JSON.stringify(images))
       reply({ type: 'result', id: request.id, result })`,
    )
    mkdirSync(settings.dataDir)
    const database = await openDatabase(join(settings.dataDir, 'medloom.db'))
    const config = configOf({ test_csv: join(root, 'test.csv') })
    jobs = [await insertJob(database, config), await insertJob(database)]
    for (const table of OWN_TABLES)
      jobs.push(await insertJob(database, configOf({ test_csv: join(root, table) })))
    const [first, second = '', ...others] = jobs
    for (const job of [first ?? '', ...others]) await register(database, modelOf(job))
    await register(database, modelOf(second, { fusion_type: 'bilinear' }))
    await database.destroy()
    service = await startTestService({ ...settings, python })
    for (const job of jobs)
      for (const [name, epoch] of [
        ['epoch-0001', 1],
        ['last', 2],
        ['best', 2],
      ] as const)
        writeCheckpoint(run(job, 'checkpoints', name), job, epoch)
  })
  afterAll(() => service.close())

  test('the list has the fields of the specification, newest first, page by page', async () => {
    const first = (await service.app.inject({ url: '/api/models?page_size=5' })).json()
    expect(first.models.map((model: unknown) => Model.parse(model).model_id)).toEqual([
      'resnet18_bilinear_001',
      'resnet18_gated_005',
      'resnet18_gated_004',
      'resnet18_gated_003',
      'resnet18_gated_002',
    ])
    const second = (
      await service.app.inject({ url: `/api/models?page_size=5&page_token=${first.next_page_token}` })
    ).json()
    expect(second).toMatchObject({
      models: [
        {
          model_id: 'resnet18_gated_001',
          architecture: 'resnet18',
          fusion_type: 'gated',
          metrics: { val_accuracy: 0.5, val_auc: null },
        },
      ],
      next_page_token: null,
    })
  })

  test('a model lists its checkpoints at the current location of the data folder', async () => {
    const model = (await service.app.inject({ url: '/api/models/resnet18_gated_001' })).json()
    expect(model.checkpoint_path).toBe(run(jobs[0], 'checkpoints', 'best'))
    expect(model.checkpoints.map((checkpoint: { name: string }) => checkpoint.name)).toEqual([
      'best',
      'last',
      'epoch-0001',
    ])
    const { models } = (await service.app.inject({ url: '/api/models' })).json()
    const listed = models.find(({ model_id }: { model_id: string }) => model_id === 'resnet18_gated_001')
    expect(listed).toEqual(model)
    expect(model.checkpoints[0]).toMatchObject({ epoch: 2, size_bytes: 15, digest: 'c'.repeat(64) })
  })

  test('without a body: the best checkpoint on the test table of the training, and a report', async () => {
    const response = await evaluate(undefined, 'resnet18_gated_003')
    expect(response.statusCode).toBe(200)
    const evaluation = Evaluation.parse(response.json())
    expect(Object.keys(response.json().metrics).slice(0, 3)).toEqual(['accuracy', 'auc', 'f1_score'])
    expect(evaluation).toMatchObject({ model_id: 'resnet18_gated_003', split: 'test', test_evaluations: 1 })
    expect(JSON.parse(readFileSync(requestFile, 'utf8'))).toEqual({
      checkpoint: run(jobs[3], 'checkpoints', 'best'),
      csv: join(service.root, 'test-3.csv'),
      image_root: null,
      split: 'test',
      out_dir: run(jobs[3], 'evaluations', evaluation.evaluation_id),
      calibrated: false,
      failure_images: false,
      saliency: false,
      importance: null,
      data_dir: service.settings.dataDir,
      cache_dir: join(service.settings.dataDir, 'cache'),
      roots: [service.root, join(service.settings.dataDir, 'uploads')],
      device: 'cpu',
    })
    expect(readFileSync(evaluation.report_path, 'utf8')).toContain('<html')
  })

  test('the model card is Markdown in the requested form, by id or alias', async () => {
    const card = (model: string, query = '') =>
      service.app.inject({ url: `/api/models/${model}/card${query}` })
    await evaluate(undefined, 'resnet18_gated_latest')
    const response = await card('resnet18_gated_latest')
    expect(response.statusCode).toBe(200)
    expect(response.headers['content-type']).toBe('text/markdown; charset=utf-8')
    expect(response.headers['content-disposition']).toBe('attachment; filename="README.md"')
    expect(response.body).toMatch(/^---\ntags:/)
    expect(response.body).toContain('which the training did not use')
    const { body } = await card('resnet18_gated_001', '?format=chai')
    expect(body).toMatch(/^# Applied Model Card: /)
    expect((await card('unknown')).json().code).toBe('MODEL_NOT_FOUND')
    expect((await card('latest', '?format=pdf')).json().code).toBe('INVALID_REQUEST')
  })

  test('a package gets the model card; the other formats have none', async () => {
    const written = async (payload: object) => {
      const url = '/api/models/resnet18_bilinear_001/export'
      const { statusCode, body } = await service.app.inject({ method: 'POST', url, payload })
      expect(statusCode, body).toBe(200)
      return { answer: JSON.parse(body), params: JSON.parse(readFileSync(exportFile, 'utf8')) }
    }
    const { answer, params } = await written({ format: 'Package' })
    expect(answer).toMatchObject({ format: 'Package', file: 'exports/best.zip' })
    expect(params).toMatchObject({ format: 'Package', card: expect.stringMatching(/^---\ntags:/) })
    expect(params.card).not.toContain(service.root)
    expect((await written({})).params).toMatchObject({ format: 'ONNX', card: null })
  })

  test('each evaluation on the same data is counted; other data is counted separately', async () => {
    const model = 'resnet18_gated_004'
    const countOf = async (payload: object) => (await evaluate(payload, model)).json().test_evaluations
    expect([await countOf({}), await countOf({})]).toEqual([1, 2])
    expect(await countOf({ test_csv: 'other.csv' })).toBe(1)
    expect(await countOf({ test_csv: 'other.csv', split: 'val' })).toBe(1)
    // The model's own count is of test splits only.
    expect((await service.app.inject({ url: '/api/models/latest' })).json().evaluations).toBe(0)
    expect((await service.app.inject({ url: `/api/models/${model}` })).json().evaluations).toBe(3)
  })

  test('the report contains images of failure cases on request', async () => {
    const page = async (payload: object) =>
      readFileSync((await evaluate(payload)).json().report_path as string, 'utf8')
    expect(await page({})).not.toContain('<img')
    expect(await page({ with_images: true })).toContain('<img src="data:image/png;base64,')
    expect(JSON.parse(readFileSync(requestFile, 'utf8'))).toMatchObject({ failure_images: true })
    expect((await evaluate({ with_images: 'yes' })).json().code).toBe('INVALID_REQUEST')
    const alone = (await evaluate({ with_saliency: true })).json()
    expect([alone.code, alone.issues[0].path]).toEqual(['INVALID_REQUEST', 'with_saliency'])
    await evaluate({ with_images: true, with_saliency: true, importance: {} })
    expect(JSON.parse(readFileSync(requestFile, 'utf8'))).toMatchObject({
      saliency: true,
      importance: { repeats: 10 },
    })
  })

  test('calibrated probabilities are returned on request', async () => {
    await evaluate({ calibrated: true })
    expect(JSON.parse(readFileSync(requestFile, 'utf8'))).toMatchObject({ calibrated: true })
    expect((await evaluate({ calibrated: 'yes' })).json().code).toBe('INVALID_REQUEST')
  })

  test('a request can name a checkpoint, and the folder of the images', async () => {
    await evaluate({ checkpoint_path: run(jobs[0], 'checkpoints', 'last'), image_root: '.' })
    expect(JSON.parse(readFileSync(requestFile, 'utf8'))).toMatchObject({
      checkpoint: run(jobs[0], 'checkpoints', 'last'),
      image_root: service.root,
    })
  })

  test('a checkpoint that an earlier version took over from the resumed job belongs to the model', async () => {
    const folder = run(jobs[2], 'checkpoints', 'taken-over')
    cpSync(run(jobs[2], 'checkpoints', 'last'), folder, { recursive: true })
    const manifest = join(folder, 'checkpoint.json')
    const before = { ...JSON.parse(readFileSync(manifest, 'utf8')), job_id: jobs[1] }
    writeFileSync(manifest, JSON.stringify(before))
    await evaluate({ checkpoint_path: folder }, 'resnet18_gated_002')
    expect(JSON.parse(readFileSync(requestFile, 'utf8')).checkpoint).toBe(folder)
  })

  test.each<[string, () => object, string]>([
    [
      'a checkpoint of another model',
      () => ({ checkpoint_path: run(jobs[1], 'checkpoints', 'best') }),
      'CHECKPOINT_MISMATCH',
    ],
    [
      'a folder that is not a checkpoint',
      () => ({ checkpoint_path: run(jobs[0], 'checkpoints') }),
      'CHECKPOINT_NOT_FOUND',
    ],
    [
      'a missing checkpoint',
      () => ({ checkpoint_path: run(jobs[0], 'checkpoints', 'none') }),
      'CHECKPOINT_NOT_FOUND',
    ],
    ['a checkpoint outside', () => ({ checkpoint_path: '/etc' }), 'PATH_NOT_ALLOWED'],
    [
      'a checkpoint whose weights are a link to outside',
      () => {
        const folder = run(jobs[0], 'checkpoints', 'linked')
        cpSync(run(jobs[0], 'checkpoints', 'last'), folder, { recursive: true })
        rmSync(join(folder, 'model.safetensors'))
        const outside = join(service.root, '..', 'outside.safetensors')
        writeFileSync(outside, 'x'.repeat(10))
        symlinkSync(outside, join(folder, 'model.safetensors'))
        onTestFinished(() => rmSync(folder, { recursive: true }))
        return { checkpoint_path: folder }
      },
      'PATH_NOT_ALLOWED',
    ],
    ['a table outside', () => ({ test_csv: '/etc/passwd' }), 'PATH_NOT_ALLOWED'],
    ['a table that is not there', () => ({ test_csv: 'none.csv' }), 'FILE_NOT_FOUND'],
    ['a folder as table', () => ({ test_csv: '.' }), 'FILE_NOT_FOUND'],
    ['a table that the trainer refuses', () => ({ test_csv: 'malformed.csv' }), 'CSV_MALFORMED'],
    ['an unknown key', () => ({ test_cvs: 'test.csv' }), 'UNKNOWN_FIELD'],
    ['a split that the training does not know', () => ({ split: 'val' }), 'INVALID_REQUEST'],
  ])('%s is a 400 that leaves everything as it was', async (_case, body, code) => {
    const evaluations = () => {
      const folder = run(jobs[0], 'evaluations')
      return existsSync(folder) ? readdirSync(folder) : []
    }
    const before = evaluations()
    const response = await evaluate(body())
    expect([response.statusCode, response.json().code]).toEqual([400, code])
    expect(evaluations()).toEqual(before)
  })

  test('a model with many checkpoints shows the first ten, and lists all of them page by page', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `epoch-${String(index + 1).padStart(4, '0')}`)
    for (const name of names) writeCheckpoint(run(jobs[1], 'checkpoints', name), jobs[1] ?? '', 1)
    const url = '/api/models/resnet18_bilinear_001'
    const { models } = (await service.app.inject({ url: '/api/models' })).json()
    const listed = models.find(({ model_id }: Model) => model_id === 'resnet18_bilinear_001')
    expect([listed.checkpoints.length, listed.num_checkpoints]).toEqual([10, 14])
    expect((await service.app.inject({ url })).json()).toEqual(listed)
    for (const path of [`${url}/checkpoints`, `/api/training/${jobs[1]}/checkpoints`]) {
      const first = (await service.app.inject({ url: `${path}?page_size=10` })).json()
      expect(first.checkpoints).toEqual(listed.checkpoints)
      const token = first.next_page_token
      const rest = (await service.app.inject({ url: `${path}?page_size=10&page_token=${token}` })).json()
      expect(rest.checkpoints.map(({ name }: { name: string }) => name)).toEqual(names.slice(8))
      expect(rest.next_page_token).toBeNull()
    }
  })

  test('a damaged manifest is CHECKPOINT_CORRUPT, and the list skips it', async () => {
    const folder = run(jobs[2], 'checkpoints', 'epoch-0001')
    writeFileSync(join(folder, 'checkpoint.json'), '{"schema_version": 1')
    const response = await evaluate({ checkpoint_path: folder }, 'resnet18_gated_002')
    expect(response.json().code).toBe('CHECKPOINT_CORRUPT')
    const { checkpoints } = (await service.app.inject({ url: '/api/models/resnet18_gated_002' })).json()
    expect(checkpoints.map(({ name }: { name: string }) => name)).not.toContain('epoch-0001')
    expect(existsSync(folder)).toBe(true)
  })

  test('all 29 backbones are listed with their aliases', async () => {
    const { backbones } = (await service.app.inject({ url: '/api/backbones' })).json()
    expect(backbones).toEqual(BACKBONES)
    expect(backbones).toHaveLength(29)
  })
})
