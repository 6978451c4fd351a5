/** @module-tag service */
import type { JobMessage } from '@medloom/contracts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TrainingDomain } from '../../../testing/training/training-domain.js'

let domain: TrainingDomain
beforeEach(async () => {
  domain = new TrainingDomain()
  domain.launcher.interrupts = true
  await domain.open()
})
afterEach(() => domain.remove())

/** The launcher has ended the trainer of an attempt, with or without a report of the trainer. */
async function interrupt(jobId: string, { attempt = 1, reports = true } = {}): Promise<void> {
  const trainer = await domain.submitted(jobId, attempt)
  trainer.interruption = 'its time limit'
  const exchange = domain.exchanges.get(jobId)
  if (reports) {
    exchange.writeResult(domain.stopped(attempt))
    exchange.writeEvent(domain.stopped(attempt))
  }
  trainer.state = 'gone'
}

async function messagesOf(jobId: string): Promise<JobMessage[]> {
  const rows = await domain.database
    .selectFrom('job_events')
    .select('message')
    .where('job_id', '=', jobId)
    .orderBy('seq')
    .execute()
  return rows.map(({ message }) => JSON.parse(message))
}

describe('a trainer that its launcher interrupts', () => {
  it.each([
    ['that stops in time', true],
    ['that is killed', false],
  ])('%s is followed by the next attempt of the same job', async (_, reports) => {
    const jobId = await domain.accept()
    await domain.submitted(jobId)
    domain.progress(jobId, [1, 2])
    domain.checkpoint(jobId, 0)
    await interrupt(jobId, { reports })
    await domain.submitted(jobId, 2)
    expect(domain.exchanges.get(jobId).spec).toMatchObject({ attempt: 2, resumed_from: null })
    domain.phase(jobId, 1, 2)
    const job = await domain.until(jobId, ({ phase }) => phase === 'training')
    expect(job).toMatchObject({ status: 'running', attempt: 2, reason: null, error: null, ended_at: null })
  })

  it('has an event sequence without gaps, and one terminal message', async () => {
    const jobId = await domain.accept()
    await domain.submitted(jobId)
    for (const batch of [1, 2, 3]) domain.progress(jobId, [1, batch])
    domain.checkpoint(jobId, 0)
    await domain.until(jobId, ({ epoch }) => epoch === 1)
    await interrupt(jobId)
    await domain.submitted(jobId, 2)
    // The last checkpoint is older than the last message: two batches are trained again.
    for (const batch of [2, 3, 4]) domain.progress(jobId, [1, batch], 2)
    domain.exchanges.get(jobId).writeEvent(domain.completed(2))
    domain.launcher.trainer(jobId, 2).state = 'gone'
    await domain.until(jobId, ({ ended_at }) => ended_at !== null)
    const messages = await messagesOf(jobId)
    expect(messages.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5])
    expect(messages.map((message) => ('batch' in message ? message.batch : message.type))).toEqual([
      ...[1, 2, 3, 4],
      'completed',
    ])
  })

  it('waits in the queue of its launcher as not started, with the reason', async () => {
    const jobId = await domain.accept()
    await domain.submitted(jobId)
    domain.phase(jobId, 1)
    domain.checkpoint(jobId, 1)
    domain.launcher.queues = true
    await interrupt(jobId)
    const second = await domain.submitted(jobId, 2)
    expect(await domain.job(jobId)).toMatchObject({ status: 'running', phase: 'queued', attempt: 2 })
    expect(await domain.job(jobId)).toMatchObject({
      reason: expect.stringContaining('attempt 1 was interrupted: its time limit'),
      reason_phrases: [{ code: 'attempt_interrupted', values: { why: 'its time limit' } }],
    })
    second.waitsFor = 'the cluster is full'
    const waiting = await domain.until(jobId, ({ reason }) => reason === 'the cluster is full')
    expect(waiting.reason_phrases).toBeUndefined()
    second.state = 'running'
    const job = await domain.until(jobId, ({ phase }) => phase === 'preparing')
    expect(job).toMatchObject({ status: 'running', reason: null })
  })

  it('is not followed by another attempt when the user has stopped the job', async () => {
    const jobId = await domain.accept()
    const trainer = await domain.submitted(jobId)
    domain.phase(jobId, 1)
    domain.checkpoint(jobId, 1)
    await domain.until(jobId, ({ phase }) => phase === 'training')
    const stopping = domain.training.gateway.stop(jobId)
    trainer.interruption = 'its time limit'
    domain.exchanges.get(jobId).writeEvent(domain.stopped())
    trainer.state = 'gone'
    await stopping
    expect(await domain.job(jobId)).toMatchObject({ status: 'stopped', attempt: 1 })
    expect(domain.launcher.trainers.size).toBe(1)
  })

  it('and stopped while it waits to continue, ends with its last checkpoint', async () => {
    const jobId = await domain.accept()
    await domain.submitted(jobId)
    domain.phase(jobId, 1)
    domain.checkpoint(jobId, 1)
    domain.launcher.queues = true
    await interrupt(jobId)
    const second = await domain.submitted(jobId, 2)
    await domain.training.gateway.stop(jobId)
    expect(second.received[0]).toBe('kill')
    expect(await domain.job(jobId)).toMatchObject({
      status: 'stopped',
      reason: 'stopped while it waited for its next attempt',
      resumable: true,
    })
  })

  it.each([0, 1])('continues after a restart of the service, with %i earlier attempts', async (before) => {
    const jobId = await domain.accept()
    for (let attempt = 1; attempt <= before; attempt++) {
      await domain.submitted(jobId, attempt)
      domain.phase(jobId, attempt, attempt)
      domain.checkpoint(jobId, attempt, attempt)
      await interrupt(jobId, { attempt })
    }
    const attempt = before + 1
    await domain.submitted(jobId, attempt)
    domain.phase(jobId, attempt, attempt)
    domain.checkpoint(jobId, attempt, attempt)
    await domain.until(jobId, (job) => job.epoch === attempt)
    await domain.restart(() => interrupt(jobId, { attempt }))
    await domain.submitted(jobId, attempt + 1)
    expect(await domain.job(jobId)).toMatchObject({ status: 'running', attempt: attempt + 1 })
  })

  it('twice in a row before it has saved anything fails, and can be resumed with more time', async () => {
    const jobId = await domain.accept()
    await domain.submitted(jobId)
    domain.phase(jobId, 1)
    domain.checkpoint(jobId, 1)
    await interrupt(jobId)
    for (const attempt of [2, 3]) {
      await domain.submitted(jobId, attempt)
      domain.phase(jobId, 1, attempt)
      await interrupt(jobId, { attempt })
    }
    expect(await domain.until(jobId, ({ ended_at }) => ended_at !== null)).toMatchObject({
      status: 'failed',
      attempt: 3,
      error: { code: 'INTERRUPTED_TOO_OFTEN' },
      resumable: true,
    })
  })

  it('waits until it can be started again after a fault of the machine', async () => {
    const jobId = await domain.accept()
    await domain.submitted(jobId)
    domain.phase(jobId, 1)
    domain.checkpoint(jobId, 1)
    domain.launcher.refusal = Object.assign(new Error('too many open files'), { code: 'EMFILE' })
    await interrupt(jobId)
    await domain.until(jobId, ({ phase }) => phase === 'queued')
    await domain.paused()
    expect(await domain.job(jobId)).toMatchObject({ status: 'running', attempt: 1, error: null })
    domain.launcher.refusal = null
    await domain.submitted(jobId, 2)
  })
})

