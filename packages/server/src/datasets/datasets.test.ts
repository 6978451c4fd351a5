/** @module-tag service */
import { mkdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BackgroundTask, Dataset, DatasetSummary } from '@medloom/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testPython } from '../../testing/python.js'
import { startTestService, testSettings } from '../../testing/service.js'
import { until } from '../../testing/training/until.js'
import { workerProgram } from '../../testing/worker-program.js'

let service: Awaited<ReturnType<typeof startTestService>>
const post = (url: string, payload: object, headers = {}) =>
  service.app.inject({ method: 'POST', url, payload, headers })
const get = async (url: string) => (await service.app.inject({ url })).json()

beforeAll(async () => {
  const settings = testSettings()
  const root = settings.roots[0] ?? ''
  for (const name of ['a.csv', 'b.csv']) writeFileSync(join(root, name), 'label\n1\n')
  mkdirSync(join(root, 'images'))
  writeFileSync(join(root, 'images/a.png'), '')
  const python = workerProgram(
    root,
    `if (request.task !== 'inspect') return
     require('node:fs').appendFileSync(${JSON.stringify(join(root, 'inspections'))}, '.')
     reply({ type: 'result', id: request.id, result: {
       path: request.params.path, kind: 'tabular', columns: [], num_cases: 1, num_patients: null, task: 'classification',
       classes: [], positive_class: request.params.positive_class, missing: {}, splits: {}, digest: JSON.stringify(request.params), readiness: { status: 'ready', checks: [] } } })`,
  )
  service = await startTestService({ ...settings, python })
})
afterAll(() => service.close())

let tables = 0
/** Adds a table that no other test registers. */
function addTable(): string {
  const name = `table-${++tables}.csv`
  writeFileSync(join(service.root, name), 'label\n1\n')
  return name
}

test('a registered dataset is found by its id and in the list, newest first', async () => {
  const path = addTable()
  const recipe = { version: 1, label: { column: 'label' } }
  const first = Dataset.parse((await post('/api/datasets', { path, recipe })).json())
  expect(first).toMatchObject({ name: path, path: join(service.root, path), kind: 'tabular' })
  const second = (await post('/api/datasets', { path: addTable(), name: 'Second' })).json()
  expect(await get(`/api/datasets/${first.dataset_id}`)).toEqual(first)
  const { datasets, next_page_token } = await get('/api/datasets')
  const ids = [first.dataset_id, second.dataset_id]
  const listed = datasets.filter(({ dataset_id }: Dataset) => ids.includes(dataset_id))
  expect(listed.map(({ name }: Dataset) => name)).toEqual(['Second', path])
  // A list contains neither columns nor recipes.
  expect(listed[1]).toEqual(DatasetSummary.parse(first))
  expect(listed[1]).not.toHaveProperty('columns')
  expect(next_page_token).toBeNull()
  expect(second.dataset_id).not.toBe(first.dataset_id)
})

test('the same path again, however it is written, updates the record under its id and keeps its name', async () => {
  const path = addTable()
  const before = (await post('/api/datasets', { path, name: 'Named' })).json()
  const count = (await get('/api/datasets')).datasets.length
  const again = (
    await post('/api/datasets', { path: join(service.root, path), label_column: 'label' })
  ).json()
  expect(again).toMatchObject({ dataset_id: before.dataset_id, name: 'Named', created_at: before.created_at })
  expect(again.digest).toContain('"label_column":"label"')
  expect((await post('/api/datasets', { path: `./${path}`, name: 'Renamed' })).json().name).toBe('Renamed')
  expect((await get('/api/datasets')).datasets).toHaveLength(count)
})

describe('a registration that names an inspection', () => {
  const counted = () => readFileSync(join(service.root, 'inspections'), 'utf8').length

  async function inspected(request: object): Promise<string> {
    const { task_id } = (await post('/api/datasets/inspect?wait=false', request)).json()
    let task: BackgroundTask | undefined
    await until(async () => {
      task = await get(`/api/tasks/${task_id}`)
      return task?.state === 'completed'
    })
    return task_id
  }

  /** Names a table that was last changed long before its inspection. */
  function requestForTable() {
    const path = addTable()
    utimesSync(join(service.root, path), 1, 1)
    return { path, label_column: 'label' }
  }

  test('uses its result without reading the data again', async () => {
    const body = requestForTable()
    const inspection = await inspected(body)
    const before = counted()
    const registered = Dataset.parse((await post('/api/datasets', { ...body, inspection })).json())
    expect(counted()).toBe(before)
    expect(registered).toMatchObject({ name: body.path, num_cases: 1, roles: { label: 'label' } })
    expect(registered).not.toHaveProperty('inspection')
  })

  test('reads the data again if the table has changed', async () => {
    const body = requestForTable()
    const inspection = await inspected(body)
    const before = counted()
    const tomorrow = Date.now() / 1000 + 86_400
    utimesSync(join(service.root, body.path), tomorrow, tomorrow)
    expect((await post('/api/datasets', { ...body, inspection })).statusCode).toBe(200)
    expect(counted()).toBe(before + 1)
  })

  test('is refused for another request, or an unknown task', async () => {
    const body = requestForTable()
    const inspection = await inspected({ path: body.path })
    for (const id of [inspection, '00000000-0000-4000-8000-000000000000'])
      expect((await post('/api/datasets', { ...body, inspection: id })).json().code).toBe('TASK_NOT_FOUND')
  })
})

