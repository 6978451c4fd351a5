import { ROUTES, type RouteName } from '@medloom/contracts'
import { beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { Caller } from '../testing/http.js'
import { shared, training } from '../testing/shared.js'
import { shows } from './sentences/index.js'

const caller = new Caller(shared.url)
const reference = shared.referenceJob

/** Responses match the declared shape exactly: `parse` would drop undeclared fields, and reject missing ones. */
const declared = (route: RouteName, body: unknown) => ROUTES[route].response.parse(body)

describe('4 Endpoints', () => {
  beforeAll(() => caller.ended(reference))

  it('all bodies are JSON', shows('4/json', '1/rest'), async () => {
    for (const path of ['/api/system/health', '/api/models', '/api/nothing'])
      expect((await caller.get(path)).headers.get('content-type')).toMatch(/^application\/json/)
  })

  it(
    'GET /api/training/{job_id}/status answers job_id, status, epoch, total_epochs and metrics',
    shows('4/status', '1/status'),
    async () => {
      const { status, body } = await caller.get(`/api/training/${reference}/status`)
      expect(status).toBe(200)
      for (const field of ['job_id', 'status', 'epoch', 'total_epochs', 'metrics'])
        expect(body).toHaveProperty(field)
      expect(declared('getJobStatus', body)).toEqual(body)
    },
  )

  it(
    'GET /api/models answers models, an array of all registered models',
    shows('4/models-array', '4/models-all', '4/models-checkpoints', '1/models', '1/checkpoints'),
    async () => {
      const { status, body } = await caller.get('/api/models')
      expect(status).toBe(200)
      expect(declared('listModels', body)).toEqual(body)
      expect(body.models).toEqual(
        expect.arrayContaining([
          expect.objectContaining({
            job_id: reference,
            checkpoints: expect.arrayContaining([expect.objectContaining({ name: 'best' })]),
          }),
        ]),
      )
    },
  )

  it(
    'GET /api/models/{model_id} lists the checkpoints too',
    shows('4/models-checkpoints', '1/checkpoints'),
    async () => {
      const { model_id } = await caller.status(reference)
      const { body } = await caller.get<{ checkpoints: { name: string }[] }>(`/api/models/${model_id}`)
      expect(body.checkpoints.map(({ name }) => name)).toContain('best')
      expect(declared('getModel', body)).toEqual(body)
    },
  )

  it('GET /api/datasets answers datasets, an array', shows('4/datasets', '1/datasets'), async () => {
    const { status, body } = await caller.get('/api/datasets')
    expect([status, Array.isArray(body.datasets)]).toEqual([200, true])
  })

  it(
    'GET /api/system/info and /api/system/health answer 200',
    shows('4/info', '4/health', '1/system'),
    async () => {
      expect((await caller.get('/api/system/info')).status).toBe(200)
      expect((await caller.get('/api/system/health')).status).toBe(200)
    },
  )

  it(
    'the WebSocket streams the messages of the job to a client that only connects',
    shows('4/socket', '1/follow', '6/stream'),
    async () => {
      const { messages } = await caller.listen(reference)
      expect(messages.length).toBeGreaterThan(0)
      for (const message of messages) expect(message.job_id).toBe(reference)
    },
  )

  it('the WebSocket of an unknown job is refused with 404 and the error body', async () => {
    const socket = new WebSocket(
      `${caller.url.replace('http', 'ws')}/ws/training/00000000-0000-4000-8000-000000000000`,
    )
    const answer = await new Promise<{ status: number | undefined; body: string }>((done) => {
      socket.on('error', () => undefined)
      socket.on('unexpected-response', (_, response) => {
        let body = ''
        response.on('data', (chunk) => {
          body += chunk
        })
        response.on('end', () => done({ status: response.statusCode, body }))
      })
    })
    expect([answer.status, JSON.parse(answer.body).code]).toEqual([404, 'JOB_NOT_FOUND'])
  })

  it(
    'lists are cut into pages that together hold every job once, in a stable order',
    shows('4/pagination'),
    async () => {
      const whole = await caller.get<{ jobs: { job_id: string }[] }>('/api/training?page_size=1000')
      const pages: string[] = []
      let token: string | null = ''
      do {
        const { body }: { body: { jobs: { job_id: string }[]; next_page_token: string | null } } =
          await caller.get(
            `/api/training?page_size=2${token ? `&page_token=${encodeURIComponent(token)}` : ''}`,
          )
        pages.push(...body.jobs.map(({ job_id }) => job_id))
        token = body.next_page_token
      } while (token)
      expect(pages).toEqual(whole.body.jobs.map(({ job_id }) => job_id))
    },
  )

  const logs = `/api/training/${training.referenceJob}/logs`
  const trainer = new Caller(training.url)

  it('the log is read by byte offset, piece by piece', async () => {
    const { body: whole } = await trainer.get<{ text: string; size: number }>(logs)
    const { body: piece } = await trainer.get<{ text: string; next_offset: number }>(
      `${logs}?offset=5&limit=7`,
    )
    expect(Buffer.byteLength(whole.text)).toBe(whole.size)
    expect(piece).toMatchObject({ text: whole.text.slice(5, 12), next_offset: 12 })
  })

  it('the log is read from its end, and its lines are found by their text', async () => {
    const { body: whole } = await trainer.get<{ text: string; size: number }>(`${logs}?limit=1048576`)
    const last = whole.text.trimEnd().split('\n').at(-1) ?? ''
    const { body: tail } = await trainer.get(`${logs}?tail=1`)
    expect(tail).toMatchObject({ text: `${last}\n`, next_offset: whole.size })
    const text = encodeURIComponent(last.slice(0, 50).toUpperCase())
    const find = (query: string) =>
      trainer.get<{ matches: { text: string; offset: number }[] }>(`${logs}/find?q=${text}${query}`)
    const { body: found } = await find('&ignore_case=true&limit=1000')
    expect(declared('findInJobLogs', found)).toEqual(found)
    expect(found.matches.at(-1)).toMatchObject({ offset: tail.offset, text: last.slice(0, 500) })
  })

  it('jobs are searched, sorted, counted and labeled, and their trainings do not know of it', async () => {
    const { status, body } = await caller.patch(`/api/training/${reference}`, {
      tags: ['Reference', 'first '],
      note: 'of the tests',
    })
    expect([status, body.tags, body.note]).toEqual([200, ['reference', 'first'], 'of the tests'])
    const listed = await caller.get<{ jobs: { job_id: string }[]; total: number }>(
      '/api/training?q=tests&tags=first,reference&order_by=metrics.val_auc&status=completed,failed',
    )
    expect(declared('listJobs', listed.body)).toEqual(listed.body)
    expect([listed.body.total, listed.body.jobs[0]?.job_id]).toEqual([1, reference])
    expect((await caller.get('/api/training/tags')).body.tags).toContainEqual({ tag: 'first', jobs: 1 })
    const { body: after } = await caller.patch(`/api/training/${reference}`, { tags: [], note: '' })
    expect(after).toEqual(await caller.status(reference))
  })

  it('metric series hold every epoch', async () => {
    const { body } = await caller.get<{ epochs: { epoch: number; metrics: object }[] }>(
      `/api/training/${reference}/metrics`,
    )
    expect(body.epochs.map(({ epoch }) => epoch)).toEqual([1, 2])
    const job = await caller.status(reference)
    expect(body.epochs.at(-1)?.metrics).toMatchObject({
      train_loss: job.metrics.train_loss,
      val_loss: job.metrics.val_loss,
    })
  })

  it('events are given as JSON too, from `since` on', async () => {
    const { messages } = await caller.listen(reference, '?since=0')
    const { body } = await caller.get<{ events: object[] }>(`/api/training/${reference}/events?since=2`)
    expect(body.events).toEqual(messages.slice(2))
  })

  it('/openapi.json describes every route, and /docs shows it without loading anything from outside', async () => {
    const { body } = await caller.get<{ openapi: string; paths: object }>('/openapi.json')
    expect(body.openapi).toMatch(/^3\.1/)
    // OpenAPI has no path field with several segments.
    const paths = Object.values(ROUTES).map(({ path }) => path.replace('{+', '{'))
    expect(Object.keys(body.paths)).toEqual([...new Set(paths)])
    const page = await fetch(`${caller.url}/docs`)
    expect(page.status).toBe(200)
    expect(await page.text()).not.toMatch(/(?:src|href)\s*=\s*["']?(?:https?:)?\/\//i)
  })

  it('/metrics speaks Prometheus', async () => {
    const text = await (await fetch(`${caller.url}/metrics`)).text()
    expect(text).toMatch(/^# TYPE medloom_jobs gauge$/m)
    expect(text).toMatch(/^medloom_jobs\{status="completed"\} [1-9]\d*$/m)
  })

  it('a service that can train reports it at /api/system/ready', async () => {
    expect((await caller.get('/api/system/ready')).body.status).toBe('ready')
  })
})
