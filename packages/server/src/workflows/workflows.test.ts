/** @module-tag service */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  LIMITS,
  type Workflow,
  type WorkflowResponse,
  type WorkflowRun,
  type WorkflowRunLog,
  type WorkflowStatus,
  writeWorkflow,
} from '@medloom/contracts'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startTestService } from '../../testing/service.js'
import { DatabaseError } from '../database/database-error.js'
import { ConnectionThread } from '../database/sqlite/connection-thread.js'

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

/** Three nodes that the service computes itself, none of them connected. */
const SETTINGS = {
  version: '1.1',
  metadata: { name: 'Settings', description: 'no data', author: '', tags: ['small'], color: 'blue' },
  nodes: [
    { id: 'backbone', type: 'SelectBackbone', position: { x: 0, y: 0 }, config: { model_name: 'ResNet18' } },
    { id: 'fusion', type: 'SelectFusion', position: { x: 0, y: 80 }, config: {} },
    { id: 'saved', type: 'SaveWorkflow', position: { x: 0, y: 160 }, config: {}, note: 'kept' },
  ],
  connections: [],
  execution_history: [],
}

/** Returns as soon as the database has the revision; its folder may still be written then. */
const reached = async (workflowId: string, revision: number) => {
  for (;;) {
    const { body } = await call<{ workflows: WorkflowResponse[] }>('GET', '/api/workflow?page_size=5')
    if (body.workflows.find(({ workflow_id }) => workflow_id === workflowId)?.revision === revision) return
    await new Promise((resume) => setImmediate(resume))
  }
}

/** A number large enough that writing the folder takes time. */
const MANY = Array.from({ length: 4000 }, (_, number) => ({ ...SETTINGS.nodes[0], id: `backbone-${number}` }))