test('a change of roles can continue without its caller', async () => {
  const { dataset_id } = (await post('/api/datasets', { path: addTable() })).json()
  const started = await service.app.inject({
    ...{ method: 'PATCH', url: `/api/datasets/${dataset_id}?wait=false` },
    payload: { roles: { label: 'label' } },
  })
  expect(started.statusCode).toBe(202)
  await until(async () => (await get(`/api/tasks/${started.json().task_id}`)).state === 'completed')
  expect((await get(`/api/datasets/${dataset_id}`)).roles).toEqual({ label: 'label' })
})

test('ignored columns are stored in the record until it is registered without them', async () => {
  const path = addTable()
  const request = { path, ignore_columns: ['known', 'coded'] }
  const registered = (await post('/api/datasets', request)).json()
  expect(registered.ignore_columns).toEqual(request.ignore_columns)
  expect(registered.digest).toContain('"ignore_columns":["known","coded"]')
  expect(await get(`/api/datasets/${registered.dataset_id}`)).toEqual(registered)
  expect((await post('/api/datasets', { path })).json().ignore_columns).toEqual([])
  const named = (await post('/api/datasets', { path, positive_class: 'ACK' })).json()
  expect(named.digest).toContain('"positive_class":"ACK"')
  expect([registered.positive_class_named, named.positive_class_named]).toEqual([false, true])
  const refused = await post('/api/datasets', { path, ignore_columns: 'known' })
  expect([refused.statusCode, refused.json().code]).toEqual([400, 'INVALID_REQUEST'])
})

test('named columns and chosen roles are stored together, and are used again', async () => {
  const path = addTable()
  const named = { path, label_column: 'label', patient_column: 'id', ignore_columns: ['coded'] }
  const first = (await post('/api/datasets', { ...named, roles: { age: 'categorical' } })).json()
  const chosen = { label: 'label', id: 'patient', coded: 'ignored', age: 'categorical' }
  expect(first.roles).toEqual(chosen)
  expect(JSON.parse(first.digest).roles).toEqual({ age: 'categorical' })
  const refused = await post('/api/datasets', { path, roles: { age: 'constant' } })
  expect([refused.statusCode, refused.json().code]).toEqual([400, 'INVALID_REQUEST'])
})

test('a change of roles inspects the data again with the stored settings; a new name or note does not', async () => {
  const patch = async (id: string, payload: object) =>
    service.app.inject({ method: 'PATCH', url: `/api/datasets/${id}`, payload })
  const path = addTable()
  const request = { path, image_root: 'images', slices: { count: 3 }, positive_class: 'yes' }
  const first = (await post('/api/datasets', { ...request, ignore_columns: ['coded'] })).json()
  const noted = (await patch(first.dataset_id, { name: 'Renamed', note: 'Since May\nwith gaps' })).json()
  expect(noted).toEqual({ ...first, name: 'Renamed', note: 'Since May\nwith gaps' })
  const changed = (await patch(first.dataset_id, { roles: { code: 'ignored' } })).json()
  expect(changed).toMatchObject({ name: 'Renamed', ignore_columns: ['code'], roles: { code: 'ignored' } })
  expect(JSON.parse(changed.digest)).toMatchObject({
    roles: { code: 'ignored' },
    ignore_columns: [],
    positive_class: 'yes',
    image_root: join(service.root, 'images'),
    slices: { count: 3 },
  })
  const inferred = (await patch(first.dataset_id, { positive_class: null })).json()
  expect(JSON.parse(inferred.digest)).toMatchObject({ positive_class: null, roles: { code: 'ignored' } })
  expect(inferred.positive_class_named).toBe(false)
  expect((await post('/api/datasets', { path })).json().note).toBe('Since May\nwith gaps')
  expect((await patch('unknown', { name: 'x' })).json().code).toBe('DATASET_NOT_FOUND')
})

