/** @module-tag service */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PlanStep, WorkflowCheck, WorkflowResponse, WorkflowStatus } from '@medloom/contracts'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startTestService } from '../../testing/service.js'
import { DatasetSource } from './sources/dataset-source.js'

let service: Awaited<ReturnType<typeof startTestService>>
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

async function post<Body>(url: string, payload: object): Promise<{ status: number; body: Body }> {
  const answer = await service.app.inject({ method: 'POST', url, payload })
  return { status: answer.statusCode, body: answer.json() as Body }
}
const check = async (payload: object) => (await post<WorkflowCheck>('/api/workflow/check', payload)).body
const stepOf = (answer: WorkflowCheck, node: string): Partial<PlanStep> =>
  answer.plan?.steps.find((step) => step.node === node) ?? {}

const document = (dropout: number, model_name = 'ResNet18') => ({
  version: '1.1',
  metadata: { name: 'Draft' },
  nodes: [
    { id: 'backbone', type: 'SelectBackbone', position: { x: 0, y: 0 }, config: { model_name } },
    { id: 'fusion', type: 'SelectFusion', position: { x: 0, y: 80 }, config: { dropout } },
    { id: 'build', type: 'BuildModel', position: { x: 200, y: 0 }, config: {} },
  ],
  connections: [connection('1', 'backbone', 'backbone_config'), connection('2', 'fusion', 'fusion_config')],
})
const connection = (id: string, source: string, port: string) => ({
  id,
  source,
  source_port: port,
  target: 'build',
  target_port: port,
})

/** Computes these nodes of a workflow, which is returned. */
async function run(workflow: object, targets: readonly string[]): Promise<string> {
  const { workflow_id } = (await post<WorkflowResponse>('/api/workflow/create', workflow)).body
  await post(`/api/workflow/${workflow_id}/execute`, { targets })
  await ended(workflow_id)
  return workflow_id
}

async function ended(workflowId: string): Promise<void> {
  for (;;) {
    const answer = await service.app.inject({ url: `/api/workflow/${workflowId}/status` })
    const { status } = answer.json() as WorkflowStatus
    if (status === 'success') return
    expect(['pending', 'running']).toContain(status)
    await new Promise((resume) => setTimeout(resume, 10))
  }
}

describe('a document of 20,000 nodes', () => {
  const load = (id: string, path: string) => ({
    id,
    type: 'LoadDataset',
    position: { x: 0, y: 0 },
    config: { dataset_id: path },
  })
  const many = (path: string) => ({
    version: '1.1',
    metadata: { name: 'many' },
    nodes: Array.from({ length: 20_000 }, (_, index) => load(`n${index}`, path)),
    connections: [],
  })

  it('is checked and planned with one read of the table that all of them name', async () => {
    writeFileSync(join(service.root, 'seen.csv'), 'label\n1\n')
    const find = vi.spyOn(DatasetSource.prototype, 'find')
    const answer = await check({ workflow: many('seen.csv') })
    expect(answer.plan?.counts).toEqual({ run: 20_000, reuse: 0, skip: 0 })
    // One call for the issues, one for the digest.
    expect(find).toHaveBeenCalledTimes(2)
    find.mockRestore()
  })

  it('reports the missing table at each of the first thousand nodes, and the number of the others', async () => {
    const { issues } = await check({ workflow: many('gone.csv') })
    expect(issues).toHaveLength(1001)
    expect(issues.at(-1)).toMatchObject({
      code: 'MORE_ISSUES',
      message: '19,000 more problems',
      severity: 'error',
    })
    expect(issues[7]).toMatchObject({
      path: `nodes.${issues[7]?.node}.config.dataset_id`,
      code: 'FILE_NOT_FOUND',
      message: 'the file does not exist or cannot be read',
    })
  })
})