describe('an end that is not an interruption', () => {
  it.each([
    ['of a trainer that a user canceled in the launcher', 'stopped', { status: 'stopped' }],
    ['with the loss of a process', 'lost', { status: 'failed', error: { code: 'WORKER_LOST' } }],
  ])('ends the job: that %s', async (_, how, expected) => {
    const jobId = await domain.accept()
    const trainer = await domain.submitted(jobId)
    domain.phase(jobId, 1)
    domain.checkpoint(jobId, 1)
    const exchange = domain.exchanges.get(jobId)
    if (how === 'stopped') {
      exchange.writeResult(domain.stopped())
      exchange.writeEvent(domain.stopped())
    }
    await domain.until(jobId, ({ phase }) => phase === 'training')
    trainer.state = 'gone'
    expect(await domain.until(jobId, ({ ended_at }) => ended_at !== null)).toMatchObject(expected)
    expect(domain.launcher.trainers.size).toBe(1)
  })
})

describe('a trainer that a user cancels in its launcher', () => {
  const CANCELLED = 'canceled in the queue'

  it.each([
    ['while it waits', true, 'pending'],
    ['before it has said anything', false, 'running'],
  ] as const)('%s is not started again: its job is stopped', async (_, queues, state) => {
    domain.launcher.queues = queues
    const jobId = await domain.accept()
    const trainer = await domain.submitted(jobId)
    expect(trainer.state).toBe(state)
    trainer.cancellation = CANCELLED
    trainer.state = 'gone'
    const job = await domain.until(jobId, ({ ended_at }) => ended_at !== null)
    expect(job).toMatchObject({ status: 'stopped', reason: CANCELLED, attempt: 1, error: null })
    expect(domain.launcher.trainers.size).toBe(1)
  })

  it('and that is killed before it could report ends its job as stopped, and can be resumed', async () => {
    const jobId = await domain.accept()
    const trainer = await domain.submitted(jobId)
    domain.phase(jobId, 1)
    domain.checkpoint(jobId, 1)
    await domain.until(jobId, ({ phase }) => phase === 'training')
    trainer.cancellation = CANCELLED
    trainer.state = 'gone'
    const job = await domain.until(jobId, ({ ended_at }) => ended_at !== null)
    expect(job).toMatchObject({ status: 'stopped', reason: CANCELLED, resumable: true })
  })
})

it('a trainer that has reported a stop but does not exit is ended', async () => {
  const jobId = await domain.accept()
  const trainer = await domain.submitted(jobId)
  domain.checkpoint(jobId, 1)
  trainer.interruption = 'its time limit'
  domain.exchanges.get(jobId).writeResult(domain.stopped())
  domain.exchanges.get(jobId).writeEvent(domain.stopped())
  await domain.submitted(jobId, 2)
  expect(trainer.received).toContain('kill')
})
