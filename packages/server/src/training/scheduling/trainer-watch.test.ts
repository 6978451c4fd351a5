/** @module-tag service */
import type { JobMessage } from '@medloom/contracts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TrainingDomain } from '../../../testing/training/training-domain.js'
import { until } from '../../../testing/training/until.js'
import { AppError } from '../../errors.js'

let domain: TrainingDomain
beforeEach(async () => {
  domain = new TrainingDomain()
  await domain.open()
})
afterEach(() => domain.remove())

const beat = (steps: number, patience_seconds: number) => ({
  ...{
    process: 'process 7 on gpu-3',
    steps,
    doing: 'training, epoch 1, batch 3 of 9',
    at: '2026-01-02T03:04:05.000Z',
    patience_seconds,
  },
})
const running = async () => {
  const jobId = await domain.accept()
  const trainer = await domain.submitted(jobId)
  domain.phase(jobId, 1)
  await domain.until(jobId, ({ phase }) => phase === 'training')
  return { jobId, trainer, exchange: domain.exchanges.get(jobId) }
}
const follow = (jobId: string) => {
  const messages: JobMessage[] = []
  void domain.training.gateway.follow(
    jobId,
    (message) => messages.push(message),
    new AbortController().signal,
  )
  return messages
}

describe('a job whose data folder is unavailable', () => {
  const away = new AppError('DATA_FOLDER_MISSING', { english: 'there is no data folder at /data' })

  it('shows this with a remedy until the folder is back', async () => {
    const { jobId, exchange, trainer } = await running()
    exchange.beat = beat(5, 600)
    exchange.away = away
    expect(await domain.until(jobId, ({ stalled }) => stalled !== null)).toMatchObject({
      status: 'running',
      stalled: {
        remedy: expect.stringMatching(
          /^DATA_FOLDER_MISSING: there is no data folder at .*Restore the folder/,
        ),
      },
    })
    exchange.away = null
    await domain.until(jobId, ({ stalled }) => stalled === null)
    expect(trainer.received).toEqual([])
  })

  it('ends according to its events once the folder is back, though its trainer exited meanwhile', async () => {
    const { jobId, exchange, trainer } = await running()
    exchange.away = away
    trainer.state = 'gone'
    await domain.until(jobId, ({ stalled }) => stalled !== null)
    exchange.writeEvent({
      ...{ type: 'error', timestamp: '2026-01-02T03:04:05.000Z', attempt: 1, epoch: 1, trace: null },
      ...{ code: 'DATA_FOLDER_MISSING', message: 'it is gone', details: '' },
    })
    exchange.away = null
    expect(await domain.until(jobId, ({ status }) => status === 'failed')).toMatchObject({
      error: { code: 'DATA_FOLDER_MISSING', message: 'it is gone' },
    })
  })
})

describe('a trainer that has stalled', () => {
  it('is shown as stalled, in the status and to followers, and continues with its next step', async () => {
    const { jobId, trainer, exchange } = await running()
    const messages = follow(jobId)
    exchange.beat = beat(5, 0.05)
    const stalled = await domain.until(jobId, (job) => job.stalled !== null)
    expect(stalled).toMatchObject({
      status: 'running',
      stalled: { doing: 'training, epoch 1, batch 3 of 9', since: '2026-01-02T03:04:05.000Z' },
    })
    exchange.beat = beat(6, 600)
    await domain.until(jobId, (job) => job.stalled === null)
    await until(() => messages.length >= 2)
    expect(messages).toMatchObject([
      { type: 'stalled', seq: 1, epoch: 1, stalled: stalled.stalled },
      { type: 'stalled', seq: 2, stalled: null },
    ])
    // Nothing was ended because of it.
    expect(trainer.received).toEqual([])
  })

  it('stays stalled over a restart of the service, and until its end', async () => {
    const { jobId, exchange, trainer } = await running()
    exchange.beat = beat(5, 0.05)
    await domain.until(jobId, (job) => job.stalled !== null)
    exchange.beat = beat(5, 600)
    await domain.restart()
    await domain.looked(trainer)
    expect((await domain.job(jobId)).stalled).not.toBeNull()
    exchange.writeEvent(domain.completed())
    expect(await domain.until(jobId, ({ ended_at }) => ended_at !== null)).toMatchObject({ stalled: null })
  })

  it('is shown as suspended when a signal stops it', async () => {
    const { jobId, exchange, trainer } = await running()
    exchange.beat = beat(5, 600)
    trainer.state = 'suspended'
    const { stalled } = await domain.until(jobId, (job) => job.stalled !== null)
    expect(stalled?.remedy).toContain('(process 7 on gpu-3) is suspended. Continue it with kill -CONT')
  })
})

describe('a removed run directory', () => {
  it('ends the job with a code and the path, and its trainer', async () => {
    const { jobId, exchange, trainer } = await running()
    exchange.removed = 'the run directory (/data/runs/1)'
    expect(await domain.until(jobId, ({ ended_at }) => ended_at !== null)).toMatchObject({
      status: 'failed',
      error: {
        code: 'RUN_DIRECTORY_MISSING',
        message: 'the run directory (/data/runs/1) was removed while the job ran',
      },
    })
    expect(trainer.received).toContain('kill')
  })
})
