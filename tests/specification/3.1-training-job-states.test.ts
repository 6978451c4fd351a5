import { JOB_STATUSES } from '@medloom/contracts'
import { beforeAll, describe, expect, it } from 'vitest'
import { Caller } from '../testing/http.js'
import { shared } from '../testing/shared.js'
import { longTrainingConfig, trainingConfig } from '../testing/training.js'
import { shows } from './sentences/index.js'

const caller = new Caller(shared.url)
const dataset = shared.dataset

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

  it(
    '(none) → started: the start is accepted; the response carries job_id and a message',
    shows('3.1/started', '3.1/start-answer', '1/start', '4/start'),
    async () => {
      const { status, body } = await caller.post('/api/training/start', {
        config: longTrainingConfig(dataset),
        job_name: 'states',
      })
      expect([status, body]).toEqual([
        200,
        { job_id: expect.any(String), status: 'started', message: expect.any(String) },
      ])
      await caller.post(`/api/training/${body.job_id}/stop`)
    },
  )

  it('started → running', shows('3.1/other', '3.1/values'), async () => {
    const jobId = await caller.start(longTrainingConfig(dataset))
    const job = await caller.until(jobId, ({ status }) => status !== 'started')
    expect(job.status).toBe('running')
    await caller.post(`/api/training/${jobId}/stop`)
  })

  it(
    'running → stopped: the response carries job_id and a message, and the checkpoint is there',
    shows('3.1/stopped', '3.1/stop-answer', '1/stop', '4/stop'),
    async () => {
      const jobId = await caller.start(longTrainingConfig(dataset))
      await caller.until(jobId, ({ epoch }) => epoch >= 2)
      const { status, body } = await caller.post(`/api/training/${jobId}/stop`)
      expect([status, body]).toEqual([200, { job_id: jobId, status: 'stopped', message: expect.any(String) }])
      const { body: listed } = await caller.get<{ checkpoints: { name: string }[] }>(
        `/api/training/${jobId}/checkpoints`,
      )
      expect(listed.checkpoints.map(({ name }) => name)).toEqual(expect.arrayContaining(['best', 'last']))
    },
  )

  it('running → completed when all epochs are done', shows('3.1/other'), async () => {
    const jobId = await caller.start(trainingConfig(dataset, { training: { epochs: 1 } }))
    expect((await caller.ended(jobId)).status).toBe('completed')
  })

  it(
    'running → failed, with a code, a message and a remedy, when the data cannot be trained on',
    shows('3.1/other'),
    async () => {
      const jobId = await caller.start(trainingConfig(dataset, { data: { label_column: 'no_such_column' } }))
      const job = await caller.ended(jobId)
      expect(job.status).toBe('failed')
      expect(job.error).toMatchObject({
        code: 'COLUMN_NOT_FOUND',
        message: expect.stringContaining('no_such_column'),
      })
    },
  )

  it('a queued job that is stopped ends at once and never runs', async () => {
    const running = await caller.start(longTrainingConfig(dataset))
    const queued = await caller.start(longTrainingConfig(dataset))
    expect((await caller.status(queued)).queue_position).toBeGreaterThanOrEqual(1)
    const { body } = await caller.post(`/api/training/${queued}/stop`)
    expect(body.status).toBe('stopped')
    expect(await caller.status(queued)).toMatchObject({ status: 'stopped', started_at: null })
    await caller.post(`/api/training/${running}/stop`)
  })

  it('a terminal status is final: stopping again is 400 JOB_NOT_RUNNING and changes nothing', async () => {
    const before = await caller.status(shared.referenceJob)
    const { status, body } = await caller.post(`/api/training/${before.job_id}/stop`)
    expect([status, body.code]).toEqual([400, 'JOB_NOT_RUNNING'])
    expect(await caller.status(before.job_id)).toEqual(before)
  })

  it('a second stop while the first is in progress gets the same answer', async () => {
    const jobId = await caller.start(longTrainingConfig(dataset))
    await caller.until(jobId, ({ epoch }) => epoch >= 1)
    const answers = await Promise.all([1, 2, 3].map(() => caller.post(`/api/training/${jobId}/stop`)))
    for (const answer of answers) expect([answer.status, answer.body.status]).toEqual([200, 'stopped'])
  })

  it('finish ends the job after its epoch as completed, with the best model', async () => {
    const jobId = await caller.start(longTrainingConfig(dataset))
    await caller.until(jobId, ({ epoch }) => epoch >= 2)
    const { status } = await caller.post(`/api/training/${jobId}/finish`)
    expect(status).toBe(200)
    const job = await caller.ended(jobId)
    expect(job).toMatchObject({ status: 'completed', model_id: expect.any(String) })
    expect(job.epoch).toBeLessThan(2000)
  })

  it('a stopped job is continued as a new job that ends as if nothing had happened', async () => {
    const changes = { training: { epochs: 8, seed: 3 } }
    const undisturbed = await caller.start(trainingConfig(dataset, changes))
    const stopped = await caller.start(trainingConfig(dataset, changes))
    await caller.until(stopped, ({ epoch, status }) => epoch >= 2 || status === 'completed')
    await caller.post(`/api/training/${stopped}/stop`)
    expect((await caller.status(stopped)).status).toBe('stopped')
    const { body } = await caller.post(`/api/training/${stopped}/resume`)
    const resumed = await caller.ended(String(body.job_id))
    expect(resumed).toMatchObject({ status: 'completed', resumed_from: stopped })
    const reference = await caller.ended(undisturbed)
    expect(resumed.metrics).toEqual(reference.metrics)
    expect(resumed.best).toEqual(reference.best)
  })

  it('a job that has nothing to continue is not resumable', async () => {
    const { status, body } = await caller.post(`/api/training/${shared.referenceJob}/resume`)
    expect([status, body.code]).toEqual([400, 'JOB_NOT_RESUMABLE'])
  })
})
