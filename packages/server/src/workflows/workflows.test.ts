/** @module-tag service */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  LIMITS,
  type Workflow,
  type WorkflowResponse,
  type WorkflowStatus,
  writeWorkflow,
} from '@medloom/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestService } from '../../testing/service.js'

let service: Awaited<ReturnType<typeof startTestService>>
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
const call = async <Body = Record<string, unknown>>(
  method: Method,
  url: string,
  payload?: object | string,
) => {
  const answer = await service.app.inject({
    method,
    url,
    ...(payload === undefined ? {} : { payload, headers: { 'content-type': 'application/json' } }),
  })
  return { status: answer.statusCode, text: answer.body, body: answer.json() as Body }
}
const create = async (document: object) =>
  (await call<WorkflowResponse>('POST', '/api/workflow/create', document)).body
const settled = async (workflowId: string) => {
  for (;;) {
    const { body } = await call<WorkflowStatus>('GET', `/api/workflow/${workflowId}/status`)
    if (!['pending', 'running'].includes(body.status)) return body
    await new Promise((resume) => setTimeout(resume, 10))
  }
}
const statuses = ({ nodes }: WorkflowStatus) =>
  Object.fromEntries(Object.entries(nodes).map(([id, { status }]) => [id, status]))
const run = async (workflowId: string, request: object = {}) => {
  const { status, body } = await call('POST', `/api/workflow/${workflowId}/execute`, request)
  expect(body).toMatchObject({ workflow_id: workflowId, status: 'pending' })
  expect(status).toBe(200)
  return settled(workflowId)
}

/** backbone, fusion, training: three nodes of the service, none connected; saved, which stands alone too. */
const SETTINGS = {
  version: '1.0',
  metadata: { name: 'Settings', description: 'no data', author: '', tags: ['small'], colour: 'blue' },
  nodes: [
    { id: 'backbone', type: 'SelectBackbone', position: { x: 0, y: 0 }, config: { model_name: 'ResNet18' } },
    { id: 'fusion', type: 'SelectFusion', position: { x: 0, y: 80 }, config: {} },
    { id: 'saved', type: 'SaveWorkflow', position: { x: 0, y: 160 }, config: {}, note: 'kept' },
  ],
  connections: [],
  execution_history: [],
}

/** Returns as soon as the database has the revision, when its folder may still be written. */
const reached = async (workflowId: string, revision: number) => {
  for (;;) {
    const { body } = await call<{ workflows: WorkflowResponse[] }>('GET', '/api/workflow?page_size=5')
    if (body.workflows.find(({ workflow_id }) => workflow_id === workflowId)?.revision === revision) return
    await new Promise((resume) => setImmediate(resume))
  }
}

/** So many that the folder takes its time. */
const MANY = Array.from({ length: 4000 }, (_, number) => ({ ...SETTINGS.nodes[0], id: `backbone-${number}` }))

