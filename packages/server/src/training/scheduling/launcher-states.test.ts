/** @module-tag service */
import type { JobMessage, TrainerEvent } from '@medloom/contracts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { describeOnSqlite } from '../../../testing/databases.js'
import { TrainingDomain } from '../../../testing/training/training-domain.js'
import { until } from '../../../testing/training/until.js'
import { AppError } from '../../errors.js'

describeOnSqlite((databases) => {
  let domain: TrainingDomain
  beforeEach(async () => {
    domain = new TrainingDomain({}, await databases.place())
    await domain.open()
  })
  afterEach(() => domain.remove())

  describe('a trainer that waits in its launcher', () => {
    beforeEach(() => {
      domain.launcher.queues = true
    })

    it('is not running: its job has not started, and occupies its slot', async () => {
      const jobId = await domain.accept()
      const next = await domain.accept()
      const trainer = await domain.submitted(jobId)
      await domain.looked(trainer)
      expect(await domain.job(jobId)).toMatchObject({
        status: 'started',
        phase: 'queued',
        attempt: 1,
        started_at: null,
      })
      expect(domain.launcher.trainers.size).toBe(1)
      trainer.state = 'running'
      const job = await domain.until(jobId, ({ status }) => status === 'running')
      expect(job).toMatchObject({ phase: 'preparing', attempt: 1, started_at: expect.any(String) })
      expect(await domain.job(next)).toMatchObject({ status: 'started', attempt: 0 })
    })

    it('has started once it has written an event, whatever the launcher reports', async () => {
      const jobId = await domain.accept()
      const trainer = await domain.submitted(jobId)
      domain.phase(jobId, 1)
      await domain.until(jobId, ({ status, phase }) => status === 'running' && phase === 'training')
      expect(trainer.state).toBe('pending')
    })

    it('that has finished before the first check has its result', async () => {
      const jobId = await domain.accept()
      const trainer = await domain.submitted(jobId)
      domain.exchanges.get(jobId).writeResult(domain.completed())
      trainer.state = 'gone'
      expect(await domain.until(jobId, ({ ended_at }) => ended_at !== null)).toMatchObject({
        status: 'completed',
        reason: 'all epochs done',
      })
    })

    it('is removed from the launcher by a stop, and never ran', async () => {
      const jobId = await domain.accept()
      const trainer = await domain.submitted(jobId)
      await domain.training.gateway.stop(jobId)
      expect(trainer.received[0]).toBe('kill')
      expect(await domain.job(jobId)).toMatchObject({
        status: 'stopped',
        reason: 'stopped before it started',
        started_at: null,
      })
    })

    it('is stopped although its launcher cannot cancel it, and ended once it starts', async () => {
      const jobId = await domain.accept()
      const trainer = await domain.submitted(jobId)
      trainer.isKept = true
      await domain.training.gateway.stop(jobId)
      expect(await domain.job(jobId)).toMatchObject({
        status: 'stopped',
        reason: 'stopped before it started',
      })
      const next = await domain.accept()
      await domain.looked(trainer)
      expect(domain.launcher.trainers.has(`${next}-1`)).toBe(false)
      trainer.state = 'running'
      await domain.submitted(next)
      expect(trainer.state).toBe('gone')
    })

    it('is found by the next service, and not submitted twice', async () => {
      const jobId = await domain.accept()
      const trainer = await domain.submitted(jobId)
      await domain.restart()
      await domain.looked(trainer)
      expect(await domain.job(jobId)).toMatchObject({ status: 'started', attempt: 1 })
      expect(domain.launcher.trainers.size).toBe(1)
      trainer.state = 'running'
      await domain.until(jobId, ({ status }) => status === 'running')
    })
  })

  describe('a trainer whose state its launcher does not know', () => {
    it.each([
      ['while the service runs', false],
      ['when the service starts', true],
    ])('neither fails nor is started again, %s', async (_, restart) => {
      const jobId = await domain.accept()
      const trainer = await domain.submitted(jobId)
      trainer.state = 'unknown'
      if (restart) await domain.restart()
      await domain.looked(trainer)
      expect(await domain.job(jobId)).toMatchObject({ status: 'running', attempt: 1, error: null })
      expect(domain.launcher.trainers.size).toBe(1)
      // The trainer existed all the time.
      domain.phase(jobId, 2)
      await domain.until(jobId, ({ epoch }) => epoch === 2)
      trainer.state = 'running'
      domain.exchanges.get(jobId).writeEvent(domain.completed())
      await domain.until(jobId, ({ status }) => status === 'completed')
    })

    it('counts as lost only once it is known to be gone', async () => {
      const jobId = await domain.accept()
      const trainer = await domain.submitted(jobId)
      domain.phase(jobId, 1)
      trainer.state = 'unknown'
      await domain.looked(trainer)
      expect((await domain.job(jobId)).status).toBe('running')
      trainer.state = 'gone'
      expect(await domain.until(jobId, ({ status }) => status === 'failed')).toMatchObject({
        error: { code: 'WORKER_LOST' },
        attempt: 1,
      })
    })

    it('keeps its slot after the end of its job, until it can be ended', async () => {
      const jobId = await domain.accept()
      const next = await domain.accept()
      const trainer = await domain.submitted(jobId)
      trainer.state = 'unknown'
      domain.exchanges.get(jobId).writeEvent(domain.completed())
      await domain.until(jobId, ({ status }) => status === 'completed')
      await domain.looked(trainer)
      await domain.restart()
      await domain.looked(trainer)
      expect(domain.launcher.trainers.size).toBe(1)
      trainer.state = 'running'
      await domain.submitted(next)
      expect(trainer.received).toContain('kill')
    })
  })

  describe('a trainer that was recorded', () => {
    it('and never started, because the service died first, is submitted again as the next attempt', async () => {
      const jobId = await domain.accept()
      ;(await domain.submitted(jobId)).state = 'gone'
      await domain.submitted(jobId, 2)
      expect(await domain.job(jobId)).toMatchObject({ status: 'running', attempt: 2 })
    })

    it('has only its own result: a late write of an older attempt does not count', async () => {
      const jobId = await domain.accept()
      ;(await domain.submitted(jobId)).state = 'gone'
      const second = await domain.submitted(jobId, 2)
      const exchange = domain.exchanges.get(jobId)
      exchange.writeResult(domain.completed(1))
      exchange.writeEvent(domain.completed(1))
      domain.phase(jobId, 1, 2)
      second.state = 'gone'
      expect(await domain.until(jobId, ({ ended_at }) => ended_at !== null)).toMatchObject({
        status: 'failed',
        error: { code: 'WORKER_LOST' },
        attempt: 2,
      })
    })
  })

  describe('the capacity of a cluster', () => {
    const clusterOf = (...cpus: number[]) => ({
      accelerators: [],
      maxJobs: null,
      cluster: {
        cpus: cpus.reduce((sum, count) => sum + count, 0),
        gpus: 0,
        nodes: cpus.map((count) => ({ cpus: count, gpus: 0 })),
      },
    })

    it('is used by amounts, including a job that an earlier service started', async () => {
      domain.launcher.room = clusterOf(2, 1)
      const first = await domain.accept({ device: 'cpu:2' })
      const trainer = await domain.submitted(first)
      expect(trainer.order.resources).toEqual({ nodes: 1, processes: 2, cpus: 2, gpus: 0 })
      await domain.restart()
      const [second, third] = [await domain.accept(), await domain.accept()]
      await domain.submitted(second)
      expect(await domain.job(third)).toMatchObject({ status: 'started', attempt: 0, queue_position: 1 })
      domain.exchanges.get(first).writeEvent(domain.completed())
      trainer.state = 'gone'
      await domain.submitted(third)
    })

    it('is never enough for some jobs: their launcher refuses them at once, and others do not wait', async () => {
      domain.launcher.room = clusterOf(2, 1)
      domain.launcher.refusal = new AppError('DEVICE_UNAVAILABLE', { english: 'it takes 8 cores' })
      const tooLarge = await domain.accept({ device: 'cpu:8' })
      const job = await domain.until(tooLarge, ({ status }) => status === 'failed')
      expect(job.error).toMatchObject({ code: 'DEVICE_UNAVAILABLE', message: 'it takes 8 cores' })
      domain.launcher.refusal = null
      await domain.submitted(await domain.accept())
    })
  })

  describe('the capacity', () => {
    it('comes from the launcher', async () => {
      domain.launcher.room = { accelerators: [], maxJobs: 2 }
      const jobs = [
        await domain.accept(),
        await domain.accept(),
        await domain.accept(),
        await domain.accept(),
      ]
      const [first = '', second = '', third = '', fourth = ''] = jobs
      const trainer = await domain.submitted(first)
      await domain.submitted(second)
      expect(domain.launcher.trainers.size).toBe(2)
      // The cluster has grown by the time a job ends.
      domain.launcher.room = { accelerators: [], maxJobs: 3 }
      domain.exchanges.get(first).writeEvent(domain.completed())
      trainer.state = 'gone'
      await domain.submitted(third)
      await domain.submitted(fourth)
    })

    it('is queried again when the launcher did not know it: jobs wait', async () => {
      domain.launcher.room = new AppError('CLUSTER_UNREACHABLE', { english: 'the cluster does not answer' })
      const jobId = await domain.accept()
      expect(await domain.job(jobId)).toMatchObject({ status: 'started', error: null })
      await until(() => domain.training.pause() !== null)
      expect(domain.training.pause()).toMatchObject({
        code: 'CLUSTER_UNREACHABLE',
        remedy: expect.any(String),
      })
      domain.launcher.room = { accelerators: [], maxJobs: null }
      await domain.submitted(jobId)
      expect(domain.training.pause()).toBeNull()
    })
  })

  describe('a job that prepares its data when the service is restarted', () => {
    const deviceOf = (jobId: string) => domain.exchanges.get(jobId).spec?.config.training.device

    it('keeps its granted accelerator before its trainer has reported its device', async () => {
      domain.launcher.room = { accelerators: ['cuda:0', 'cuda:1'], maxJobs: null }
      const first = await domain.accept({ device: 'auto' })
      await domain.submitted(first)
      expect([deviceOf(first), (await domain.job(first)).prepared]).toEqual(['cuda:0', null])
      await domain.restart()
      const second = await domain.accept({ device: 'auto' })
      const third = await domain.accept({ device: 'auto' })
      await domain.submitted(second)
      expect(deviceOf(second)).toBe('cuda:1')
      expect(await domain.job(third)).toMatchObject({ status: 'started', attempt: 0 })
    })

    it('reserves the only accelerator against the next job', async () => {
      domain.launcher.room = { accelerators: ['cuda:0'], maxJobs: null }
      const first = await domain.accept({ device: 'auto' })
      const trainer = await domain.submitted(first)
      await domain.restart()
      const second = await domain.accept({ device: 'auto' })
      await domain.looked(trainer)
      expect(await domain.job(second)).toMatchObject({ status: 'started', attempt: 0 })
      domain.exchanges.get(first).writeEvent(domain.completed())
      trainer.state = 'gone'
      await domain.submitted(second)
    })
  })

  describe('an end that was stored although the database reported a failure', () => {
    it('is adopted: followers are notified, and the slot is free for the next job', async () => {
      const jobId = await domain.accept()
      const next = await domain.accept()
      const trainer = await domain.submitted(jobId)
      const messages: JobMessage[] = []
      const followed = domain.training.gateway.follow(
        jobId,
        (message) => messages.push(message),
        new AbortController().signal,
      )
      await domain.looked(trainer)
      const end = domain.completed()
      await domain.storeBehindTheService(jobId, end)
      domain.exchanges.get(jobId).writeEvent(end)
      await followed
      expect(messages).toMatchObject([{ type: 'completed', seq: 1 }])
      // The trainer lingers; it is ended after its grace period, as after any end.
      await domain.submitted(next)
      expect(trainer.received).toContain('kill')
    })
  })

  describe('finish and stop at once', () => {
    const request = (what: 'finishJob' | 'stopJob', job_id: string) =>
      domain.training.routes[what]({ params: { job_id } } as never) as Promise<{ message: string }>

    it.each([
      ['finish was asked for first', ['finishJob', 'stopJob']],
      ['stop was asked for first', ['stopJob', 'finishJob']],
    ] as const)('ends in a stop, though %s and its request reaches the trainer late', async (_, order) => {
      const jobId = await domain.accept()
      const trainer = await domain.submitted(jobId)
      const exchange = domain.exchanges.get(jobId)
      let release = () => {}
      const slow = new Promise<void>((done) => {
        release = done
      })
      const written: string[] = []
      exchange.writing = async (request) => {
        if (written.length === 0) {
          written.push('')
          await slow
          written.pop()
        }
        written.push(request)
      }
      const answers = order.map((what) => request(what, jobId))
      await domain.looked(trainer)
      release()
      await until(() => exchange.control.get(1) === 'stop')
      await domain.looked(trainer)
      expect(written.at(-1)).toBe('stop')
      expect(exchange.control.get(1)).toBe('stop')
      exchange.writeEvent({ ...domain.completed(), status: 'stopped' } as TrainerEvent)
      trainer.state = 'gone'
      await Promise.all(answers)
      expect(await domain.job(jobId)).toMatchObject({ status: 'stopped' })
    })
  })
})
