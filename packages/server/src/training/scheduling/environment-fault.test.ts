/** @module-tag service */
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { TrainingDomain } from '../../../testing/training/training-domain.js'
import { until } from '../../../testing/training/until.js'
import { DatabaseError } from '../../database/database-error.js'
import { AppError } from '../../errors.js'
import { EventIngest } from '../events/event-ingest.js'
import { ActiveJobs } from './active-jobs.js'
import { environmentFault } from './environment-fault.js'

let domain: TrainingDomain
beforeEach(async () => {
  domain = new TrainingDomain()
  await domain.open()
})
afterEach(() => domain.remove())

const failed = (code: string) => ({
  ...{ type: 'error' as const, timestamp: '2026-01-02T03:04:05.000Z', attempt: 1, epoch: 1, code },
  ...{ message: 'it went wrong', details: '', trace: null },
})

describe('a machine on which no job can be started', () => {
  it.each([
    ['a full disk', Object.assign(new Error('write'), { code: 'ENOSPC' }), 'DISK_FULL'],
    [
      'a broken environment',
      new AppError('PYTHON_UNAVAILABLE', { english: 'exit code 1' }),
      'PYTHON_UNAVAILABLE',
    ],
    ['too many open files', Object.assign(new Error('open'), { code: 'EMFILE' }), 'TOO_MANY_FILES'],
    [
      'a data folder that was moved',
      new AppError('DATA_FOLDER_MISSING', { english: 'gone' }),
      'DATA_FOLDER_MISSING',
    ],
  ])(
    'fails no job: with %s all of them wait, in order, and continue automatically',
    async (_, refusal, code) => {
      domain.launcher.refusal = refusal
      const jobs = [await domain.accept(), await domain.accept(), await domain.accept()]
      await until(() => domain.training.pause() !== null)
      expect(domain.training.pause()).toMatchObject({ code, remedy: expect.any(String) })
      for (const jobId of jobs)
        expect(await domain.job(jobId)).toMatchObject({
          ...{ status: 'started', attempt: 0, error: null },
          reason: expect.stringMatching(/^waiting: .*Next attempt at /),
        })
      await until(() => jobs.every((jobId) => domain.exchanges.get(jobId).reserves.size === 0))
      domain.launcher.refusal = null
      for (const jobId of jobs) {
        const trainer = await domain.submitted(jobId)
        expect(domain.training.pause()).toBeNull()
        domain.exchanges.get(jobId).writeEvent(domain.completed())
        trainer.state = 'gone'
      }
    },
  )

  it('lets a job that waits because of it be stopped; that job is not started afterwards', async () => {
    domain.launcher.refusal = new AppError('PYTHON_UNAVAILABLE', { english: 'exit code 1' })
    const [first, second] = [await domain.accept(), await domain.accept()]
    await until(() => domain.training.pause() !== null)
    await domain.training.gateway.stop(first)
    domain.launcher.refusal = null
    await domain.submitted(second)
    expect(await domain.job(first)).toMatchObject({ status: 'stopped', attempt: 0 })
    expect(domain.launcher.trainers.size).toBe(1)
  })
})

describe('a training that ends with a fault that would also end the next', () => {
  it('pauses the queue, which no other failure does', async () => {
    const [first, second] = [await domain.accept(), await domain.accept()]
    const end = async (jobId: string, code: string) => {
      const trainer = await domain.submitted(jobId)
      domain.exchanges.get(jobId).writeEvent(failed(code))
      trainer.state = 'gone'
      await domain.until(jobId, ({ status }) => status === 'failed')
    }
    await end(first, 'LOSS_NOT_FINITE')
    expect(domain.training.pause()).toBeNull()
    // The queue retries after milliseconds; without an answer of the launcher it stays paused until the assertion of the test.
    const third = await domain.accept()
    await domain.submitted(second)
    const { room } = domain.launcher
    domain.launcher.room = new Error('the launcher does not answer')
    await end(second, 'DISK_FULL')
    await until(() => domain.training.pause() !== null)
    expect(domain.training.pause()).toMatchObject({ code: 'DISK_FULL' })
    domain.launcher.room = room
    await domain.submitted(third)
    await until(() => domain.training.pause() === null)
  })
})