describe('a workflow', () => {
  it('is created from a name, read, replaced, listed and deleted', async () => {
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

  it('changed by another user meanwhile is not overwritten', async () => {
    const { workflow_id } = await create({ name: 'x' })
    const path = `/api/workflow/${workflow_id}`
    expect((await call('PUT', path, { ...SETTINGS, revision: 1 })).status).toBe(200)
    expect(await call('PUT', path, { ...SETTINGS, nodes: [], revision: 1 })).toMatchObject({
      status: 400,
      body: { code: 'REVISION_CONFLICT' },
    })
    expect((await call('GET', path)).body).toMatchObject({ revision: 2, workflow: { nodes: SETTINGS.nodes } })
  })

  it('saved again while its folder is written has the last saved version in its folder', async () => {
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

  it('of an earlier version keeps its defaults, and shows the current ones with their changes', async () => {
    const nodes = [
      { ...SETTINGS.nodes[0], config: { model_name: 'none' } },
      { ...SETTINGS.nodes[1], config: { dropout: 0.2 } },
    ]
    const older = { ...SETTINGS, version: '1.0', nodes }
    const { workflow, issues } = await create(older)
    expect(workflow.nodes[1]?.config).toEqual({
      dropout: 0.2,
      members: 1,
      linear_share: 0,
      missing_token: 'random',
    })
    expect(issues).toMatchObject([
      {
        code: 'EARLIER_DEFAULTS',
        severity: 'warning',
        message: expect.stringContaining('fusion.members is 1 (current default: chosen from the data)'),
      },
    ])
    const offered = { node: 'fusion', field: 'members', key: 'model.members', old: 1, new: null }
    for (const document of [older, workflow]) {
      const { body } = await call<{ workflow: Workflow }>('POST', '/api/workflow/upgrade', {
        workflow: document,
      })
      expect(body).toMatchObject({
        changes: [offered, { field: 'linear_share' }, { field: 'missing_token' }],
        workflow: { version: '1.1' },
      })
      expect(body.workflow.nodes).toEqual(nodes)
      expect((await create({ ...body.workflow })).issues).toEqual([])
    }
    expect(await call('POST', '/api/workflow/upgrade', { workflow: { nodes: 3 } })).toMatchObject({
      status: 400,
      body: { code: 'WORKFLOW_INVALID' },
    })
  })

  it('with faults is saved, and every fault is reported with its path', async () => {
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
    // Other tests compute the same nodes.
    expect((await call('DELETE', '/api/workflow/cache')).status).toBe(200)
    const { workflow_id } = await create(SETTINGS)
    const first = await run(workflow_id)
    expect(first).toMatchObject({ status: 'success', progress: 1 })
    expect(statuses(first)).toEqual({ backbone: 'success', fusion: 'success', saved: 'success' })
    expect(first.nodes.backbone?.outputs.backbone_config).toMatchObject({
      type: 'config',
      summary: 'resnet18',
      summary_phrases: [{ code: 'name', values: { name: 'resnet18' } }],
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

describe('an I/O error while a workflow is deleted', () => {
  /** The next statement with this beginning fails as on a faulty disk. */
  const failOnce = (beginning: string) => {
    const original = ConnectionThread.prototype.statement
    const spy = vi.spyOn(ConnectionThread.prototype, 'statement').mockImplementation(function (
      this: ConnectionThread,
      sql,
      parameters,
    ) {
      if (!sql.startsWith(beginning)) return original.call(this, sql, parameters)
      spy.mockRestore()
      return Promise.reject(new DatabaseError('disk I/O error', 'other', 'SQLITE_IOERR_FSYNC'))
    })
  }

  it('before the deletion is durable is returned, and nothing has changed', async () => {
    const { workflow_id } = await create(SETTINGS)
    await run(workflow_id)
    const path = `/api/workflow/${workflow_id}`
    failOnce('update "workflows"')
    expect(await call('DELETE', path)).toMatchObject({ status: 500, body: { code: 'STORAGE_FAILED' } })
    expect((await call<WorkflowResponse>('GET', path)).body.workflow.execution_history).toHaveLength(1)
    expect(existsSync(join(service.settings.dataDir, 'workflows', workflow_id, 'workflow.json'))).toBe(true)
    expect(statuses(await run(workflow_id))).toMatchObject({ fusion: 'cached' })
    expect((await call('DELETE', path)).status).toBe(200)
  })

  it('after that leaves the workflow deleted; the next service removes the rest of it', async () => {
    const { workflow_id } = await create(SETTINGS)
    await run(workflow_id)
    const path = `/api/workflow/${workflow_id}`
    const folder = join(service.settings.dataDir, 'workflows', workflow_id)
    failOnce('delete from "workflow_run_nodes"')
    expect((await call('DELETE', path)).status).toBe(200)
    expect(existsSync(folder)).toBe(true)
    const notFound = { status: 404, body: { code: 'WORKFLOW_NOT_FOUND' } }
    for (const url of [path, `${path}/status`, `${path}/runs`, `${path}/export`])
      expect(await call('GET', url)).toMatchObject(notFound)
    for (const [method, url] of [
      ['DELETE', path],
      ['POST', `${path}/execute`],
      ['PUT', path],
    ] as const)
      expect(await call(method, url, method === 'PUT' ? SETTINGS : {})).toMatchObject(notFound)
    const { body } = await call<{ workflows: WorkflowResponse[] }>('GET', '/api/workflow')
    expect(body.workflows.map((workflow) => workflow.workflow_id)).not.toContain(workflow_id)

    await service.close()
    service = await startTestService(service.settings)
    await expect.poll(() => existsSync(folder)).toBe(false)
  })
})

describe('the execution history', () => {
  const entry = { timestamp: '2026-01-02T03:04:05Z', status: 'success', duration: 1.5, metrics: {} }
  const after = (count: number) => ({
    ...SETTINGS,
    nodes: SETTINGS.nodes.slice(0, 2),
    execution_history: Array.from({ length: count }, (_, i) => ({ ...entry, duration: i })),
  })

  it('has its newest 100 entries in the workflow, its export and its project folder', async () => {
    const { body } = await call<WorkflowResponse>('POST', '/api/workflow/import', after(150))
    const newest = after(150).execution_history.slice(-100)
    expect(body.workflow.execution_history).toEqual(newest)
    const path = `/api/workflow/${body.workflow_id}`
    expect((await call<Workflow>('GET', `${path}/export`)).body.execution_history).toEqual(newest)
    const folder = join(service.settings.dataDir, 'workflows', body.workflow_id)
    expect(JSON.parse(readFileSync(join(folder, 'workflow.json'), 'utf8')).execution_history).toEqual(newest)
    await run(body.workflow_id)
    const { workflow } = (await call<WorkflowResponse>('GET', path)).body
    expect(workflow.execution_history.slice(0, -1)).toEqual(newest.slice(1))
    expect(workflow.execution_history.at(-1)).toMatchObject({
      status: 'success',
      duration: expect.any(Number),
    })
  })

  it('does not slow down a run: after 10,000 entries it reads and writes as much as after 10', async () => {
    const sent = vi.spyOn(ConnectionThread.prototype, 'statement')
    /** Bytes of the largest statement or result, with all its values, of a run whose nodes are cached. */
    const largest = async (count: number) => {
      const { body } = await call<WorkflowResponse>('POST', '/api/workflow/import', after(count))
      await run(body.workflow_id)
      sent.mockClear()
      expect(statuses(await run(body.workflow_id))).toEqual({ backbone: 'cached', fusion: 'cached' })
      const results = await Promise.all(sent.mock.results.map(({ value }) => value))
      return Math.max(...[...sent.mock.calls, ...results].map((message) => JSON.stringify(message).length))
    }
    const few = await largest(10)
    expect(await largest(10_000)).toBeLessThan(2 * few)
    sent.mockRestore()
  })
})

it('accepts bodies of 16 MiB here and refuses larger ones', async () => {
  const large = (bytes: number) => ({ ...SETTINGS, nodes: [], remarks: 'x'.repeat(bytes) })
  expect((await call('POST', '/api/workflow/create', large(5 * 1024 * 1024))).status).toBe(200)
  expect(await call('POST', '/api/workflow/create', large(LIMITS.workflow_bytes))).toMatchObject({
    body: { code: 'PAYLOAD_TOO_LARGE' },
  })
})

describe('a run that has ended', () => {
  it('can be read as it ran, with the times of its nodes and its log, whatever the workflow is now', async () => {
    const { workflow_id } = await create(SETTINGS)
    const path = `/api/workflow/${workflow_id}`
    const first = await run(workflow_id, { targets: ['backbone'], force: ['backbone'] })
    await call('PUT', path, { ...SETTINGS, nodes: [] })
    const place = `${path}/runs/${first.run_id}`
    const read = await call<WorkflowRun>('GET', place)
    expect(read.body).toMatchObject({
      run_id: first.run_id,
      status: 'success',
      progress: 1,
      revision: 1,
      targets: ['backbone'],
      workflow: { nodes: SETTINGS.nodes },
      nodes: { backbone: { status: 'success', duration: expect.any(Number) } },
    })
    const log = await call<WorkflowRunLog>('GET', `${place}/log`)
    const messages = log.body.lines.map(({ message }) => message)
    expect(messages[0]).toBe('run started')
    expect(messages.at(-1)).toBe('run ended: success')
    expect(messages).toContainEqual(expect.stringMatching(/^backbone: success/))
    const tail = await call<WorkflowRunLog>('GET', `${place}/log?limit=1`)
    expect(tail.body).toMatchObject({ truncated: true, lines: [{ message: 'run ended: success' }] })
  })

  it('has a log separate from those of other runs', async () => {
    const { workflow_id } = await create(SETTINGS)
    const first = await run(workflow_id, { targets: ['backbone'] })
    const second = await run(workflow_id, { targets: ['fusion'] })
    const messages = async (id: string | null) => {
      const { body } = await call<WorkflowRunLog>('GET', `/api/workflow/${workflow_id}/runs/${id}/log`)
      return body.lines.map(({ message }) => message).join('\n')
    }
    expect(await messages(first.run_id)).not.toContain('fusion')
    expect(await messages(second.run_id)).toContain('fusion: ')
    expect(await call('GET', `/api/workflow/${workflow_id}/runs/none`)).toMatchObject({
      status: 404,
      body: { code: 'WORKFLOW_RUN_NOT_FOUND' },
    })
  })
})
