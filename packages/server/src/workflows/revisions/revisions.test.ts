/** @module-tag service */
import { join } from 'node:path'
import {
  MAX_REVISIONS,
  type WorkflowDifference,
  type WorkflowDraft,
  type WorkflowResponse,
} from '@medloom/contracts'
import Libsql from 'libsql'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestService } from '../../../testing/service.js'

let service: Awaited<ReturnType<typeof startTestService>>
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

async function call<Body = { code?: string }>(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  url: string,
  payload?: object,
) {
  const answer = await service.app.inject({ method, url, ...(payload ? { payload } : {}) })
  return { status: answer.statusCode, body: answer.json() as Body }
}
const document = (name: string) => ({
  version: '1.1',
  metadata: { name },
  nodes: [{ id: 'fusion', type: 'SelectFusion', position: { x: 0, y: 0 }, config: {} }],
  connections: [],
})
async function created(name: string): Promise<string> {
  const { body } = await call<WorkflowResponse>('POST', '/api/workflow/create', document(name))
  return `/api/workflow/${body.workflow_id}`
}
/** Number of stored documents of all workflows. */
function documents(): number {
  const database = new Libsql(join(service.settings.dataDir, 'medloom.db'), { readonly: true })
  const rows = database.prepare('SELECT digest FROM workflow_documents').all()
  database.close()
  return rows.length
}

it('every revision can be read again, newest first, and restored', async () => {
  const path = await created('one')
  await call('PUT', path, { ...document('two'), revision: 1 })
  await call('PUT', path, { ...document('three'), revision: 2 })
  const { body } = await call<{ revisions: { revision: number; num_nodes: number }[] }>(
    'GET',
    `${path}/revisions`,
  )
  expect(body.revisions.map(({ revision, num_nodes }) => [revision, num_nodes])).toEqual([
    [3, 1],
    [2, 1],
    [1, 1],
  ])
  const first = await call<WorkflowResponse>('GET', `${path}/revisions/1`)
  expect(first.body).toMatchObject({ revision: 1, workflow: { metadata: { name: 'one' } } })
  const restored = await call<WorkflowResponse>('PUT', path, { ...first.body.workflow, revision: 3 })
  expect(restored.body).toMatchObject({ revision: 4, workflow: { metadata: { name: 'one' } } })
  expect(await call('GET', `${path}/revisions/9`)).toMatchObject({
    status: 404,
    body: { code: 'REVISION_NOT_FOUND' },
  })
  expect((await call('GET', `${path}/revisions/x`)).status).toBe(400)
})

it('the oldest revisions are removed, with documents that nothing else uses', async () => {
  const before = documents()
  const path = await created('0')
  for (let revision = 1; revision < MAX_REVISIONS + 3; revision++)
    await call('PUT', path, { ...document(`${revision % 7}`), revision })
  const { body } = await call<{ revisions: { revision: number }[] }>(
    'GET',
    `${path}/revisions?page_size=1000`,
  )
  expect(body.revisions).toHaveLength(MAX_REVISIONS)
  expect(body.revisions.at(-1)).toMatchObject({ revision: 4 })
  expect((await call('GET', `${path}/revisions/3`)).status).toBe(404)
  expect(documents()).toBe(before + 7)
  await call('DELETE', path)
  await expect.poll(documents).toBe(before)
})

it('a draft is stored next to the workflow until it is saved or discarded', async () => {
  const path = await created('saved')
  expect(await call('GET', `${path}/draft`)).toMatchObject({ status: 404, body: { code: 'DRAFT_NOT_FOUND' } })
  const draft = { base_revision: 1, workflow: document('draft') }
  expect((await call('PUT', `${path}/draft`, draft)).body).toMatchObject({ base_revision: 1 })
  await call('PUT', `${path}/draft`, { ...draft, workflow: document('newer draft') })
  const stored = await call<WorkflowDraft>('GET', `${path}/draft`)
  expect(stored.body).toMatchObject({ base_revision: 1, workflow: { metadata: { name: 'newer draft' } } })
  expect((await call<WorkflowResponse>('GET', path)).body).toMatchObject({
    revision: 1,
    workflow: { metadata: { name: 'saved' } },
  })
  expect((await call<WorkflowResponse>('GET', path)).body.draft_updated_at).toBe(stored.body.updated_at)
  for (const replaces of [null, '2026-01-01T00:00:00.000Z'])
    expect(await call('PUT', `${path}/draft`, { ...draft, replaces })).toMatchObject({
      status: 400,
      body: { code: 'REVISION_CONFLICT' },
    })
  const replacing = { ...draft, replaces: stored.body.updated_at }
  expect((await call('PUT', `${path}/draft`, replacing)).status).toBe(200)
  await call('PUT', path, { ...document('saved again'), revision: 1 })
  expect((await call('GET', `${path}/draft`)).status).toBe(404)
  expect(await call('PUT', `${path}/draft`, draft)).toMatchObject({
    status: 400,
    body: { code: 'REVISION_CONFLICT' },
  })
  await call('PUT', `${path}/draft`, { ...draft, base_revision: 2 })
  expect((await call('DELETE', `${path}/draft`)).status).toBe(200)
  expect((await call('GET', `${path}/draft`)).status).toBe(404)
})