describe('a workflow', () => {
  it('is created from a name, got, replaced, listed and deleted', async () => {
    const made = await create({ name: 'First' })
    expect(made).toMatchObject({
      revision: 1,
      workflow: { metadata: { name: 'First' }, nodes: [] },
      issues: [],
    })
    const path = `/api/workflow/${made.workflow_id}`
    const changed = { ...SETTINGS, revision: 1 }
    expect((await call('PUT', path, changed)).body).toMatchObject({ revision: 2, workflow: SETTINGS })
    expect((await call('GET', path)).body).toMatchObject({ revision: 2, workflow: SETTINGS, issues: [] })
    const { body } = await call<{ workflows: object[] }>('GET', '/api/workflow?page_size=1')
    expect(body.workflows[0]).toMatchObject({
      name: 'Settings',
      num_nodes: 3,
      tags: ['small'],
      last_run: null,
    })
    expect((await call('DELETE', path)).body).toEqual({ workflow_id: made.workflow_id })
    expect(await call('GET', path)).toMatchObject({ status: 404, body: { code: 'WORKFLOW_NOT_FOUND' } })
    expect(existsSync(join(service.settings.dataDir, 'workflows', made.workflow_id))).toBe(false)
  })

  it('changed by somebody else meanwhile is not overwritten', async () => {
    const { workflow_id } = await create({ name: 'x' })
    const path = `/api/workflow/${workflow_id}`
    expect((await call('PUT', path, { ...SETTINGS, revision: 1 })).status).toBe(200)
    expect(await call('PUT', path, { ...SETTINGS, nodes: [], revision: 1 })).toMatchObject({
      status: 400,
      body: { code: 'REVISION_CONFLICT' },
    })
    expect((await call('GET', path)).body).toMatchObject({ revision: 2, workflow: { nodes: SETTINGS.nodes } })
  })

  it('saved again while its folder is written has in its folder what was saved last', async () => {
    const { workflow_id } = await create({ name: 'x' })
    const path = `/api/workflow/${workflow_id}`
    const saving = call('PUT', path, { ...SETTINGS, nodes: MANY })
    await reached(workflow_id, 2)
    expect((await call('PUT', path, SETTINGS)).body).toMatchObject({ revision: 3 })
    await saving
    const folder = join(service.settings.dataDir, 'workflows', workflow_id)
    expect(readFileSync(join(folder, 'workflow.json'), 'utf8')).toBe(writeWorkflow(SETTINGS as Workflow))
    expect(readFileSync(join(folder, 'config.yaml'), 'utf8')).toContain('revision: 3')
  })

  it('is exported byte for byte as it is saved, unknown fields included, and imported again', async () => {
    const made = await create(SETTINGS)
    const exported = await call<Workflow>('GET', `/api/workflow/${made.workflow_id}/export`)
    expect(exported.text).toBe(writeWorkflow(exported.body))
    expect(exported.body).toEqual(SETTINGS)
    const folder = join(service.settings.dataDir, 'workflows', made.workflow_id)
    expect(readFileSync(join(folder, 'workflow.json'), 'utf8')).toBe(exported.text)
    const again = await call<WorkflowResponse>('POST', '/api/workflow/import', exported.text)
    expect((await call('GET', `/api/workflow/${again.body.workflow_id}/export`)).text).toBe(exported.text)
  })

  it('with faults is saved, and every fault is told with its place', async () => {
    const { issues } = await create({
      ...SETTINGS,
      nodes: [
        { id: 'a', type: 'SelectBackbone', config: { model_name: 'resnet19' } },
        { id: 'b', type: 'Teleport', config: {} },
        { id: 'c', type: 'LoadTabular', config: { path: '/etc/passwd' } },
      ],
    })
    expect(issues.map(({ code, node }) => [node, code])).toEqual([
      ['a', 'UNKNOWN_BACKBONE'],
      ['b', 'UNKNOWN_NODE_TYPE'],
      ['c', 'PATH_NOT_ALLOWED'],
    ])
  })
})

describe('a run', () => {
  it('computes every node, appends to the history, and is cached the next time', async () => {
    const { workflow_id } = await create(SETTINGS)
    const first = await run(workflow_id)
    expect(first).toMatchObject({ status: 'success', progress: 1 })
    expect(statuses(first)).toEqual({ backbone: 'success', fusion: 'success', saved: 'success' })
    expect(first.nodes.backbone?.outputs.backbone_config).toMatchObject({
      type: 'config',
      summary: 'resnet18',
    })
    expect(statuses(await run(workflow_id))).toEqual({
      backbone: 'cached',
      fusion: 'cached',
      saved: 'cached',
    })
    const { body } = await call<Workflow>('GET', `/api/workflow/${workflow_id}/export`)
    expect(body.execution_history).toMatchObject([{ status: 'success' }, { status: 'success' }])
    const { body: list } = await call('GET', `/api/workflow/${workflow_id}/runs`)
    expect(list).toMatchObject({ runs: [{ counts: { cached: 3 } }, { counts: { success: 3 } }] })
    const folder = join(service.settings.dataDir, 'workflows', workflow_id)
    for (const file of [
      'config.yaml',
      'logs/training.log',
      'reports/summary.json',
      'reports/report.md',
      'artifacts/workflow.json',
    ])
      expect(existsSync(join(folder, file)), file).toBe(true)
  })
})

it('takes bodies of 16 MiB here and refuses more', async () => {
  const large = (bytes: number) => ({ ...SETTINGS, nodes: [], notes: 'x'.repeat(bytes) })
  expect((await call('POST', '/api/workflow/create', large(5 * 1024 * 1024))).status).toBe(200)
  expect(await call('POST', '/api/workflow/create', large(LIMITS.workflow_bytes))).toMatchObject({
    body: { code: 'PAYLOAD_TOO_LARGE' },
  })
})
