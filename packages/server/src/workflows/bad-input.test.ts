/** @module-tag service */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Place } from '../../testing/training/training-service.js'
import { type Drawn, draw, startWorkflowService, statusesOf } from '../../testing/workflows.js'

let place: Place
let service: Awaited<ReturnType<typeof startWorkflowService>>
beforeAll(async () => {
  place = new Place()
  writeFileSync(join(place.root, 'train.csv'), '"case_id","age","label"\n"1","40","yes"\n')
  writeFileSync(join(place.path, 'outside.csv'), 'secret\n')
  mkdirSync(join(place.root, 'folder'))
  service = await startWorkflowService(place)
})
afterAll(async () => {
  await service.close()
  place.remove()
})

const load: Drawn[string] = ['LoadTabular', { path: 'train.csv' }]
const keep: Drawn[string] = ['FilterData', { filter_condition: 'keep=4' }]
const refused = async (workflow: object, request: object = {}) => {
  const id = await service.create(workflow)
  const { status, body } = await service.send<{
    error: string
    code: string
    details: string
    issues: Record<string, unknown>[]
  }>('POST', `/api/workflow/${id}/execute`, request)
  expect(status).toBe(400)
  expect(body.details.length).toBeGreaterThan(5)
  expect((await service.status(id)).run_id).toBeNull()
  return body
}

it('an output node that names the source table does not change it', async () => {
  const source = join(place.root, 'train.csv')
  const before = readFileSync(source)
  for (const type of ['ExportPredictions', 'SaveModel', 'SaveWorkflow', 'VisualizeResults']) {
    const field = type === 'VisualizeResults' ? 'save_path' : 'path'
    const { issues } = await refused(draw({ a: [type, { [field]: source }] }))
    expect(issues).toContainEqual(
      expect.objectContaining({ path: `nodes.a.config.${field}`, code: 'PATH_NOT_ALLOWED' }),
    )
  }
  expect(readFileSync(source)).toEqual(before)
})

describe('a workflow that cannot run is refused with every fault and its path, and nothing is started', () => {
  it.each<[string, object, object[]]>([
    [
      'an unknown type',
      draw({ a: ['LoadTabulr', { path: 'train.csv' }] }),
      [{ node: 'a', code: 'UNKNOWN_NODE_TYPE', hint: 'Did you mean "LoadTabular"?' }],
    ],
    [
      'an unknown field',
      draw({ a: ['LoadTabular', { path: 'train.csv', enkoding: 'utf-8' }] }),
      [
        {
          node: 'a',
          code: 'UNKNOWN_FIELD',
          path: 'nodes.a.config.enkoding',
          hint: 'Did you mean "encoding"?',
        },
      ],
    ],
    [
      'an unknown port',
      draw({ load, keep }, ['load.datafram > keep.dataset']),
      [{ code: 'UNKNOWN_PORT', hint: expect.stringContaining('dataframe') }],
    ],
    [
      'a connection of types that do not fit',
      draw({ a: ['ConfigureTraining'], keep }, ['a.training_config > keep.dataset']),
      [{ code: 'TYPE_MISMATCH', message: expect.stringMatching(/config.*dataset/) }],
    ],
    [
      'two connections into one port',
      draw({ load, other: load, keep }, ['load.dataframe > keep.dataset', 'other.dataframe > keep.dataset']),
      [{ node: 'keep', port: 'dataset' }],
    ],
    [
      'a required input that nothing gives',
      draw({ keep }),
      [{ code: 'MISSING_INPUT', node: 'keep', port: 'dataset' }],
    ],
    [
      'two nodes of one id',
      { ...draw({ load }), nodes: [...draw({ load }).nodes, ...draw({ load }).nodes] },
      [{ code: 'DUPLICATE_ID', node: 'load' }],
    ],
    [
      'a path outside the roots',
      draw({ a: ['LoadTabular', { path: '../outside.csv' }] }),
      [{ code: 'PATH_NOT_ALLOWED', node: 'a', field: 'path' }],
    ],
    [
      'a missing file',
      draw({ a: ['LoadTabular', { path: 'gone.csv' }] }),
      [{ code: 'FILE_NOT_FOUND', node: 'a', field: 'path' }],
    ],
    [
      'an unregistered dataset',
      draw({ a: ['LoadDataset', { dataset_id: 'nobody' }] }),
      [{ code: 'DATASET_NOT_FOUND', node: 'a', field: 'dataset_id' }],
    ],
    [
      'an output path that leaves the output folder',
      draw({ a: ['SaveWorkflow', { path: '../../../x.json' }] }),
      [{ code: 'PATH_NOT_ALLOWED', node: 'a', field: 'path' }],
    ],
    [
      'an absolute output path outside the output folder',
      draw({ a: ['SaveWorkflow', { path: '/etc/x.json' }] }),
      [{ code: 'PATH_NOT_ALLOWED', node: 'a', field: 'path', hint: expect.stringContaining('output-root') }],
    ],
    [
      'a hidden output file',
      draw({ a: ['SaveWorkflow', { path: 'folder/.bashrc' }] }),
      [{ code: 'PATH_NOT_ALLOWED', node: 'a', field: 'path' }],
    ],
    [
      'two nodes that write to one path',
      draw({ a: ['SaveWorkflow', { path: 'x/flow.json' }], b: ['SaveWorkflow', { path: './x//flow.json' }] }),
      [{ code: 'OUTPUT_PATH_TAKEN', node: 'b', field: 'path', message: expect.stringContaining('"a"') }],
    ],
    [
      'two nodes that save the workflow and name no path',
      draw({ a: ['SaveWorkflow', {}], b: ['SaveWorkflow', { name: 'b' }] }),
      [{ code: 'OUTPUT_PATH_TAKEN', node: 'b', field: 'path' }],
    ],
  ])('%s', async (_, workflow, issues) => {
    const body = await refused(workflow)
    expect(body.code).toBe('WORKFLOW_INVALID')
    expect(body.issues).toMatchObject(issues)
  })

  it.each([
    [
      'a cycle',
      ['keep.filtered_dataset > again.dataset', 'again.filtered_dataset > keep.dataset'],
      ['again', 'keep'],
    ],
    [
      'a node that feeds itself',
      ['keep.filtered_dataset > keep.dataset', 'keep.filtered_dataset > again.dataset'],
      ['keep'],
    ],
  ])('%s names its path', async (_, wires, cycle) => {
    const body = await refused(draw({ keep, again: keep }, wires))
    expect(body.code).toMatch(/WORKFLOW_(CYCLE|INVALID)/)
    for (const node of cycle) expect(JSON.stringify(body.issues)).toContain(`"${node}"`)
  })

  it('targets that name no node', async () => {
    const body = await refused(draw({ load }), { targets: [] })
    expect(body.issues).toMatchObject([
      {
        path: 'targets',
        message: 'the list is empty, so no node would run; remove "targets" to run all nodes',
      },
    ])
  })

  it('clearing the cache of a node that does not exist', async () => {
    const id = await service.create(draw({ load }))
    const clear = (node: string) => service.send<object>('DELETE', `/api/workflow/${id}/cache?node=${node}`)
    expect(await clear('laod')).toMatchObject({
      status: 400,
      body: {
        code: 'INVALID_REQUEST',
        issues: [{ path: 'node', code: 'UNKNOWN_NODE', hint: 'Did you mean "load"?' }],
      },
    })
    expect(await clear('load')).toMatchObject({ status: 200, body: { cleared: 0 } })
  })

  it('targets and forced nodes that do not exist, with the nearest name', async () => {
    const body = await refused(draw({ load, keep }, ['load.dataframe > keep.dataset']), { targets: ['kep'] })
    expect(body).toMatchObject({
      code: 'WORKFLOW_INVALID',
      issues: [{ code: 'UNKNOWN_NODE', hint: 'Did you mean "keep"?' }],
    })
  })

  it('a fault elsewhere does not block a target', async () => {
    const id = await service.create(draw({ load, other: keep }))
    expect(statusesOf(await service.run(id, { targets: ['load'] }))).toEqual({ load: 'success' })
  })
})