describe('an unsaved document', () => {
  it('is checked and planned, and nothing is stored', async () => {
    const stored = async () => (await service.app.inject({ url: '/api/workflow' })).json().workflows
    const before = await stored()
    const answer = await check({ workflow: document(0.1) })
    expect(answer.issues).toEqual([])
    expect(answer.values.backbone).toEqual({ backbone_config: { type: 'config', kind: 'backbone' } })
    expect(answer.plan?.counts).toEqual({ run: 3, reuse: 0, skip: 0 })
    expect(stepOf(answer, 'build')).toMatchObject({ action: 'run', changes: [], estimate_seconds: null })
    expect(await stored()).toEqual(before)
  })

  it('has values but no plan while it has errors; targets exclude other nodes', async () => {
    const wrong = document(2)
    const answer = await check({ workflow: wrong })
    expect(answer.plan).toBeNull()
    expect(answer.issues).toContainEqual(expect.objectContaining({ node: 'fusion', field: 'dropout' }))
    expect(Object.keys(answer.values)).toContain('backbone')
    const part = await check({ workflow: wrong, targets: ['backbone'] })
    expect(part.plan?.counts).toEqual({ run: 1, reuse: 0, skip: 2 })
    const unknown = await check({ workflow: document(0.1), targets: ['backbon'] })
    expect(unknown.plan).toBeNull()
    expect(unknown.issues).toEqual([
      expect.objectContaining({ code: 'UNKNOWN_NODE', path: 'targets', hint: 'Did you mean "backbone"?' }),
    ])
  })

  it('that changes a saved workflow shows differences from its results, and durations of nodes', async () => {
    const saved = (dropout: number) => document(dropout, 'ResNet34')
    const workflow_id = await run(saved(0.3), ['backbone', 'fusion'])
    const same = await check({ workflow: saved(0.3), workflow_id })
    expect(same.plan?.counts).toEqual({ run: 1, reuse: 2, skip: 0 })
    expect(stepOf(same, 'fusion').estimate_seconds).toBe(0)
    const changed = await check({ workflow: saved(0.4), workflow_id })
    expect(stepOf(changed, 'backbone').action).toBe('reuse')
    expect(stepOf(changed, 'fusion')).toMatchObject({
      action: 'run',
      reason: 'config_changed',
      message: 'the configuration changed: dropout',
      changes: [{ what: 'field', name: 'dropout' }],
      estimate_seconds: expect.any(Number),
    })
    expect(stepOf(changed, 'build')).toMatchObject({ action: 'run', estimate_seconds: null })
  })

  it('is refused when it is invalid, and for a workflow that does not exist', async () => {
    const none = await post<{ code: string }>('/api/workflow/check', { workflow: { nodes: 3 } })
    expect([none.status, none.body.code]).toEqual([400, 'WORKFLOW_INVALID'])
    const workflow_id = '00000000-0000-4000-8000-000000000000'
    const response = await post<{ code: string }>('/api/workflow/check', {
      workflow: document(0.1),
      workflow_id,
    })
    expect([response.status, response.body.code]).toEqual([404, 'WORKFLOW_NOT_FOUND'])
  })
})

describe('a document with a muted node', () => {
  it('shows that this node and those that require it do not run, and keeps the mode', async () => {
    const muted = document(0.5)
    await run(muted, ['fusion'])
    Object.assign(muted.nodes[0] ?? {}, { mode: 'muted', color: 'red' })
    const { issues, plan } = await check({ workflow: muted })
    expect(issues).toEqual([])
    expect(plan?.steps.map(({ node, reason }) => [node, reason])).toEqual([
      ['fusion', 'cached'],
      ['backbone', 'muted'],
      ['build', 'needs_muted'],
    ])
    const saved = await post<WorkflowResponse>('/api/workflow/create', muted)
    expect(saved.body.workflow.nodes[0]).toMatchObject({ mode: 'muted', color: 'red' })
  })
})

it('only a node that trains has a configuration', async () => {
  const check = (more: object) =>
    post<{ code: string; error: string }>('/api/workflow/configuration', { workflow: document(0.1), ...more })
  for (const more of [{}, { node: 'build' }])
    expect(await check(more)).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } })
})

it('templates report nothing without a dataset, and refuse unregistered ones', async () => {
  const { templates } = (await service.app.inject({ url: '/api/workflow/templates' })).json()
  expect(templates.every(({ fit }: { fit: unknown }) => fit === null)).toBe(true)
  const unknown = await service.app.inject({ url: '/api/workflow/templates?dataset_id=none' })
  expect([unknown.statusCode, unknown.json().code]).toEqual([404, 'DATASET_NOT_FOUND'])
})
