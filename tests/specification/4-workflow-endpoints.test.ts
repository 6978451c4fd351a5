import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { ROUTES, type RouteName, type Workflow, WorkflowMessage } from '@medloom/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { Caller } from '../testing/http.js'
import { shared } from '../testing/shared.js'
import { longWorkflow, runEnded, Workflows, workflow } from '../testing/workflow.js'
import { shows } from './sentences/index.js'

const caller = new Caller(shared.url)
const workflows = new Workflows(caller)
const csv = join(shared.dataset, 'train.csv')
/** Node fields that name data. */
const DATA_FIELDS = ['dataset_id', 'path']
const unknown = '00000000-0000-4000-8000-000000000000'

/** load ─► keep */
const small = (name = 'endpoints', condition = 'age >= 40') =>
  workflow(
    { load: ['LoadTabular', { path: csv }], keep: ['FilterData', { filter_condition: condition }] },
    ['load.dataframe > keep.dataset'],
    name,
  )
/** Responses match the declared shape exactly. */
const declared = (route: RouteName, body: unknown) => ROUTES[route].response.parse(body)

describe('4 Workflow endpoints', () => {
  it(
    'POST /api/workflow/create takes a saved workflow, or a name for an empty one',
    shows('4/workflow-create', '4/payloads'),
    async () => {
      const { status, body } = await caller.post('/api/workflow/create', small())
      expect(status).toBe(200)
      expect(declared('createWorkflow', body)).toEqual(body)
      expect(body).toMatchObject({
        workflow_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        revision: 1,
        issues: [],
      })
      const empty = await caller.post<{ workflow: Workflow }>('/api/workflow/create', { name: 'mine' })
      expect(empty.body.workflow).toMatchObject({ version: '1.1', metadata: { name: 'mine' }, nodes: [] })
    },
  )

  it(
    'GET /api/workflow/{workflow_id} gives what was created',
    shows('4/workflow-get', '4/payloads'),
    async () => {
      const created = await caller.post('/api/workflow/create', small())
      const { status, body } = await caller.get(`/api/workflow/${created.body.workflow_id}`)
      expect(status).toBe(200)
      expect(declared('getWorkflow', body)).toEqual(body)
      expect(body).toEqual(created.body)
    },
  )

  it(
    'PUT /api/workflow/{workflow_id} makes a new revision; a revision that is not the newest is refused',
    shows('4/workflow-update', '4/payloads'),
    async () => {
      const id = await workflows.create(small())
      const put = (revision: number, name: string) =>
        caller.put<{ revision: number; code: string }>(`/api/workflow/${id}`, { ...small(name), revision })
      const first = await put(1, 'mine')
      expect([first.status, first.body.revision]).toEqual([200, 2])
      const conflict = await put(1, 'somebody else’s')
      expect([conflict.status, conflict.body.code]).toEqual([400, 'REVISION_CONFLICT'])
      expect((await workflows.get(id)).workflow.metadata.name).toBe('mine')
      const plain = await caller.put<{ revision: number }>(`/api/workflow/${id}`, small('the format alone'))
      expect([plain.status, plain.body.revision]).toEqual([200, 3])
    },
  )

  it('an edited workflow lists its problems, and is stored nevertheless', async () => {
    const id = await workflows.create(small())
    await workflows.change(id, ({ connections }) => connections.pop())
    const { issues, workflow: saved } = await workflows.get(id)
    expect(issues).toEqual([
      expect.objectContaining({ code: 'MISSING_INPUT', node: 'keep', port: 'dataset' }),
    ])
    expect(saved.connections).toEqual([])
  })

  it(
    'POST …/execute answers workflow_id, run_id and status at once',
    shows('4/workflow-execute', '4/payloads'),
    async () => {
      const id = await workflows.create(small())
      const { status, body } = await workflows.execute(id)
      expect(status).toBe(200)
      expect(body).toEqual({
        workflow_id: id,
        run_id: expect.any(String),
        status: expect.stringMatching(/pending|running|success/),
      })
      const state = await workflows.until(id, ({ status: now }) => !['pending', 'running'].includes(now))
      expect(state.status).toBe('success')
    },
  )

  it('execute with dry_run, and …/plan, list the action and reason of each node, and run nothing', async () => {
    const id = await workflows.create(small('plan', `age >= 4${Date.now() % 10}.${Date.now()}`))
    for (const body of [
      (await caller.post(`/api/workflow/${id}/execute`, { dry_run: true })).body,
      (await caller.post(`/api/workflow/${id}/plan`)).body,
    ]) {
      expect(declared('planWorkflow', body)).toEqual(body)
      const steps = body.steps as { node: string; action: string; message: string }[]
      expect(steps.map(({ node }) => node)).toEqual(['load', 'keep'])
      expect(steps[1]).toMatchObject({ action: 'run', message: expect.stringMatching(/\w{3}/) })
    }
    expect((await workflows.status(id)).run_id).toBeNull()
  })

  it(
    'GET …/status answers workflow_id, run_id, status, progress and nodes',
    shows('4/workflow-status', '4/payloads'),
    async () => {
      const id = await workflows.create(small())
      expect(await workflows.status(id)).toEqual({
        workflow_id: id,
        run_id: null,
        status: 'pending',
        progress: 0,
        nodes: expect.any(Object),
      })
      const state = await workflows.run(id)
      expect(declared('getWorkflowStatus', state)).toEqual(state)
      expect(state).toMatchObject({ status: 'success', progress: 1 })
      expect(Object.keys(state.nodes)).toEqual(['load', 'keep'])
      expect(state.nodes.keep?.outputs.filtered_dataset).toEqual({
        type: 'dataset',
        summary: expect.stringContaining('cases'),
        summary_phrases: expect.any(Array),
        digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      })
    },
  )

  it('GET /api/workflow lists the workflows, newest first, page by page', shows('4/pagination'), async () => {
    const id = await workflows.create(small('newest'))
    const { body } = await caller.get<{ workflows: { workflow_id: string }[]; next_page_token: string }>(
      '/api/workflow?page_size=2',
    )
    expect(declared('listWorkflows', body)).toEqual(body)
    expect(body.workflows[0]).toMatchObject({ workflow_id: id, name: 'newest', num_nodes: 2, last_run: null })
    const next = await caller.get<{ workflows: { workflow_id: string }[] }>(
      `/api/workflow?page_size=2&page_token=${encodeURIComponent(body.next_page_token)}`,
    )
    const ids = [...body.workflows, ...next.body.workflows].map(({ workflow_id }) => workflow_id)
    expect(new Set(ids).size).toBe(4)
  })

  it('GET …/runs lists the runs, newest first, and status names any of them', async () => {
    const id = await workflows.create(small())
    const [first, second] = [await workflows.run(id), await workflows.run(id, { force: ['keep'] })]
    const { body } = await caller.get<{ runs: { run_id: string }[] }>(`/api/workflow/${id}/runs`)
    expect(declared('listWorkflowRuns', body)).toEqual(body)
    expect(body.runs.map(({ run_id }) => run_id)).toEqual([second.run_id, first.run_id])
    const old = await caller.get(`/api/workflow/${id}/status?run_id=${first.run_id}`)
    expect(old.body).toEqual(first)
  })

  it(
    'GET /api/workflow/templates answers at least eight workflows without a fault of their own',
    shows('4/workflow-templates'),
    async () => {
      const { status, body } = await caller.get<{ templates: { template_id: string; workflow: Workflow }[] }>(
        '/api/workflow/templates',
      )
      expect(status).toBe(200)
      expect(declared('listTemplates', body)).toEqual(body)
      expect(body.templates.length).toBeGreaterThanOrEqual(8)
      for (const { template_id, workflow: document } of body.templates) {
        expect(body.templates.filter((other) => other.template_id === template_id)).toHaveLength(1)
        const { name, description } = document.metadata
        expect(body.templates).toContainEqual(expect.objectContaining({ template_id, name, description }))
        expect([name.length > 5, description.length > 40], template_id).toEqual([true, true])
        // Only the data for which it was written may be missing.
        const faults = (await workflows.issues(document)).filter(
          ({ field = '' }) => !DATA_FIELDS.includes(field),
        )
        expect(faults, template_id).toEqual([])
      }
    },
  )

  it(
    'POST /api/workflow/import takes what GET …/export gave, byte for byte',
    shows('4/workflow-import', '4/workflow-export'),
    async () => {
      const file = async (id: string) => (await fetch(`${caller.url}/api/workflow/${id}/export`)).text()
      const id = await workflows.create(small())
      await workflows.run(id)
      const text = await file(id)
      const { status, body } = await caller.post('/api/workflow/import', text)
      expect(status).toBe(200)
      expect(body.workflow_id).not.toBe(id)
      expect(await file(String(body.workflow_id))).toBe(text)
    },
  )

  it('DELETE /api/workflow/{workflow_id} removes it; afterwards it is 404 everywhere', async () => {
    const id = await workflows.create(small())
    await workflows.run(id)
    const { status, body } = await caller.delete(`/api/workflow/${id}`)
    expect([status, body]).toEqual([200, { workflow_id: id }])
    expect((await caller.get(`/api/workflow/${id}`)).status).toBe(404)
  })

  it('an unknown workflow is 404 WORKFLOW_NOT_FOUND at every address', async () => {
    const answers = [
      await caller.get(`/api/workflow/${unknown}`),
      await caller.put(`/api/workflow/${unknown}`, small()),
      await caller.delete(`/api/workflow/${unknown}`),
      await caller.post(`/api/workflow/${unknown}/execute`, {}),
      await caller.post(`/api/workflow/${unknown}/plan`, {}),
      await caller.get(`/api/workflow/${unknown}/status`),
      await caller.post(`/api/workflow/${unknown}/cancel`),
      await caller.get(`/api/workflow/${unknown}/runs`),
      await caller.get(`/api/workflow/${unknown}/export`),
    ]
    for (const { status, body } of answers) expect([status, body.code]).toEqual([404, 'WORKFLOW_NOT_FOUND'])
  })

  it('a request that cannot be right is 400: unknown targets, unknown keys, no JSON, a run that is not there', async () => {
    const id = await workflows.create(small())
    const refused = async (body: unknown) => {
      const answer = await caller.post<{ code: string; details: string }>(`/api/workflow/${id}/execute`, body)
      expect(answer.status).toBe(400)
      expect(answer.body.details.length).toBeGreaterThan(5)
      return answer.body.code
    }
    expect(await refused({ targets: ['kep'] })).toBe('WORKFLOW_INVALID')
    expect(await refused({ force: ['zz'] })).toBe('WORKFLOW_INVALID')
    expect(await refused({ targts: [] })).toMatch(/UNKNOWN_FIELD|INVALID_REQUEST/)
    expect(await refused('{"targets":')).toBe('INVALID_JSON')
    const response = await workflows.execute(id, { from_run: unknown })
    expect([response.status, response.body.code]).toEqual([404, 'WORKFLOW_RUN_NOT_FOUND'])
  })

  it('a repeated create with the same Idempotency-Key makes one workflow', async () => {
    const key = { 'idempotency-key': randomUUID() }
    const [first, second] = [
      await caller.post('/api/workflow/create', small(), key),
      await caller.post('/api/workflow/create', small(), key),
    ]
    expect(second.body).toEqual(first.body)
    const other = await caller.post('/api/workflow/create', small('other'), key)
    expect([other.status, other.body.code]).toEqual([400, 'IDEMPOTENCY_CONFLICT'])
  })

  it('the cache is counted, and forgotten by node, by workflow, or whole', async () => {
    const id = await workflows.create(small('cache', 'age >= 41'))
    await workflows.run(id)
    const state = await caller.get('/api/workflow/cache')
    expect(declared('getCache', state.body)).toEqual(state.body)
    expect(state.body.results).toBeGreaterThanOrEqual(2)
    const node = await caller.delete(`/api/workflow/${id}/cache?node=keep`)
    expect([node.status, node.body]).toEqual([200, { cleared: 1 }])
    expect((await workflows.plan(id)).keep).toMatchObject({ action: 'run', reason: 'not_cached' })
    await workflows.run(id)
    const whole = await caller.delete(`/api/workflow/${id}/cache`)
    expect(Number(whole.body.cleared)).toBeGreaterThanOrEqual(1)
    expect((await workflows.plan(id)).keep?.action).toBe('run')
  })

  it('the WebSocket gives one snapshot, then changes with a dense seq; an unknown workflow is 404', async () => {
    const id = await workflows.create(small('socket', 'age >= 42'))
    const [snapshot, ...changes] = await workflows.listen(id, runEnded, () => workflows.execute(id))
    expect(snapshot).toMatchObject({ type: 'snapshot', workflow_id: id, state: { run_id: null } })
    for (const message of changes) expect(WorkflowMessage.safeParse(message).success).toBe(true)
    expect(changes.map(({ type }) => type)).not.toContain('snapshot')
    expect(changes.map(({ seq }) => seq)).toEqual(changes.map((_, i) => (snapshot?.seq ?? 0) + i + 1))
    expect(changes.at(-1)).toMatchObject({ type: 'run_status', status: 'success' })

    const refused = await new Promise<number | undefined>((done) => {
      const socket = new WebSocket(`${caller.url.replace('http', 'ws')}/ws/workflow/${unknown}`)
      socket.on('error', () => undefined)
      socket.on('unexpected-response', (_, response) => done(response.statusCode))
    })
    expect(refused).toBe(404)
  })
})

