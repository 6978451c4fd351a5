import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { TaskInFlight } from './task-in-flight.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A task that reports activity and progress every second, for this many seconds. */
function endless(totalSeconds: number | null, seconds: number) {
  const onTimeOut = vi.fn()
  const request = { id: 'a', task: 'inspect', params: {}, silenceSeconds: 5, inactivitySeconds: 5 } as const
  const task = new TaskInFlight({ ...request, totalSeconds }, onTimeOut)
  task.begin()
  for (let second = 0; second < seconds; second++) {
    vi.advanceTimersByTime(1000)
    task.take({ type: 'activity', id: 'a', active: true, file: 'wide.csv' })
    task.take({ type: 'progress', id: 'a', fraction: 0.5, message: 'comparing the columns' })
  }
  return { task, onTimeOut }
}

test('a task that is active without end ends after its total time', async () => {
  const { task, onTimeOut } = endless(60, 61)
  await expect(task.answer).rejects.toMatchObject({
    code: 'WORKER_TIMEOUT',
    message:
      'the inspect task reached its time limit of 60 s and was stopped (last opened file: wide.csv; last message: comparing the columns)',
    details: expect.stringContaining('--worker-deadline'),
  })
  expect(onTimeOut).toHaveBeenCalledOnce()
})

test('waiting time before a restart, and a task without a limit, do not time out', () => {
  const { task } = endless(60, 59)
  task.begin()
  vi.advanceTimersByTime(2000)
  expect(task.settled).toBe(false)
  task.fail(new Error('ended by the test'))
  expect(endless(null, 10_000).task.settled).toBe(false)
})