describe('an invalid workflow is refused and not stored', () => {
  const create = async (body: unknown) =>
    service.send<Record<string, unknown>>('POST', '/api/workflow/create', body)

  it.each<[string, unknown, string, object]>([
    [
      '50,000 nodes',
      many(50_000),
      'WORKFLOW_INVALID',
      { issues: [{ path: 'nodes', code: 'WORKFLOW_TOO_LARGE' }] },
    ],
    [
      'a version of the future',
      { ...draw({}), version: '9.0' },
      'WORKFLOW_INVALID',
      { issues: [{ code: 'UNKNOWN_VERSION' }] },
    ],
    ['no version', { nodes: [], connections: [] }, 'WORKFLOW_INVALID', { issues: [{ path: 'version' }] }],
    ['no nodes', { version: '1.1', connections: [] }, 'WORKFLOW_INVALID', { issues: [{ path: 'nodes' }] }],
    ['no JSON', '{"version":', 'INVALID_JSON', {}],
    [
      'a prototype',
      '{"version":"1.1","nodes":[],"connections":[],"__proto__":{"a":1}}',
      'INVALID_REQUEST',
      {},
    ],
    ['a config that is nested too deeply', nested(40), 'PAYLOAD_TOO_DEEP', {}],
  ])('%s', async (_, body, code, more) => {
    const before = await service.send<{ workflows: object[] }>('GET', '/api/workflow')
    expect(await create(body)).toMatchObject({ status: 400, body: { code, ...more } })
    expect((await service.send<{ workflows: object[] }>('GET', '/api/workflow')).body).toEqual(before.body)
  })

  it('a config of 5 MB is stored; it is large, but valid', async () => {
    const id = await service.create(
      draw({ keep: ['FilterData', { filter_condition: 'x', notes: 'y'.repeat(5_000_000) }] }),
    )
    const { body } = await service.send('GET', `/api/workflow/${id}`)
    expect(body).toMatchObject({ issues: [{ code: 'UNKNOWN_FIELD' }, { code: 'MISSING_INPUT' }] })
  })
})

it('errors for an unknown run, node and workflow differ', async () => {
  const id = await service.create(draw({ load }))
  const nobody = '00000000-0000-4000-8000-000000000000'
  expect(await service.execute(id, { from_run: nobody })).toMatchObject({
    status: 404,
    body: { code: 'WORKFLOW_RUN_NOT_FOUND' },
  })
  expect(await service.send('GET', `/api/workflow/${id}/status?run_id=${nobody}`)).toMatchObject({
    body: { code: 'WORKFLOW_RUN_NOT_FOUND' },
  })
  expect(await service.execute(nobody)).toMatchObject({ status: 404, body: { code: 'WORKFLOW_NOT_FOUND' } })
  expect(await service.cancel(id)).toMatchObject({ status: 400, body: { code: 'WORKFLOW_NOT_RUNNING' } })
})

function many(count: number) {
  return {
    ...draw({}),
    nodes: Array.from({ length: count }, (_, i) => ({ id: `n${i}`, type: 'DataSplit', config: {} })),
  }
}

function nested(depth: number): string {
  return `{"version":"1.1","connections":[],"nodes":[{"id":"a","type":"x","config":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}]}`
}
