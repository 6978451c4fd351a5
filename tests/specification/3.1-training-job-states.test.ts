import { JOB_STATUSES, type Job } from '@medloom/contracts'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Answer, Caller } from '../testing/http.js'
import { shared, training } from '../testing/shared.js'
import { longTrainingConfig, trainingConfig } from '../testing/training.js'
import { shows } from './sentences/index.js'

const caller = new Caller(shared.url)
const dataset = shared.dataset
/** For what only a real training can show. */
const trainer = new Caller(training.url)
/** Table networks: the states do not depend on the model. */
const table = { vision_backbone: 'none' } as const
const long = longTrainingConfig(dataset, { model: table, training: { epochs: 50_000 } })

interface Walk {
  readonly start: Answer
  /** The first status after "started". */
  readonly next: string
  readonly queued: { readonly position: number | null; readonly stop: Answer; readonly after: Job }
  /** Responses to three simultaneous requests. */
  readonly stops: readonly Answer[]
}

/** One training from its start to its stop, and one that waits behind it. */
async function walked(): Promise<Walk> {
  const start = await caller.post('/api/training/start', { config: long, job_name: 'states pause=2' })
  const jobId = String(start.body.job_id)
  const { status: next } = await caller.until(jobId, ({ status }) => status !== 'started')
  const waiting = await caller.start(long, 'waiting pause=1')
  const position = (await caller.status(waiting)).queue_position
  const stop = await caller.post(`/api/training/${waiting}/stop`)
  const after = await caller.status(waiting)
  await caller.until(jobId, ({ epoch }) => epoch >= 2)
  const stops = await Promise.all([1, 2, 3].map(() => caller.post(`/api/training/${jobId}/stop`)))
  return { start, next, queued: { position, stop, after }, stops }
}

describe('3.1 Training job', () => {
  beforeAll(() => caller.ended(shared.referenceJob))

  it(
    'its states are started, running, completed, failed and stopped',
    shows('3.1/values', '3.1/list'),
    async () => {
      expect(JOB_STATUSES).toEqual(['started', 'running', 'completed', 'failed', 'stopped'])
      const { status, body } = await caller.get('/api/training?status=paused')
      expect([status, body.issues]).toMatchObject([400, [{ path: 'status.0' }]])
    },
  )

  describe('of a training that runs until it is stopped', () => {
    let walk: Walk
    beforeAll(async () => {
      walk = await walked()
    })

    it(
      '(none) → started: the start is accepted; the response carries job_id and a message',
      shows('3.1/started', '3.1/start-answer', '1/start', '4/start'),
      () =>
        expect([walk.start.status, walk.start.body]).toEqual([
          200,
          { job_id: expect.any(String), status: 'started', message: expect.any(String) },
        ]),
    )

    it('started → running', shows('3.1/other', '3.1/values'), () => expect(walk.next).toBe('running'))

    it('a job that waits for it and is stopped ends at once and never runs', () => {
      expect(walk.queued.position).toBeGreaterThanOrEqual(1)
      expect(walk.queued.stop.body.status).toBe('stopped')
      expect(walk.queued.after).toMatchObject({ status: 'stopped', started_at: null })
    })

    it(
      'running → stopped: the response carries job_id and a message, and the checkpoint is there',
      shows('3.1/stopped', '3.1/stop-answer', '1/stop', '4/stop'),
      async () => {
        const [{ status, body } = expect.fail()] = walk.stops
        const job_id = walk.start.body.job_id
        expect([status, body]).toEqual([200, { job_id, status: 'stopped', message: expect.any(String) }])
        const { body: listed } = await caller.get<{ checkpoints: { name: string }[] }>(
          `/api/training/${job_id}/checkpoints`,
        )
        expect(listed.checkpoints.map(({ name }) => name)).toEqual(expect.arrayContaining(['best', 'last']))
      },
    )

    it('a second stop while the first is in progress gets the same answer', () => {
      for (const answer of walk.stops) expect([answer.status, answer.body.status]).toEqual([200, 'stopped'])
    })
  })

  it('running → completed when all epochs are done', shows('3.1/other'), async () => {
    const { messages } = await caller.listen(shared.referenceJob, '?since=0')
    const { status, epoch, total_epochs } = await caller.status(shared.referenceJob)
    expect([status, epoch, messages.at(-1)?.type]).toEqual(['completed', total_epochs, 'completed'])
  })

  it(
    'running → failed, with a code, a message and a remedy, when the data cannot be trained on',
    shows('3.1/other'),
    async () => {
      const data = { label_column: 'no_such_column' }
      const job = await trainer.ended(await trainer.start(trainingConfig(training.dataset, { data })))
      expect([job.status, job.epoch]).toEqual(['failed', 0])
      expect(job.error).toMatchObject({
        code: 'COLUMN_NOT_FOUND',
        message: expect.stringContaining('no_such_column'),
      })
    },
  )

  it('a terminal status is final: stopping again is 400 JOB_NOT_RUNNING and changes nothing', async () => {
    // Its report is written after its end.
    const before = await caller.until(shared.referenceJob, ({ report_path }) => report_path !== null)
    const { status, body } = await caller.post(`/api/training/${before.job_id}/stop`)
    expect([status, body.code]).toEqual([400, 'JOB_NOT_RUNNING'])
    expect(await caller.status(before.job_id)).toEqual(before)
  })

  it('finish ends the job after its epoch as completed, with the best model', async () => {
    const jobId = await caller.start(long, 'finished pause=2 whole')
    await caller.until(jobId, ({ epoch }) => epoch >= 2)
    const { status } = await caller.post(`/api/training/${jobId}/finish`)
    expect(status).toBe(200)
    const job = await caller.ended(jobId)
    expect(job).toMatchObject({ status: 'completed', model_id: expect.any(String) })
    expect(job.epoch).toBeLessThan(job.total_epochs)
  })

  it('a stopped job is continued as a new job that ends as if nothing had happened', async () => {
    const config = trainingConfig(training.dataset, { training: { epochs: 8, seed: 3 } })
    const undisturbed = await trainer.start(config)
    const stopped = await trainer.start(config)
    await trainer.until(stopped, ({ epoch, status }) => epoch >= 2 || status === 'completed')
    await trainer.post(`/api/training/${stopped}/stop`)
    expect((await trainer.status(stopped)).status).toBe('stopped')
    const { body } = await trainer.post(`/api/training/${stopped}/resume`)
    const resumed = await trainer.ended(String(body.job_id))
    expect(resumed).toMatchObject({ status: 'completed', resumed_from: stopped })
    const reference = await trainer.ended(undisturbed)
    expect(resumed.metrics).toEqual(reference.metrics)
    expect(resumed.best).toEqual(reference.best)
  })

  it('a job that has nothing to continue is not resumable', async () => {
    const { status, body } = await caller.post(`/api/training/${shared.referenceJob}/resume`)
    expect([status, body.code]).toEqual([400, 'JOB_NOT_RESUMABLE'])
  })
})