test('a changed table is not ready until it is inspected again, and a missing one is blocked', async () => {
  const file = join(service.root, 'g.csv')
  writeFileSync(file, 'label\n1\n')
  const { dataset_id } = (await post('/api/datasets', { path: 'g.csv', label_column: 'label' })).json()
  const state = async () => {
    const dataset = await get(`/api/datasets/${dataset_id}`)
    const listed = (await get('/api/datasets')).datasets.find((one: Dataset) => one.dataset_id === dataset_id)
    expect(listed.readiness).toEqual(dataset.readiness)
    return [dataset.readiness.status, dataset.readiness.checks.map(({ key }: { key: string }) => key)]
  }
  expect(await state()).toEqual(['ready', []])
  writeFileSync(file, 'label\n1\n0\n')
  expect(await state()).toEqual(['warning', ['files_changed']])
  const inspected = await service.app.inject({
    ...{ method: 'PATCH', url: `/api/datasets/${dataset_id}`, payload: { inspect: true } },
  })
  expect(inspected.json()).toMatchObject({ roles: { label: 'label' }, readiness: { status: 'ready' } })
  rmSync(file)
  expect(await state()).toEqual(['blocked', ['files_missing']])
})

describe('a dataset whose files were moved', () => {
  const edit = async (id: string, payload: object) => {
    const response = await service.app.inject({ method: 'PATCH', url: `/api/datasets/${id}`, payload })
    return response.json()
  }
  async function moved(from: string, to: string): Promise<string> {
    writeFileSync(join(service.root, from), 'label\n1\n')
    const request = { path: from, image_root: 'images', label_column: 'label', name: 'Moved' }
    const { dataset_id } = (await post('/api/datasets', request)).json()
    renameSync(join(service.root, from), join(service.root, to))
    return dataset_id
  }

  test('is inspected at its new path under its id, and no second record appears', async () => {
    const id = await moved('h.csv', 'images/h.csv')
    const path = join(service.root, 'images/h.csv')
    const edited = await edit(id, { path: 'images/h.csv', image_root: null })
    expect(edited).toMatchObject({
      dataset_id: id,
      name: 'Moved',
      path,
      image_root: null,
      roles: { label: 'label' },
    })
    expect(JSON.parse(edited.digest)).toMatchObject({ path, image_root: null, roles: { label: 'label' } })
    expect(edited.readiness.status).toBe('ready')
    expect((await post('/api/datasets', { path: 'images/h.csv' })).json().dataset_id).toBe(id)
  })

  test.each([
    [{ path: 'none.csv' }, 'FILE_NOT_FOUND'],
    [{ path: '../data' }, 'PATH_NOT_ALLOWED'],
    [{ path: 'a.csv' }, 'DATASET_EXISTS'],
    [{ image_root: 'a.csv' }, 'FILE_NOT_FOUND'],
  ])('stays where %j is refused', async (change, code) => {
    await post('/api/datasets', { path: 'a.csv' })
    const id = await moved('i.csv', 'j.csv')
    expect((await edit(id, change)).code).toBe(code)
    expect(await get(`/api/datasets/${id}`)).toMatchObject({ path: join(service.root, 'i.csv') })
  })
})

test('slices of volumes are completed, and stored in the record', async () => {
  const path = addTable()
  const slices = { count: 5, axis: 'axial', spread: 'content' }
  const named = (await post('/api/datasets', { path, slices: { count: 5 } })).json()
  expect(JSON.parse(named.digest).slices).toEqual(slices)
  expect(named.slices).toEqual(slices)
  expect((await post('/api/datasets', { path })).json().slices).toBeNull()
  const refused = await post('/api/datasets/inspect', { path, slices: { axis: 'oblique' } })
  expect([refused.statusCode, refused.json().code]).toEqual([400, 'INVALID_REQUEST'])
})

test('report texts are kept when the path is registered again without them', async () => {
  const path = addTable()
  const report = { ethics: 'No. 12/34', data_source: 'One center,\n2019' }
  const first = (await post('/api/datasets', { path, report })).json()
  expect(Dataset.parse(first).report).toEqual(report)
  expect((await post('/api/datasets', { path, label_column: 'label' })).json().report).toEqual(report)
  expect(await get(`/api/datasets/${first.dataset_id}`)).toMatchObject({ report })
  const { datasets } = await get('/api/datasets')
  expect(datasets[0]).toMatchObject({ dataset_id: first.dataset_id })
  expect(datasets[0]).not.toHaveProperty('report')
  expect((await post('/api/datasets', { path, report: { ethics: 'B' } })).json().report).toEqual({
    ethics: 'B',
  })
  const refused = await post('/api/datasets', { path, report: { ethic: 'No. 12/34' } })
  expect([refused.statusCode, refused.json().code]).toEqual([400, 'UNKNOWN_FIELD'])
})