describe('4 Workflow endpoints: a run that is in progress', () => {
  let id: string
  beforeAll(async () => {
    id = await workflows.create(longWorkflow(csv))
    await workflows.execute(id)
    await workflows.until(
      id,
      ({ nodes }) => nodes.train?.job_id !== undefined && nodes.train.status === 'running',
    )
  })
  afterAll(() => caller.post(`/api/workflow/${id}/cancel`))

  it('refuses a second execution with WORKFLOW_RUNNING', async () => {
    const { status, body } = await workflows.execute(id)
    expect([status, body.code]).toEqual([400, 'WORKFLOW_RUNNING'])
  })

  it('is a training job like any other, named by its node', async () => {
    const { nodes } = await workflows.status(id)
    const job = await caller.until(String(nodes.train?.job_id), ({ epoch }) => epoch >= 1)
    expect(job.status).toBe('running')
  })

  it(
    'POST …/cancel answers once it has ended, within seconds; a second cancel is WORKFLOW_NOT_RUNNING',
    shows('4/workflow-cancel'),
    async () => {
      const { nodes, run_id } = await workflows.status(id)
      const began = Date.now()
      const { status, body } = await caller.post(`/api/workflow/${id}/cancel`)
      expect([status, body]).toEqual([200, { workflow_id: id, run_id, status: 'cancelled' }])
      expect(Date.now() - began).toBeLessThan(10_000)
      const after = await workflows.status(id)
      expect(after.status).toBe('cancelled')
      expect(after.nodes.train?.status).toBe('skipped')
      expect((await caller.ended(String(nodes.train?.job_id), 20)).status).toBe('stopped')
      const second = await caller.post(`/api/workflow/${id}/cancel`)
      expect([second.status, second.body.code]).toEqual([400, 'WORKFLOW_NOT_RUNNING'])
    },
  )
})