it('a trainer ended by the full disk is shown as failed while the database cannot store it', async () => {
  const jobId = await domain.accept()
  const trainer = await domain.submitted(jobId)
  await domain.until(jobId, ({ status }) => status === 'running')
  await sql`CREATE TRIGGER full BEFORE UPDATE ON jobs BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END`.execute(
    domain.database,
  )
  domain.exchanges.get(jobId).writeEvent(failed('DISK_FULL'))
  trainer.state = 'gone'
  const shown = await domain.until(jobId, ({ status }) => status === 'failed')
  expect(shown.error).toMatchObject({ code: 'DISK_FULL' })
  // A user who sees the failure may continue the job: the checkpoint is missing here, not the end.
  await expect(
    domain.training.gateway.resume(jobId, async () => undefined, { owner: null }),
  ).rejects.toMatchObject({
    message: 'the job has no checkpoint to continue from',
  })
  expect(domain.training.pause()).toBeNull()

  await sql`DROP TRIGGER full`.execute(domain.database)
  const stored = domain.database.selectFrom('jobs').select('status').where('job_id', '=', jobId)
  await until(async () => (await stored.executeTakeFirst())?.status === 'failed')
  expect(await domain.job(jobId)).toMatchObject({ status: 'failed', error: { code: 'DISK_FULL' } })
})

it('a trainer that could not write anything fails with that fault, and pauses the queue', async () => {
  const [jobId] = [await domain.accept(), await domain.accept()]
  const trainer = await domain.submitted(jobId)
  await domain.until(jobId, ({ status }) => status === 'running')
  // The queue retries after milliseconds; without an answer of the launcher it stays paused until the assertion of the test.
  domain.launcher.room = new Error('the launcher does not answer')
  domain.exchanges.get(jobId).machineFault = new AppError('STORAGE_DENIED', {
    english: 'the system denies access',
  })
  trainer.state = 'gone'
  expect(await domain.until(jobId, ({ status }) => status === 'failed')).toMatchObject({
    error: { code: 'STORAGE_DENIED', message: 'the system denies access' },
  })
  await domain.paused()
})

it('an end that cannot be stored pauses the queue, and waiting jobs show the reason', async () => {
  const [jobId, next] = [await domain.accept(), await domain.accept()]
  const trainer = await domain.submitted(jobId)
  await domain.until(jobId, ({ status }) => status === 'running')
  // The queue retries after milliseconds; without an answer of the launcher it stays paused until the assertion of the test.
  domain.launcher.room = new Error('the launcher does not answer')
  const refused = vi.spyOn(EventIngest.prototype, 'end')
  refused.mockRejectedValue(new DatabaseError('it failed', 'other', 'SQLITE_FULL'))
  domain.exchanges.get(jobId).machineFault = new AppError('STORAGE_DENIED', {
    english: 'the system denies access',
  })
  trainer.state = 'gone'
  await until(() => domain.training.pause()?.code === 'DISK_FULL')
  expect((await domain.job(next)).reason).toMatch(/^waiting: .*no space is left/)
  refused.mockRestore()
  await domain.until(jobId, ({ status }) => status === 'failed')
})

it('a job waits while the database does not respond', async () => {
  const find = () => Promise.reject(new DatabaseError('it failed', 'other', 'SQLITE_READONLY'))
  const jobs = new ActiveJobs({ repository: { find }, log: { error: () => undefined } } as never)
  expect(await jobs.run('a', null)).toMatchObject({ code: 'STORAGE_DENIED' })
})

it('the fault of a job is not a fault of the machine', () => {
  expect(environmentFault(new AppError('INVALID_CONFIG', { english: 'a key' }))).toBeNull()
  expect(environmentFault(new Error('a defect'))).toBeNull()
})