test('parallel registrations create one record', async () => {
  const path = addTable()
  const answers = await Promise.all(Array.from({ length: 6 }, () => post('/api/datasets', { path })))
  expect(new Set(answers.map((answer) => answer.json().dataset_id)).size).toBe(1)
})

test('an Idempotency-Key returns the stored response, and refuses another body', async () => {
  const path = addTable()
  const headers = { 'idempotency-key': 'one' }
  const first = await post('/api/datasets', { path, name: 'First' }, headers)
  expect((await post('/api/datasets', { name: 'First', path }, headers)).json()).toEqual(first.json())
  const other = await post('/api/datasets', { path: addTable() }, headers)
  expect([other.statusCode, other.json().code]).toEqual([400, 'IDEMPOTENCY_CONFLICT'])
})

test('an inspection registers nothing; its worker receives resolved paths and the roots', async () => {
  const count = (await get('/api/datasets')).datasets.length
  const inspection = (
    await post('/api/datasets/inspect', { path: 'a.csv', image_root: 'images', patient_column: 'id' })
  ).json()
  expect(JSON.parse(inspection.digest)).toEqual({
    path: join(service.root, 'a.csv'),
    image_root: join(service.root, 'images'),
    label_column: null,
    label_columns: null,
    time_column: null,
    event_column: null,
    patient_column: 'id',
    positive_class: null,
    slices: null,
    roles: {},
    ignore_columns: [],
    recipe: null,
    roots: [service.root, join(service.settings.dataDir, 'uploads')],
  })
  expect(inspection).not.toHaveProperty('dataset_id')
  expect((await get('/api/datasets')).datasets).toHaveLength(count)
})

test.each([
  [{ path: '../data' }, 'PATH_NOT_ALLOWED'],
  [{ path: 'a.csv', image_root: '/etc' }, 'PATH_NOT_ALLOWED'],
  [{ path: 'a.csv', image_root: 'b.csv' }, 'FILE_NOT_FOUND'],
  [{ path: 'none.csv' }, 'FILE_NOT_FOUND'],
  [{ path: '' }, 'INVALID_REQUEST'],
  [{ path: 'a.csv', labelcolumn: 'x' }, 'UNKNOWN_FIELD'],
])('%j is refused: %s', async (body, code) => {
  const count = (await get('/api/datasets')).datasets.length
  const response = await post('/api/datasets', body)
  expect([response.statusCode, response.json().code]).toEqual([400, code])
  expect((await get('/api/datasets')).datasets).toHaveLength(count)
})

const python = testPython()
describe.skipIf(!python)('with the real trainer', () => {
  test('columns get roles, and a ragged row is refused with its number', async () => {
    const real = await startTestService({ python: python ?? '' })
    const rows = Array.from({ length: 40 }, (_, i) => `p${i},${20 + i},${i % 2 ? 'yes' : 'no'}`)
    writeFileSync(join(real.root, 'good.csv'), ['patient_id,age,label', ...rows].join('\n'))
    writeFileSync(join(real.root, 'ragged.csv'), 'a,label\n1,2\n1,2,3\n')
    try {
      const register = (path: string) =>
        real.app.inject({ method: 'POST', url: '/api/datasets', payload: { path } })
      const good = Dataset.parse((await register('good.csv')).json())
      expect(good).toMatchObject({ kind: 'tabular', num_cases: 40, num_patients: 40, task: 'classification' })
      expect(Object.fromEntries(good.columns.map(({ name, role }) => [name, role]))).toMatchObject({
        patient_id: 'patient',
        age: 'numeric',
        label: 'label',
      })
      const ragged = await register('ragged.csv')
      expect([ragged.statusCode, ragged.json().code]).toEqual([400, 'CSV_MALFORMED'])
      expect(ragged.json().error).toMatch(/3/)
    } finally {
      await real.close()
    }
  }, 90_000)
})

test('the example is refused with the remedy if Python cannot create it', async () => {
  const { app, close } = await startTestService({ ...testSettings(), python: '/nonexistent/python' })
  const response = await app.inject({ method: 'POST', url: '/api/datasets/example' })
  expect([response.statusCode, response.json().code]).toEqual([500, 'PYTHON_UNAVAILABLE'])
  await close()
})
