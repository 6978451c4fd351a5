import { setImmediate } from 'node:timers/promises'
import type { JobMessage } from '@medloom/contracts'
import { Cancellation, type Task } from '@medloom/workflow'
import { expect, test } from 'vitest'
import { AppError } from '../../../errors.js'
import type { TrainingGateway } from '../../../training/training-gateway.js'
import { afterEvery, followJob } from './follow-job.js'

test('progress is due after the given number of batches, whichever batches are reported', () => {
  const isDue = afterEvery(4)
  const due = (epoch: number, batches: number[]) =>
    batches.filter((batch) => isDue({ epoch, batch, total_batches: 14 }))
  expect(due(1, [1, 3, 5, 6, 9, 10, 13])).toEqual([5, 9, 13])
  expect(due(2, [2, 3, 7])).toEqual([3, 7])
  // Another attempt of the job begins at an earlier batch.
  expect(due(1, [2, 5, 6])).toEqual([2, 6])
})

test('with an interval of one every report is passed on', () => {
  const isDue = afterEvery(1)
  expect([1, 2, 9].map((batch) => isDue({ epoch: 3, batch, total_batches: 9 }))).toEqual([true, true, true])
})

test('the line of an epoch has the metrics of its task', async () => {
  const lines: string[] = []
  const task = {
    cancellation: new Cancellation(),
    config: {},
    log: (line: string) => lines.push(line),
    progress: () => {},
  } as unknown as Task
  const metrics = { train_loss: 0.5, val_loss: 0.6, val_c_index: 0.71, val_integrated_brier: 0.12 }
  const ended = { type: 'epoch_end', epoch: 1, total_epochs: 3, metrics } as unknown as JobMessage
  const trainings = {
    job: async () => ({ status: 'completed', total_epochs: 3 }),
    follow: async (_job: string, listener: (message: JobMessage) => void) => listener(ended),
  } as unknown as TrainingGateway
  await followJob(task, trainings, 'a', {} as never)
  expect(lines.join('\n')).toContain('val_c_index 0.7100, val_integrated_brier 0.1200')
})

test.each([
  ['is written down', new Error('the database is away'), 1],
  [
    'says nothing of a training that has ended by itself',
    new AppError('JOB_NOT_RUNNING', { english: 'completed' }),
    0,
  ],
])('a stop that fails %s', async (_, failure, lines) => {
  const cancellation = new Cancellation()
  const trainings: Pick<TrainingGateway, 'job' | 'stop' | 'follow'> = {
    job: async () => ({ status: 'running', total_epochs: 3 }) as Awaited<ReturnType<TrainingGateway['job']>>,
    stop: async () => Promise.reject(failure),
    follow: (_job, _listener, signal) =>
      new Promise((done) => signal.addEventListener('abort', () => done(), { once: true })),
  }
  const logged: unknown[] = []
  const log = { error: (entry: unknown) => logged.push(entry) } as never
  const task = { cancellation, config: {} } as Task
  const followed = followJob(task, trainings as TrainingGateway, 'a', log)
  await setImmediate()
  cancellation.request()
  await expect(followed).rejects.toMatchObject({ code: 'NODE_FAILED' })
  expect(logged).toEqual(Array(lines).fill({ err: failure, job_id: 'a' }))
})