it('two versions are compared: revisions, the draft, and another workflow', async () => {
  const path = await created('one')
  const id = path.split('/').at(-1)
  const [fusion] = document('one').nodes
  const gated = { ...fusion, config: { fusion_type: 'gated' } }
  const wire = { id: 'w', source: 'a', source_port: 'o', target: 'fusion', target_port: 'i' }
  await call('PUT', path, { ...document('two'), revision: 1, nodes: [gated] })
  const draft = { ...document('two'), nodes: [{ ...fusion, id: 'other' }], connections: [wire] }
  await call('PUT', `${path}/draft`, { base_revision: 2, workflow: draft })

  const between = async (query = '') =>
    (await call<WorkflowDifference>('GET', `${path}/difference${query}`)).body
  const changed = (field: string, from: unknown, to: unknown) => [{ field, from, to }]
  expect(await between('?from=1&to=2')).toEqual({
    from: { workflow_id: id, version: 'revision', revision: 1 },
    to: { workflow_id: id, version: 'revision', revision: 2 },
    differences: [
      { list: 'metadata', id: 'name', how: 'changed', item: null, fields: changed('name', 'one', 'two') },
      {
        ...{ list: 'nodes', id: 'fusion', how: 'changed', item: null },
        fields: changed('config.fusion_type', null, 'gated'),
      },
    ],
  })
  expect(await between()).toEqual({
    from: { workflow_id: id, version: 'revision', revision: 2 },
    to: { workflow_id: id, version: 'draft', revision: 2 },
    differences: [
      { list: 'nodes', id: 'other', how: 'added', item: draft.nodes[0], fields: [] },
      { list: 'nodes', id: 'fusion', how: 'removed', item: gated, fields: [] },
      { list: 'connections', id: 'w', how: 'added', item: wire, fields: [] },
    ],
  })
  const copy = (await created('one')).split('/').at(-1)
  expect(await between(`?from=1&other_workflow_id=${copy}`)).toMatchObject({
    to: { workflow_id: copy, version: 'revision', revision: 1 },
    differences: [],
  })
})

it('an unknown or removed version cannot be compared', async () => {
  const path = await created('x')
  const missing = '00000000-0000-4000-8000-000000000000'
  const refused = async (query: string) => {
    const { status, body } = await call<object>('GET', `${path}/difference${query}`)
    return { status, ...body }
  }
  expect(await refused('?from=newest')).toMatchObject({
    status: 400,
    code: 'INVALID_REQUEST',
    issues: [{ path: 'from', message: expect.stringContaining('"draft"') }],
  })
  expect(await refused('?from=1&to=0')).toMatchObject({ status: 400, issues: [{ path: 'to' }] })
  expect(await refused('?other_workflow_id=x')).toMatchObject({ status: 400 })
  expect(await refused('?from=7')).toMatchObject({ status: 404, code: 'REVISION_NOT_FOUND' })
  expect(await refused('')).toMatchObject({ status: 404, code: 'DRAFT_NOT_FOUND' })
  expect(await refused(`?other_workflow_id=${missing}`)).toMatchObject({ code: 'WORKFLOW_NOT_FOUND' })
})

it('an invalid draft, and one for an unknown workflow, is refused', async () => {
  const path = await created('x')
  const wrong = { base_revision: 1, workflow: { nodes: 3 } }
  expect(await call('PUT', `${path}/draft`, wrong)).toMatchObject({
    status: 400,
    body: { code: 'WORKFLOW_INVALID' },
  })
  const missing = '/api/workflow/00000000-0000-4000-8000-000000000000'
  for (const place of ['draft', 'difference', 'revisions', 'revisions/1', 'runs/x', 'runs/x/log'])
    expect(await call('GET', `${missing}/${place}`), place).toMatchObject({
      status: 404,
      body: { code: 'WORKFLOW_NOT_FOUND' },
    })
})
